"""A state as one seat sees it, in a row of numbers that is as long for every state of a program.

What is read stands in a flat row, the reads, which `table.observing` writes: `READ` numbers each. Whatever belongs to
players begins with the seat itself, then come those after it around the table; who does not take part is all zeros.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.program.opcodes import FIRST_OPTION, OPTIONS, PLAYERS, SEAT, WIDTH

# shape, first cell, first cell of who knows (-1: everyone does), steps of up to two players, how many numbers a cell
# gives, where they go
(SHAPE, CELL, KNOWN, STEP, SECOND, SIZE, OUT) = range(7)
READ = 7

# --- shapes: a number; members, one thing, dice; the same of players; places in an order; the dice of each option
(NUMBER, SET, THING, DICE, SEATS, SEATED, LINE, ORDER, WAYS) = range(9)


def observe(s: Sequence[int], reads: Sequence[int], most: int, seat: int, found: MutableSequence[Any]) -> None:
    """What a seat sees of a state, into `found`, which holds zeros; `most`: how many players there can be."""
    players = s[PLAYERS]
    for at in range(0, len(reads), READ):
        known = reads[at + KNOWN]
        size = reads[at + SIZE]
        width = size + 1 if known >= 0 else size
        row = width * most if reads[at + SECOND] > 0 else width
        for i in range(players if reads[at + STEP] > 0 else 1):
            first = reads[at + STEP] * around(seat, i, players)
            for j in range(players if reads[at + SECOND] > 0 else 1):
                offset = first + reads[at + SECOND] * around(seat, j, players)
                out = reads[at + OUT] + i * row + j * width
                if known >= 0:
                    if (s[known + offset] >> seat) & 1 == 0:
                        continue
                    found[out] = 1
                    out += 1
                value = s[reads[at + CELL] + offset]
                if value != 0 or reads[at + SHAPE] == THING or reads[at + SHAPE] == SEATED:
                    see(s, reads[at + SHAPE], value, seat, size, found, out)


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
        i = 0
        while value and i < size:
            found[out + i] = value & 1
            value >>= 1
            i += 1
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
    i = 0
    while dice and i < fields:
        found[out + i] = dice & full
        dice >>= width
        i += 1
