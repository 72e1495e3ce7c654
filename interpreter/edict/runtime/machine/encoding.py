"""A state as one seat sees it, and what it may answer, in numbers that mean the same throughout a game.

Which cells may be hidden, the program says. What a seat sees is a row of numbers that is as long for every state of a
program (`observe`); its answers are actions (`offered`), and `spaces.observation_space` says which stands for what.

What is read for a row stands in a flat row, the reads, which `spaces.observation_space` writes for a number of players:
first, by seat, where that seat's reads begin. There come how many plain numbers there are, a cell and a place for each
of them, how many other values there are, and `READ` numbers for each of these. So nothing is worked out again for each
state, and most of the work is to copy numbers, which needs no decision that a processor could guess wrong.

Plain Python and native code from one source, as the loop is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.runtime.program import Program, Type
from edict.runtime.program.opcodes import FIELDS, FIRST_OPTION, OPTIONS, PLAYERS, QUESTION, SEAT, WIDTH

# shape, cell, cell that says who knows (-1: everyone does), how many numbers the cell gives, where they go
(SHAPE, CELL, KNOWN, SIZE, OUT) = range(5)
READ = 5
PLAIN = 2  # a cell that everyone knows, and where its number goes

# --- shapes: a number; members, one thing, dice; the same of players; places in an order; the dice of each option
(NUMBER, SET, THING, DICE, SEATS, SEATED, LINE, ORDER, WAYS) = range(9)

# --- how the answers of a question are actions, and how many numbers say so for each question
(LISTED_ACTIONS, SEATED_ACTIONS, COUNTED_ACTIONS, PAID_ACTIONS) = range(4)
ACTIONS_OF = 3


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


def see(s: Sequence[int], shape: int, value: int, seat: int, size: int, found: MutableSequence[Any], out: int) -> None:
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


def offered(s: Sequence[int], acts: Sequence[int], found: MutableSequence[int]) -> int:
    """The action of every option of a question, in the order of the options; gives how many there are.

    Several options may be one action. What is asked of chance has no actions: there, options go by their numbers.

    acts: for each question its shape, where its row begins, and how many there are in it; in a row stands the action
    that declines, and then those of the values from 0 on. Of numbers without a bound there are so many, and then the
    action that says as many more. Of ways to pay there are the action that says no more, those of the fields of dice,
    and those of what helps; and then, for each combination, how often each of these does.
    """
    options = s[OPTIONS]
    if s[SEAT] < 0:
        for i in range(options):
            found[i] = i
        return options
    head = ACTIONS_OF * s[QUESTION]
    shape = acts[head]
    row = acts[head + 1]
    many = acts[head + 2]
    if shape == PAID_ACTIONS:
        paid(s, acts, row, many, found)
        return options
    passed = 0
    if shape == COUNTED_ACTIONS:
        passed = passed_by_all(s, many)
    for i in range(options):
        value = s[FIRST_OPTION + i]
        if value < 0:
            found[i] = acts[row]
        elif shape == SEATED_ACTIONS:
            found[i] = acts[row + 1 + (value - s[SEAT]) % s[PLAYERS]]
        elif shape == COUNTED_ACTIONS:
            found[i] = acts[row + 1 + min(value - passed, many)]
        else:
            found[i] = acts[row + 1 + min(value, many - 1)]
    return options


def passed_by_all(s: Sequence[int], by: int) -> int:
    """How much all numbers on offer have in common, in whole steps of so much."""
    least = -1
    for i in range(s[OPTIONS]):
        value = s[FIRST_OPTION + i]
        if value >= 0 and (least < 0 or value < least):
            least = value
    return least - least % by if least > 0 else 0


def paid(s: Sequence[int], acts: Sequence[int], row: int, many: int, found: MutableSequence[int]) -> None:
    """Of ways to pay, what each has next behind all that they have in common."""
    options = s[OPTIONS]
    parts = many - 1
    at = 0
    least = 0
    differ = 0
    while at < parts and differ == 0:
        least = so_often(s, acts, row, many, 0, at)
        for i in range(1, options):
            often = so_often(s, acts, row, many, i, at)
            if often != least:
                differ = 1
                least = min(least, often)
        if differ == 0:
            at += 1
    for i in range(options):
        found[i] = acts[row + 1]
        least_here = least
        place = at
        while place < parts:
            if so_often(s, acts, row, many, i, place) > least_here:
                found[i] = acts[row + 2 + place]
                place = parts
            least_here = 0
            place += 1


def so_often(s: Sequence[int], acts: Sequence[int], row: int, many: int, option: int, part: int) -> int:
    """How many dice of a field a way to pay has; behind the fields, how often something helps."""
    value = s[FIRST_OPTION + option]
    width = s[WIDTH]
    fields = s[FIELDS]
    if part < fields:
        return (value >> (part * width)) & ((1 << width) - 1)
    helps = many - 1 - fields
    return acts[row + 1 + many + (value >> (width * fields)) * helps + part - fields]


def one_by_one(s: Sequence[int], acts: Sequence[int]) -> int:
    """Whether several options of a question may be one action."""
    return 1 if s[SEAT] >= 0 and acts[ACTIONS_OF * s[QUESTION]] >= COUNTED_ACTIONS else 0


def narrowed(s: MutableSequence[int], option: int, found: Sequence[int]) -> int:
    """Leave out of a question all options whose action (`found`) is not that of this one; gives 1 if they are still
    several. If that tells none from the others, or leaves one, nothing is changed."""
    options = s[OPTIONS]
    alike = 0
    for i in range(options):
        if found[i] == found[option]:
            alike += 1
    if alike == 1 or alike == options:
        return 0
    action = found[option]
    left = 0
    for i in range(options):
        if found[i] == action:
            s[FIRST_OPTION + left] = s[FIRST_OPTION + i]
            left += 1
    s[OPTIONS] = left
    return 1
