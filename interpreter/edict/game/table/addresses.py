"""Where everything stands in the state: from an address back to the variable, and what the machine logs of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from edict.runtime.program import Program, Variable
from edict.runtime.program.cells import value_at
from edict.runtime.program.listing import instructions
from edict.runtime.program.opcodes import CHANCE, ENTER, EV_CHOICE, EV_SET, EVENT_SIZE

PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a variable: its things, its first cell, and the cell of the mask of who knows it (-1: everyone)."""

    variable: Variable
    of: tuple[int, ...]
    address: int
    known: int

    @property
    def owner(self) -> int:
        """The seat whose cell it is; CHANCE if it is no player's."""
        return self.of[0] if self.variable.kinds[:1] == (PLAYER,) else CHANCE

    @property
    def owner_mask(self) -> int:
        """The mask of who knows a secret before anybody is shown it: its owner, if it has one."""
        return 0 if self.owner == CHANCE else 1 << self.owner

    def value(self, state: Sequence[int]) -> int:
        """Return its value in a state."""
        return value_at(self.variable.type, state, self.address)

    def is_known(self, state: Sequence[int], seat: int) -> bool:
        """Return True if a seat knows its value in a state."""
        return self.known < 0 or bool(state[self.known] >> seat & 1)


@dataclass(frozen=True, slots=True)
class Layout:
    """The cells of a program by every address that belongs to them; `watched` by the address of who knows them."""

    cells: dict[int, Cell]
    watched: dict[int, Cell]

    @staticmethod
    def of(program: Program) -> Layout:
        cells = [cell for variable in program.variables for cell in cells_of(variable)]
        by_address = {c.address + i: c for c in cells for i in range(c.variable.type.cells)}
        return Layout(by_address, {c.known: c for c in cells if c.known >= 0})

    @property
    def whole(self) -> list[Cell]:
        """Each cell once."""
        return [cell for address, cell in self.cells.items() if address == cell.address]


def whole(cell: Cell) -> Cell:
    """What a cell is a part of: the bag in which there are so many of a thing, or else itself."""
    variable = cell.variable
    if not variable.counts:
        return cell
    bag = replace(variable, kinds=variable.kinds[:-1], sizes=variable.sizes[:-1])
    return replace(cell, variable=bag, of=cell.of[:-1])


def cells_of(variable: Variable) -> Iterator[Cell]:
    """Return a variable's cells, the last of its kinds running fastest."""
    return (_cell_at(variable, of, at) for at, of in enumerate(product(*(range(size) for size in variable.sizes))))


def cell_of(variable: Variable, of: Sequence[int]) -> Cell:
    """Return the cell of a variable for these things, of which there must be one for each of its kinds."""
    number = 0
    for index, size in zip(of, variable.sizes, strict=True):
        number = number * size + index
    return _cell_at(variable, tuple(of), number)


def _cell_at(variable: Variable, of: tuple[int, ...], number: int) -> Cell:
    offset = number * variable.type.cells
    return Cell(variable, of, variable.base + offset, variable.known + offset if variable.known >= 0 else -1)


def sizes_for(variable: Variable, players: int) -> tuple[int, ...]:
    """A variable's sizes with room for those players only who take part."""
    return tuple(
        min(size, players) if kind == PLAYER else size
        for kind, size in zip(variable.kinds, variable.sizes, strict=True)
    )


def seats_in(mask: int) -> tuple[int, ...]:
    """The members of a set, lowest first."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def thing_name(program: Program, kind: str, index: int) -> str:
    """The name of a thing of a kind, and of a number the number."""
    things = program.kind_by_name[kind].things if kind in program.kind_by_name else ()
    return things[index].name if index < len(things) else str(index)


def phases(program: Program) -> dict[str, int]:
    """The cells of the state that count how often a phase is on, by the phase's name."""
    code = program.code
    cells = {code[at + 2]: code[at + 1] for at in instructions(program)[1] if code[at] == ENTER}
    return {name: cells[number] for number, (name, _) in enumerate(program.phases) if number in cells}


# --- events --------------------------------------------------------------------------------------------

Event = tuple[int, int, int, int, int]
"""Its kind, its place in the code, and what it says: of a change the cell, its old and its new value; of a choice the
question, who was asked, and the value that was taken."""


def events_of(numbers: Sequence[int]) -> list[Event]:
    """The events that the machine has written down one after the other."""
    rows = [numbers[i : i + EVENT_SIZE] for i in range(0, len(numbers), EVENT_SIZE)]
    return [(kind, pc, what, first, second) for kind, pc, what, first, second in rows]


def changes_in(numbers: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """The changes among events: place in the code, cell, old and new value."""
    return ((pc, cell, old, new) for kind, pc, cell, old, new in events_of(numbers) if kind == EV_SET)


def choices_in(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The choices among events: question, who was asked, value."""
    return ((question, seat, value) for kind, _, question, seat, value in events_of(numbers) if kind == EV_CHOICE)
