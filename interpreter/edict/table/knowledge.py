"""What a seat may know of a state, and what the rules compute from that: a score, a cell of a panel.

Bots that play on read nothing where something is hidden (`Secrets.masked`). Where the rules are asked, the machine
stops before it reads what is hidden (`Blind`): so nothing is said of that, neither what is so nor what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from edict.machine.encoding import secret_cells
from edict.machine.loop import run
from edict.program import Program, opcodes as o
from edict.program.cells import value_at
from edict.program.opcodes import LOGGING, OPTIONS, PC, RETURNED, RUNNING, SP, SPENT, STACK, STATUS
from edict.table.faults import fault

# --- states without what a seat may not know ------------------------------------------------------------

WORK = 100_000  # of one try, of the 10,000,000 the machine allows between two answers


@dataclass(frozen=True, slots=True)
class Secrets:
    """The cells that may be hidden: (cell, cell of who knows it, what is put there instead)."""

    cells: tuple[tuple[int, int, int], ...]

    @staticmethod
    def of(program: Program) -> Secrets:
        return Secrets(secret_cells(program))

    def masked(self, state: list[int], seat: int) -> list[int]:
        """A copy of a state in mid-choice in which what the seat may not know reads as nothing, who knows it included.

        The machine can play on from it; it writes no events.
        """
        copy = state.copy()
        copy[LOGGING] = 0
        for address, known, instead in self.cells:
            if not copy[known] >> seat & 1:
                copy[address], copy[known] = instead, 0
        return copy

    def hidden(self, state: list[int], seat: int) -> Iterable[int]:
        """The cells that the seat may not know."""
        return (address for address, known, _ in self.cells if not state[known] >> seat & 1)


class Peeked(Exception):
    """The rules would now look at something hidden."""


class Blind(list[int]):
    """A state in which nothing hidden can be read; what is put there anew was made of what is known, and so is too."""

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


# --- what the rules compute -----------------------------------------------------------------------------


def compute(program: Program, state: list[int], number: int, *args: int) -> int:
    """The value of query `number` for these arguments in a state, which stays as it is.

    Raises `RulesError` if the rules run into a fault.
    """
    scratch = state.copy()
    if attempt(program, scratch, number, *args) is None:
        raise fault(program, scratch)
    query = program.queries[number]
    return value_at(query.type, scratch, query.result)


def attempt(
    program: Program, scratch: MutableSequence[int], number: int, *args: int, loop: Callable[..., int] = run
) -> int | None:
    """The same in a state that may be written on; None if the rules run into a fault. `loop`: the machine's."""
    query = program.queries[number]
    for cell, value in zip(query.params, args, strict=False):
        scratch[cell] = value
    scratch[PC] = query.entry
    scratch[SP] = scratch[STACK] = program.stack
    scratch[LOGGING] = 0
    scratch[OPTIONS] = scratch[SPENT] = 0
    scratch[STATUS] = RUNNING
    if loop(program.code, scratch, [0]) != RETURNED:
        return None
    return value_at(query.type, scratch, query.result)


def blind_value(
    program: Program, state: Sequence[int], hidden: Collection[int], number: int, *args: int
) -> tuple[int | None, bool]:
    """The value of a query that reads none of the hidden cells, and whether it would have to.

    None, too, if the rules run into a fault.
    """
    try:
        return attempt(program, Blind(state, hidden), number, *args), False
    except Peeked:
        return None, True


Made = TypeVar("Made")


class Known(Protocol):
    """What a seat knows of a state, as rules may be asked about it."""

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made: ...

    def blind(self) -> Blind: ...

    def value(self, program: Program, query: int, *args: int) -> int | None: ...


@dataclass(frozen=True, slots=True)
class KnownState:
    """A state for queries in which what a seat may not know reads as nothing, and the cells that are hidden.

    None of what is hidden is in it, nor who else knows what: that, too, may have come about by something hidden.
    """

    state: list[int]
    hidden: frozenset[int]

    @staticmethod
    def of(program: Program, cells: Sequence[int], seat: int) -> KnownState:
        state, secrets = list(program.initial), secret_cells(program)
        state[program.header : program.working] = cells[program.header : program.working]
        for cell in (o.PLAYERS, o.EVERYONE, o.WINNERS):
            state[cell] = cells[cell]
        hidden = {address: instead for address, known, instead in secrets if not cells[known] >> seat & 1}
        for _, known, _ in secrets:
            state[known] &= 1 << seat
        for address, instead in hidden.items():
            state[address] = instead
        return KnownState(state, frozenset(hidden))

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is made under a key; here nothing is remembered (see `edict.table.remembered`)."""
        return make()

    def blind(self) -> Blind:
        """A copy of the state, to be read or played on."""
        return Blind(self.state, self.hidden)

    def value(self, program: Program, query: int, *args: int) -> int | None:
        """The value of a query; None if it would have to read something hidden."""
        if not self.hidden:
            return attempt(program, self.state.copy(), query, *args)
        return blind_value(program, self.state, self.hidden, query, *args)[0]
