"""Diagnostics as text, to compare with expected ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from edict.support.report import Diagnostic
from edict.support.text import Span


def format_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """Return code, place and title of each diagnostic, then a line for each note, help, label, edit and reading.

    Edits that a program may apply begin with `=`, those that somebody must choose with `?`.
    """
    return "".join(f"{line}\n" for diagnostic in diagnostics for line in _format_lines(diagnostic))


def _format_lines(diagnostic: Diagnostic) -> Iterator[str]:
    severity = "" if diagnostic.is_error else f" {diagnostic.severity}"
    yield f"{diagnostic.code}{severity} {_format_span(diagnostic.span)} {diagnostic.title}"
    yield from (f"  {name}: {text}" for name, text in (("note", diagnostic.note), ("help", diagnostic.help)) if text)
    yield from (f"  {_format_span(label.span)} {label.text}" for label in diagnostic.labels)
    yield from (
        f"  {'=' if diagnostic.exact else '?'} {_format_span(edit.span)} {edit.text!r}" for edit in diagnostic.edits
    )
    yield from (f"  reading: {reading.consequence}" for reading in diagnostic.readings)


def _format_span(span: Span) -> str:
    """Return `page 3:5-9`, or `page 3:5-4:1` for a span that ends on another line."""
    end = span.end_column if span.end_line == span.line else f"{span.end_line}:{span.end_column}"
    return f"{span.file.removesuffix('.edict')} {span.line}:{span.column}-{end}"


def load_mistakes(file: Path) -> list[dict[str, Any]]:
    """Return the mistakes in a file, each with the expected diagnostics as `format_diagnostics` writes them."""
    listed: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return listed
