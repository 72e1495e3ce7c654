"""Places in a line after an edit, and the same words in the line before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, iter_line_words
from edict.support.report import Diagnostic, Edit
from edict.support.text import Span

PREPOSITIONS = frozenset("of from to in by with at".split())
TYPE_ERRORS = "E04"  # beginning of the codes of values that do not fit


def map_diagnostic(diagnostic: Diagnostic, edited_line: str, line: str) -> Diagnostic | None:
    """Return a diagnostic of an edited line with the place of the same words in the line before; None if they are new.

    Edits whose words are new are dropped, with the remedy. A value that does not fit must have no new word at all.
    """
    span = map_span(diagnostic.span, edited_line, line)
    if span is None or diagnostic.code[:3] == TYPE_ERRORS and not _has_same_words(diagnostic.span, edited_line, line):
        return None
    mapped = [map_span(edit.span, edited_line, line) for edit in diagnostic.edits]
    edits = tuple(Edit(place, edit.text) for place, edit in zip(mapped, diagnostic.edits, strict=True) if place)
    if len(edits) < len(diagnostic.edits):
        return replace(diagnostic, span=span, help="", edits=(), alternatives=())
    return replace(diagnostic, span=span, edits=edits, alternatives=())


def map_span(span: Span, edited_line: str, line: str) -> Span | None:
    """Return the place in a line of the words at `span` in the edited line; None if the outer ones are new."""
    edited_words, words = list(iter_line_words(edited_line)), list(iter_line_words(line))
    inside, places = _list_inside(span, edited_words), _match_words(edited_words, words)
    if not inside or inside[0] not in places or inside[-1] not in places:
        return None
    first, last = words[places[inside[0]]], words[places[inside[-1]]]
    return replace(span, column=first.column, end_line=span.line, end_column=last.end)


def _has_same_words(span: Span, edited_line: str, line: str) -> bool:
    """Return True if all words at a place in an edited line were in the line before."""
    edited_words = list(iter_line_words(edited_line))
    places = _match_words(edited_words, list(iter_line_words(line)))
    return all(index in places for index in _list_inside(span, edited_words))


def _list_inside(span: Span, words: Sequence[StreamWord]) -> list[int]:
    """Return the indices of the words at a place in their line."""
    return [index for index, word in enumerate(words) if word.end > span.column and word.column < span.end_column]


def depends_on_preposition(span: Span, edited_line: str, line: str) -> bool:
    """Return True if a preposition beside a place is new: without knowing what stands there, it is a mere guess."""
    edited_words = list(iter_line_words(edited_line))
    places, inside = _match_words(edited_words, list(iter_line_words(line))), _list_inside(span, edited_words)
    beside = (index for index in (inside[0] - 1, inside[-1] + 1) if 0 <= index < len(edited_words))
    return any(index not in places and edited_words[index].text in PREPOSITIONS for index in beside)


def describe_replacement(edited_line: str, line: str) -> str:
    """Return the remedy that tells which words to write in place of which; "" if words are only put in."""
    edited_words, words = list(iter_line_words(edited_line)), list(iter_line_words(line))
    texts = [word.text for word in words], [word.text for word in edited_words]
    pairs: list[tuple[str, str]] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if tag == "insert" and 0 < start < len(words) and 0 < new_start and new_end < len(edited_words):
            start, end, new_start, new_end = start - 1, end + 1, new_start - 1, new_end + 1
        if tag != "equal":
            pairs.append((_cut(line, words[start:end]), _cut(edited_line, edited_words[new_start:new_end])))
    if not pairs or not all(old and new for old, new in pairs):
        return ""
    return " and ".join(f"write `{new}` in place of `{old}`" for old, new in pairs)


def _cut(line: str, words: Sequence[StreamWord]) -> str:
    """Return the text of words in a row of a line."""
    return line[words[0].column - 1 : words[-1].end - 1] if words else ""


def _match_words(edited_words: Sequence[StreamWord], words: Sequence[StreamWord]) -> dict[int, int]:
    """Return the index of each word of an edited line that was in the line before, with its index there."""
    texts = [word.text for word in edited_words], [word.text for word in words]
    blocks = SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}
