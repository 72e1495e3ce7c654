"""A position as numbers, for one seat, and a small network that makes one number of them.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.simulation.layout import (
    AMONG, DICE, LAYER, MINE, NUMBER, OWN, PLACE, SECTION, SET, SHARED, TERM, TERMS, THING, UNITS, Row,
)  # fmt: skip
from edict.program.opcodes import PLAYERS, WIDTH


def described(s: Sequence[int], plan: Sequence[int], section: int, seat: int, found: Row) -> int:
    """What the terms of a section read: one's own, the sums of the others', then the table's. Gives how many."""
    own = plan[section + OWN]
    count = 2 * own + plan[section + SHARED]
    for i in range(count):
        found[i] = 0
    players = s[PLAYERS]
    first = 0
    last = 2 * own
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        shape = plan[at]
        cell = plan[at + 1]
        step = plan[at + 2]
        size = plan[at + 4]
        if step == 0 and shape <= DICE:  # the table's
            if s[cell] != 0 or shape == THING:
                read(s, shape, s[cell], seat, size, found, last)
            last += size
        else:
            for other in range(players):
                value = s[cell + step * other]
                if value != 0 or shape > DICE or shape == THING:
                    read(s, shape, value, other, size, found, first if other == seat else first + own)
            first += size
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
        weights = layer + (2 + i) * units
        if value == 1:  # as most are, and adding alone is several times faster
            for unit in range(units):
                found[count + unit] += plan[weights + unit]
        elif value != 0:
            for unit in range(units):
                found[count + unit] += value * plan[weights + unit]
    total = found[count] * plan[layer]
    for unit in range(1, units):
        if found[count + unit] > 0:
            total += found[count + unit] * plan[layer + unit]
    return total
