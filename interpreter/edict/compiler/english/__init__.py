"""Rules in English, generated from the tree: what a card does, what an option means, how a phase goes.

One table (`phrases.describes`) has a function for each class of nodes; the modules beside it fill it, such as
`value_phrases`, `condition_phrases`, `amounts`, `step_phrases` and `ability_phrases`. `outline` describes longer
pieces line by line.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from edict.compiler.english import (  # noqa: F401 - they fill the table
    ability_phrases,
    amounts,
    choice_phrases,
    condition_phrases,
    member_phrases,
    moment_phrases,
    shorthand_phrases,
    step_phrases,
    value_phrases,
)
from edict.compiler.english.ability_phrases import outline_ability
from edict.compiler.english.block_phrases import describe_block, outline_block
from edict.compiler.english.phrases import OutlineLine, describe
from edict.compiler.english.titles import title_of
from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import join_words, spell_name, to_sentence

__all__ = [
    "OutlineLine",
    "outline_ability",
    "describe_block",
    "effect_title",
    "outline_block",
    "describe",
    "iter_thing_sentences",
    "describe_thing",
    "title_of",
]


def describe_thing(resolved: ResolvedBook, thing: t.Thing) -> str:
    """Return what a thing does, in the author's words if there are some: a sentence for each effect and ability."""
    return " ".join(iter_thing_sentences(resolved, thing))


def iter_thing_sentences(resolved: ResolvedBook, thing: t.Thing) -> Iterator[str]:
    """Yield the sentences about what a thing does.

    The author's words replace what is written in the same file, and those of an amendment all that was there before;
    what other files add comes after them. A thing without effects of its own gets a reference to the rules about it.
    """
    has_sentences = False
    for words in _iter_own_sentences(resolved, thing):
        has_sentences = has_sentences or bool(words)
        yield words
    if not has_sentences and (titles := list_referring_titles(resolved, thing)):
        yield to_sentence(f"see {join_words(titles)}")


def _iter_own_sentences(resolved: ResolvedBook, thing: t.Thing) -> Iterator[str]:
    """Yield the author's text of a thing, then a sentence for each effect and ability that it does not cover."""
    text = thing.text if resolved.authored else None
    if text is not None:
        yield to_sentence(describe(resolved, text))
    kind: t.Kind = resolved.require_definition(thing.kind.word)
    several = len([field_ for field_ in kind.fields if field_.type and field_.type.shape == "effect"]) > 1
    for field in thing.fields:
        if field.block and not (text and thing.is_covered_by_text(field)):
            words = describe_block(resolved, field.block)
            yield to_sentence(f"{effect_title(kind, field)}: {words}" if several else words)
    yield from (
        to_sentence(describe(resolved, ability))
        for ability in thing.abilities
        if not (text and thing.is_covered_by_text(ability))
    )


def effect_title(kind: t.Kind, field: t.FieldValue) -> str:
    """Return the title of a field of effects, or its name spelled out."""
    title = next((field_.title for field_ in kind.fields if field_.name.word == field.name.word), "")
    return title or spell_name(field.name.word)


def list_referring_titles(resolved: ResolvedBook, thing: t.Thing) -> tuple[str, ...]:
    """Return the titles of things and phases whose rules name a thing; empty if no thing of its kind has effects."""
    if thing.kind.word in _kinds_with_effects(resolved):
        return _titles_by_named_thing(resolved).get(thing.name.word, ())
    return ()


@lru_cache(maxsize=2)
def _kinds_with_effects(resolved: ResolvedBook) -> frozenset[str]:
    """Return the names of the kinds of which some thing has effects or abilities."""
    things = resolved.book.things
    return frozenset(thing.kind.word for thing in things if next(_iter_effects(thing), None) is not None)


@lru_cache(maxsize=2)
def _titles_by_named_thing(resolved: ResolvedBook) -> dict[str, tuple[str, ...]]:
    """Return, for each thing named by rules of other things or phases, the titles of those."""
    titles_by_thing: dict[str, dict[str, None]] = {}
    for definition in resolved.book.definitions.values():
        title = singular_title(definition)
        for part in _iter_effects(definition):
            for node in walk(part):
                meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
                if isinstance(meaning, Symbol) and meaning.sort == "thing" and meaning.definition is not definition:
                    titles_by_thing.setdefault(meaning.name, {})[title] = None
    return {name: tuple(titles) for name, titles in titles_by_thing.items()}


def _iter_effects(definition: t.Definition) -> Iterator[t.Node]:
    """Yield the rules of a thing or the steps of a phase."""
    if isinstance(definition, t.Phase):
        yield from definition.block
    elif isinstance(definition, t.Thing):
        yield from definition.abilities
        yield from (step for field in definition.fields for step in field.block or ())
