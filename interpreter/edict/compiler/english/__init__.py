"""Rules in English, made from the tree: what a card does, what an option means, how a phase goes.

One table (`telling.tells`) has a function for each kind of node; the files beside it fill it: `expressions`,
`conditions`, `amounts`, `statements`, `abilities`. `outline` tells longer pieces line by line.
"""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.english import (  # noqa: F401 - they fill the table
    ability_phrases,
    amounts,
    choice_phrases,
    condition_phrases,
    doing,
    keeping,
    members,
    short,
    step_phrases,
    value_phrases,
)
from edict.compiler.english.ability_phrases import ability_lines
from edict.compiler.english.block_phrases import block_words
from edict.compiler.english.outline import lines
from edict.compiler.english.phrase_tables import Line, tell
from edict.compiler.english.referring import askers
from edict.compiler.english.titles import title_of
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.support.morphology import join_words, spell_name, to_sentence

__all__ = [
    "Line",
    "ability_lines",
    "block_words",
    "effect_title",
    "lines",
    "tell",
    "thing_sentences",
    "thing_words",
    "title_of",
]


def thing_words(resolved: Resolved, thing: t.Thing) -> str:
    """What a thing does, in the author's words if there are some: its effects and abilities, a sentence each."""
    return " ".join(thing_sentences(resolved, thing))


def thing_sentences(resolved: Resolved, thing: t.Thing) -> Iterator[str]:
    """The author's words stand for what is written in the same file, and those of an amendment for all that was there;
    what other files add comes after them.

    Of a thing that does nothing by itself they say where its rules stand.
    """
    told = False
    for words in _own_sentences(resolved, thing):
        told = told or bool(words)
        yield words
    if not told and (titles := askers(resolved, thing)):
        yield to_sentence(f"see {join_words(titles)}")


def _own_sentences(resolved: Resolved, thing: t.Thing) -> Iterator[str]:
    text = thing.text if resolved.authored else None
    if text is not None:
        yield to_sentence(tell(resolved, text))
    kind: t.Kind = resolved.get(thing.kind.word)
    several = len([f for f in kind.fields if f.type and f.type.shape == "effect"]) > 1
    for field in thing.fields:
        if field.block and not (text and thing.tells(field)):
            words = block_words(resolved, field.block)
            yield to_sentence(f"{effect_title(kind, field)}: {words}" if several else words)
    yield from (to_sentence(tell(resolved, one)) for one in thing.abilities if not (text and thing.tells(one)))


def effect_title(kind: t.Kind, field: t.FieldValue) -> str:
    """How people call a field of effects."""
    title = next((f.title for f in kind.fields if f.name.word == field.name.word), "")
    return title or spell_name(field.name.word)
