"""The table "wanted, have, so write" (`grammar/remedies.yaml`): what to write where something else is wanted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache

from edict.compiler.syntax.grammar_tables import grammar_table


@dataclass(frozen=True, slots=True)
class Instead:
    """What to write (nothing, if nobody can tell), the remedy in words, and a reason."""

    text: str
    help: str
    note: str = ""


def instead_of(
    part: str, wanted: Collection[str], have: Collection[str], blank: Callable[[str], str]
) -> Instead | None:
    """The first row of a part of the table that fits, filled in; None, if none does.

    blank: what these rules have for a blank; nothing, if there is no such thing.
    """
    known = _words_in(part)
    for row in _rows(part, known.intersection(wanted), known.intersection(have)):
        try:
            return _filled({key: text.format_map(_Blanks(blank)) for key, text in row.items()})
        except _NothingFills:
            continue
    return None


@cache
def _words_in(part: str) -> frozenset[str]:
    """All words by which the rows of a part are told apart."""
    rows: list[dict[str, str]] = grammar_table(part, "remedies.yaml")
    return frozenset(re.split(r"[\s/]+", " ".join(row[column] for row in rows for column in ("wanted", "have"))))


@cache
def _rows(part: str, wanted: Collection[str], have: Collection[str]) -> tuple[dict[str, str], ...]:
    """The rows of a part that fit."""
    rows: list[dict[str, str]] = grammar_table(part, "remedies.yaml")
    return tuple(row for row in rows if _fits(row["wanted"], wanted) and _fits(row["have"], have))


def _fits(cell: str, words: Collection[str]) -> bool:
    return all(any(alternative in words for alternative in word.split("/")) for word in cell.split())


def _filled(row: dict[str, str]) -> Instead:
    said = f"write `{row.get('write', '')}`" + (f", or {row['or']}" if "or" in row else "")
    because = f": {row['because']}" if "because" in row else ""
    return Instead(row.get("write", ""), row.get("say", said + because), row.get("note", ""))


class _NothingFills(Exception):
    """Of a blank for which these rules have nothing."""


class _Blanks(dict[str, str]):
    """Looked for when a form asks for them."""

    def __init__(self, blank: Callable[[str], str]) -> None:
        super().__init__()
        self.blank = blank

    def __missing__(self, name: str) -> str:
        text = self.blank(name)
        if not text:
            raise _NothingFills(name)
        return text
