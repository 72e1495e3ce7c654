"""Diagnostics as plain text: the place underlined, the reason, the remedy. No colours, no escapes."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping

from edict.support.graphemes import pieces, without_joiners
from edict.support.morphology import count_noun, join_words
from edict.support.report import Diagnostic, Example, errors_in, warnings_in
from edict.support.text import NOWHERE, Source, Span

WIDTH = 100
_TAB = "    "


def render(diagnostic: Diagnostic, sources: Mapping[str, Source], width: int = WIDTH) -> str:
    """One finding in a few lines of at most `width` columns; `sources` are looked up by file name."""
    blocks = [[_headline(diagnostic, width)], _excerpt(diagnostic.span, sources, width)]
    for label in diagnostic.labels:
        blocks.append([*_wrap(f"{label.text} at {label.span}:", width), *_excerpt(label.span, sources, width)])
    if diagnostic.note:
        blocks.append(_wrap(diagnostic.note, width))
    if diagnostic.help:
        blocks.append(_wrap(f"help: {diagnostic.help}", width))
    if diagnostic.example is not None:
        blocks.append(_example(diagnostic.example, width))
    return "\n".join(line for block in blocks for line in block) + "\n"


def render_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], width: int = WIDTH) -> str:
    """Every finding, by file and line, and at the end how many there are."""
    ordered = in_order(diagnostics)
    if not ordered:
        return ""
    return "\n".join(
        [
            *(render(d, sources, width) for d in ordered),
            describe_counts(errors_in(ordered), warnings_in(ordered)) + "\n",
        ]
    )


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, each finding once."""
    return sorted(dict.fromkeys(diagnostics), key=lambda d: (d.span, d.code, d.title))


def by_name(sources: Iterable[Source]) -> dict[str, Source]:
    """The table of sources that `render` looks into."""
    return {source.name: source for source in sources}


def plain(text: str) -> str:
    """The text with everything that could steer a terminal made visible as `?`; what joins an emoji's parts cannot."""
    return "".join(map(_harmless, pieces(text.replace("\t", _TAB))))


def _harmless(piece: str) -> str:
    if not any(map(_steers, without_joiners(piece))):
        return piece
    return "".join("?" if _steers(c) else c for c in piece)


def _steers(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} and char != "\n"


def _headline(diagnostic: Diagnostic, width: int) -> str:
    place = "" if diagnostic.span == NOWHERE else f"{diagnostic.span}: "
    head = f"{place}{diagnostic.severity} {diagnostic.code}: {diagnostic.title}"
    return "\n".join(_wrap(head, width))


def _wrap(text: str, width: int) -> list[str]:
    """Wrapped to the width; lines of a text that has lines stay lines."""
    return [
        line
        for part in plain(text).split("\n")
        for line in textwrap.wrap(part, width, subsequent_indent="  ", break_on_hyphens=False) or [""]
    ]


def _example(example: Example, width: int) -> list[str]:
    """What was found in play, and the scenes just as they are to stand in a file."""
    first, *others = example.lines
    lines = _wrap(f"example: {first}", width)
    lines += [f"  {line}" for other in others for line in _wrap(other, width - 2)]
    return [*lines, *(["", *plain(example.page).split("\n")[:-1]] if example.scenes else [])]


def _excerpt(span: Span, sources: Mapping[str, Source], width: int) -> list[str]:
    """The line of a span with the stretch underlined; nothing if the text is not at hand."""
    source = sources.get(span.file)
    if source is None or not 1 <= span.line <= len(source.lines):
        return []
    text = source.lines[span.line - 1].rstrip()
    start = min(max(span.column - 1, 0), len(text))
    end = span.end_column - 1 if span.end_line == span.line else len(text)
    number = f"{span.line:>5} | "
    shown, before, marked = _cropped(text, start, max(end, start), width - len(number))
    return [number + shown, " " * 5 + " | " + " " * before + "^" * max(marked, 1)]


def _cropped(text: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The text cut to fit the room around start..end; columns before the stretch, columns of it."""
    whole = plain(text[max(0, start - room) : start])
    marked, after = plain(text[start : min(end, start + room + 1)]), plain(text[end : end + room + 1])
    before = whole
    while _columns(before) > 2 and _columns("..." + before + marked) > room:
        before = before[1:]
    before = "..." + before if before != whole or start > room else before
    marked = _fit(marked, room - _columns(before))
    after = _fit(after, room - _columns(before + marked))
    return (before + marked + after).rstrip(), _columns(before), _columns(marked)


def _fit(text: str, room: int) -> str:
    if _columns(text) <= room:
        return text
    while text and _columns(text) > room - 3:
        text = text[:-1]
    return text + "..." if room >= 3 else text


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def describe_counts(errors: int, warnings: int) -> str:
    """Return how many errors and warnings there are; nothing if there are none."""
    return join_words(count_noun(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count)
