"""A position as numbers, for one seat, and a small network that makes one number of them.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.machine.plans import (
    AMONG, DICE, LAYER, MINE, NUMBER, PLACE, SECTION, SET, TERM, TERMS, THING, UNITS, Row,
)  # fmt: skip
from edict.program.opcodes import PLAYERS, WIDTH


def of_table(plan: Sequence[int], at: int) -> bool:
    """Whether a term reads what is kept for the whole table, rather than for each player."""
    return plan[at + 2] == 0 and plan[at] <= DICE


def described(s: Sequence[int], plan: Sequence[int], section: int, seat: int, found: Row) -> int:
    """What the terms of a section read: one's own, the sums of the others', then the table's. Gives how many."""
    own = 0
    shared = 0
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        if of_table(plan, at):
            shared += plan[at + 4]
        else:
            own += plan[at + 4]
        at += TERM
    count = 2 * own + shared
    for i in range(count):
        found[i] = 0
    first = 0
    last = 2 * own
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        if of_table(plan, at):
            read(s, plan[at], s[plan[at + 1]], seat, plan[at + 4], found, last)
            last += plan[at + 4]
        else:
            for other in range(s[PLAYERS]):
                out = first if other == seat else first + own
                read(s, plan[at], s[plan[at + 1] + plan[at + 2] * other], other, plan[at + 4], found, out)
            first += plan[at + 4]
        at += TERM
    return count


def read(s: Sequence[int], shape: int, value: int, seat: int, size: int, found: Row, out: int) -> None:
    """Add what a value says of a seat to `size` numbers from `out` on."""
    if shape == NUMBER:
        found[out] += value
    elif shape == SET:
        i = 0
        while value and i < size:
            found[out + i] += value & 1
            value >>= 1
            i += 1
    elif shape == THING:
        if 0 <= value < size:
            found[out + value] += 1
    elif shape == DICE:
        width = s[WIDTH]
        full = (1 << width) - 1
        i = 0
        while value and i < size:
            found[out + i] += value & full
            value >>= width
            i += 1
    elif shape == PLACE:
        i = 0
        while i < 15 and (value >> (4 * i)) & 15 != seat and (value >> (4 * i)) & 15 != 15:
            i += 1
        found[out] += i
    elif shape == MINE:
        found[out] += value == seat
    elif shape == AMONG:
        found[out] += (value >> seat) & 1


def valued(s: Sequence[int], plan: Sequence[int], section: int, seat: int, found: Row) -> int:
    """What a network makes of a position: the first unit, and the others where they are above zero, each by its weight.

    The layer in the plan: for each unit its weight and its bias, then for each input its weight in every unit.
    """
    count = described(s, plan, section, seat, found)
    units = plan[section + UNITS]
    layer = plan[section + LAYER]
    for unit in range(units):
        found[count + unit] = plan[layer + units + unit]
    for i in range(count):
        value = found[i]
        if value != 0:
            weights = layer + (2 + i) * units
            for unit in range(units):
                found[count + unit] += value * plan[weights + unit]
    total = found[count] * plan[layer]
    for unit in range(1, units):
        if found[count + unit] > 0:
            total += found[count + unit] * plan[layer + unit]
    return total
