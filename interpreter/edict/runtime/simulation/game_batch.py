"""Games in parallel, advanced by one answer each at a time, in native code, on several threads if there are many.

Needs NumPy and llvmlite; import it only where `native.is_available()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from edict.runtime.native.library import BoundFunction
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import CHANCE, GAME_OVER, STATUS, TOO_LONG
from edict.runtime.simulation import native, stepping
from edict.runtime.simulation.compiled import OBSERVATION_TYPES, bind_function, get_state_observer
from edict.runtime.simulation.plans import RANDOM, SCRATCH_ROWS, Policy, build_plan
from edict.runtime.simulation.state_tree import AdaptiveCode
from edict.runtime.simulation.stepping import ASKED_SEAT, SAME_STEP
from edict.support.records import dataclass

OBSERVATION_KINDS = tuple(OBSERVATION_TYPES)  # NumPy's names of the types that observations can have
SAVED_EXTRA = 4  # numbers of a saved game besides its state: seed, questions asked, answers given, cut off
VIEWER = 3  # index of an argument of `look`


@dataclass(frozen=True)
class BatchSettings:
    """Settings of games that are played in parallel."""

    seats: Sequence[Policy | None]  # the policy of each seat; None: answers come from outside
    settings: Mapping[str, int]
    chance: bool = False  # answers of chance come from outside, too
    autoreset: int = SAME_STEP  # what happens to finished games, see `stepping`
    strict: bool = False  # an action that is not offered is not played; otherwise the first offered one is
    max_answers: int = 0  # answers from outside after which a game is cut off; 0: only by the machine's budget


class GameBatch:
    """Games in arrays, a row for each, played by `BatchSettings`. Every call overwrites the arrays.

    Attributes:
        masks: The actions offered, int8.
        seats: The seat asked, -1 at the end.
        seen: The observations.
        statuses: The status after the last answer.
        answered: The seat that gave it.
        illegal: 1 where its action was not offered.
        cut: 1 where it cut the game off.
        scores: The scores of finished games.
        winners: The winners of finished games.
        ended: Whether the last answer ended the game or cut it off.
        final_observations: What the seat that gave it saw then, in the rows of games that were replaced by new ones.
    """

    def __init__(
        self,
        program: Program,
        batch_settings: BatchSettings,
        games: int,
        actions: tuple[Sequence[int], int],
        observations: tuple[Sequence[int], int, Any],
        threads: int = 1,
    ) -> None:
        """Create the arrays; `begin` starts the games.

        Args:
            program: The program.
            batch_settings: The settings.
            games: The number of games.
            actions: The action table, as of `spaces.action_space`, and the number of actions.
            observations: The reads, as of `spaces.observation_space`, the length of an observation, and its type.
            threads: The number of threads.
        """
        players = len(batch_settings.seats)
        reads, width, kind = observations
        self._code = AdaptiveCode(program)
        self._initial = _to_int64(create_state(program, players, batch_settings.settings, logging=False))
        self._plan = _to_int64(build_plan(program, [seat or RANDOM for seat in batch_settings.seats]))
        self._outside = _to_int64([int(batch_settings.chance), *(int(seat is None) for seat in batch_settings.seats)])
        self._acts, self._reads = _to_int64(actions[0]), _to_int64(reads)
        self._settings, self._seed_step = batch_settings, games
        self.states = np.zeros((games, len(self._initial)), dtype=np.int64)
        self._seeds, self._asked, self._steps, self.actions, self.seats = (
            np.zeros(games, dtype=np.int64) for _ in range(5)
        )
        self.answered, self.illegal, self.cut, self.winners, self.statuses = (
            np.zeros(games, dtype=np.int64) for _ in range(5)
        )
        self._which = np.ones(games, dtype=np.int64)
        self.masks = np.zeros((games, actions[1]), dtype=np.int8)
        self.seen = np.zeros((games, width), dtype=kind)
        self.scores = np.zeros((games, players), dtype=np.int64)
        self.ended = np.zeros(games, dtype=bool)
        replaced = games if batch_settings.autoreset == SAME_STEP else 0
        self.final_observations = np.zeros((replaced, width), dtype=kind)
        bounds = [games * number // threads for number in range(threads + 1)]
        self._parts = [_ThreadPart(self, slice(low, high), games == 1) for low, high in pairwise(bounds) if high > low]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None

    def begin(self, seeds: Sequence[int], which: Any = True) -> None:
        """Begin new games with a seed for each, in all rows or where `which` is true."""
        if which is True:
            self._which.fill(1)
            self._seeds[:] = native.make_seeds(seeds)
        else:
            self._which[:] = which
            self._seeds[:] = np.where(self._which, native.make_seeds(seeds), self._seeds)
        self._begin_marked_games()

    def _begin_marked_games(self) -> None:
        """Begin a game by its seed in each row that `_which` marks."""
        self._code.count_answers(len(self._seeds))
        if self._pool is None:
            self._parts[0].begin.call()
        else:
            self._run_threads(lambda part: part.begin.call())

    def step(self) -> None:
        """Answer each game with the action in `actions`, and replace games that end if they are to be replaced now."""
        self._answer_games()
        self.ended = (self.answered != CHANCE) & ((self.statuses == GAME_OVER) | (self.cut != 0))
        if self._settings.autoreset == SAME_STEP and self.ended.any():
            self._observe_ended_games()
            self._replace_ended_games()

    def _answer_games(self) -> None:
        """Answer each game with the action in `actions`."""
        self._code.count_answers(len(self._seeds))
        if self._pool is None:
            self._parts[0].step.call()
        else:
            self._run_threads(lambda part: part.step.call())

    def _observe_ended_games(self) -> None:
        """Write what the seats that ended games see into `final_observations`."""
        if self.seen.shape[1]:
            viewers = np.where(self.ended, self.answered, CHANCE)
            observe_states = get_state_observer(self.seen.dtype.name)
            observe_states(self.states, self._reads, viewers, self.final_observations)

    def _replace_ended_games(self) -> None:
        """Begin another game in the rows of those that have ended; their results remain."""
        cut = self.cut.copy()
        self._which[:] = self.ended
        self._seeds[self.ended] += self._seed_step
        self._begin_marked_games()
        self.cut[:] = cut

    def look(self, viewer: int = ASKED_SEAT) -> None:
        """Refresh `seats`, `masks` and observations of all games, as a seat or each asked seat sees them."""
        for part in self._parts:
            part.look.cells[part.viewer] = viewer
        if self._pool is None:
            self._parts[0].look.call()
        else:
            self._run_threads(lambda part: part.look.call())

    def draw_actions(self, seed: int) -> Any:
        """Draw an action for each game, each option with equal probability."""
        drawn_actions = np.zeros(len(self._seeds), dtype=np.int64)
        for part in self._parts:
            part.draw(seed + part.rows.start, drawn_actions[part.rows])
        return drawn_actions

    def save(self) -> Any:
        """Return the games as rows of int64, to be restored elsewhere."""
        return np.column_stack([self.states, self._seeds, self._asked, self._steps, self.cut])

    def restore(self, rows: Any, which: Any = slice(None)) -> None:
        """Replace the games selected by `which` by saved rows of the same program and players."""
        self.states[which] = rows[:, :-SAVED_EXTRA]
        self._seeds[which], self._asked[which], self._steps[which], self.cut[which] = rows[:, -SAVED_EXTRA:].T
        self.statuses[which] = self.states[which][:, STATUS]

    def close(self) -> None:
        """Do nothing; subclasses release their bots."""

    def find_failed_games(self) -> Any:
        """Return the numbers of games that ran into a fault; those cut off for their length are none."""
        statuses, cut = self.states[:, STATUS], self.cut != 0
        excused = (statuses == TOO_LONG) & cut if self._settings.autoreset != SAME_STEP else False
        return np.flatnonzero((statuses < 0) & ~np.asarray(excused))

    @property
    def saved_width(self) -> int:
        """Return the length of a saved game, in numbers."""
        return len(self._initial) + SAVED_EXTRA

    def _run_threads(self, function: Callable[[_ThreadPart], Any]) -> None:
        """Call a function on each thread's part of the games."""
        assert self._pool is not None
        list(self._pool.map(function, self._parts))


