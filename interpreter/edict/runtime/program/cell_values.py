"""Conversion between values and the cells that store them.

A value that takes several cells is handled as one number. A set has a bit for each member, however many there are;
the dice of each cell begin where its members would. A packed order (four bits a member) is below 2**60; any other
has 16 bits a place, with the thing there counted from 1, and one bit above all places.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.runtime.program import ValueType
from edict.runtime.program import opcodes as o

PLACES = 15  # places of a packed order; a member of this number ends it
PLACE_BITS = 16  # of an order that is not packed


def is_rarely_logged(value_type: ValueType) -> bool:
    """Return True for types whose values are often set to what they were, so that nobody expects a log entry."""
    return value_type.shape in ("number", "truth", "thing") and not value_type.optional


def read_value(value_type: ValueType, cells: Sequence[int], cell: int) -> int:
    """Read the value that begins in a cell."""
    if value_type.cells == 1:
        return cells[cell]
    return join_cells(value_type, [int(cells[cell + i]) for i in range(value_type.cells)])


def join_cells(value_type: ValueType, parts: Sequence[int]) -> int:
    """Return the one integer for a value of several cells, the first in the lowest bits; an order by places."""
    if value_type.shape == "order":
        return _join_places(parts)
    return sum(part << o.BITS * i for i, part in enumerate(parts))


def write_value(value_type: ValueType, cells: MutableSequence[int], cell: int, value: int) -> None:
    """Write a value into its cells."""
    for i, part in enumerate(split_value(value_type, value)):
        cells[cell + i] = part


def split_value(value_type: ValueType, value: int) -> list[int]:
    """Return the number for each cell of a value, the inverse of `join_cells`."""
    if value_type.cells == 1:
        return [value]
    if value_type.shape == "order":
        return [(value >> PLACE_BITS * i & (1 << PLACE_BITS) - 1) - 1 for i in range(value_type.cells)]
    return [value >> o.BITS * i & (1 << o.BITS) - 1 for i in range(value_type.cells)]


def encode_order(value_type: ValueType, members: Sequence[int]) -> int:
    """Return the integer for members in order: 4 bits each if it fits one cell, else joined cells."""
    if value_type.cells == 1:
        padded = [*members, *[PLACES] * (PLACES - len(members))]
        return sum(member << 4 * place for place, member in enumerate(padded))
    return _join_places([*members, *[-1] * (value_type.cells - len(members))])


def _join_places(parts: Sequence[int]) -> int:
    """Pack members, first to last (-1: none), as member + 1 in PLACE_BITS bits each, with a 1 above as end mark."""
    return sum(part + 1 << PLACE_BITS * i for i, part in enumerate([*parts, 0]))


def decode_order(order: int) -> tuple[int, ...]:
    """Return the members of an order, first to last."""
    members: list[int] = []
    if order < 1 << 4 * PLACES:
        while len(members) < PLACES and order & 15 != PLACES:
            members.append(order & 15)
            order >>= 4
        return tuple(members)
    while order > 1 and order & (1 << PLACE_BITS) - 1:
        members.append((order & (1 << PLACE_BITS) - 1) - 1)
        order >>= PLACE_BITS
    return tuple(members)


def count_name(name: str) -> str:
    """Return the name of the public size of a secret variable; authors cannot write such a name."""
    return f"{name} count"
