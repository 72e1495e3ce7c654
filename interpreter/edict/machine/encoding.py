"""A state as one seat sees it, and what it may answer, in numbers that mean the same throughout a game.

Which cells may be hidden, the program says. What a seat sees is a row of numbers that is as long for every state of a
program (`observe`); its answers are actions (`offered`), and `table.spaces` says which stands for what.

What is read for a row stands in a flat row, the reads, which `table.spaces` writes for a number of players: first,
by seat, where that seat's reads begin. There come how many plain numbers there are, a cell and a place for each of
them, how many other values there are, and `READ` numbers for each of these. So nothing is worked out again for each
state, and most of the work is to copy numbers, which needs no decision that a processor could guess wrong.

Plain Python and native code from one source, as the loop is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.program import Program, Type
from edict.program.opcodes import (
    DECLINE, FIRST_OPTION, MOST_OPTIONS, OPTIONS, PLAYERS, QUESTION, ROOM, SEAT, WIDTH,
)  # fmt: skip

# shape, cell, cell that says who knows (-1: everyone does), how many numbers the cell gives, where they go
(SHAPE, CELL, KNOWN, SIZE, OUT) = range(5)
READ = 5
PLAIN = 2  # a cell that everyone knows, and where its number goes

# --- shapes: a number; members, one thing, dice; the same of players; places in an order; the dice of each option
(NUMBER, SET, THING, DICE, SEATS, SEATED, LINE, ORDER, WAYS) = range(9)

DECLINED = 0  # the action


def secret_cells(program: Program) -> tuple[tuple[int, int, int], ...]:
    """The cells that may be hidden: (cell, cell of who knows it, what is put there instead)."""
    return tuple(
        (variable.base + i + part, variable.known + i, _nothing(variable.type))
        for variable in program.variables
        if variable.known >= 0
        for i in range(0, len(variable.cells), variable.type.cells)
        for part in range(variable.type.cells)
    )


def _nothing(of: Type) -> int:
    """What stands in a cell of a value that one may not know."""
    return -1 if of.shape == "thing" or of.shape == "order" and of.cells > 1 else 0


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


def offered(s: Sequence[int], firsts: Sequence[int], seated: Sequence[int], found: MutableSequence[int]) -> int:
    """The action of every option of a question, in the order of the options; gives how many there are.

    firsts: for each question the action of the value 0, and last that of plain values; seated: for each whether players
    are asked for, who are counted from the seat that is asked.
    """
    options = s[OPTIONS]
    first = firsts[s[QUESTION]]
    counted = seated[s[QUESTION]] != 0 and s[SEAT] >= 0
    placed = False
    if first == firsts[len(firsts) - 1]:
        for i in range(options):
            placed = placed or s[FIRST_OPTION + i] >= MOST_OPTIONS + s[ROOM]
    for i in range(options):
        value = s[FIRST_OPTION + i]
        if value == DECLINE:
            found[i] = DECLINED
        elif placed:
            found[i] = first + i
        elif counted:
            found[i] = first + (value - s[SEAT]) % s[PLAYERS]
        else:
            found[i] = first + value
    return options
