"""Diagnostics as plain text, with source excerpts and the span underlined; no colours, no escape sequences."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping

from edict.support.graphemes import split_visible_characters, strip_joiners
from edict.support.morphology import count_noun, join_words
from edict.support.report import Diagnostic, ReadingExample, count_errors, count_warnings
from edict.support.text import NOWHERE, Source, Span

WIDTH = 100
_TAB = "    "


def render_diagnostic(diagnostic: Diagnostic, sources: Mapping[str, Source], width: int = WIDTH) -> str:
    """Render one diagnostic in lines of at most `width` columns; `sources` maps file names to sources."""
    blocks = [[_render_headline(diagnostic, width)], _render_excerpt(diagnostic.span, sources, width)]
    for label in diagnostic.labels:
        blocks.append([*_wrap(f"{label.text} at {label.span}:", width), *_render_excerpt(label.span, sources, width)])
    if diagnostic.note:
        blocks.append(_wrap(diagnostic.note, width))
    if diagnostic.help:
        blocks.append(_wrap(f"help: {diagnostic.help}", width))
    if diagnostic.example is not None:
        blocks.append(_render_example(diagnostic.example, width))
    return "\n".join(line for block in blocks for line in block) + "\n"


def render_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], width: int = WIDTH) -> str:
    """Render every diagnostic, sorted by file and line, and the counts of errors and warnings."""
    ordered = sort_diagnostics(diagnostics)
    if not ordered:
        return ""
    return "\n".join(
        [
            *(render_diagnostic(d, sources, width) for d in ordered),
            describe_counts(count_errors(ordered), count_warnings(ordered)) + "\n",
        ]
    )


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics sorted by place, without duplicates."""
    return sorted(dict.fromkeys(diagnostics), key=lambda d: (d.span, d.code, d.title))


def index_sources(sources: Iterable[Source]) -> dict[str, Source]:
    """Index sources by their names."""
    return {source.name: source for source in sources}


def escape_terminal(text: str) -> str:
    """Replace every character that could control a terminal by `?`, and tabs by spaces.

    Joiners inside an emoji stay.
    """
    text = text.replace("\t", _TAB)
    if text.replace("\n", "").isprintable():  # most texts; a search for each character takes much longer
        return text
    joined = split_visible_characters(text)
    if joined is text:
        return text.translate(_ESCAPES)
    return "".join(map(_escape_grapheme, joined))


def _escape_grapheme(piece: str) -> str:
    """Return a grapheme cluster with each control or hidden character as `?`; joiners inside an emoji stay."""
    visible = strip_joiners(piece)
    if visible.translate(_ESCAPES) == visible:
        return piece
    return piece.translate(_ESCAPES)


class _Escapes(dict[int, int]):
    """Translation of characters that could control a terminal; each is classified when it first occurs."""

    def __missing__(self, code: int) -> int:
        is_control = unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} and code != ord("\n")
        escape = ord("?") if is_control else code
        if code <= 0xFFFF:  # a server runs for months, and there are a million others
            self[code] = escape
        return escape


_ESCAPES = _Escapes()


def _render_headline(diagnostic: Diagnostic, width: int) -> str:
    """Return `file:line:column: error E0123: title`, wrapped to `width`; the place only if there is one."""
    place = "" if diagnostic.span == NOWHERE else f"{diagnostic.span}: "
    head = f"{place}{diagnostic.severity} {diagnostic.code}: {diagnostic.title}"
    return "\n".join(_wrap(head, width))


def _wrap(text: str, width: int) -> list[str]:
    """Wrap text to a width, keeping its own line breaks."""
    return [
        line
        for part in escape_terminal(text).split("\n")
        for line in textwrap.wrap(part, width, subsequent_indent="  ", break_on_hyphens=False) or [""]
    ]


def _render_example(example: ReadingExample, width: int) -> list[str]:
    """Render the facts wrapped, and the scenes exactly as they belong in a file."""
    first, *further = example.lines
    lines = _wrap(f"example: {first}", width)
    lines += [f"  {line}" for other in further for line in _wrap(other, width - 2)]
    return [*lines, *(["", *escape_terminal(example.scene_file).split("\n")[:-1]] if example.scenes else [])]


def _render_excerpt(span: Span, sources: Mapping[str, Source], width: int) -> list[str]:
    """Return the source line of a span with the span underlined; nothing if the source is unknown."""
    source = sources.get(span.file)
    if source is None or not 1 <= span.line <= len(source.lines):
        return []
    text = source.lines[span.line - 1].rstrip()
    start = min(max(span.column - 1, 0), len(text))
    end = span.end_column - 1 if span.end_line == span.line else len(text)
    number = f"{span.line:>5} | "
    line, before, marked = _crop(text, start, max(end, start), width - len(number))
    return [number + line, " " * 5 + " | " + " " * before + "^" * max(marked, 1)]


def _crop(text: str, start: int, end: int, width: int) -> tuple[str, int, int]:
    """Cut a line to a width around start..end; return it, the columns before the span and those of the span."""
    complete = escape_terminal(text[max(0, start - width) : start])
    marked, after = (
        escape_terminal(text[start : min(end, start + width + 1)]),
        escape_terminal(text[end : end + width + 1]),
    )
    before = complete
    while _count_columns(before) > 2 and _count_columns("..." + before + marked) > width:
        before = before[1:]
    before = "..." + before if before != complete or start > width else before
    marked = _fit(marked, width - _count_columns(before))
    after = _fit(after, width - _count_columns(before + marked))
    return (before + marked + after).rstrip(), _count_columns(before), _count_columns(marked)


def _fit(text: str, width: int) -> str:
    """Return a text cut to `width` terminal columns; a cut text ends in `...`."""
    if _count_columns(text) <= width:
        return text
    while text and _count_columns(text) > width - 3:
        text = text[:-1]
    return text + "..." if width >= 3 else text


def _count_columns(text: str) -> int:
    """Return how many terminal columns a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def describe_counts(errors: int, warnings: int) -> str:
    """Return the numbers of errors and warnings in words; empty if there are none."""
    return join_words(count_noun(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count)
