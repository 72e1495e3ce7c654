"""A game as a tree of states in native code, where each answer leads to a new state and none is overwritten.

Its code is translated as soon as that pays. A small tree may be walked in full (`measure_extent`). Needs NumPy and
llvmlite; import it only where `native.is_available()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from edict.runtime.machine.translation import get_native_program
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ASKING, CHANCE, GAME_OVER, OPTIONS, SEAT, WINNERS
from edict.runtime.simulation import native, stepping
from edict.runtime.simulation.compiled import bind_function
from edict.runtime.simulation.plans import RANDOM, SCRATCH_ROWS, build_plan
from edict.support.records import dataclass

TRANSLATE_AFTER = 4096  # answers after which a program is worth compiling
POLL_AFTER = 64  # answers between two looks for a translation
NEVER = 1 << 62


class AdaptiveCode:
    """A program in native memory that is translated when it is played much.

    `row` is its code, valid as long as this object lives.
    """

    __slots__ = ("_playable", "_played", "_until_poll", "row")

    def __init__(self, program: Program) -> None:
        self._playable = get_native_program(program)
        self.row: Any = self._playable.row
        self._until_poll, self._played = 0, 0

    def count_answers(self, answers: int) -> None:
        """Note that so many answers are about to be played."""
        self._until_poll -= answers
        if self._until_poll < 0:
            self._poll(answers)

    def _poll(self, answers: int) -> None:
        """Count answers; translate the program once enough were played, and stop polling when it is optimized."""
        self._until_poll = POLL_AFTER
        self._played += max(POLL_AFTER, answers)
        if self._played < TRANSLATE_AFTER:
            self._playable.refresh(events=False)
            return
        self._playable.start_translation(events=False)
        if self._playable.is_optimized(events=False):
            self._until_poll = NEVER


BLOCK_STATES = 8  # states that are allocated at a time
FROM, ANSWER_AT, INTO = 1, 2, 3  # indices of arguments of `apply_action_into`
SEEN_FROM, SEEN_BY = 0, 2  # indices of arguments of `write_observation`
SCORED = 1  # index of an argument of `compute_scores`
CELL_BYTES = 8


class TreeState:
    """An immutable state in native memory."""

    __slots__ = ("_block", "_number", "address")

    def __init__(self, block: Any, number: int, address: int) -> None:
        self._block, self._number, self.address = block, number, address

    @property
    def row(self) -> Any:
        """Return the machine's cells, which must not be written."""
        return self._block[self._number]


