"""The cells of a state that a seat may read, and the values that rules compute from them: a score, a cell of a panel.

`Secrets` is the one definition of who may read a cell. Bots play on from a state in which hidden cells read as nothing
(`mask_state`). A query stops before the machine reads a hidden cell (`Blind`), so its outcome says nothing about it.

A computed value can be remembered (`Looking`) together with the cells that the machine read for it. It holds while
these cells are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, MutableSequence, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, TypeVar

from edict.game.table.control_flow import clear_dead_cells
from edict.game.table.faults import fault
from edict.runtime.machine.encoding import secret_cells
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, Variable
from edict.runtime.program import opcodes as o
from edict.runtime.program.cells import value_at
from edict.runtime.program.opcodes import (
    CHANCE,
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

WORK = 100_000  # of one try, of the 10,000,000 the machine allows between two answers


@dataclass(frozen=True, slots=True)
class Secrets:
    """The cells that may be hidden: (cell, cell of the mask of seats that know it, value that stands for nothing)."""

    cells: tuple[tuple[int, int, int], ...]

    @staticmethod
    def of(program: Program) -> Secrets:
        return Secrets(secret_cells(program))

    def masked(self, state: list[int], seat: int) -> list[int]:
        """Return a copy of a state in which the cells hidden from a seat, and their masks, read as nothing.

        The machine can play on from it; it writes no events.
        """
        copy = state.copy()
        copy[LOGGING] = 0
        for address, known, instead in self.cells:
            if not copy[known] >> seat & 1:
                copy[address], copy[known] = instead, 0
        return copy

    def hidden(self, state: Sequence[int], seat: int) -> Iterable[int]:
        """Return the cells that a seat may not read."""
        return (address for address, known, _ in self.cells if not state[known] >> seat & 1)

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
    masked = Secrets.of(program).masked(state, seat)
    for cell in names:
        masked[cell] = 0
    if masked[SEAT] not in (seat, CHANCE):
        masked[OPTIONS] = 0
    clear_dead_cells(program, masked)
    masked[SPENT] = masked[TOTAL] = 0
    return masked


class Peeked(Exception):
    """Raised before the rules read a hidden cell."""


class Blind(list[int]):
    """A state whose hidden cells cannot be read. A cell that is written was computed from known ones, and is known."""

    def __init__(self, cells: Sequence[int], hidden: Collection[int]) -> None:
        super().__init__(cells)
        self.hidden = frozenset(hidden)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int) and at in self.hidden:
            raise Peeked
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        if at in self.hidden:
            self.hidden -= {at}

    def copy(self) -> Blind:
        return Blind(self, self.hidden)


def make_blind(state: Sequence[int], hidden: Collection[int]) -> list[int]:
    """Return a copy of a state in which hidden cells cannot be read; a plain list if there are none."""
    return Blind(state, hidden) if hidden else [*state]


# --- what the rules compute -----------------------------------------------------------------------------


def compute(program: Program, state: list[int], number: int, *args: int) -> int:
    """Return the value of query `number` for these arguments in a state, which stays as it is.

    Raises:
        RulesError: The rules run into a fault.
    """
    scratch = state.copy()
    if attempt(program, scratch, number, *args) is None:
        raise fault(program, scratch)
    query = program.queries[number]
    return value_at(query.type, scratch, query.result)


def attempt(
    program: Program, scratch: MutableSequence[int], number: int, *args: int, loop: Callable[..., int] = run
) -> int | None:
    """Return the value of a query, working in `scratch`; None if the rules run into a fault. loop: The machine's."""
    query = program.queries[number]
    for cell, value in zip(query.params, args, strict=False):
        scratch[cell] = value
    enter_code(program, scratch, query.entry)
    if loop(program.code, scratch, [0]) != RETURNED:
        return None
    return value_at(query.type, scratch, query.result)


def enter_code(program: Program, state: MutableSequence[int], entry: int) -> None:
    """Make a state one that runs the code from `entry` on, without events, and comes back to nothing."""
    state[PC], state[STATUS] = entry, RUNNING
    state[SP] = state[STACK] = program.stack
    state[LOGGING] = state[OPTIONS] = state[SPENT] = 0


