"""All that is said of mistakes, as text that can be compared with what should be said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from edict.support.report import Diagnostic
from edict.support.text import Span


def in_full(found: Iterable[Diagnostic]) -> str:
    """Of each finding its code, place and title; then, a line each, note, remedy, further places, edits and readings.

    Edits that a program may carry out begin with `=`, those that somebody must choose with `?`.
    """
    return "".join(f"{line}\n" for one in found for line in _lines(one))


def _lines(one: Diagnostic) -> Iterator[str]:
    yield f"{one.code}{'' if one.is_error else f' {one.severity}'} {_place(one.span)} {one.title}"
    yield from (f"  {name}: {text}" for name, text in (("note", one.note), ("help", one.help)) if text)
    yield from (f"  {_place(label.span)} {label.text}" for label in one.labels)
    yield from (f"  {'=' if one.exact else '?'} {_place(edit.span)} {edit.text!r}" for edit in one.edits)
    yield from (f"  reading: {reading.consequence}" for reading in one.readings)


def _place(span: Span) -> str:
    """`page 3:5-9`, or `page 3:5-4:1` of what ends in another line."""
    end = span.end_column if span.end_line == span.line else f"{span.end_line}:{span.end_column}"
    return f"{span.file.removesuffix('.edict')} {span.line}:{span.column}-{end}"


def mistakes_in(file: Path) -> list[dict[str, Any]]:
    """The mistakes that a file of this folder lists, each with what is `said` of it, as `in_full` has it."""
    listed: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return listed
