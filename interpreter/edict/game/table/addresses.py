"""The layout of the state: from an address back to its variable, and the events that the machine logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from edict.runtime.program import Program, StateVariable
from edict.runtime.program.cell_values import read_value
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import CHANCE, ENTER, EV_CHOICE, EV_SET, EVENT_SIZE
from edict.support.records import dataclass

PLAYER = "player"


@dataclass(frozen=True, slots=True)
class VariableCell:
    """One value of a variable."""

    variable: StateVariable
    of: tuple[int, ...]  # indexes of the things it belongs to
    address: int  # address of its first cell
    known: int  # address of the set of players who know it, -1 if everyone does

    @property
    def owner(self) -> int:
        """Return the seat of the player whose cell it is; CHANCE if it is no player's."""
        return self.of[0] if self.variable.kinds[:1] == (PLAYER,) else CHANCE

    @property
    def owner_mask(self) -> int:
        """Return the mask of the seats that know a secret from the start: its owner's bit, or 0 without an owner."""
        return 0 if self.owner == CHANCE else 1 << self.owner

    def value(self, state: Sequence[int]) -> int:
        """Return its value in a state."""
        return read_value(self.variable.type, state, self.address)

    def is_known(self, state: Sequence[int], seat: int) -> bool:
        """Return True if a seat knows its value in a state."""
        return self.known < 0 or bool(state[self.known] >> seat & 1)


@dataclass(frozen=True, slots=True)
class StateLayout:
    """The cells of a program by address."""

    cells: dict[int, VariableCell]  # by every address that belongs to them
    watched: dict[int, VariableCell]  # by the address of the set of players who know them

    @staticmethod
    def from_program(program: Program) -> StateLayout:
        """Build the layout of a program."""
        cells = [cell for variable in program.variables for cell in iter_cells(variable)]
        by_address = {c.address + i: c for c in cells for i in range(c.variable.type.cells)}
        return StateLayout(by_address, {c.known: c for c in cells if c.known >= 0})

    @property
    def unique_cells(self) -> list[VariableCell]:
        """Return each cell once."""
        return [cell for address, cell in self.cells.items() if address == cell.address]


def enclosing_bag(cell: VariableCell) -> VariableCell:
    """Return the cell of the whole bag if a cell counts one of its things; else the cell itself."""
    variable = cell.variable
    if not variable.counts:
        return cell
    bag = replace(variable, kinds=variable.kinds[:-1], sizes=variable.sizes[:-1])
    return replace(cell, variable=bag, of=cell.of[:-1])


def iter_cells(variable: StateVariable) -> Iterator[VariableCell]:
    """Iterate over a variable's cells, the last of its kinds fastest."""
    return (_cell_at(variable, of, at) for at, of in enumerate(product(*(range(size) for size in variable.sizes))))


def cell_of(variable: StateVariable, of: Sequence[int]) -> VariableCell:
    """Return the cell of a variable for these things, of which there must be one for each of its kinds."""
    number = 0
    for index, size in zip(of, variable.sizes, strict=True):
        number = number * size + index
    return _cell_at(variable, tuple(of), number)


def _cell_at(variable: StateVariable, of: tuple[int, ...], number: int) -> VariableCell:
    """Return the variable's cell at row `number`, with its address and that of its mask (-1 if not secret)."""
    offset = number * variable.type.cells
    return VariableCell(variable, of, variable.base + offset, variable.known + offset if variable.known >= 0 else -1)


def sizes_at_table(variable: StateVariable, players: int) -> tuple[int, ...]:
    """Return a variable's sizes, limited to the players at the table."""
    return tuple(
        min(size, players) if kind == PLAYER else size
        for kind, size in zip(variable.kinds, variable.sizes, strict=True)
    )


def bits_of(mask: int) -> tuple[int, ...]:
    """Return the members of a set, lowest first."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def thing_name(program: Program, kind: str, index: int) -> str:
    """Return the name of a thing, or the number itself for numbers."""
    things = program.kind_by_name[kind].things if kind in program.kind_by_name else ()
    return things[index].name if index < len(things) else str(index)


def find_phase_cells(program: Program) -> dict[str, int]:
    """Return the cell that counts how often a phase is in progress, by phase."""
    code = program.code
    cells = {
        code[address + 2]: code[address + 1] for address in find_instructions(program)[1] if code[address] == ENTER
    }
    return {name: cells[number] for number, (name, _) in enumerate(program.phases) if number in cells}


# --- events --------------------------------------------------------------------------------------------

# kind, place in the code, and three values: of a change the cell, its old and its new value; of a choice the question,
# its seat and the chosen value
Event = tuple[int, int, int, int, int]


def unpack_events(numbers: Sequence[int]) -> list[Event]:
    """Return the events in the machine's flat list of numbers."""
    rows = [numbers[i : i + EVENT_SIZE] for i in range(0, len(numbers), EVENT_SIZE)]
    return [(kind, pc, what, first, second) for kind, pc, what, first, second in rows]


def iter_changes(numbers: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (place in the code, cell, old value, new value) for each EV_SET among flat events."""
    return ((pc, cell, old, new) for kind, pc, cell, old, new in unpack_events(numbers) if kind == EV_SET)


def iter_choices(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (question, seat, value) for each EV_CHOICE among flat events."""
    return ((question, seat, value) for kind, _, question, seat, value in unpack_events(numbers) if kind == EV_CHOICE)
