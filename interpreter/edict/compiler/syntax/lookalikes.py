"""Characters that look like one the language knows: typed by a phone or a word processor, or copied from a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from edict.support.morphology import add_indefinite_article
from edict.support.report import Diagnostic, Edit
from edict.support.text import Source, Span

_ALIKE = {
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
_APART = re.compile(rf"{_CURLY}|\"[^\"\n]*\"|#[^\n]*|[^\x00-\x7f]")
Found = tuple[int, str, str]  # where it stands in the text, the character, and what to write


def look_alike(char: str) -> str:
    """The character or sign that is meant, or nothing."""
    category = unicodedata.category(char)
    if char < "\x80" or char in _ALIKE:
        return _ALIKE.get(char, "")
    if category in ("Pd", "Zs"):
        return "-" if category == "Pd" else " "
    plain = unicodedata.normalize("NFKC", char)
    return plain if plain.isascii() and len(plain) == 1 else ""


def look_alikes(source: Source, start: int, end: int) -> Diagnostic | None:
    """What is said of a stretch with such characters outside of texts and remarks; None if there is none."""
    signs = list(_found(source.text, start, end))
    if not signs:
        return None
    at, char, written = signs[0]
    name = unicodedata.name(char, "a character").lower()
    more = len(signs) - 1
    others = f" There {'is one more character' if more == 1 else f'are {more} more characters'} of that sort here."
    kind = "a space" if written == " " else f"`{written}`"
    return Diagnostic(
        "E0115",
        f"this is {add_indefinite_article(name)} (U+{ord(char):04X}), which the language does not know",
        _span(source, at),
        note=f"It only looks like {kind}.{others if more else ''}",
        help=f"write {kind} in its place",
        exact=True,
        edits=tuple(Edit(_span(source, at), text) for at, _, text in signs),
    )


def _found(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _APART.finditer(text, start, end):
        matched = match[0]
        if matched[0] == "#":
            continue
        if len(matched) > 1:
            quotes = ((match.start(), matched[0]), (match.end() - 1, matched[-1]))
            yield from ((at, char, '"') for at, char in quotes if char in _OPENING + _CLOSING)
        elif look_alike(matched):
            yield match.start(), matched, look_alike(matched)


def _span(source: Source, at: int) -> Span:
    line = source.text.count("\n", 0, at) + 1
    column = at - source.text.rfind("\n", 0, at)
    return Span(source.name, line, column, line, column + 1)
