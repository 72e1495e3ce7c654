"""Information sets, with a hash of what a seat sees, and comparison of questions as they look to a seat.

Plain Python and native code from one source, as `policies` is.

    facts     what stays the same throughout a game: the seat, where the game's cells begin, where the parts begin
              GUARDS   by cell: the cell of who knows it, 0 for all; for such a cell, the first cell it guards, negated
              SETS     by cell: its first member; MEMBERLESS if it is no set, FOREIGN if what it holds is never drawn
                       or chosen in secret; PACKED if it is an order; COUNTED minus the thing, if it is how often that
                       is in a bag
              OWNERS   by cell: the player it belongs to, -1 for none
              HUSHED   by question: whether its answer is secret
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, mix
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
from edict.runtime.simulation.policies import copy_into

SEATED, HEADER, GUARDS, SETS, OWNERS, HUSHED = range(6)
FACTS = 6
UNRESOLVED = -1  # who knows something, as long as the events that may say so are missing
UNMARKED = 1  # the mark of a step in which nothing was seen
MEMBERLESS, FOREIGN, PACKED, COUNTED = -1, -2, -3, -4


def extend_mark(mark: int, one: int, two: int) -> int:
    """Return a hash of all seen before (`mark`) and then the pair of numbers `one`, `two`."""
    return (mix((mark + one * GOLDEN) & MASK) ^ (two * GOLDEN)) & (MASK >> 2)


def find_knowers(facts: Sequence[int], log: Sequence[int], eyes: Sequence[int], i: int, known: int, more: int) -> int:
    """Return the seats, as a mask, that know the value written by the event at `i` of a log.

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
    return UNRESOLVED if more and i >= log[0] else eyes[known]


def mark_events(facts: Sequence[int], log: Row, eyes: Row, mark: int, more: int) -> int:
    """Return the hash `mark` extended by each event that the seat sees; empties the log and updates `eyes`.

    Empties the log; if `more` events follow, those stay in it of which they may say who knows them. Makes `eyes`, the
    state before the events, that after them.
    """
    guards = facts[GUARDS]
    seat = facts[SEATED]
    end = log[0]
    i = 0
    knowing = 0
    while i < end and knowing != UNRESOLVED:
        kind = log[i + 1]
        cell = log[i + 3]
        value = log[i + 5]
        if kind == EV_SET and cell >= facts[HEADER]:
            known = facts[guards + cell]
            if known > 0:
                knowing = find_knowers(facts, log, eyes, i, known, more and i > 0)
            if knowing != UNRESOLVED:
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
        if knowing != UNRESOLVED:
            i += EVENT_SIZE
    for at in range(1, end - i + 1):
        log[at] = log[i + at]
    log[0] = end - i
    return mark


def play_and_hash(code: Sequence[int], facts: Sequence[int], state: Row, log: Row, seen_state: Row) -> int:
    """Run to the next question, and return the hash of what the seat sees meanwhile, or -1 if there is no question."""
    copy_into(seen_state, state)
    state[LOGGING] = 1
    log[0] = 0
    digest = UNMARKED
    status = LOG_FULL
    while status == LOG_FULL:
        status = run(code, state, log)
        digest = mark_events(facts, log, seen_state, digest, status == LOG_FULL)
    return digest if status == ASKING else -1


def look_alike(facts: Sequence[int], state: Sequence[int], other: Sequence[int], cells: int) -> int:
    """Return 1 if question, seat, own options and all visible ones of the first `cells` cells are equal."""
    if state[QUESTION] != other[QUESTION] or state[SEAT] != other[SEAT]:
        return 0
    seat = facts[SEATED]
    if state[SEAT] == seat:
        if state[OPTIONS] != other[OPTIONS]:
            return 0
        for i in range(FIRST_OPTION, FIRST_OPTION + state[OPTIONS]):
            if state[i] != other[i]:
                return 0
    for cell in range(facts[HEADER], cells):
        if state[cell] != other[cell]:
            guard = facts[facts[GUARDS] + cell]
            if guard <= 0 or (state[guard] >> seat) & 1:
                return 0
    return 1


def visibly_differs(facts: Sequence[int], state: Sequence[int], target: Sequence[int], cell: int) -> int:
    """Return 1 if a cell's values in `state` and `target` differ and the seat knows it in `state`."""
    guard = facts[facts[GUARDS] + cell]
    if state[cell] == target[cell] or guard < 0:
        return 0
    return 1 if guard == 0 or (state[guard] >> facts[SEATED]) & 1 else 0
