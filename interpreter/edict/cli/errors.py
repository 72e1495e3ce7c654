"""How a command ends other than well: a wrong call, or somebody leaving."""

from __future__ import annotations

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
