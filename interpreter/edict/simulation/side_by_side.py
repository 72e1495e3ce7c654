"""Games side by side, an answer of each at a time, in native code, on several threads if there are many.

Needs NumPy and llvmlite; import it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from edict.native.library import Bound
from edict.program import Program
from edict.program.beginning import first_state
from edict.program.opcodes import STATUS, TOO_LONG
from edict.simulation import native, stepping
from edict.simulation.compiled import SEEN, bound, seeing
from edict.simulation.plans import RANDOM, ROOM, Policy, plan
from edict.simulation.played_code import PlayedCode
from edict.simulation.stepping import AT_ONCE, WHO_IS_ASKED

KINDS = tuple(SEEN)  # the types that observations can have
BESIDE = 4  # of a kept game, beside its state: its seed, questions asked, answers given, whether it was cut
VIEWER = 3  # the argument of `look`


@dataclass(frozen=True)
class BatchSettings:
    """How games are played side by side. seats: by which policy each is played; None: from outside.

    chance: whether its answers come from outside, too. again: what becomes of games that are over, see `stepping`.
    strict: an action that is not offered is not played, and does not count as the first that is. most: answers from
    outside after which a game is cut off; 0: only by the machine's budget for a whole game.
    """

    seats: Sequence[Policy | None]
    settings: Mapping[str, int]
    chance: bool = False
    again: int = AT_ONCE
    strict: bool = False
    most: int = 0


class Games:
    """So many games in arrays, by row; what each is comes from `BatchSettings`.

    actions: as `spaces.action_space` has them, and how many there are. reads, width: what a seat sees, as
    `spaces.observation_space` has it; `kind` is the type of its numbers. The arrays are overwritten by every call.

    masks: int8, the actions offered; seats: who is asked, -1 at the end; seen: what the seat that looks sees; statuses:
    what the last answers led to; answered: who gave them; illegal: 1 where they were not offered; cut: 1 where they
    were the last of so many; scores, winners: of games that are over; finals: last states, where others have begun.
    """

    def __init__(
        self,
        program: Program,
        manner: BatchSettings,
        games: int,
        actions: tuple[Sequence[int], int],
        seen: tuple[Sequence[int], int, Any],
        threads: int = 1,
    ) -> None:
        players = len(manner.seats)
        reads, width, kind = seen
        self._code = PlayedCode(program)
        self._initial = _whole(first_state(program, players, manner.settings, logging=False))
        self._plan = _whole(plan(program, [seat or RANDOM for seat in manner.seats]))
        self._outside = _whole([int(manner.chance), *(int(seat is None) for seat in manner.seats)])
        self._acts, self._reads = _whole(actions[0]), _whole(reads)
        self._manner, self._apart = manner, games
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
        self.finals = np.zeros((games if manner.again == AT_ONCE else 0, len(self._initial)), dtype=np.int64)
        bounds = [games * number // threads for number in range(threads + 1)]
        self._parts = [_Part(self, slice(low, high), games == 1) for low, high in pairwise(bounds) if high > low]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None

    def begin(self, seeds: Sequence[int], which: Any = True) -> None:
        """New games, with a seed for each; `which`: only in the rows where that is true."""
        if which is True:
            self._which.fill(1)
            self._seeds[:] = native.unsigned(seeds)
        else:
            self._which[:] = which
            self._seeds[:] = np.where(self._which, native.unsigned(seeds), self._seeds)
        self._code.plays(len(self._seeds))
        if self._pool is None:
            self._parts[0].begun.call()
        else:
            self._each(lambda part: part.begun.call())

    def step(self) -> None:
        """An answer for each game, as it stands in `actions`."""
        self._code.plays(len(self._seeds))
        if self._pool is None:
            self._parts[0].step.call()
        else:
            self._each(lambda part: part.step.call())

    def look(self, viewer: int = WHO_IS_ASKED) -> None:
        """What is asked, and what a seat sees of it, into `seats`, `masks` and `seen`."""
        for part in self._parts:
            part.look.cells[part.viewer] = viewer
        if self._pool is None:
            self._parts[0].look.call()
        else:
            self._each(lambda part: part.look.call())

    def seen_in(self, states: Any, seats: Any) -> Any:
        """What a seat sees of each of some states."""
        found = np.zeros((len(states), self.seen.shape[1]), dtype=self.seen.dtype)
        for state, seat, view in zip(states, seats, found, strict=True):
            seeing(view.dtype.name)(state, self._reads, int(seat), view)
        return found

    def drawn(self, seed: int) -> Any:
        """An action for each game, that of any of the options with equal chance."""
        found = np.zeros(len(self._seeds), dtype=np.int64)
        for part in self._parts:
            part.draw(seed + part.rows.start, found[part.rows])
        return found

    def kept(self) -> Any:
        """The games as rows of int64, to be `put` elsewhere."""
        return np.column_stack([self.states, self._seeds, self._asked, self._steps, self.cut])

    def put(self, rows: Any, which: Any = slice(None)) -> None:
        """Games as they were when they were `kept`, of the same program and players, in these rows."""
        self.states[which] = rows[:, :-BESIDE]
        self._seeds[which], self._asked[which], self._steps[which], self.cut[which] = rows[:, -BESIDE:].T
        self.statuses[which] = self.states[which][:, STATUS]

    def close(self) -> None:
        """Nobody is asked any more."""

    def failed(self) -> Any:
        """Return the numbers of the games that ran into a fault. A game that was cut off for its length is none."""
        statuses, cut = self.states[:, STATUS], self.cut != 0
        excused = (statuses == TOO_LONG) & cut if self._manner.again != AT_ONCE else False
        return np.flatnonzero((statuses < 0) & ~np.asarray(excused))

    @property
    def width(self) -> int:
        """Numbers of a kept game."""
        return len(self._initial) + BESIDE

    def _each(self, part: Callable[[_Part], Any]) -> None:
        """Do something with each thread's part of the games."""
        assert self._pool is not None
        list(self._pool.map(part, self._parts))


class _Part:
    """The rows that one thread plays, and what is called for them."""

    def __init__(self, games: Games, rows: slice, alone: bool) -> None:
        one, self.rows = games, rows
        room = np.zeros((ROOM, len(one._initial)), dtype=np.int64)
        begins = (
            one._code.row, one._initial, one._plan, one._seeds[rows], one._apart, room, one.states[rows],
            one._asked[rows], one._outside,
        )  # fmt: skip
        acts = one._acts
        self.begun = bound(stepping.begun, *begins, one._which[rows], one._steps[rows], one.cut[rows], alone=alone)
        self.step: Bound = bound(
            stepping.step, *begins, one.actions[rows], acts, one._manner.again, int(one._manner.strict),
            one._manner.most, one._steps[rows], one.cut[rows], one.answered[rows], one.illegal[rows],
            one.scores[rows], one.winners[rows], one.statuses[rows], one.finals[rows], alone=alone,
        )  # fmt: skip
        self.look: Bound = bound(
            stepping.look, one.states[rows], acts, one._reads, WHO_IS_ASKED, room, one.masks[rows], one.seats[rows],
            one.seen[rows], kind=one.seen.dtype.name, alone=alone,
        )  # fmt: skip
        self.viewer = self.look.places[VIEWER]
        self._draws = one.states[rows], acts, room

    def draw(self, seed: int, found: Any) -> None:
        native.faster(stepping.drawn)(*self._draws, seed, found)


def _whole(values: Sequence[int]) -> Any:
    return np.array(values, dtype=np.int64)
