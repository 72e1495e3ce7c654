"""Knowledge of a seat about a state, and results of rules computed from it: a score, a cell of a panel.

Search bots read nothing in place of hidden cells (`Secrets.masked`). When rules are evaluated for a seat, the machine
stops before it reads a hidden cell (`MaskedState`), so the result depends on nothing hidden.

Results can be cached (`CachedKnowledge`) with the cells they were computed from: while these are the same, so is the
result. The dependencies are not declared; reads are recorded during the computation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, MutableSequence, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, TypeVar

from edict.game.table.control_flow import clear_dead_cells
from edict.game.table.faults import fault_error
from edict.runtime.machine.encoding import list_secret_cells
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, StateVariable
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import read_value
from edict.runtime.program.opcodes import (
    CHANCE,
    EVERYONE,
    LOGGING,
    OPTIONS,
    PC,
    RETURNED,
    RUNNING,
    SEAT,
    SP,
    SPENT,
    STACK,
    STATUS,
    TOTAL,
)

# --- who may read a cell --------------------------------------------------------------------------------

WORK_PER_TRIAL = 100_000  # instructions of one trial, of the 10,000,000 that the machine allows between two answers


@dataclass(frozen=True, slots=True)
class Secrets:
    """The cells that may be hidden in a program."""

    cells: tuple[tuple[int, int, int], ...]  # cell, cell of the set of knowers, and the value in place of a hidden one

    @staticmethod
    def from_program(program: Program) -> Secrets:
        """Return the secrets of a program."""
        return Secrets(list_secret_cells(program))

    def mask_state(self, state: list[int], seat: int) -> list[int]:
        """Return a copy of a state at a question in which hidden cells and their sets of knowers read as nothing.

        The machine can play on from it; it writes no events.
        """
        copy = state.copy()
        copy[LOGGING] = 0
        for address, knowers, replacement in self._iter_hidden(state, seat):
            copy[address], copy[knowers] = replacement, 0
        return copy

    def iter_hidden_cells(self, state: Sequence[int], seat: int) -> Iterable[int]:
        """Return the cells that the seat may not know."""
        return (address for address, _, _ in self._iter_hidden(state, seat))

    def _iter_hidden(self, state: Sequence[int], seat: int) -> Iterable[tuple[int, int, int]]:
        """Return the entries of `cells` that the seat may not know.

        An onlooker, in no seat of a player, knows what every player knows.
        """
        everyone, own = state[EVERYONE], 1 << seat if seat >= 0 else 0
        needed = own if own & everyone else everyone
        return (cell for cell in self.cells if state[cell[1]] & needed != needed)

    def knows_more(self, state: Sequence[int], seat: int, other: int) -> bool:
        """Return True if a seat may read a cell that is hidden from the other seat."""
        return any(state[known] >> seat & 1 and not state[known] >> other & 1 for _, known, _ in self.cells)


def has_secrets(program: Program) -> bool:
    """Return True if anything in a game may be hidden from anybody."""
    return any(v.known >= 0 for v in program.variables) or any(q.secret for q in program.questions)


def mask_state(program: Program, state: list[int], seat: int, names: Iterable[int] = ()) -> list[int]:
    """Return a copy of a state in mid-choice that may be handed to a seat, to play on from.

    Beside the cells that are hidden from the seat it lacks what may tell something about them: values that no rule will
    read any more, what others may choose from, and how much work was done.

    Args:
        program: The rules.
        state: A state in which a question is asked.
        seat: The seat.
        names: Cells of names that stand for something hidden from the seat.
    """
    masked = Secrets.from_program(program).mask_state(state, seat)
    for cell in names:
        masked[cell] = 0
    if masked[SEAT] not in (seat, CHANCE):
        masked[OPTIONS] = 0
    clear_dead_cells(program, masked)
    masked[SPENT] = masked[TOTAL] = 0
    return masked


class HiddenReadError(Exception):
    """An error that stops rules before they read a hidden cell."""


class MaskedState(list[int]):
    """A state whose hidden cells cannot be read.

    A value written there was computed from known cells, so that cell is no longer hidden.
    """

    def __init__(self, cells: Sequence[int], hidden: Collection[int]) -> None:
        super().__init__(cells)
        self.hidden = frozenset(hidden)

    def __getitem__(self, address: Any) -> Any:
        if isinstance(address, int) and address in self.hidden:
            raise HiddenReadError
        return super().__getitem__(address)

    def __setitem__(self, address: Any, value: Any) -> None:
        super().__setitem__(address, value)
        if address in self.hidden:
            self.hidden -= {address}

    def copy(self) -> MaskedState:
        """Return a copy with the same hidden cells."""
        return MaskedState(self, self.hidden)


def make_blind(state: Sequence[int], hidden: Collection[int]) -> list[int]:
    """Return a copy of a state that raises `HiddenReadError` when a hidden cell is read; a list if none is."""
    return MaskedState(state, hidden) if hidden else [*state]


# --- what the rules compute -----------------------------------------------------------------------------


def compute_query(program: Program, state: list[int], number: int, *args: int) -> int:
    """Run query `number` with these arguments on a copy of the state, and return its value.

    Raises `RulesError` for a fault.
    """
    scratch = state.copy()
    if run_query(program, scratch, number, *args) is None:
        raise fault_error(program, scratch)
    query = program.queries[number]
    return read_value(query.type, scratch, query.result)


def run_query(
    program: Program, scratch: MutableSequence[int], number: int, *args: int, loop: Callable[..., int] = run
) -> int | None:
    """Return the value of a query in a state that is overwritten, or None if the rules fail.

    `loop` is the machine's loop.
    """
    query = program.queries[number]
    for cell, value in zip(query.params, args, strict=False):
        scratch[cell] = value
    enter_code(program, scratch, query.entry)
    if loop(program.code, scratch, [0]) != RETURNED:
        return None
    return read_value(query.type, scratch, query.result)


def enter_code(program: Program, state: MutableSequence[int], entry: int) -> None:
    """Prepare a state to run the code from `entry` on, with an empty call stack and without events."""
    state[PC], state[STATUS] = entry, RUNNING
    state[SP] = state[STACK] = program.stack
    state[LOGGING] = state[OPTIONS] = state[SPENT] = 0


def compute_masked_query(
    program: Program, scratch: MutableSequence[int], number: int, *args: int
) -> tuple[int | None, bool]:
    """Return (value, False) of a query, or (None, True) if it reads a hidden cell.

    The value is None in that case and if the rules fail.
    """
    try:
        return run_query(program, scratch, number, *args), False
    except HiddenReadError:
        return None, True


Made = TypeVar("Made")


@dataclass(slots=True)
class KnownState:
    """A state for queries in which hidden cells read as nothing, with these cells.

    It contains nothing hidden, nor who else knows what, because that may depend on something hidden, too.
    """

    state: list[int]
    hidden: frozenset[int]

    @staticmethod
    def from_state(program: Program, cells: Sequence[int], seat: int) -> KnownState:
        """Return the state as a seat knows it."""
        state, secrets, kept = (
            list(program.initial),
            Secrets.from_program(program),
            slice(program.header_size, program.working),
        )
        state[kept] = secrets.mask_state([*cells], seat)[kept]
        for cell in (o.PLAYERS, o.EVERYONE, o.WINNERS):
            state[cell] = cells[cell]
        for _, knowers, _ in secrets.cells:
            state[knowers] &= 1 << seat
        return KnownState(state, frozenset(secrets.iter_hidden_cells(cells, seat)))

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Compute a value; nothing is cached here (see `CachedKnowledge`)."""
        return make()

    def make_masked_copy(self) -> list[int]:
        """Return a copy of the state to read or play on."""
        return make_blind(self.state, self.hidden)

    def value(self, program: Program, query: int, *args: int) -> int | None:
        """Return the value of a query, or None if it depends on something hidden."""
        return compute_masked_query(program, self.make_masked_copy(), query, *args)[0]


