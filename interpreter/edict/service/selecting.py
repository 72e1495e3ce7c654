"""The stretches around a place, from its word outwards: what an editor selects when the selection is widened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.language.parse import read
from edict.language.walking import walk
from edict.service.document_structure import stretches, word_at
from edict.service.answer_types import At
from edict.service.workspace import Workspace
from edict.text import Source, Span


def selections(space: Workspace, path: Path, at: At) -> tuple[Span, ...]:
    """The stretches around a place, each within the next: word, expression, step, block, definition, file."""
    source = space.source(path)
    if source is None:
        return ()
    found: list[Span] = []
    for span in sorted({*_around(source, at)}, key=_size):
        if not found or _within(found[-1], span):
            found.append(span)
    return tuple(found)


def _around(source: Source, at: At) -> Iterator[Span]:
    lines = source.text.split("\n")
    word = word_at(source, at)
    yield from [word[1]] if word is not None else []
    if at.line <= len(lines) and lines[at.line - 1].strip():
        line = lines[at.line - 1]
        yield Span(source.name, at.line, len(line) - len(line.lstrip()) + 1, at.line, len(line.rstrip()) + 1)
    for first, last in stretches(source.text):
        if first <= at.line <= last:
            yield Span(source.name, first, 1, last, len(lines[last - 1]) + 1)
    page = read(source).page
    for definition in page.definitions if page is not None else ():
        if definition.span.line <= at.line <= definition.span.end_line:
            spans = (_written(lines, node.span) for node in walk(definition) if at.within(node.span))
            yield from (span for span in spans if at.within(span))
    yield Span(source.name, 1, 1, len(lines), len(lines[-1]) + 1)


def _written(lines: list[str], span: Span) -> Span:
    """A stretch without the space and the empty lines at its end."""
    end, column = span.end_line, span.end_column
    while end > span.line and not (lines[end - 1] if end <= len(lines) else "")[: column - 1].strip():
        end -= 1
        column = len(lines[end - 1]) + 1
    return Span(span.file, span.line, span.column, end, column)


def _size(span: Span) -> tuple[int, int, int]:
    wide = span.end_column - span.column if span.line == span.end_line else 0
    return span.end_line - span.line, wide, -span.line


def _within(inner: Span, outer: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column) and inner != outer
