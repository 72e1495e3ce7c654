"""Syntax mistakes, told as diagnostics: what was written, what may stand there, what to do."""

from __future__ import annotations

from lark.exceptions import UnexpectedInput

from edict.report import Diagnostic
from edict.text import Source, Span


def page_limits(source: Source) -> list[Diagnostic]:
    return []


def explain_syntax(mistake: UnexpectedInput, source: Source, start: int, end: int) -> Diagnostic:
    line = max(mistake.line, 1)
    col = max(mistake.column, 1)
    return Diagnostic("E0100", "this line cannot be read", Span(source.name, line, col, line, col + 1), note=str(mistake))


def indentation_mistake(source: Source, start: int, end: int) -> Diagnostic:
    line = source.text.count("\n", 0, start) + 1
    return Diagnostic("E0101", "these lines are not indented alike", Span(source.name, line, 1, line, 1))
