"""Results of small pieces put together to larger ones, before they are kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from edict.study.games import Stretch
from edict.study.totals import Totals

LONGEST = 30.0  # seconds of work that a killed process may lose, and what a line costs is little beside them


class Gathering:
    """Pieces that follow each other become one; as soon as one has so many games, or none was given away for some
    time, it is given away, and all others at the end, however that comes: only when the disk takes no more (`OSError`)
    is nothing given away any more."""

    def __init__(self, games: int, give: Callable[[Stretch, Totals], None], longest: float = LONGEST) -> None:
        self._enough, self._give, self._longest = games, give, longest
        self._given = time.monotonic()
        self._from: dict[int, tuple[Stretch, Totals]] = {}  # by the first game
        self._to: dict[int, int] = {}  # first game by the one after the last

    def take(self, stretch: Stretch, totals: Totals) -> None:
        after = self._from.pop(stretch.first + stretch.games, None)
        if after is not None:
            stretch, totals = self._joined((stretch, totals), after)
        before = self._to.pop(stretch.first, None)
        if before is not None:
            stretch, totals = self._joined(self._from.pop(before), (stretch, totals))
        if stretch.games >= self._enough or time.monotonic() - self._given > self._longest:
            self._to.pop(stretch.first + stretch.games, None)
            self._give(stretch, totals)
            self._given = time.monotonic()
        else:
            self._from[stretch.first] = (stretch, totals)
            self._to[stretch.first + stretch.games] = stretch.first

    def _joined(self, one: tuple[Stretch, Totals], other: tuple[Stretch, Totals]) -> tuple[Stretch, Totals]:
        both = Totals.none(one[1].players)
        both.add(one[1])
        both.add(other[1])
        return Stretch(one[0].first, one[0].games + other[0].games), both

    def __enter__(self) -> Gathering:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None) -> None:
        if kind is None or not issubclass(kind, OSError):
            for stretch, totals in self._from.values():
                self._give(stretch, totals)
