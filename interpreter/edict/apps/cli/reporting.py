"""What is printed in colours if somebody looks: lines, findings. And problems in a few words: what is wrong, where, and
what to do about it. Never a traceback.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from edict.agents.study.bot_games import StudyError
from edict.apps.cli.command_errors import ENGINE_BUG, MOST_OF_REASON, RULES, USAGE, UsageError, WrongRules, print_error
from edict.apps.cli.option_values import in_colours
from edict.game.table.game_errors import GameError, JournalError
from edict.support.files import FileAlreadyExists, suggest_file_remedy
from edict.support.locks import FileLockedError
from edict.support.processes.distribution import WorkersError
from edict.support.rendering import render_diagnostics
from edict.support.report import Diagnostic, RulesError
from edict.tools.studio.studio_errors import StudioError

NOT_FOUND = ("E0150", "E0151")
COLOURS = {"+": "green", "-": "red", " ": ""}
HEADLINE = re.compile(r"(?:\S+:\d+:\d+: )?(error|warning) [A-Z]\d{4}: ")
EXCERPT = re.compile(r" *\d+ \| ")
UNDERLINE = re.compile(r" +\| +\^+|\s*\^+")
SEVERITIES = {"error": "bold red", "warning": "bold yellow"}


def print_lines(lines: Iterable[tuple[str, str]], stream: TextIO | None = None) -> None:
    """Print lines of a mark or style and a text, by default on standard output."""
    stream = stream or sys.stdout
    if not in_colours(stream):
        print("\n".join(text for _, text in lines), file=stream, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    for mark, text in lines:
        console.print(Text(text, style=COLOURS.get(mark, mark)), soft_wrap=True)


def finding_lines(rendered: str) -> Iterator[tuple[str, str]]:
    """Findings in plain words, line by line with a style each: what is wrong, the place underlined, the remedy."""
    severity = part = ""
    for line in rendered.removesuffix("\n").split("\n"):
        if headline := HEADLINE.match(line):
            severity = part = SEVERITIES[headline[1]]
        elif not line.startswith("  ") or EXCERPT.match(line):
            part = "green" if line.startswith("help: ") else ""
        yield severity if UNDERLINE.fullmatch(line) else part, line


def tell(problem: Exception) -> int:
    """Say it on standard error; returns the exit code."""
    if isinstance(problem, RulesError):
        return _rules(problem)
    if isinstance(problem, UsageError | GameError | StudyError | StudioError | WorkersError):
        where = _place(problem) if isinstance(problem, JournalError) else ""
        print_error(where + problem.reason, problem.remedy)
        return RULES if isinstance(problem, JournalError) and problem.line else USAGE
    if isinstance(problem, FileAlreadyExists):
        print_error(f"`{problem.filename}` already exists", "name another file, or overwrite this one with --force")
        return USAGE
    if isinstance(problem, FileLockedError):
        print_error(f"`{problem.filename}` is in use by another process", "wait until that one is done")
        return USAGE
    if isinstance(problem, OSError):
        print_error(f"{problem.filename or 'a file'}: {problem.strerror or problem}", suggest_file_remedy(problem))
        return USAGE
    return _ours(problem)


def _rules(problem: RulesError) -> int:
    sources = problem.sources if isinstance(problem, WrongRules) else {}
    print_lines(finding_lines(render_diagnostics(problem.diagnostics, sources)), sys.stderr)
    return exit_code(problem.diagnostics) or RULES


def exit_code(found: Sequence[Diagnostic], strict: bool = False) -> int:
    """2 where what was named does not exist, 1 where something is wrong with it, else 0."""
    errors = [d for d in found if d.is_error or strict]
    if errors and all(d.code in NOT_FOUND for d in errors):
        return USAGE
    return RULES if errors else 0


def _place(problem: JournalError) -> str:
    return f"{problem.place}, line {problem.line}: " if problem.line else f"{problem.place}: "


def _ours(problem: Exception) -> int:
    """A fault of the engine itself: one line, and the whole story only for who asks for it."""
    if os.environ.get("EDICT_DEBUG"):
        traceback.print_exception(problem)
    print_error(f"internal error: {type(problem).__name__}: {str(problem)[:MOST_OF_REASON]}", ENGINE_BUG)
    return RULES
