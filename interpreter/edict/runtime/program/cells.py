"""Values that take several cells of the state, put together: one number for all who look at them.

A set is then a bit a member however many there are; the dice of each cell begin where its members would. An order that
is packed (four bits a member) is a number below 2**60; any other has 16 bits a place, with the thing there counted from
1, and a bit above all places.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.runtime.program import Type
from edict.runtime.program import opcodes as o

PLACES = 15  # in an order that is packed; a member of this number ends it
PLACE = 16  # bits, in any other


def steady(of: Type) -> bool:
    """Whether such a value is often set to what it was, so that nobody expects to read that it was set."""
    return of.shape in ("number", "truth", "thing") and not of.optional


def value_at(of: Type, cells: Sequence[int], at: int) -> int:
    """The value of a type that begins in a cell."""
    return cells[at] if of.cells == 1 else joined(of, [int(cells[at + i]) for i in range(of.cells)])


def joined(of: Type, parts: Sequence[int]) -> int:
    """The value of a type that takes several cells."""
    if of.shape == "order":
        return _in_places(parts)
    return sum(part << o.BITS * i for i, part in enumerate(parts))


def put(of: Type, cells: MutableSequence[int], at: int, value: int) -> None:
    """Write a value into its cells."""
    for i, part in enumerate(parts_of(of, value)):
        cells[at + i] = part


def parts_of(of: Type, value: int) -> list[int]:
    """What stands in each cell of a value."""
    if of.cells == 1:
        return [value]
    if of.shape == "order":
        return [(value >> PLACE * i & (1 << PLACE) - 1) - 1 for i in range(of.cells)]
    return [value >> o.BITS * i & (1 << o.BITS) - 1 for i in range(of.cells)]


def in_order(of: Type, members: Sequence[int]) -> int:
    """The order of these members."""
    if of.cells == 1:
        ended = [*members, *[PLACES] * (PLACES - len(members))]
        return sum(member << 4 * place for place, member in enumerate(ended))
    return _in_places([*members, *[-1] * (of.cells - len(members))])


def _in_places(parts: Sequence[int]) -> int:
    return sum(part + 1 << PLACE * i for i, part in enumerate([*parts, 0]))


def ordered(order: int) -> tuple[int, ...]:
    """The members of an order, first to last."""
    members: list[int] = []
    if order < 1 << 4 * PLACES:
        while len(members) < PLACES and order & 15 != PLACES:
            members.append(order & 15)
            order >>= 4
        return tuple(members)
    while order > 1 and order & (1 << PLACE) - 1:
        members.append((order & (1 << PLACE) - 1) - 1)
        order >>= PLACE
    return tuple(members)


def counted(name: str) -> str:
    """What the number is called that a secret holds, if everybody may know it; no author can write such a name."""
    return f"{name} count"
