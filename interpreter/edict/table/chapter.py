"""A game as one of a campaign: which of its games it is, what it follows, and the values it begins with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from edict.table.lasting import Values, as_rows, from_rows

MOST_VALUES = 200_000
MOST_TEXT = 4096  # characters


@dataclass(frozen=True, slots=True)
class Chapter:
    """Which game of which campaign: `number` counts from 1.

    campaign: where it is kept. identity: no other game has it, so that none counts twice. after: the identity of what
    the campaign had come to before; empty for nothing. values: what was carried over to this game.
    """

    campaign: str
    number: int
    identity: str
    after: str = ""
    values: Values = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """For the header of a journal."""
        return {
            "campaign": self.campaign, "number": self.number, "identity": self.identity, "after": self.after,
            "values": as_rows(self.values),
        }  # fmt: skip

    @staticmethod
    def from_data(data: Any) -> Chapter | None:
        """None if that is none."""
        if not isinstance(data, dict) or set(data) != {"campaign", "number", "identity", "after", "values"}:
            return None
        texts = (data["campaign"], data["identity"], data["after"])
        values = from_rows(data["values"])
        if not all(isinstance(one, str) and "\0" not in one and len(one) <= MOST_TEXT for one in texts):
            return None
        if type(data["number"]) is not int or values is None or len(values) > MOST_VALUES:
            return None
        return Chapter(data["campaign"], data["number"], data["identity"], data["after"], values)
