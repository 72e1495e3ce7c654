"""A study: games of one set of rules, spread over workers, kept as they come in, summed up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from edict.agents.study.bot_games import GameRange, Setup, game_ranges, plan_of, precompile
from edict.agents.study.checkpoint import CheckpointFile, Merger, StoredForm
from edict.agents.study.table_files import OpenTables, play_piece
from edict.agents.study.totals import Totals
from edict.support.processes.distribution import ExecutorStarter, run_distributed


@dataclass
class Study:
    """What is studied, and what it has come to so far; it stays whole however the run is broken off."""

    setup: Setup
    games: int
    kept: CheckpointFile[Totals] | None = None
    recording: OpenTables = field(default_factory=OpenTables)
    totals: Totals = field(init=False)

    def __post_init__(self) -> None:
        self.totals = Totals.none(self.setup.players)
        for _, totals in self.kept.results if self.kept else ():
            self.totals.add(totals)

    @property
    def played(self) -> int:
        """Games that are done, those that ended in a fault included."""
        return self.totals.played

    def run(self, start: ExecutorStarter, told: Callable[[int], object]) -> None:
        """Play what is missing; `told` is called now and then with the number of games done."""
        done = [stretch for stretch, _ in self.kept.results] if self.kept else []
        size = self.recording.piece(self.setup.piece)
        again = self.recording.missing(self.games, done, size)
        pieces = chain(game_ranges(self.games, size, done), again)
        work = partial(play_piece, self.setup, self.recording.wanted)
        known = set(again)
        precompile(self.setup, self.games - self.played)
        with Merger(self.setup.line, self._keep) as gathering:
            for stretch, piece in run_distributed(work, pieces, start):
                self.recording.add(stretch, piece)  # before the games count as kept
                if stretch not in known:
                    self.totals.add(piece.totals)
                    gathering.take(stretch, piece.totals)
                told(self.played)

    def _keep(self, stretch: GameRange, totals: Totals) -> None:
        if self.kept:
            self.kept.add(stretch, totals)


def form_of(setup: Setup) -> StoredForm[Totals]:
    """How a study is stored; its settings must be the same for games to belong together."""
    program = setup.program

    def read(games: int, data: dict[str, object]) -> Totals:
        totals = Totals.from_data(setup.players, plan_of(setup).sums_layout.length, data)
        if totals.played != games:
            raise ValueError
        return totals

    asked = {
        "rules": program.rules_hash,
        "title": program.title,
        "modules": list(program.modules),
        "bots": list(setup.bots),
        "settings": dict(setup.settings),
        "seed": setup.seed,
    }
    return StoredForm("study", asked, Totals.as_data, read)
