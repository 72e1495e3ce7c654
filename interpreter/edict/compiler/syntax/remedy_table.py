"""The table "wanted, have, so write" (`grammar/remedies.yaml`): what to write where something else is wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

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
    for row in grammar_table(part, "remedies.yaml"):
        if _fits(row["wanted"], wanted) and _fits(row["have"], have):
            try:
                return _filled({key: text.format_map(_Blanks(blank)) for key, text in row.items()})
            except _NothingFills:
                continue
    return None


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
