"""Which words of the language cannot be names, and of what.

A line is read with the words of the language as such; only where it cannot be read so, words that are known as names
are taken for names (`soft_words`). So a word is no good as a name where some line that refers to it could be read both
ways to its end. Which words these are follows from the parser's own table: it is walked with the word and with a name
side by side.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import LAYOUT, Stack, parts_at, stacks, terminals, value_words, written
from edict.compiler.syntax.constructs import form_of
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.roles import Role, has, having
from edict.compiler.syntax.walking import walk
from edict.support.morphology import add_indefinite_article
from edict.support.report import Diagnostic

_MOST_WORDS = 6
"""How far two readings of a line are followed: what tells them apart stands close to the word, or nowhere."""
_ALIKE = 4
"""States on top of a stack by which two readings are the same."""
_VALUES = ("thing", "kind", "group", "resource", "die", "keep", "quantity", "value", "setting")
_NUMBERS = ("keep", "quantity", "value", "setting", "local")
_KINDS = ("kind", "group")
_FIELDS = ("field",)
_APPLIED = ("field", "keep", "quantity", "value", "resource", "group", "die", "local")
_EVERYTHING = (*_VALUES, "field", "local", "phase", "moment", "routine", "action", "rule", "display", "game")
_SORTS: Mapping[tuple[str, int], tuple[str, ...]] = {
    ("thing", 0): ("kind",),
    ("combinations", 0): ("kind",),
    ("thing_type", 0): _KINDS,
    ("optional_type", 0): _KINDS,
    ("choose", 2): _KINDS,
    ("choose_some", 2): _KINDS,
    ("choose_up_to", 4): _KINDS,
    ("field_stmt", 0): _FIELDS,
    ("field_block", 0): _FIELDS,
    ("field_text", 0): _FIELDS,
    ("field_expr", 0): _FIELDS,
    ("field_amounts", 0): _FIELDS,
    ("field_listed", 0): _FIELDS,
    ("field_def", 0): _FIELDS,
    ("derived_def", 0): _FIELDS,
    ("of_each_field", 0): _FIELDS,
    ("do_field", 1): _FIELDS,
    ("do", 1): ("routine", "action"),
    ("apply_one", 0): _APPLIED,
    ("apply_many", 0): _APPLIED,
    ("part", 1): ("group", "resource", "die", "local"),
    ("part", 0): _NUMBERS,
    ("choose_some", 1): _NUMBERS,
    ("draw_some", 1): _NUMBERS,
    ("draw_into", 1): _NUMBERS,
    ("reroll", 1): ("keep", "local"),
    ("copies_of", 2): ("thing", "local"),
    ("binary", 0): (*_VALUES, "local"),
    ("is_", 2): (*_VALUES, "local"),
    ("is_not", 3): (*_VALUES, "local"),
    ("field_expr", 1): _VALUES,
    ("field_listed", 1): _VALUES,
    ("row", 1): _VALUES,
    ("row", 2): _VALUES,
    ("field_def", 1): _KINDS,
    **{("keep", place): _KINDS for place in range(3, 8)},
}
"""What a name can be that stands at a place of a rule of the grammar; at any other it can be anything."""
_REPEATED = re.compile(r"^__|_(star|plus)_\d+$")  # how Lark calls what is repeated in a rule


@dataclass(frozen=True, slots=True)
class _Pair:
    """A line read both ways: the stacks of the parser, what the name turned out to be part of, and the words since."""

    word: Stack
    name: Stack
    part: tuple[str, int] | None
    since: tuple[str, ...]

    @property
    def alike(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, int] | None]:
        return self.word.top(_ALIKE), self.name.top(_ALIKE), self.part


@cache
def reserved(word: str) -> Mapping[str, str]:
    """The sorts of what cannot be called so, each with how a line begins that would be misread."""
    found: dict[str, str] = {}
    for part, line in _misread(word).items():
        for sort in _SORTS.get((_REPEATED.sub("", part[0]), part[1]), _EVERYTHING):
            found.setdefault(sort, line)
    return found


def _misread(word: str) -> dict[tuple[str, int], str]:
    """The places of the grammar where the word as a name can be read in another way, each with such a line."""
    kind = terminals().get(word)
    found: dict[tuple[str, int], str] = {}
    seen: set[object] = set()
    for stack in stacks() if kind is not None else ():
        as_word, as_name = stack.after(kind or ""), stack.after("NAME")
        if as_word is None or as_name is None or as_name.below is None:
            continue
        base = as_name.below
        waiting = deque([_Pair(as_word, as_name, None, ())])
        while waiting:
            pair = waiting.popleft()
            if pair.part in found or pair.alike in seen:
                continue
            seen.add(pair.alike)
            for after in _further(pair, base):
                if after.since[-1] != "_NL":
                    waiting.append(after)
                    continue
                for part in _ends(after, base):
                    found.setdefault(part, " ".join((word, *_shown(after.since))))
    return found


def _further(pair: _Pair, base: Stack) -> Iterator[_Pair]:
    """Both readings with one word more that either can take."""
    for kind in pair.word.wanted() if len(pair.since) < _MOST_WORDS else ():
        if kind in _spared():
            continue
        word = pair.word.after(kind)
        name, part = pair.name.after_as_part(kind, base)
        if word is not None and name is not None:
            yield _Pair(word, name, pair.part or part, (*pair.since, kind))


def _ends(pair: _Pair, base: Stack) -> Iterator[tuple[str, int]]:
    """What the name is part of, where both readings have come to the end of their line, and can go on alike."""
    if not any(pair.name.after(kind) for kind in pair.word.wanted()):
        return
    if pair.part is not None:
        yield pair.part
        return
    above = pair.name
    while above.below is not base:
        assert above.below is not None
        above = above.below
    yield from parts_at(above.state)


@cache
def _spared() -> frozenset[str]:
    """Kinds of words that are left out, for others stand in the same places."""
    alike = {"(", "+", "*", "/", "mod", "."} | (value_words() - {"first", "left", "not"})
    return frozenset(terminals()[word] for word in alike) | {"COMPARE", "_POSITION_OF", "$END", *LAYOUT[1:]}


def _shown(kinds: Sequence[str]) -> Iterator[str]:
    return ({"NAME": "...", "NUMBER": "2", "STRING": '"..."'}.get(kind) or written()[kind] for kind in kinds[:-1])


# --- what is declared ------------------------------------------------------------------------------


def declared_names(definition: t.Definition) -> Iterator[tuple[t.Name, str]]:
    """The names that a definition gives to itself and to what belongs to it, each with its sort."""
    if isinstance(definition, t.Amend | t.Remove_ | t.Retitle):
        definition = definition.definition if isinstance(definition, t.Amend) else definition
    elif type(definition) in SORTS:
        yield definition.name, SORTS[type(definition)]
    for node in walk(definition):
        if isinstance(node, t.FieldDef):
            yield node.name, "field"
        elif isinstance(node, t.Row):
            yield node.name, "thing"
        kind: Any = type(node)
        for role in _giving(kind):
            yield from ((name, "local") for name in having(node, role))


@cache
def _giving(kind: Any) -> tuple[Role, ...]:
    """The roles in which nodes of a class give names to locals."""
    return tuple(role for role in (Role.BINDS, Role.BINDS_BELOW) if has(kind, role))


def called_as_words(definitions: Iterable[t.Definition]) -> frozenset[str]:
    """The words of the language that something is called which can be meant outside of its own definition."""
    return frozenset(word for definition in definitions for word in _called_as_words(definition))


@lru_cache(maxsize=8192)
def _called_as_words(definition: t.Definition) -> tuple[str, ...]:
    """Of one definition, which is asked again with every key that is typed in another."""
    names = declared_names(definition)
    return tuple(name.word for name, sort in names if sort != "local" and name.word in terminals())


def misnamed(definitions: Iterable[t.Definition]) -> Iterator[Diagnostic]:
    """What is said of names that could not be used, for a word of the language would be read in their place."""
    for definition in definitions:
        for name, sort in declared_names(definition):
            if sort in reserved(name.word):
                yield reserved_word(name, sort)


def reserved_word(name: t.Name, sort: str) -> Diagnostic:
    """What is said of a name that is a word of the language where this sort of thing is meant."""
    word, line = name.word, reserved(name.word).get(sort, name.word)
    what = "cannot be a name here" if sort == "local" else f"cannot be the name of {add_indefinite_article(sort)}"
    form = grammar_table("meanings", "constructs.yaml").get(word, "") or f"It is written `{form_of(word)}`."
    return Diagnostic(
        "E0112",
        f"`{word}` is a word of the language and {what}",
        name.span,
        note=f"{form} `{line}` would always mean that.",
        help=f"choose another name, such as `my-{word}`",
    )
