"""Clocks at a table: the time that each player may think and has thought.

A clock runs while its player is asked. The time left follows from the times of a journal's lines, so nothing else is
stored and every server computes the same. Clocks start with the first answer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from edict.support.records import dataclass

MOST_SECONDS = 366 * 24 * 3600  # the longest time that may be given


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that players may think. A turn lasts as long as nobody else is asked."""

    seconds: int  # for each player, in the whole game or (`each_turn`) in every turn
    increment: int = 0  # seconds that each turn adds
    each_turn: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the data for a journal's header."""
        return asdict(self)

    @staticmethod
    def from_data(data: Any) -> TimeControl | None:
        """Return the time control in a journal's header, or None if the data is malformed."""
        if not isinstance(data, dict) or set(data) != {"seconds", "increment", "each_turn"}:
            return None
        seconds, increment, each_turn = data["seconds"], data["increment"], data["each_turn"]
        if type(seconds) is not int or type(increment) is not int or type(each_turn) is not bool:
            return None
        is_valid = 0 < seconds <= MOST_SECONDS and 0 <= increment <= MOST_SECONDS
        return TimeControl(seconds, increment, each_turn) if is_valid else None


class PlayerClocks:
    """The clocks of a game's players, by seat; times are in seconds since 1970.

    A turn that is taken back adds no time, or players could gain time by undoing and repeating it.
    """

    def __init__(self, clock: TimeControl, players: int) -> None:
        self.clock = clock
        self._used = [0.0] * players
        self._ended: list[tuple[int, int]] = []  # number of answers after which a turn ended in time, and its seat
        self._turns: frozenset[int] = frozenset()
        self._running: frozenset[int] = frozenset()
        self._since: float | None = None

    @property
    def running(self) -> frozenset[int]:
        """Return the seats whose clocks run; none before the first answer."""
        return self._running if self._since is not None else frozenset()

    def seconds_left(self, seat: int, now: float) -> float:
        """Return the seconds that a player has left; negative if the time is up."""
        added = self.clock.increment * sum(ended_seat == seat for _, ended_seat in self._ended)
        return self.clock.seconds + added - self._used[seat] - self._get_elapsed_seconds(seat, now)

    def advance_to(self, time: float, turns: Collection[int], asked: Collection[int], answers: int, back: bool) -> None:
        """Advance the clocks to the time of a journal's line.

        Args:
            time: The time of the line.
            turns: The seats whose turn it is from then on.
            asked: Those of them who have not answered yet.
            answers: The number of answers that stand.
            back: The line takes answers back.
        """
        before, self._turns = self._turns, frozenset(turns)
        self._used = [used + self._get_elapsed_seconds(seat, time) for seat, used in enumerate(self._used)]
        self._since = time if self._since is None else max(time, self._since)
        self._running = frozenset(asked)
        if back:
            self._ended = [ended for ended in self._ended if ended[0] <= answers]
            return
        self._ended += [(answers, seat) for seat in before - self._turns if self.seconds_left(seat, self._since) > 0]
        for seat in self._turns - before if self.clock.each_turn else ():
            self._used[seat] = 0.0

    def _get_elapsed_seconds(self, seat: int, now: float) -> float:
        """Return the seconds from the last line to `now` if the player's clock is running; else 0."""
        if self._since is not None and seat in self._running:
            return max(0.0, now - self._since)
        return 0.0
