"""A study: games of one set of rules, spread over workers, saved as they come in, and summarized."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from edict.agents.study.bot_games import GameRange, GameSetup, get_plan, precompile, split_games
from edict.agents.study.checkpoint import CheckpointFile, ResultFormat, TotalsMerger
from edict.agents.study.table_files import OpenTables, play_piece
from edict.agents.study.totals import Totals
from edict.support.processes.distribution import ExecutorStarter, run_in_workers


@dataclass
class Study:
    """A study with its results so far; it stays consistent if the run is interrupted."""

    setup: GameSetup
    games: int
    checkpoint: CheckpointFile[Totals] | None = None
    tables: OpenTables = field(default_factory=OpenTables)
    totals: Totals = field(init=False)

    def __post_init__(self) -> None:
        self.totals = Totals.zero(self.setup.players)
        for _, totals in self.checkpoint.results if self.checkpoint else ():
            self.totals.add(totals)

    @property
    def played_games(self) -> int:
        """The number of games that were played, including those that ended in a fault."""
        return self.totals.played_games

    def run(self, start: ExecutorStarter, on_progress: Callable[[int], object]) -> None:
        """Play the missing games; `on_progress` is called with the number of games done."""
        done = [game_range for game_range, _ in self.checkpoint.results] if self.checkpoint else []
        size = self.tables.piece_size(self.setup.piece_size)
        replayed = self.tables.prepare_missing(self.games, done, size)
        pieces = chain(split_games(self.games, size, done), replayed)
        work = partial(play_piece, self.setup, self.tables.requested)
        replayed_set = set(replayed)
        precompile(self.setup, self.games - self.played_games)
        with TotalsMerger(self.setup.line_size, self._save) as merger:
            for game_range, piece in run_in_workers(work, pieces, start):
                self.tables.add(game_range, piece)  # before the games count as saved
                if game_range not in replayed_set:
                    self.totals.add(piece.totals)
                    merger.add(game_range, piece.totals)
                on_progress(self.played_games)

    def _save(self, game_range: GameRange, totals: Totals) -> None:
        """Append the totals of a range to the checkpoint, if the study has one."""
        if self.checkpoint:
            self.checkpoint.add(game_range, totals)


def make_study_format(setup: GameSetup) -> ResultFormat[Totals]:
    """Return the stored form of a study."""
    program = setup.program

    def read(games: int, data: dict[str, object]) -> Totals:
        """Read the totals of a range from JSON data; raise `ValueError` unless they are of `games` games."""
        totals = Totals.from_data(setup.players, get_plan(setup).sums_layout.length, data)
        if totals.played_games != games:
            raise ValueError
        return totals

    identity = {
        "rules": program.rules_hash,
        "title": program.title,
        "modules": list(program.modules),
        "bots": list(setup.bots),
        "settings": dict(setup.settings),
        "seed": setup.seed,
        **setup.plan_names,
    }
    return ResultFormat("study", identity, Totals.to_data, read)
