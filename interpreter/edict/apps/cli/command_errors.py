"""How a command ends other than well: a wrong call, or somebody leaving."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic, RulesError
from edict.support.resources import command_name
from edict.support.text import Source

RULES, USAGE, STOPPED = 1, 2, 130
"""Exit codes: rules at fault (and everything found by a check), a command used wrongly, Ctrl-C."""

ENGINE_BUG = "this is a bug in the engine, not in your input; EDICT_DEBUG=1 prints the traceback"
_ENDLESS = re.compile(r"(\S{200})\S{100,}(?<!`)")
"""A word as it was typed that nobody reads to its end."""
MOST_OF_REASON = 500  # characters of what an unexpected error says


def print_error(reason: str, remedy: str = "") -> None:
    """Print one message to standard error: what is wrong, and what to do about it. Endless words are cut."""
    message = f"{command_name()}: {reason}" + (f"\nhelp: {remedy}" if remedy else "")
    print(escape_terminal(_ENDLESS.sub(r"\1...", message)), file=sys.stderr)


class UsageError(Exception):
    """The command cannot be carried out as it was given; `remedy` says what would do."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)


class WrongCall(Exception):
    """The command line itself is wrong. ctx: Typer's context of the command."""

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        super().__init__()


class NoSuchCommand(WrongCall):
    def __init__(self, name: str, ctx: Any) -> None:
        self.name = name
        super().__init__(ctx)


class TooManyArguments(WrongCall):
    def __init__(self, extra: Sequence[str], ctx: Any) -> None:
        self.extra = extra
        super().__init__(ctx)


class Leave(Exception):
    """Somebody at the keyboard stops; the game is kept. `stopped` is Ctrl-C."""

    def __init__(self, stopped: bool = False) -> None:
        self.stopped = stopped
        super().__init__()


class Saved(Exception):
    """Rules were saved while somebody was asked: the question may now be another one."""


class WrongRules(RulesError):
    """Rules at fault, with the texts in which the places can be shown."""

    def __init__(self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> None:
        super().__init__(diagnostics)
        self.sources = sources
