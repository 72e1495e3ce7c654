"""What the studio says when something asked of it cannot be done. Rules at fault raise `RulesError` instead."""

from __future__ import annotations


class StudioError(Exception):
    """What was asked cannot be done. `reason` says why, `remedy` what to do about it."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)


class Clash(StudioError):
    """A file has changed on disk since somebody began to type in it."""
