"""What the studio says when something asked of it cannot be done. Rules at fault raise `RulesError` instead."""

from __future__ import annotations

from typing import Any


class StudioError(Exception):
    """What was asked cannot be done. `reason` says why, `remedy` what to do about it."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)

    def __reduce__(self) -> tuple[Any, ...]:
        """Between processes it stays as it is."""
        return type(self), (self.reason, self.remedy)


class Clash(StudioError):
    """A file has changed on disk since somebody began to type in it."""
