"""A search over one question, in native code where that can be had, else by the same functions in plain Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from edict.machine.mixing import MASK
from edict.program import Program
from edict.program.opcodes import FIRST_OPTION, OPTIONS
from edict.simulation import ismcts, native
from edict.simulation.plans import ROOM, Policy, plan

TABLE = 1 << 15  # answers a search remembers
DEEPEST = 64
CHUNK = 4  # tries between two looks at the clock


@dataclass(frozen=True, slots=True)
class Form:
    """How to search. depth: choices the tree reaches; others: whether other seats' choices are in it too.

    explore, widen: how readily what looks worse is tried; winning: how much winning counts beside the lead in score,
    0 to 1. horizon: questions that are played on beyond the tree before a network guesses how it ends; 0 plays to the
    end of the game.
    """

    depth: int = DEEPEST
    others: bool = False
    explore: float = 0.3
    widen: float = 1.0
    winning: float = 0.5
    horizon: int = 0
    trust: float = 0.0


@dataclass(frozen=True, slots=True)
class Tried:
    """An option of a question: how often it was tried, and the means of the victory's share and of the lead."""

    index: int
    tries: int
    share: float
    lead: float


class Search:
    """One question being thought about. `roots` are states that can be the case; `think` may be called again."""

    def __init__(
        self, program: Program, roots: Sequence[Sequence[int]], policies: Sequence[Policy], form: Form, seed: int
    ) -> None:
        first = roots[0]
        self._values = list(first[FIRST_OPTION : FIRST_OPTION + first[OPTIONS]])
        numbers: Any = native.integers if native.available() else list
        floats: Any = native.floats if native.available() else list
        self._program = program
        self._roots = numbers([list(root) for root in roots])
        self._plan = numbers(plan(program, policies))
        self._room = numbers([[0] * len(first) for _ in range(ROOM)])
        self._form = numbers(_row(form))
        self._keys, self._counts = numbers([0] * TABLE), numbers([0] * TABLE)
        self._sums = floats([0.0] * TABLE)
        self._path = numbers([0] * (2 * DEEPEST + 2))
        self._shares, self._leads = floats([0.0] * program.room), floats([0.0] * program.room)
        self._seed = seed & (MASK >> 1)
        self._done = 0

    def think(self, tries: int) -> None:
        """Try so often, after what has been tried already."""
        if native.available():
            with native.playing(self._program) as code:
                self._grow(native.faster(ismcts.grow), code, tries)
        else:
            self._grow(ismcts.grow, self._program.code, tries)
        self._done += tries

    def _grow(self, grow: Callable[..., None], code: Sequence[int], tries: int) -> None:
        grow(
            code, self._roots, self._plan, self._room, self._seed, self._done, tries, self._form, self._keys,
            self._counts, self._sums, self._path, self._shares, self._leads,
        )  # fmt: skip

    def think_until(self, tries: int) -> None:
        """Try so often, or less, once the choice is settled: the option tried most is the same."""
        while self._done < tries and not self.settled(tries - self._done):
            self.think(min(CHUNK, tries - self._done))

    def think_for(self, seconds: float, whole: bool = False) -> None:
        """Try until so many seconds are over, or, unless the `whole` time is wanted, the choice is settled.

        The first tries, for which native code must be fetched, are free.
        """
        chunk = CHUNK if native.available() else 1
        self.think(chunk)
        start, done = time.perf_counter(), self._done
        taken = 0.0
        while taken < seconds:
            self.think(chunk)
            taken = time.perf_counter() - start
            left = (seconds - taken) * (self._done - done) / taken
            if not whole and self.settled(left):
                return

    def settled(self, left: float) -> bool:
        """Whether so many more tries could not change which option is tried most."""
        if left >= self._done:
            return False
        first, second = sorted((tried.tries for tried in self.found()), reverse=True)[:2]
        return first - second > left

    def found(self) -> list[Tried]:
        """Every option of the question, in its order."""
        return [self._tried(index, value) for index, value in enumerate(self._values)]

    def _tried(self, index: int, value: int) -> Tried:
        name = ismcts.followed(ismcts.ROOT, value)
        at = ismcts.slot_of(self._keys, name)
        tries = int(self._counts[at]) if at >= 0 and self._keys[at] == name else 0
        often = max(1, tries)
        return Tried(index, tries, float(self._shares[index]) / often, float(self._leads[index]) / often)


def _row(form: Form) -> list[int]:
    row = [0] * ismcts.FORM
    row[ismcts.DEPTH], row[ismcts.OTHERS] = min(form.depth, DEEPEST), int(form.others)
    row[ismcts.EXPLORE], row[ismcts.WIDEN] = round(form.explore * 1000), round(form.widen * 1000)
    row[ismcts.WINNING], row[ismcts.HORIZON] = round(form.winning * 1000), form.horizon
    row[ismcts.TRUST] = round(form.trust * 1000)
    return row
