"""A study: games of one set of rules, spread over workers, kept as they come in, summed up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from edict.study.games import Setup, Stretch, play, stretches
from edict.study.kept import Kept
from edict.study.totals import Totals, totalled
from edict.study.workers import Hire, spread


@dataclass
class Study:
    """What is studied, and what it has come to so far; it stays whole however the run is broken off."""

    setup: Setup
    games: int
    totals: Totals = field(init=False)
    kept: Kept | None = None

    def __post_init__(self) -> None:
        self.totals = Totals.none(self.setup.players)

    @property
    def played(self) -> int:
        """Games that are done, those that ended in a fault included."""
        return self.totals.games + sum(self.totals.faults.values())

    def run(self, hire: Hire, told: Callable[[int], object]) -> None:
        """Play what is missing; `told` hears how many games are done, time and again."""
        done = self.kept.done if self.kept else ()
        pieces = stretches(self.games, self.setup.chunk, tuple(done))
        for stretch, totals in spread(partial(play_totals, self.setup), pieces, hire):
            self.totals.add(totals)
            told(self.played)
            if self.kept:
                self.kept.add(stretch, totals)


def play_totals(setup: Setup, stretch: Stretch) -> Totals:
    """A piece of work."""
    return totalled(setup, play(setup, stretch))