# --- what was worked out, remembered ---------------------------------------------------------------------


class RecordingState(MaskedState):
    """A masked state that records which of its cells are read."""

    def __init__(self, cells: Sequence[int], hidden: Collection[int], read_cells: set[int]) -> None:
        super().__init__(cells, hidden)
        self.read_cells = read_cells

    def __getitem__(self, address: Any) -> Any:
        if isinstance(address, int):
            self.read_cells.add(address)
        else:
            self.read_cells.update(range(*address.indices(len(self))))
        return super().__getitem__(address)

    def copy(self) -> RecordingState:
        """Return a copy that records in the same set."""
        return RecordingState(self, self.hidden, self.read_cells)


@dataclass(frozen=True, slots=True)
class _CachedResult:
    """A result with the cells it was computed from."""

    result: Any
    cells: tuple[int, ...]
    values: tuple[int, ...]  # their values
    secret: frozenset[int]  # cells of these that may be hidden
    hidden: frozenset[int]  # cells of these that were hidden

    def is_valid(self, known: KnownState) -> bool:
        """Return True if the cells it read have the same values and the same ones are hidden."""
        current = map(known.state.__getitem__, self.cells)
        return all(map(eq, current, self.values)) and self.secret & known.hidden == self.hidden


class ResultCache:
    """A cache of the last `most` results for each key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: dict[Hashable, list[_CachedResult]] = {}

    def find(self, key: Hashable, known: KnownState) -> _CachedResult | None:
        """Return a result stored under a key whose read cells have the same values in this state; else None."""
        return next((result for result in self._results.get(key, ()) if result.is_valid(known)), None)

    def add(
        self, key: Hashable, known: KnownState, value: Any, read_cells: set[int], secret: frozenset[int]
    ) -> _CachedResult:
        """Add a result with the cells that were read for it."""
        cells = tuple(sorted(read_cells))
        values = tuple(known.state[address] for address in cells)
        secret_read = secret & read_cells
        result = _CachedResult(value, cells, values, secret_read, secret_read & known.hidden)
        self._results[key] = [result, *self._results.get(key, ())][: self._most]
        return result


class CachedKnowledge(KnownState):
    """A state with a cache of results; stands in for a `KnownState`."""

    def __init__(self, program: Program, known: KnownState, memory: ResultCache) -> None:
        super().__init__(known.state, known.hidden)
        self._secret = frozenset(cell for cell, _, _ in list_secret_cells(program))
        self._memory = memory
        self._read_stack: list[set[int]] = [set()]

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the result for a key from the cache, or make and store it with the cells it read.

        The key names everything it depends on besides the state; do not modify the result.
        """
        cached = self._memory.find(key, self)
        if cached is None:
            self._read_stack.append(set())
            try:
                value = make()
            finally:
                read_cells = self._read_stack.pop()
            cached = self._memory.add(key, self, value, read_cells, self._secret)
        self._read_stack[-1].update(cached.cells)
        result: Made = cached.result
        return result

    def make_masked_copy(self) -> RecordingState:
        """Return a copy of the state to read or play on."""
        return RecordingState(self.state, self.hidden, self._read_stack[-1])

    def read(self, variable: StateVariable, address: int) -> int | None:
        """Return a variable's value, which begins at this address and may take several cells; None if hidden."""
        cells = range(address, address + variable.type.cells)
        self._read_stack[-1].update(cells)
        hidden = not self.hidden.isdisjoint(cells)
        return None if hidden else read_value(variable.type, self.state, address)
