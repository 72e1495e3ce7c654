"""The errors of the table. Faults of the rules raise `RulesError` instead."""

from __future__ import annotations

from typing import Any

from edict.support.request_errors import RequestError


class GameError(RequestError, ValueError):
    """A request to a game that cannot be carried out."""

    def __str__(self) -> str:
        return f"{self.reason} ({self.remedy})" if self.remedy else self.reason


class JournalError(GameError):
    """An error for a journal that cannot be read or continued.

    `place` is its name; `line` counts from 1, and 0 means the whole file.
    """

    def __init__(self, reason: str, remedy: str = "", line: int = 0, place: str = "journal") -> None:
        self.line = line
        self.place = place
        super().__init__(reason, remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.remedy, self.line, self.place)

    def __str__(self) -> str:
        where = f"{self.place}, line {self.line}" if self.line else self.place
        return f"{where}: {super().__str__()}"
