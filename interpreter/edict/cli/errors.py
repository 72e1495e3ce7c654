"""How a command ends other than well: a wrong call, or somebody leaving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from edict.report import Diagnostic, RulesError
from edict.text import Source

RULES, USAGE, STOPPED = 1, 2, 130
"""Exit codes: rules at fault (and everything found by a check), a command used wrongly, Ctrl-C."""


class UsageError(Exception):
    """The command cannot be carried out as it was given; `remedy` says what would do."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)


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
