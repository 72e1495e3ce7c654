"""Mistakes of single characters: lookalikes, a missing quote or space, characters that names cannot have.

Phones and word processors type characters that only look like one of the language, and pages have them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from edict.compiler.syntax.automaton import initial_stack
from edict.compiler.syntax.grammar import FilePiece
from edict.compiler.syntax.syntax_errors.vocabulary import Vocabulary
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, shift_words
from edict.support.morphology import add_indefinite_article, parse_ordinal
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
_UNCLOSED_TEXT = re.compile(r'(?:[^"#]|"[^"]*")*+("[^"]*)')  # a quote behind complete texts, outside of comments
_FOREIGN_JOINER = re.compile("['’_]")  # characters that join words in other languages
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


def find_lexical_mistakes(
    source: Source, words: Sequence[StreamWord], piece: FilePiece, vocabulary: Vocabulary
) -> Iterator[Diagnostic]:
    """Yield diagnostics for mistakes of single characters, such as a missing quote or space."""
    index, _ = shift_words(initial_stack(), words)
    last_line = words[index].line if index < len(words) else len(source.lines)
    for number in range(piece.above + 1, last_line + 1):
        line = source.lines[number - 1] if number <= len(source.lines) else ""
        if (match := _UNCLOSED_TEXT.fullmatch(line)) is not None:
            yield _unclosed_text_diagnostic(source, number, line, match.start(1))
    for word in words:
        if word.line <= last_line and word.is_word and not word.kinds and not word.text.isascii():
            yield _foreign_name_diagnostic(source, word)
    for previous, word in pairwise(words):
        if word.line == previous.line <= last_line and previous.end == word.column and not word.is_layout:
            if previous.text[-1:].isalnum() and word.text[:1].isalnum():
                yield _glued_words_diagnostic(source, previous, word, vocabulary.knows(word.text))


def _unclosed_text_diagnostic(source: Source, number: int, line: str, quote: int) -> Diagnostic:
    """Return E0107, for a text that opens at column `quote` (from 0) and is not closed in its line."""
    end = len(line.rstrip())
    return Diagnostic(
        "E0107",
        "this text has no closing quote",
        Span(source.name, number, quote + 1, number, end + 1),
        note="A text must end on the line where it begins.",
        help="add a closing quote at the end of the text",
        edits=(Edit(Span(source.name, number, end + 1, number, end + 1), '"'),),
        exact=False,
    )


def _foreign_name_diagnostic(source: Source, word: StreamWord) -> Diagnostic:
    """Return E0115, for a name with characters that names cannot have, such as `my$name`."""
    return Diagnostic(
        "E0115",
        f"`{word.text}` has characters that names cannot have",
        Span(source.name, word.line, word.column, word.line, word.end),
        note="Names are letters and digits, joined by `-`; titles in quotes may have any characters.",
        help=f"write a name such as `{_FOREIGN_JOINER.sub('-', word.text.lower())}`",
    )


def _glued_words_diagnostic(source: Source, first: StreamWord, second: StreamWord, is_known: bool) -> Diagnostic:
    """Return the diagnostic for two words without a space; if the second is unknown, one name may be meant."""
    place, text = Span(source.name, first.line, first.column, first.line, second.end), first.text + second.text
    if not is_known:
        return Diagnostic(
            "E0125",
            f"`{text}` begins with a digit, but names begin with a letter",
            place,
            help=f"a number is written in digits: `{first.text}`"
            if parse_ordinal(text) is not None
            else f"write `{first.text} {second.text}` if these are two words, or a name that begins with a letter",
        )
    gap = Span(source.name, first.line, first.end, first.line, first.end)
    return Diagnostic(
        "E0125",
        f"a space is missing in `{text}`",
        place,
        help=f"write `{first.text} {second.text}`",
        edits=(Edit(gap, " "),),
        exact=True,
    )
