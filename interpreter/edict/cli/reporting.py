"""Problems told in a few words: what is wrong, where, and what to do about it. Never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from edict.cli.errors import RULES, USAGE, UsageError, WrongRules
from edict.files import AlreadyThere, remedy_for
from edict.locks import InUse
from edict.processes.spreading import WorkersError
from edict.rendering import plain, render_all
from edict.report import Diagnostic, RulesError
from edict.resources import command
from edict.studio.errors import StudioError
from edict.study.errors import StudyError
from edict.table.errors import GameError, JournalError

NOT_FOUND = ("E0150", "E0151")


def tell(problem: Exception) -> int:
    """Say it on standard error; returns the exit code."""
    if isinstance(problem, RulesError):
        return _rules(problem)
    if isinstance(problem, UsageError | GameError | StudyError | StudioError | WorkersError):
        where = _place(problem) if isinstance(problem, JournalError) else ""
        _say(where + problem.reason, problem.remedy)
        return RULES if isinstance(problem, JournalError) and problem.line else USAGE
    if isinstance(problem, AlreadyThere):
        _say(f"`{problem.filename}` already exists", "name another file, or overwrite this one with --force")
        return USAGE
    if isinstance(problem, InUse):
        _say(f"`{problem.filename}` is in use by another process", "wait until that one is done")
        return USAGE
    if isinstance(problem, OSError):
        _say(f"{problem.filename or 'a file'}: {problem.strerror or problem}", remedy_for(problem))
        return USAGE
    return _ours(problem)


def _rules(problem: RulesError) -> int:
    sources = problem.sources if isinstance(problem, WrongRules) else {}
    print(render_all(problem.diagnostics, sources), end="", file=sys.stderr)
    return exit_code(problem.diagnostics) or RULES


def exit_code(found: Sequence[Diagnostic], strict: bool = False) -> int:
    """2 where what was named does not exist, 1 where something is wrong with it, else 0."""
    errors = [d for d in found if d.is_error or strict]
    if errors and all(d.code in NOT_FOUND for d in errors):
        return USAGE
    return RULES if errors else 0


def _place(problem: JournalError) -> str:
    return f"{problem.place}, line {problem.line}: " if problem.line else f"{problem.place}: "


def _say(reason: str, remedy: str) -> None:
    print(plain(f"{command()}: {reason}") + (plain(f"\nhelp: {remedy}") if remedy else ""), file=sys.stderr)


def _ours(problem: Exception) -> int:
    """A fault of the engine itself: one line, and the whole story only for who asks for it."""
    if os.environ.get("EDICT_DEBUG"):
        traceback.print_exception(problem)
    _say(
        f"internal error: {type(problem).__name__}: {problem}",
        "this is a bug in the engine, not in your input; EDICT_DEBUG=1 prints the traceback",
    )
    return RULES
