"""Diagnostics as annotations of a build on GitHub: workflow commands, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from edict.support.formats.findings import Findings
from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic
from edict.support.text import NOWHERE


def render_annotations(findings: Findings, here: Path) -> str:
    """Return the findings as workflow commands; paths below `here` are relative to it."""
    return "".join(_render(diagnostic, findings, here.resolve()) for diagnostic in findings.diagnostics)


def _render(diagnostic: Diagnostic, findings: Findings, here: Path) -> str:
    """Return a diagnostic as one workflow command."""
    text = "\n".join(part for part in (diagnostic.title, diagnostic.note, diagnostic.help) if part)
    return render_annotation(diagnostic.is_error, dict(_iter_properties(diagnostic, findings, here)), text)


def render_annotation(is_error: bool, properties: Mapping[str, str], text: str) -> str:
    """Return a line with one workflow command."""
    written = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties.items())
    return f"::{'error' if is_error else 'warning'} {written}::{_escape(text)}\n"


def _iter_properties(diagnostic: Diagnostic, findings: Findings, here: Path) -> Iterator[tuple[str, str]]:
    """Yield the properties of a command: the place, if it is in a file, and the code as its title."""
    span, path = diagnostic.span, findings.path_of(diagnostic.span)
    if span != NOWHERE and path is not None:
        yield "file", (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
        yield "line", str(span.line)
        yield "endLine", str(span.end_line)
        if span.line == span.end_line:
            yield "col", str(span.column)
            yield "endColumn", str(span.end_column)
    yield "title", diagnostic.code


def _escape(text: str, more: str = "") -> str:
    """Return text with the characters escaped that would end a command or a property."""
    shown = "\n".join(map(escape_terminal, text.split("\n")))
    for character in ("%", "\r", "\n", *more):
        shown = shown.replace(character, f"%{ord(character):02X}")
    return shown
