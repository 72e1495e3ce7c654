"""Many games at once, an answer of each at a time, in native code on several threads.

Needs NumPy; import it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from edict.machine.translation import playable
from edict.program import Program
from edict.program.beginning import first_state
from edict.simulation import native, stepping
from edict.simulation.compiled import SEEN, looking
from edict.simulation.plans import RANDOM, ROOM, Policy, plan

KINDS = tuple(SEEN)  # the types that observations can have


class Games:
    """So many games in arrays, by row. Each seat is answered for by its policy, or from outside if that is None.

    firsts, seated, actions: the actions as `table.spaces` has them. reads, width: what a seat sees, as
    `table.spaces` has it; `kind` is the type of its numbers. The arrays are written anew by every call.
    """

    def __init__(
        self,
        program: Program,
        seats: Sequence[Policy | None],
        games: int,
        actions: tuple[Sequence[int], Sequence[int], int],
        seen: tuple[Sequence[int], int, Any],
        settings: Mapping[str, int],
        threads: int,
    ) -> None:
        players = len(seats)
        reads, width, kind = seen
        native.load()  # now, and not in every thread at once
        self._playable = playable(program)
        self._playable.prepare(events=False)
        self._initial = _whole(first_state(program, players, settings, logging=False))
        self._plan = _whole(plan(program, [seat or RANDOM for seat in seats]))
        self._outside = _whole([int(seat is None) for seat in seats])
        self._firsts, self._seated, self._reads = _whole(actions[0]), _whole(actions[1]), _whole(reads)
        self._apart = games
        self._states = np.zeros((games, len(self._initial)), dtype=np.int64)
        self._seeds, self._asked = np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64)
        self._actions = np.zeros(games, dtype=np.int64)
        self.masks = np.zeros((games, actions[2]), dtype=np.bool_)
        self.seats = np.zeros(games, dtype=np.int64)
        self.seen = np.zeros((games, width), dtype=kind)
        self.scores = np.zeros((games, players), dtype=np.int64)
        self.winners, self.statuses = np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64)
        bounds = [games * number // threads for number in range(threads + 1)]
        self._parts = [slice(low, high) for low, high in pairwise(bounds) if high > low]
        self._rooms = [np.zeros((ROOM, len(self._initial)), dtype=np.int64) for _ in self._parts]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None

    @property
    def states(self) -> Any:
        """The games' states, secrets and all: not to be written on."""
        return self._states

    def begin(self, seed: int) -> None:
        """New games, with seeds from this one on."""
        self._seeds[:] = native.unsigned(range(seed, seed + len(self._seeds)))
        code = self._playable.ready(events=False)

        def part(rows: slice, room: Any) -> None:
            native.faster(stepping.begun)(
                code, self._initial, self._plan, self._seeds[rows], self._apart, room, self._states[rows],
                self._asked[rows], self._outside,
            )  # fmt: skip
            self._look(rows, room)

        self._each(part)

    def step(self, actions: Any) -> int:
        """An action for each game. Gives the first game that does not offer its action (then nothing is played); -1."""
        self._actions[:] = actions
        possible = (self._actions >= 0) & (self._actions < self.masks.shape[1])
        possible[possible] &= self.masks[possible, self._actions[possible]]
        if not possible.all():
            return int(np.argmin(possible))
        code = self._playable.ready(events=False)

        def part(rows: slice, room: Any) -> None:
            native.faster(stepping.step)(
                code, self._initial, self._plan, self._seeds[rows], self._apart, room, self._states[rows],
                self._asked[rows], self._outside, self._actions[rows], self._firsts, self._seated, self.scores[rows],
                self.winners[rows], self.statuses[rows],
            )  # fmt: skip
            self._look(rows, room)

        self._each(part)
        return -1

    def drawn(self, seed: int) -> Any:
        """An action for each game, any of those offered with equal chance."""
        found = np.zeros(len(self._seeds), dtype=np.int64)

        def part(rows: slice, room: Any) -> None:
            native.faster(stepping.drawn)(
                self._states[rows], self._firsts, self._seated, room, seed + rows.start, found[rows]
            )

        self._each(part)
        return found

    def _look(self, rows: slice, room: Any) -> None:
        looking(self.seen.dtype.name)(
            self._states[rows], self._firsts, self._seated, self._reads, room, self.masks[rows],
            self.seats[rows], self.seen[rows],
        )  # fmt: skip

    def _each(self, part: Callable[[slice, Any], Any]) -> list[Any]:
        """Do something with each thread's part of the games."""
        if self._pool is None:
            return [part(rows, room) for rows, room in zip(self._parts, self._rooms, strict=True)]
        return list(self._pool.map(part, self._parts, self._rooms))


def _whole(values: Sequence[int]) -> Any:
    return np.array(values, dtype=np.int64)
