"""The reference, a row for each construct: what it does, an example, and how it is written.

What the rows say stands in `grammar/reference`; how a construct is written is derived from the pattern of its class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from textwrap import indent
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_forms import form_of_rule
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.compiler.syntax.patterns import gaps, patterns, rule_of
from edict.support import resources

GROUPS = ("definitions", "abilities", "steps", "values", "layering")
_WORD = re.compile(r"[a-z]+(?![\w-])")


@dataclass(frozen=True)
class Row:
    """`of` are the rules of the patterns it tells of; `shape` is what its example is: steps, values, rules ..."""

    name: str
    group: str
    of: tuple[str, ...]
    does: str
    shape: str
    example: str
    more: str
    see: tuple[str, ...]
    forms: tuple[str, ...]
    also: tuple[str, ...]  # further words by which it is found

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the language with which it is written."""
        return frozenset(_WORD.findall(" ".join((*_without_texts(self.forms), self.name)))) | frozenset(self.also)


def _without_texts(forms: tuple[str, ...]) -> Iterator[str]:
    return (re.sub(r'"[^"]*"', "", form) for form in forms)


@cache
def rows() -> tuple[Row, ...]:
    """All rows, in the order in which the reference has them."""
    return tuple(row for group in GROUPS for row in _rows_of(group))


def about(group: str) -> tuple[str, str]:
    """The title of a group, and what is said of all in it."""
    file = f"reference/{group}.yaml"
    return grammar_table("title", file), grammar_table("about", file)


@cache
def example_game() -> str:
    """The rules to which the examples belong."""
    return (resources.grammar_folder() / "reference" / "orchard.edict").read_text(encoding="utf-8")


@cache
def example_scenes() -> str:
    """A file of scenes beside these rules."""
    return (resources.grammar_folder() / "reference" / "orchard-scenes.yaml").read_text(encoding="utf-8")


def row_at(line: str, column: int) -> Row | None:
    """The row of the word that stands at a column of a line, counted from 0."""
    found = next((one for one in re.finditer(r"[\w-]+", line) if one.start() <= column <= one.end()), None)
    mine = [row for row in rows() if found is not None and found[0] in row.words]
    if found is None or not mine:
        return None
    there = frozenset(_WORD.findall(re.sub(r'"[^"]*"', "", line)))
    return max(mine, key=lambda row: (_written(row, there) > 0, _named(row, line, found), _written(row, there)))


def _named(row: Row, line: str, word: re.Match[str]) -> int:
    """How much of a line around a word is the row's name, or the beginning of that; of its further words, a little."""
    for found in re.finditer(rf"(?<![\w-]){re.escape(row.name)}(?![\w-])", line):
        if found.start() <= word.start() and word.end() <= found.end():
            return len(row.name)
    return len(word[0]) if row.name.startswith(f"{word[0]} ") else int(word[0] in row.also)


def _written(row: Row, there: frozenset[str]) -> int:
    """Of how many of these words a form of the row is made that needs no others."""
    needed = [_needed(form) for form in row.forms] or [frozenset(row.name.split())]
    return max((len(words) for words in needed if words <= there), default=0)


@cache
def _needed(form: str) -> frozenset[str]:
    """The words that a form cannot be without: those of its first line, outside of brackets and choices."""
    first = re.sub(r'"[^"]*"', "", form.partition("\n")[0])
    return frozenset(_WORD.findall(re.sub(r"\[[^\]]*\]|\([^)]*\)", "", first)))


def rows_shown(node: t.Node) -> Iterator[Row]:
    """The rows that tell of what a node is: of its class; of what it is called (`order`, `count`); of its words."""
    kind: Any = type(node)
    called = {getattr(node, "shape", ""), getattr(node, "op", "")}
    said = {gap.field for pattern in patterns(kind).values() for gap in gaps(pattern) if gap.spec == "word"}
    named = called | {field for field in said if getattr(node, field)}
    mine = _rows_by_class().get(kind, ())
    yield from mine if len(mine) == 1 else (row for row in mine if called & set(row.name.split()))
    yield from (row for row in rows() if not row.of and row.name in named)


@cache
def _rows_by_class() -> dict[Any, tuple[Row, ...]]:
    kinds = [kind for kind in vars(t).values() if isinstance(kind, type)]
    rules = {kind: {rule_of(kind), *patterns(kind)} for kind in kinds}
    return {kind: tuple(row for row in rows() if not rules[kind].isdisjoint(row.of)) for kind in kinds}


def rows_for(asked: str) -> list[Row]:
    """The rows that tell of a word or words, the nearest first."""
    words = asked.casefold().split()
    if not words:
        return []
    whole = [row for row in rows() if row.name.split() == words]
    named = [row for row in rows() if set(words) <= {*row.name.split(), *row.also}]
    written = [row for row in rows() if set(words) <= row.words]
    return list(dict.fromkeys(whole or named or written))


def _rows_of(group: str) -> Iterator[Row]:
    file = f"reference/{group}.yaml"
    found: dict[str, dict[str, Any]] = grammar_table("rows", file)
    for name, row in found.items():
        derived = [form for rule in row["of"] for form in form_of_rule(rule)]
        forms = [*row.get("forms", ()), *(one for one in derived if not _told(one, derived))]
        yield Row(
            name,
            group,
            tuple(row["of"]),
            row["does"].strip(),
            row.get("as") or _SHAPES.get(group, "rules"),
            row["example"].rstrip(),
            row.get("more", "").strip(),
            tuple(row["see"]),
            tuple(forms),
            tuple(row.get("words", ())),
        )


def _told(form: str, others: Iterable[str]) -> bool:
    """Whether a form stands below another one."""
    inner = indent(form, "  ")
    return any(f"\n{inner}" in other for other in others)


_SHAPES = {"steps": "steps", "values": "values", "layering": "over kingsburg"}
