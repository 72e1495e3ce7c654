"""A study: games of one set of rules, spread over workers, kept as they come in, summed up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from edict.machine.tallying import sums_length
from edict.study.games import Setup, Stretch, foresee, plan_of, play, stretches
from edict.study.gathering import Gathering
from edict.study.kept import Form, Kept
from edict.study.totals import Totals, totalled
from edict.study.workers import Hire, spread


@dataclass
class Study:
    """What is studied, and what it has come to so far; it stays whole however the run is broken off."""

    setup: Setup
    games: int
    kept: Kept[Totals] | None = None
    totals: Totals = field(init=False)

    def __post_init__(self) -> None:
        self.totals = Totals.none(self.setup.players)
        for _, totals in self.kept.results if self.kept else ():
            self.totals.add(totals)

    @property
    def played(self) -> int:
        """Games that are done, those that ended in a fault included."""
        return self.totals.played

    def run(self, hire: Hire, told: Callable[[int], object]) -> None:
        """Play what is missing; `told` hears how many games are done, time and again."""
        done = [stretch for stretch, _ in self.kept.results] if self.kept else []
        pieces = stretches(self.games, self.setup.piece, done)
        foresee(self.setup, self.games - self.played)
        with Gathering(self.setup.line, self._keep) as gathering:
            for stretch, totals in spread(partial(play_totals, self.setup), pieces, hire):
                self.totals.add(totals)
                told(self.played)
                gathering.take(stretch, totals)

    def _keep(self, stretch: Stretch, totals: Totals) -> None:
        if self.kept:
            self.kept.add(stretch, totals)


def play_totals(setup: Setup, stretch: Stretch) -> Totals:
    """A piece of work."""
    return totalled(setup, play(setup, stretch))


def form_of(setup: Setup) -> Form[Totals]:
    """How a study is kept; what is asked must be the same for games to belong together."""
    program = setup.program

    def read(games: int, data: dict[str, object]) -> Totals:
        totals = Totals.from_data(setup.players, sums_length(plan_of(setup).flat), data)
        if totals.played != games:
            raise ValueError
        return totals

    asked = {
        "rules": program.rules_hash, "title": program.title, "modules": list(program.modules),
        "bots": list(setup.bots), "settings": dict(setup.settings), "seed": setup.seed,
    }  # fmt: skip
    return Form("study", asked, Totals.as_data, read)
