"""Errors of the studio. Rules with errors raise `RulesError` instead."""

from __future__ import annotations

from typing import Any


class StudioError(Exception):
    """Raised if a request cannot be carried out; `reason` says why, `remedy` what to do about it."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling between processes."""
        return type(self), (self.reason, self.remedy)


class FileConflict(StudioError):
    """Raised if a file has changed on disk since its draft was begun."""
