"""Errors that end a command: wrong calls, bad paths, rules at fault, and a player who leaves."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from edict.support.files import BadPathError, parse_path, require_regular
from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic, RulesError
from edict.support.request_errors import RequestError
from edict.support.resources import command_name
from edict.support.text import Source

RULES, USAGE, STOPPED = 1, 2, 130  # exit codes: errors in rules or findings of a check, wrong usage, Ctrl-C

ENGINE_BUG = "this is a bug in the engine, not in your input; EDICT_DEBUG=1 prints the traceback"
_LONG_WORD = re.compile(r"(\S{200})\S{100,}(?<!`)")  # a word of the user's input that is too long to print in full
MAX_REASON_LENGTH = 500  # characters of what an unexpected error says


def print_error(reason: str, remedy: str = "") -> None:
    """Print one message to standard error, with a reason and a remedy. Cut very long words."""
    message = f"{command_name()}: {reason}" + (f"\nhelp: {remedy}" if remedy else "")
    print(escape_terminal(_LONG_WORD.sub(r"\1...", message)), file=sys.stderr)


class UsageError(RequestError):
    """An error of a command that cannot run with these options; `remedy` says what to write instead."""


class CommandLineError(Exception):
    """An error in the command line itself. `ctx` is Typer's context of the command."""

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        super().__init__()


class NoSuchCommand(CommandLineError):
    """An error for an unknown command."""

    def __init__(self, name: str, ctx: Any) -> None:
        self.name = name
        super().__init__(ctx)


class TooManyArguments(CommandLineError):
    """An error for arguments that a command does not take."""

    def __init__(self, extra: Sequence[str], ctx: Any) -> None:
        self.extra = extra
        super().__init__(ctx)


class PlayerLeaves(Exception):
    """A signal that the player at the keyboard leaves the game, which stays saved."""

    def __init__(self, interrupted: bool = False) -> None:
        self.interrupted = interrupted
        super().__init__()


class RulesSaved(Exception):
    """A signal that rule files were saved while a question was open, which may now differ."""


class RulesErrorWithSources(RulesError):
    """An error in rules, with the sources to quote its places from."""

    def __init__(self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> None:
        super().__init__(diagnostics)
        self.sources = sources


def to_path(text: str | Path) -> Path:
    """Return the path of a folder or of an output file. Raises `UsageError`."""
    try:
        return parse_path(str(text))
    except BadPathError as error:  # as a `ValueError`, Typer would report it without its reason
        raise UsageError(error.reason, error.remedy) from None


def parse_file_path(text: str) -> Path:
    """Return the path of an input file. Raises `UsageError`, also for devices and pipes, which may never end."""
    try:
        return require_regular(parse_path(text))
    except BadPathError as error:
        raise UsageError(error.reason, error.remedy) from None