class StateTree:
    """The states of a program for a number of players."""

    def __init__(self, program: Program, players: int, settings: Mapping[str, int], acts: Sequence[int]) -> None:
        """Prepare the initial state.

        Args:
            program: The program.
            players: The number of players.
            settings: Checked values of settings.
            acts: The action table, as of `spaces.action_space`.
        """
        first = native.make_integers([create_state(program, players, settings, logging=False)])
        self._first, self._width = TreeState(first, 0, first.ctypes.data), first.shape[1]
        self._code = AdaptiveCode(program)
        code = self._code.row
        self._option_actions = native.make_integers([0] * self._width)
        self._actions = memoryview(self._option_actions)
        self._lock = Lock()
        self._apply = bind_function(
            stepping.apply_action_into,
            code,
            first[0],
            0,
            first[0],
            native.make_integers([0]),
            native.make_integers(acts),
            self._option_actions,
            hold_gil=True,
        )
        self._scratch = native.make_rows(SCRATCH_ROWS, self._width)
        self._arguments, self._call = self._apply.cells, self._apply.call
        self._at = tuple(self._apply.places[number] for number in (FROM, ANSWER_AT, INTO))
        plan_row = native.make_integers(build_plan(program, [RANDOM] * players))
        self._scores = native.make_integers([0] * players)
        self._compute_scores = bind_function(
            stepping.compute_scores, code, first[0], plan_row, self._scratch, self._scores, hold_gil=True
        )
        self._scored_at = self._compute_scores.places[SCORED]
        self._free_states = 0
        self._block: Any = None

    def first_question(self) -> tuple[TreeState, int, int, list[int]]:
        """Return the first question, as `apply` does."""
        return self.apply(self._first, 0)

    def apply(self, state: TreeState, answer: int) -> tuple[TreeState, int, int, list[int]]:
        """Return the state after an option's action, in a row of its own, with what it then asks.

        Args:
            state: The state in which a question is asked.
            answer: The index of the option.

        Returns:
            The following state, its status, the seat asked, and the action of each option (for chance, its index).
        """
        with self._lock:
            self._code.count_answers(1)
            if self._free_states == 0:
                self._allocate_block()
            self._free_states -= 1
            number, at = self._free_states, self._free_states * self._width
            address, cells = self._address + at * CELL_BYTES, self._arguments
            source, answer_at, target = self._at
            cells[source], cells[answer_at], cells[target] = state.address, answer, address
            status = self._call()
            seat, options = self._cells[at + SEAT], self._cells[at + OPTIONS] if status == ASKING else 0
            actions = [*range(options)] if seat == CHANCE else self._actions[:options].tolist()
            return TreeState(self._block, number, address), status, seat, actions

    def compute_scores(self, state: TreeState) -> list[int]:
        """Return every seat's score in a state."""
        with self._lock:
            self._compute_scores.cells[self._scored_at] = state.address
            self._compute_scores.call()
            scores: list[int] = self._scores.tolist()
            return scores

    def create_observation(self, reads: Sequence[int], view: Any) -> StateObserver:
        """Create an observer that writes into an array of float32."""
        return StateObserver(self._first, reads, view)

    def _allocate_block(self) -> None:
        """Allocate memory for the next BLOCK_STATES states; older blocks live as long as their states."""
        self._block = native.make_rows(BLOCK_STATES, self._width)
        self._cells = memoryview(self._block.ravel())
        self._address, self._free_states = self._block.ctypes.data, BLOCK_STATES


class StateObserver:
    """Observations of states by seats, written into one array. Not thread-safe.

    The reads are explained in `machine.encoding`.
    """

    def __init__(self, state: TreeState, reads: Sequence[int], view: Any) -> None:
        seen = bind_function(
            stepping.write_observation,
            state.row,
            native.make_integers(reads),
            0,
            view,
            kind=view.dtype.name,
            hold_gil=True,
        )
        self._arguments, self._call = seen.cells, seen.call
        self._state_at, self._seat_at = seen.places[SEEN_FROM], seen.places[SEEN_BY]

    def observe(self, state: TreeState, seat: int) -> None:
        """Write the observation of a state by a seat."""
        self._arguments[self._state_at], self._arguments[self._seat_at] = state.address, seat
        self._call()


MAX_EXTENT = 5_000  # questions and ends that are visited


@dataclass(frozen=True)
class TreeExtent:
    """The size of a game's tree."""

    questions: int
    ends: int  # finished games
    longest: int  # most actions of players in a game
    asked: int  # likewise, including answers of chance
    draws: int  # most options of chance
    results: frozenset[tuple[tuple[int, ...], int]]  # the scores and the winners (a bit a seat) of all ends


def measure_extent(tree: StateTree, limit: int = MAX_EXTENT) -> TreeExtent | None:
    """Walk all courses of a game, and count questions, ends and results; None beyond `limit` or if one is endless."""
    state, status, seat, actions = tree.first_question()
    pending: list[tuple[TreeState, int, int, list[int], int, int]] = [(state, status, seat, actions, 0, 0)]
    questions = ends = longest = deepest = draws = 0
    results: set[tuple[tuple[int, ...], int]] = set()
    while pending:
        state, status, seat, actions, answered, asked = pending.pop()
        if questions + ends == limit:
            return None
        if status == GAME_OVER:
            ends, longest, deepest = ends + 1, max(longest, answered), max(deepest, asked)
            results.add((tuple(tree.compute_scores(state)), int(state.row[WINNERS])))
            continue
        if status != ASKING:
            return None
        questions += 1
        if seat == CHANCE:
            draws = max(draws, len(actions))
        for action in dict.fromkeys(actions):
            child = tree.apply(state, actions.index(action))
            pending.append((*child, answered + (seat != CHANCE), asked + 1))
    return TreeExtent(questions, ends, longest, deepest, draws, frozenset(results))
