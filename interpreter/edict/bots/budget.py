"""How long a bot may think about one answer, as it is written behind its name: `search@0.5s`, `search@200`."""

from __future__ import annotations

from dataclasses import dataclass

from edict.bots.tree_search import Search

LONGEST = 600.0
MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds, or tries; the latter give the same answer each time."""

    seconds: float = 0.0
    tries: int = 0

    @staticmethod
    def read(text: str) -> Budget:
        """What was written; raises `ValueError` with the reason."""
        if text.isdecimal() and 0 < int(text) <= MOST:
            return Budget(tries=int(text))
        number = text.removesuffix("s")
        try:
            seconds = float(number) if number != text else -1.0
        except ValueError:
            seconds = -1.0
        if not 0 < seconds <= LONGEST:
            raise ValueError(
                f"`{text}` is not a thinking time: write seconds, like 0.5s (at most {LONGEST:.0f}s), or tries, as 200"
            )
        return Budget(seconds=seconds)

    def spend(self, search: Search, whole: bool = False) -> None:
        """Let a search think as long as this says; less if its choice is settled, unless the `whole` is wanted."""
        if not self.tries:
            search.think_for(self.seconds, whole)
        elif whole:
            search.think(self.tries)
        else:
            search.think_until(self.tries)

    def __str__(self) -> str:
        return str(self.tries) if self.tries else f"{self.seconds:g}s"
