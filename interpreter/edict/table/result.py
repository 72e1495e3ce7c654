"""How a game ended."""

from __future__ import annotations

from dataclasses import dataclass

from edict.table.wording import listed


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: each player's score in points, and the names of the winners, none or several."""

    scores: dict[str, int]
    winners: tuple[str, ...]

    def __str__(self) -> str:
        table = ", ".join(f"{name} {score}" for name, score in self.scores.items())
        if not self.winners:
            return f"{table}; nobody wins"
        return f"{table}; {listed(self.winners)} {'wins' if len(self.winners) == 1 else 'win together'}"