class _ThreadPart:
    """The rows that one thread plays, with functions bound to them."""

    def __init__(self, games: GameBatch, rows: slice, hold_gil: bool) -> None:
        batch, self.rows = games, rows
        scratch = np.zeros((SCRATCH_ROWS, len(batch._initial)), dtype=np.int64)
        common = (
            batch._code.row,
            batch._initial,
            batch._plan,
            batch._seeds[rows],
            batch._seed_step,
            scratch,
            batch.states[rows],
            batch._asked[rows],
            batch._outside,
        )
        acts = batch._acts
        self.begin = bind_function(
            stepping.begin_games, *common, batch._which[rows], batch._steps[rows], batch.cut[rows], hold_gil=hold_gil
        )
        self.step: BoundFunction = bind_function(
            stepping.step,
            *common,
            batch.actions[rows],
            acts,
            batch._settings.autoreset,
            int(batch._settings.strict),
            batch._settings.max_answers,
            batch._steps[rows],
            batch.cut[rows],
            batch.answered[rows],
            batch.illegal[rows],
            batch.scores[rows],
            batch.winners[rows],
            batch.statuses[rows],
            hold_gil=hold_gil,
        )
        self.look: BoundFunction = bind_function(
            stepping.look,
            batch.states[rows],
            acts,
            batch._reads,
            ASKED_SEAT,
            scratch,
            batch.masks[rows],
            batch.seats[rows],
            batch.seen[rows],
            kind=batch.seen.dtype.name,
            hold_gil=hold_gil,
        )
        self.viewer = self.look.places[VIEWER]
        self._draws = batch.states[rows], acts, scratch

    def draw(self, seed: int, drawn_actions: Any) -> None:
        """Draw an action at random for each game of this thread's part into `drawn_actions`."""
        native.native_function(stepping.draw_actions)(*self._draws, seed, drawn_actions)


def _to_int64(values: Sequence[int]) -> Any:
    return np.array(values, dtype=np.int64)
