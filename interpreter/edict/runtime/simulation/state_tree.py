"""A game from any of its states on, in native code: each answer leads to a state of its own, and none is overwritten.

For those who look at a game as a tree: a small one may be walked in full (`extent`). Needs NumPy and llvmlite; import
it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import ASKING, CHANCE, GAME_OVER, OPTIONS, SEAT, WINNERS
from edict.runtime.simulation import native, stepping
from edict.runtime.simulation.compiled import bound
from edict.runtime.simulation.plans import RANDOM, ROOM, plan
from edict.runtime.simulation.played_code import PlayedCode

BLOCK = 8  # states that are given room at a time
FROM, ANSWER_AT, INTO = 1, 2, 3  # arguments of `branched`
SEEN_FROM, SEEN_BY = 0, 2  # arguments of `seen_by`
SCORED = 1  # argument of `scored`
BYTES = 8


class State:
    """A state in native memory. It stays as it is."""

    __slots__ = ("_block", "_number", "address")

    def __init__(self, block: Any, number: int, address: int) -> None:
        self._block, self._number, self.address = block, number, address

    @property
    def row(self) -> Any:
        """The machine's cells, not to be written on."""
        return self._block[self._number]


class Branching:
    """A program with so many players. acts: the actions as `spaces.action_space` has them."""

    def __init__(self, program: Program, players: int, settings: Mapping[str, int], acts: Sequence[int]) -> None:
        first = native.integers([first_state(program, players, settings, logging=False)])
        self._first, self._width = State(first, 0, first.ctypes.data), first.shape[1]
        self._code = PlayedCode(program)
        code = self._code.row
        self._found = native.integers([0] * self._width)
        self._actions = memoryview(self._found)
        self._lock = Lock()
        self._branched = bound(
            stepping.branched,
            code,
            first[0],
            0,
            first[0],
            native.integers([0]),
            native.integers(acts),
            self._found,
            alone=True,
        )
        self._room = native.rows(ROOM, self._width)
        self._arguments, self._call = self._branched.cells, self._branched.call
        self._at = tuple(self._branched.places[number] for number in (FROM, ANSWER_AT, INTO))
        orders = native.integers(plan(program, [RANDOM] * players))
        self._scores = native.integers([0] * players)
        self._scored = bound(stepping.scored, code, first[0], orders, self._room, self._scores, alone=True)
        self._scored_at = self._scored.places[SCORED]
        self._left = 0
        self._block: Any = None

    def begun(self) -> tuple[State, int, int, list[int]]:
        """The first question, as in `after`."""
        return self.after(self._first, 0)

    def after(self, state: State, answer: int) -> tuple[State, int, int, list[int]]:
        """What follows the action of the option of this index: the state, the machine's status, who is asked, and the
        action of each option, in their order (of chance, their indices)."""
        with self._lock:
            self._code.plays(1)
            if self._left == 0:
                self._more()
            self._left -= 1
            number, at = self._left, self._left * self._width
            address, cells = self._address + at * BYTES, self._arguments
            source, answer_at, target = self._at
            cells[source], cells[answer_at], cells[target] = state.address, answer, address
            status = self._call()
            seat, options = self._cells[at + SEAT], self._cells[at + OPTIONS] if status == ASKING else 0
            actions = [*range(options)] if seat == CHANCE else self._actions[:options].tolist()
            return State(self._block, number, address), status, seat, actions

    def scores(self, state: State) -> list[int]:
        """Every seat's score in a state."""
        with self._lock:
            self._scored.cells[self._scored_at] = state.address
            self._scored.call()
            scores: list[int] = self._scores.tolist()
            return scores

    def sight(self, reads: Sequence[int], view: Any) -> SeatObservation:
        """What sees states, into an array of float32."""
        return SeatObservation(self._first, reads, view)

    def _more(self) -> None:
        self._block = native.rows(BLOCK, self._width)
        self._cells = memoryview(self._block.ravel())
        self._address, self._left = self._block.ctypes.data, BLOCK


class SeatObservation:
    """What a seat sees of a state, written into one array. For one thread at a time. reads: see `machine.encoding`."""

    def __init__(self, state: State, reads: Sequence[int], view: Any) -> None:
        seen = bound(stepping.seen_by, state.row, native.integers(reads), 0, view, kind=view.dtype.name, alone=True)
        self._arguments, self._call = seen.cells, seen.call
        self._state_at, self._seat_at = seen.places[SEEN_FROM], seen.places[SEEN_BY]

    def see(self, state: State, seat: int) -> None:
        """Look at a state."""
        self._arguments[self._state_at], self._arguments[self._seat_at] = state.address, seat
        self._call()


MOST = 5_000  # questions and ends that are walked through


@dataclass(frozen=True)
class Extent:
    """How far a game reaches. questions: in it, ends: courses. longest: the actions of players in one, asked: with the
    answers of chance. draws: options of chance at most. results: the scores and the winners (a bit a seat) of all ends.
    """

    questions: int
    ends: int
    longest: int
    asked: int
    draws: int
    results: frozenset[tuple[tuple[int, ...], int]]


def extent(branching: Branching, most: int = MOST) -> Extent | None:
    """How far a game reaches; None if it has more of that than is walked through, or if one of its courses stops."""
    state, status, seat, actions = branching.begun()
    waiting: list[tuple[State, int, int, list[int], int, int]] = [(state, status, seat, actions, 0, 0)]
    questions = ends = longest = deepest = draws = 0
    results: set[tuple[tuple[int, ...], int]] = set()
    while waiting:
        state, status, seat, actions, answered, asked = waiting.pop()
        if questions + ends == most:
            return None
        if status == GAME_OVER:
            ends, longest, deepest = ends + 1, max(longest, answered), max(deepest, asked)
            results.add((tuple(branching.scores(state)), int(state.row[WINNERS])))
            continue
        if status != ASKING:
            return None
        questions += 1
        if seat == CHANCE:
            draws = max(draws, len(actions))
        for action in dict.fromkeys(actions):
            after = branching.after(state, actions.index(action))
            waiting.append((*after, answered + (seat != CHANCE), asked + 1))
    return Extent(questions, ends, longest, deepest, draws, frozenset(results))
