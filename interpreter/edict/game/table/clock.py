"""Clocks at a table: how long each player may think, and how long each has thought.

A clock runs while its player is asked. How much is left follows from when the lines of a journal were written, so
nothing else is kept, and every server says the same. Clocks start with the first answer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

LONGEST = 366 * 24 * 3600  # seconds that may be given


@dataclass(frozen=True, slots=True)
class Clock:
    """How long players may think. A turn lasts as long as nobody else is asked.

    seconds: for each player, in the whole game, or (`each_turn`) in every turn. increment: seconds that each turn adds.
    """

    seconds: int
    increment: int = 0
    each_turn: bool = False

    def to_data(self) -> dict[str, Any]:
        """For the header of a journal."""
        return asdict(self)

    @staticmethod
    def from_data(data: Any) -> Clock | None:
        """None if that is none."""
        if not isinstance(data, dict) or set(data) != {"seconds", "increment", "each_turn"}:
            return None
        seconds, increment, each_turn = data["seconds"], data["increment"], data["each_turn"]
        if type(seconds) is not int or type(increment) is not int or type(each_turn) is not bool:
            return None
        good = 0 < seconds <= LONGEST and 0 <= increment <= LONGEST
        return Clock(seconds, increment, each_turn) if good else None


class Clocks:
    """The clocks of a game's players, by seat; times are in seconds since 1970.

    A turn that is taken back has added nothing, or one could win time by taking it back and having it again.
    """

    def __init__(self, clock: Clock, players: int) -> None:
        self.clock = clock
        self._used = [0.0] * players
        self._ended: list[tuple[int, int]] = []  # after so many answers a turn of this seat ended, in time
        self._turns: frozenset[int] = frozenset()
        self._running: frozenset[int] = frozenset()
        self._since: float | None = None

    @property
    def running(self) -> frozenset[int]:
        """Whose clocks run; nobody's before the first answer."""
        return self._running if self._since is not None else frozenset()

    def left(self, seat: int, now: float) -> float:
        """How many seconds a player has left; below 0 when time was up."""
        added = self.clock.increment * sum(one == seat for _, one in self._ended)
        return self.clock.seconds + added - self._used[seat] - self._gone(seat, now)

    def passed(self, time: float, turns: Collection[int], asked: Collection[int], answers: int, back: bool) -> None:
        """Something was written at this time.

        turns: whose turn it is from then on. asked: those of them who have not answered yet. answers: how many stand.
        back: some were taken back.
        """
        before, self._turns = self._turns, frozenset(turns)
        self._used = [used + self._gone(seat, time) for seat, used in enumerate(self._used)]
        self._since = time if self._since is None else max(time, self._since)
        self._running = frozenset(asked)
        if back:
            self._ended = [one for one in self._ended if one[0] <= answers]
            return
        self._ended += [(answers, seat) for seat in before - self._turns if self.left(seat, self._since) > 0]
        for seat in self._turns - before if self.clock.each_turn else ():
            self._used[seat] = 0.0

    def _gone(self, seat: int, now: float) -> float:
        """Seconds since the last line that count for a player."""
        return max(0.0, now - self._since) if self._since is not None and seat in self._running else 0.0