def blind_value(program: Program, scratch: MutableSequence[int], number: int, *args: int) -> tuple[int | None, bool]:
    """Return the value of a query and False, or None and True if it would have to read a hidden cell.

    The value is None, too, if the rules run into a fault. scratch: A state to work in, blind where cells are hidden.
    """
    try:
        return attempt(program, scratch, number, *args), False
    except Peeked:
        return None, True


Made = TypeVar("Made")


@dataclass(slots=True)
class KnownState:
    """A state for queries in which what a seat may not know reads as nothing, and the cells that are hidden.

    It says nothing about who else knows what, as that may follow from something hidden.
    """

    state: list[int]
    hidden: frozenset[int]

    @staticmethod
    def of(program: Program, cells: Sequence[int], seat: int) -> KnownState:
        state, secrets, kept = list(program.initial), Secrets.of(program), slice(program.header, program.working)
        state[kept] = secrets.masked([*cells], seat)[kept]
        for cell in (o.PLAYERS, o.EVERYONE, o.WINNERS):
            state[cell] = cells[cell]
        for _, known, _ in secrets.cells:
            state[known] &= 1 << seat
        return KnownState(state, frozenset(secrets.hidden(cells, seat)))

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` makes. Nothing is remembered here; `Looking` remembers."""
        return make()

    def blind(self) -> list[int]:
        """Return a copy of the state, to be read or played on."""
        return make_blind(self.state, self.hidden)

    def value(self, program: Program, query: int, *args: int) -> int | None:
        """Return the value of a query; None if it would have to read something hidden."""
        return blind_value(program, self.blind(), query, *args)[0]


# --- what was worked out, remembered ---------------------------------------------------------------------


class Noting(Blind):
    """A state that notes which of its cells are read."""

    def __init__(self, cells: Sequence[int], hidden: Collection[int], noted: set[int]) -> None:
        super().__init__(cells, hidden)
        self.noted = noted

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int):
            self.noted.add(at)
        else:
            self.noted.update(range(*at.indices(len(self))))
        return super().__getitem__(at)

    def copy(self) -> Noting:
        return Noting(self, self.hidden, self.noted)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What was made, of which cells: what stood in them, and which of those that may be were hidden."""

    made: Any
    cells: tuple[int, ...]
    stood: tuple[int, ...]
    secret: frozenset[int]
    hidden: frozenset[int]

    def holds(self, known: KnownState) -> bool:
        stand = map(known.state.__getitem__, self.cells)
        return all(map(eq, stand, self.stood)) and self.secret & known.hidden == self.hidden


class Memory:
    """Remembers, of each thing that is worked out again and again, what was found the last `most` times."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, list[_Remembered]] = {}

    def find(self, key: Hashable, known: KnownState) -> _Remembered | None:
        return next((one for one in self._kept.get(key, ()) if one.holds(known)), None)

    def keep(self, key: Hashable, known: KnownState, made: Any, noted: set[int], secret: frozenset[int]) -> _Remembered:
        cells = tuple(sorted(noted))
        stood = tuple(known.state[at] for at in cells)
        looked_for = secret & noted
        one = _Remembered(made, cells, stood, looked_for, looked_for & known.hidden)
        self._kept[key] = [one, *self._kept.get(key, ())][: self._most]
        return one


class Looking(KnownState):
    """A known state with a memory of what was made from it, or from earlier states."""

    def __init__(self, program: Program, known: KnownState, memory: Memory) -> None:
        super().__init__(known.state, known.hidden)
        self._secret = frozenset(cell for cell, _, _ in secret_cells(program))
        self._memory = memory
        self._noted: list[set[int]] = [set()]

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` makes, or made earlier under this key from cells that are the same now.

        key: All that it depends on beside the state. What was made must not be changed.
        """
        found = self._memory.find(key, self)
        if found is None:
            self._noted.append(set())
            try:
                made = make()
            finally:
                noted = self._noted.pop()
            found = self._memory.keep(key, self, made, noted, self._secret)
        self._noted[-1].update(found.cells)
        kept: Made = found.made
        return kept

    def blind(self) -> Noting:
        """Return a copy of the state, to be read or played on."""
        return Noting(self.state, self.hidden, self._noted[-1])

    def read(self, variable: Variable, address: int) -> int | None:
        """Return the value that stands in a variable's cells from this one on; None if it is hidden."""
        cells = range(address, address + variable.type.cells)
        self._noted[-1].update(cells)
        hidden = not self.hidden.isdisjoint(cells)
        return None if hidden else value_at(variable.type, self.state, address)
