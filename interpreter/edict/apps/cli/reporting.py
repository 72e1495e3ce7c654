"""Printed lines and diagnostics, in color at a terminal, and errors in short messages.

An error is reported with its place, its reason and a remedy, never as a traceback.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from edict.apps.cli.command_errors import (
    ENGINE_BUG,
    MAX_REASON_LENGTH,
    RULES,
    USAGE,
    RulesErrorWithSources,
    print_error,
)
from edict.apps.cli.shared_options import JSON, print_document, uses_color
from edict.game.table.game_errors import JournalError
from edict.support.files import FileAlreadyExists, suggest_file_remedy
from edict.support.locks import FileLockedError
from edict.support.rendering import render_diagnostics
from edict.support.report import Diagnostic, RulesError
from edict.support.request_errors import RequestError

if TYPE_CHECKING:
    from edict.tools.operations import OperationResult

NOT_FOUND = ("E0150", "E0151")
MARK_COLORS = {"+": "green", "-": "red", " ": ""}
HEADLINE = re.compile(r"(?:\S+:\d+:\d+: )?(error|warning) [A-Z]\d{4}: ")  # first line of a rendered diagnostic
EXCERPT = re.compile(r" *\d+ \| ")  # quoted line of a source
UNDERLINE = re.compile(r" +\| +\^+|\s*\^+")
SEVERITIES = {"error": "bold red", "warning": "bold yellow"}


def print_lines(lines: Iterable[tuple[str, str]], stream: TextIO | None = None) -> None:
    """Print lines, each with a diff mark or a style, by default to standard output."""
    stream = stream or sys.stdout
    if not uses_color(stream):
        print("\n".join(text for _, text in lines), file=stream, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    for mark, text in lines:
        console.print(Text(text, style=MARK_COLORS.get(mark, mark)), soft_wrap=True)


def print_result(result: OperationResult, output_format: str) -> None:
    """Print an operation's result in the format that `--format` names."""
    if output_format == JSON:
        print_document(result.name, found=result.data)
    else:
        print_lines(list(result.lines))


def style_diagnostics(rendered: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of rendered diagnostics, each with its style.

    Headlines and underlines have the color of the severity; remedies are green.
    """
    severity = style = ""
    for line in rendered.removesuffix("\n").split("\n"):
        if headline := HEADLINE.match(line):
            severity = style = SEVERITIES[headline[1]]
        elif not line.startswith("  ") or EXCERPT.match(line):
            style = "green" if line.startswith("help: ") else ""
        yield severity if UNDERLINE.fullmatch(line) else style, line


def report_problem(error: Exception) -> int:
    """Print an error to standard error and return the exit code."""
    if isinstance(error, RulesError):
        return _report_rules_error(error)
    if isinstance(error, RequestError):
        place = _journal_place(error) if isinstance(error, JournalError) else ""
        print_error(place + error.reason, error.remedy)
        return RULES if isinstance(error, JournalError) and error.line else USAGE
    if isinstance(error, FileAlreadyExists):
        print_error(f"`{error.filename}` already exists", "name another file, or overwrite this one with --force")
        return USAGE
    if isinstance(error, FileLockedError):
        print_error(f"`{error.filename}` is in use by another process", "wait until it is done")
        return USAGE
    if isinstance(error, OSError):
        print_error(f"{error.filename or 'a file'}: {error.strerror or error}", suggest_file_remedy(error))
        return USAGE
    return _report_engine_bug(error)


def _report_rules_error(error: RulesError) -> int:
    """Print the diagnostics of an error to standard error, quoting its sources; return the exit code."""
    sources = error.sources if isinstance(error, RulesErrorWithSources) else {}
    print_lines(style_diagnostics(render_diagnostics(error.diagnostics, sources)), sys.stderr)
    return exit_code(error.diagnostics) or RULES


def exit_code(diagnostics: Sequence[Diagnostic], strict: bool = False) -> int:
    """Return the exit code for diagnostics.

    2 if all errors say that something named does not exist, 1 for other errors (or warnings if `strict`), else 0.
    """
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error or strict]
    if errors and all(diagnostic.code in NOT_FOUND for diagnostic in errors):
        return USAGE
    return RULES if errors else 0


def _journal_place(error: JournalError) -> str:
    """Return the file and line of a journal's error as a prefix: `FILE, line 3: `."""
    return f"{error.place}, line {error.line}: " if error.line else f"{error.place}: "


def _report_engine_bug(error: Exception) -> int:
    """Report an unexpected exception in one line, with its traceback only if EDICT_DEBUG is set."""
    if os.environ.get("EDICT_DEBUG"):
        traceback.print_exception(error)
    print_error(f"internal error: {type(error).__name__}: {str(error)[:MAX_REASON_LENGTH]}", ENGINE_BUG)
    return RULES
