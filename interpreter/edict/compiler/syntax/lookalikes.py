"""Characters that look like one of the language, as typed by phones and word processors or copied from pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from edict.support.morphology import add_indefinite_article
from edict.support.report import Diagnostic, Edit
from edict.support.text import Source, Span

_REPLACEMENTS = {
    "\u2212": "-",
    "\u00d7": "*",
    "\u2217": "*",
    "\u00f7": "/",
    "\u2044": "/",
    "\u2215": "/",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
    "\u2248": "=",
    "\u201a": ",",
    "\u037e": ";",
}
_OPENING = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u201b\u2039\u203a"
_CLOSING = "\u201c\u201d\u00ab\u00bb\u2019\u2018\u2039\u203a"
_INNER = rf"[^{_OPENING}{_CLOSING}\"\n]*"
_CURLY = rf"[{_OPENING}]{_INNER}[{_CLOSING}\"]|\"{_INNER}[{_CLOSING}](?![^\"\n]*\")"
# text in curly quotes, or (skipped) plain text or a comment, or any other non-ASCII character
_CANDIDATE = re.compile(rf"{_CURLY}|\"[^\"\n]*\"|#[^\n]*|[^\x00-\x7f]")
Lookalike = tuple[int, str, str]  # position, character, replacement


def find_replacement(char: str) -> str:
    """Return the ASCII character or sign that a character looks like, or ""."""
    category = unicodedata.category(char)
    if char < "\x80" or char in _REPLACEMENTS:
        return _REPLACEMENTS.get(char, "")
    if category in ("Pd", "Zs"):
        return "-" if category == "Pd" else " "
    if category == "Nd":
        return str(unicodedata.decimal(char))  # a digit of another script
    plain = unicodedata.normalize("NFKC", char)
    return plain if plain.isascii() and len(plain) == 1 else ""


def find_lookalikes(source: Source, start: int, end: int) -> Diagnostic | None:
    """Return a diagnostic for lookalike characters in a stretch of a file, outside of texts and comments, or None."""
    lookalikes = list(_iter_lookalikes(source.text, start, end))
    if not lookalikes:
        return None
    position, char, replacement = lookalikes[0]
    name = unicodedata.name(char, "a character").lower()
    further = len(lookalikes) - 1
    others = (
        f" There {'is one more character' if further == 1 else f'are {further} more characters'} of that sort here."
    )
    kind = "a space" if replacement == " " else f"`{replacement}`"
    appearance = "Numbers have the digits 0 to 9." if replacement.isdecimal() else f"It only looks like {kind}."
    return Diagnostic(
        "E0115",
        f"this is {add_indefinite_article(name)} (U+{ord(char):04X}), which the language does not use",
        _span_at(source, position),
        note=f"{appearance}{others if further else ''}",
        help=f"write {kind} in its place",
        exact=True,
        edits=tuple(Edit(_span_at(source, position), text) for position, _, text in lookalikes),
    )


def _iter_lookalikes(text: str, start: int, end: int) -> Iterator[Lookalike]:
    """Yield each lookalike as its position, the character and its ASCII replacement; only the quotes of texts."""
    for match in _CANDIDATE.finditer(text, start, end):
        matched = match[0]
        if matched[0] == "#":
            continue
        if len(matched) > 1:
            quotes = ((match.start(), matched[0]), (match.end() - 1, matched[-1]))
            yield from ((position, char, '"') for position, char in quotes if char in _OPENING + _CLOSING)
        elif find_replacement(matched):
            yield match.start(), matched, find_replacement(matched)


def _span_at(source: Source, position: int) -> Span:
    """Return the span of the one character at an offset of a source's text."""
    line = source.text.count("\n", 0, position) + 1
    column = position - source.text.rfind("\n", 0, position)
    return Span(source.name, line, column, line, column + 1)
