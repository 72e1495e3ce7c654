"""Information sets: a number for what a seat sees of a step of a game, and tests if two questions look alike to it.

Plain Python and native code from one source, as `policies` is.

    facts     what stays the same throughout a game: the seat, where the game's cells begin, where the parts begin
              GUARDS   by cell: the cell of who knows it, 0 for all; for such a cell, the first cell it guards, negative
              SETS     by cell: the first member that stands in it; MEMBERLESS if it is no set, FOREIGN if what it holds
                       is never drawn or chosen in secret; PACKED if it is an order; COUNTED, less the thing, if it
                       is how often that is in a bag
              OWNERS   by cell: whose it is, -1 if it is no player's
              HUSHED   by question: whether its answer is a secret
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, mixed
from edict.runtime.program.opcodes import (
    ASKING,
    EV_CHOICE,
    EV_ENTER,
    EV_LEAVE,
    EV_SAY,
    EV_SET,
    EVENT_SIZE,
    FIRST_OPTION,
    LOG_FULL,
    LOGGING,
    OPTIONS,
    QUESTION,
    SEAT,
)
from edict.runtime.simulation.plans import Row
from edict.runtime.simulation.policies import copied

SEATED, HEADER, GUARDS, SETS, OWNERS, HUSHED = range(6)
FACTS = 6
UNTOLD = -1  # who knows something, as long as events that may say so have not been seen
UNMARKED = 1  # the mark of a step in which nothing was seen
MEMBERLESS, FOREIGN, PACKED, COUNTED = -1, -2, -3, -4


def extend_mark(mark: int, one: int, two: int) -> int:
    """Return the mark of what was seen, and then of this."""
    return (mixed((mark + one * GOLDEN) & MASK) ^ (two * GOLDEN)) & (MASK >> 2)


def find_knowers(facts: Sequence[int], log: Sequence[int], eyes: Sequence[int], i: int, known: int, more: int) -> int:
    """Return the mask of the seats that know a value set by the event at `i` of a log.

    The rules write the mask right after the value, unless it stays as it was. This is the one definition of who sees a
    write.

    Args:
        facts: See above.
        log: Events, and before them how many numbers they take.
        eyes: The state before the event.
        i: Where the event begins, less one.
        known: The cell of the mask.
        more: 1 if events follow that are not in the log. Then the mask is UNTOLD if the log ends before it is settled.
    """
    while i < log[0] and log[i + 1] == EV_SET:
        if log[i + 3] == known:
            return log[i + 5]
        if log[i + 3] >= facts[HEADER] and facts[facts[GUARDS] + log[i + 3]] != known:
            return eyes[known]
        i += EVENT_SIZE
    return UNTOLD if more and i >= log[0] else eyes[known]


def mark_events(facts: Sequence[int], log: Row, eyes: Row, mark: int, more: int) -> int:
    """Return `mark`, extended by what the seat sees of the events in a log.

    Empties the log; if `more` events follow, those stay in it of which they may say who knows them. Makes `eyes`, the
    state before the events, that after them.
    """
    guards = facts[GUARDS]
    seat = facts[SEATED]
    end = log[0]
    i = 0
    knowing = 0
    while i < end and knowing != UNTOLD:
        kind = log[i + 1]
        cell = log[i + 3]
        value = log[i + 5]
        if kind == EV_SET and cell >= facts[HEADER]:
            known = facts[guards + cell]
            if known > 0:
                knowing = find_knowers(facts, log, eyes, i, known, more and i > 0)
            if knowing != UNTOLD:
                eyes[cell] = value
                if known <= 0 or (knowing >> seat) & 1:
                    mark = extend_mark(mark, cell, value)
            if known < 0 and (value >> seat) & 1:
                while facts[guards - known] == cell:
                    mark = extend_mark(mark, -known, eyes[-known])
                    known -= 1
        elif kind == EV_CHOICE:
            if facts[facts[HUSHED] + cell] == 0 or log[i + 4] == seat:
                mark = extend_mark(mark, cell, value)
        elif kind == EV_SAY:
            mark = extend_mark(mark, kind + cell, log[i + 4])
        elif kind == EV_ENTER or kind == EV_LEAVE:
            mark = extend_mark(mark, kind, cell)
        if knowing != UNTOLD:
            i += EVENT_SIZE
    for at in range(1, end - i + 1):
        log[at] = log[i + at]
    log[0] = end - i
    return mark


def played_on(code: Sequence[int], facts: Sequence[int], s: Row, log: Row, eyes: Row) -> int:
    """Play a question's answer up to the next question, and return the mark of what the seat sees; -1 at the end."""
    copied(eyes, s)
    s[LOGGING] = 1
    log[0] = 0
    mark = UNMARKED
    status = LOG_FULL
    while status == LOG_FULL:
        status = run(code, s, log)
        mark = mark_events(facts, log, eyes, mark, status == LOG_FULL)
    return mark if status == ASKING else -1


def alike(facts: Sequence[int], s: Sequence[int], other: Sequence[int], cells: int) -> int:
    """Return 1 if two questions look the same to the seat."""
    if s[QUESTION] != other[QUESTION] or s[SEAT] != other[SEAT]:
        return 0
    seat = facts[SEATED]
    if s[SEAT] == seat:
        if s[OPTIONS] != other[OPTIONS]:
            return 0
        for i in range(FIRST_OPTION, FIRST_OPTION + s[OPTIONS]):
            if s[i] != other[i]:
                return 0
    for cell in range(facts[HEADER], cells):
        if s[cell] != other[cell]:
            known = facts[facts[GUARDS] + cell]
            if known <= 0 or (s[known] >> seat) & 1:
                return 0
    return 1


def differs(facts: Sequence[int], s: Sequence[int], wished: Sequence[int], cell: int) -> int:
    """Return 1 if the seat sees that a cell does not hold what it should."""
    known = facts[facts[GUARDS] + cell]
    if s[cell] == wished[cell] or known < 0:
        return 0
    return 1 if known == 0 or (s[known] >> facts[SEATED]) & 1 else 0
