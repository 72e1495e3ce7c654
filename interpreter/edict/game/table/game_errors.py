"""The errors of the table. Faults of the rules raise `RulesError` instead."""

from __future__ import annotations

from typing import Any


class GameError(ValueError):
    """An error for a request that is not possible."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason} ({remedy})" if remedy else reason)

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep both texts when pickled between processes."""
        return type(self), (self.reason, self.remedy)


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
