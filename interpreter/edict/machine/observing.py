"""A state as one seat sees it, in a row of numbers that is as long for every state of a program.

What is read stands in a flat row, the reads, which `table.observing` writes for a number of players: first, by seat,
where that seat's reads begin. There come how many plain numbers there are, a cell and a place for each of them, how
many other values there are, and `READ` numbers for each of these. So nothing is worked out again for each state, and
most of the work is to copy numbers, which needs no decision that a processor could guess wrong.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.program.opcodes import FIRST_OPTION, OPTIONS, PLAYERS, SEAT, WIDTH

# shape, cell, cell that says who knows (-1: everyone does), how many numbers the cell gives, where they go
(SHAPE, CELL, KNOWN, SIZE, OUT) = range(5)
READ = 5
PLAIN = 2  # a cell that everyone knows, and where its number goes

# --- shapes: a number; members, one thing, dice; the same of players; places in an order; the dice of each option
(NUMBER, SET, THING, DICE, SEATS, SEATED, LINE, ORDER, WAYS) = range(9)


def observe(s: Sequence[int], reads: Sequence[int], seat: int, found: MutableSequence[Any]) -> None:
    """What a seat sees of a state, into `found`, which holds zeros."""
    first = reads[seat] + 1
    end = first + PLAIN * reads[first - 1]
    for at in range(first, end, PLAIN):
        found[reads[at + 1]] = s[reads[at]]
    first = end + 1
    end = first + READ * reads[first - 1]
    for at in range(first, end, READ):
        out = reads[at + OUT]
        if reads[at + KNOWN] >= 0:
            if (s[reads[at + KNOWN]] >> seat) & 1 == 0:
                continue
            found[out] = 1
            out += 1
        value = s[reads[at + CELL]]
        if value != 0 or reads[at + SHAPE] == THING or reads[at + SHAPE] == SEATED:
            see(s, reads[at + SHAPE], value, seat, reads[at + SIZE], found, out)


def around(seat: int, by: int, players: int) -> int:
    """The seat so many places further on."""
    seat += by
    return seat - players if seat >= players else seat


def see(
    s: Sequence[int], shape: int, value: int, seat: int, size: int, found: MutableSequence[Any], out: int
) -> None:
    """One value, into `size` numbers from `out` on."""
    players = s[PLAYERS]
    if shape == NUMBER:
        found[out] = value
    elif shape == SET:
        for i in range(size):
            found[out + i] = (value >> i) & 1
    elif shape == THING:
        if 0 <= value < size:
            found[out + value] = 1
    elif shape == DICE:
        count(s, value, size, found, out)
    elif shape == SEATS:
        for i in range(players):
            found[out + i] = (value >> around(seat, i, players)) & 1
    elif shape == SEATED:
        if 0 <= value < players:
            found[out + (value - seat) % players] = 1
    elif shape == LINE or shape == ORDER:
        for place in range(15):
            member = (value >> (4 * place)) & 15
            if member == 15:
                break
            if shape == LINE:
                member = (member - seat) % players
            if member < size:
                found[out + member] = place + 1
    elif s[SEAT] == seat:  # WAYS
        fields = value
        for i in range(s[OPTIONS]):
            if (i + 1) * fields <= size:
                count(s, s[FIRST_OPTION + i], fields, found, out + i * fields)


def count(s: Sequence[int], dice: int, fields: int, found: MutableSequence[Any], out: int) -> None:
    """How many dice there are of each kind and face."""
    width = s[WIDTH]
    full = (1 << width) - 1
    for i in range(fields):
        found[out + i] = (dice >> (i * width)) & full
