"""Where everything stands in the state: from an address back to the variable and the things it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from edict.program import Program, Variable

PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a variable: of which things it is, and the cell of those who know it (-1: everyone)."""

    variable: Variable
    of: tuple[int, ...]
    address: int
    known: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The cells of a program by address; `watched` by the address of who knows them."""

    cells: dict[int, Cell]
    watched: dict[int, Cell]

    @staticmethod
    def of(program: Program) -> Layout:
        cells = [cell for variable in program.variables for cell in cells_of(variable)]
        return Layout({c.address: c for c in cells}, {c.known: c for c in cells if c.known >= 0})


def cells_of(variable: Variable) -> Iterator[Cell]:
    """A variable's cells, the last of its kinds running fastest."""
    for offset, of in enumerate(product(*(range(size) for size in variable.sizes))):
        known = variable.known + offset if variable.known >= 0 else -1
        yield Cell(variable, of, variable.base + offset, known)


def length(variable: Variable) -> int:
    return prod(variable.sizes)


def sizes_for(variable: Variable, players: int) -> tuple[int, ...]:
    """A variable's sizes with room for those players only who take part."""
    return tuple(
        min(size, players) if kind == PLAYER else size
        for kind, size in zip(variable.kinds, variable.sizes, strict=True)
    )


def hidden_value(variable: Variable) -> int:
    """What stands in place of a value one may not know."""
    return -1 if variable.type.shape == "thing" else 0


def seats_in(mask: int) -> tuple[int, ...]:
    """The members of a set, lowest first."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
