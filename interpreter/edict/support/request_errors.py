"""The error of every request that cannot be carried out, at whichever interface it was made."""

from __future__ import annotations

from typing import Any


class RequestError(Exception):
    """A request that cannot be carried out as it was made.

    Every interface reports it alike: a command on standard error, a tool in its result, a page in a message. Rules at
    fault raise `RulesError` instead.

    Attributes:
        reason: Why, as the beginning of a sentence without its period.
        remedy: What to do about it; empty if nothing is known to help.
    """

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild the error in another process from the arguments of its class."""
        return type(self), (self.reason, self.remedy)
