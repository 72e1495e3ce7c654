"""The table `grammar/remedies.yaml`, which says what to write where something else is expected."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache

from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.support.records import dataclass


@dataclass(frozen=True, slots=True)
class TableRemedy:
    """A remedy from the table, filled in."""

    text: str  # what to write; empty if unknown
    help: str  # the remedy in words
    note: str = ""  # a reason


def find_table_remedy(
    part: str, wanted: Collection[str], have: Collection[str], blank: Callable[[str], str]
) -> TableRemedy | None:
    """Return the first row of a part of the table that fits and can be filled in, or None.

    Args:
        part: The part of the table.
        wanted: Words for what is expected.
        have: Words for what was written.
        blank: Returns the text for a blank, or "" if these rules have none.
    """
    return next(iter_table_remedies(part, wanted, have, blank), None)


def iter_table_remedies(
    part: str, wanted: Collection[str], have: Collection[str], blank: Callable[[str], str]
) -> Iterator[TableRemedy]:
    """Yield all rows of a part of the table that fit and can be filled in; see `find_table_remedy`."""
    all_words = _list_words(part)
    for row in _find_rows(part, all_words.intersection(wanted), all_words.intersection(have)):
        try:
            yield _build_remedy({key: text.format_map(_Blanks(blank)) for key, text in row.items()})
        except _UnfillableBlank:
            continue


@cache
def _list_words(part: str) -> frozenset[str]:
    """Return all words by which the rows of a part are selected."""
    rows: list[dict[str, str]] = load_grammar_table(part, "remedies.yaml")
    return frozenset(re.split(r"[\s/]+", " ".join(row[column] for row in rows for column in ("wanted", "have"))))


@cache
def _find_rows(part: str, wanted: Collection[str], have: Collection[str]) -> tuple[dict[str, str], ...]:
    """Return the rows of a part of `remedies.yaml` whose cells `wanted` and `have` fit these words."""
    rows: list[dict[str, str]] = load_grammar_table(part, "remedies.yaml")
    return tuple(row for row in rows if _matches(row["wanted"], wanted) and _matches(row["have"], have))


def _matches(cell: str, words: Collection[str]) -> bool:
    """Return True if for each word of a cell one of its alternatives (`a/b`) is among the words."""
    return all(any(alternative in words for alternative in word.split("/")) for word in cell.split())


def _build_remedy(row: dict[str, str]) -> TableRemedy:
    """Return the remedy of a row, with a help such as `write ..., or ...: BECAUSE` unless the row has its own."""
    advice = f"write `{row.get('write', '')}`" + (f", or {row['or']}" if "or" in row else "")
    reason = f": {row['because']}" if "because" in row else ""
    return TableRemedy(row.get("write", ""), row.get("say", advice + reason), row.get("note", ""))


class _UnfillableBlank(Exception):
    """Raised for a blank that cannot be filled from these rules."""


class _Blanks(dict[str, str]):
    """A map whose values are looked up when a row asks for them."""

    def __init__(self, blank: Callable[[str], str]) -> None:
        super().__init__()
        self.blank = blank

    def __missing__(self, name: str) -> str:
        text = self.blank(name)
        if not text:
            raise _UnfillableBlank(name)
        return text
