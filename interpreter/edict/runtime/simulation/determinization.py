"""Determinization: a course of the game in which nothing is hidden, and which looks to a seat as the true one did.

One that came to look different is mended: a hidden answer is exchanged for another, and it is built again.

What is missed says which: a card that is played later goes to the hand it is played from, and what was there to where
the card was. A change stays if the course then looks the same for longer, or is not further from doing so. Rows and
rules as in `resampling`.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import counted
from edict.runtime.program.opcodes import BITS, FIRST_OPTION, OPTIONS, QUESTION, SEAT, YOU
from edict.runtime.simulation.information_sets import COUNTED, FOREIGN, GUARDS, HEADER, OWNERS, PACKED, SETS, differs
from edict.runtime.simulation.plans import Row
from edict.runtime.simulation.policies import copied, row
from edict.runtime.simulation.resampling import (
    ALSO,
    BUDGET,
    COURSE,
    FREE,
    GLIMPSE,
    GLIMPSES,
    LAST,
    MANY,
    NONE,
    PLAYED,
    WHERE,
    followed,
    glimpses,
    holder,
    left_over,
    lies,
    luck,
    place_of,
)

PLACES = 15  # of an order that stands in one cell
FAR = 1 << 20  # what cannot be answered at all is further away than anything else


def whose(s: Sequence[int]) -> int:
    """Whom a question concerns."""
    return s[SEAT] if s[SEAT] >= 0 else s[YOU]


def pinned(course: Sequence[int], answers: Sequence[int], at: int) -> int:
    """Whether a hidden answer is what it is because that is needed later."""
    return 1 if course[COURSE + course[LAST] + 1 + course[MANY] + at] == answers[at] else 0


def latest(course: Sequence[int], answers: Sequence[int], before: int, value: int) -> int:
    """The last hidden answer up to a question with this value, whatever was asked; -1 if there is none."""
    found = -1
    for number in range(course[MANY]):
        at = lies(course, number)
        if at <= before and answers[at] == value:
            found = at
    return found


# --- what is missed


def missed(facts: Sequence[int], course: Row, s: Sequence[int], wished: Sequence[int]) -> int:
    """A random hidden cell that does not hold what it should, and the seat sees it; -1 if there is none."""
    found = -1
    met = 0
    for cell in range(facts[HEADER], facts[SETS] - facts[GUARDS]):
        if facts[facts[SETS] + cell] != FOREIGN and differs(facts, s, wished, cell):
            met += 1
            if luck(course, met) == 0:
                found = cell
    return found


def of_cell(facts: Sequence[int], course: Row, cell: int, found: int, wished: int) -> int:
    """What a cell should hold: its value, or for a set a random member; one too many should have been removed."""
    member = facts[facts[SETS] + cell]
    if member <= COUNTED:
        return COUNTED - member
    if member == PACKED:
        return out_of_place(course, found, wished)
    if member < 0:
        return wished if wished >= 0 else NONE
    wrong = wished & ~found
    if wrong == 0 or luck(course, 3) == 0:
        wrong = found & ~wished
    value = NONE
    met = 0
    for i in range(BITS):
        if (wrong >> i) & 1:
            met += 1
            if luck(course, met) == 0:
                value = member + i
    return value


def out_of_place(course: Row, found: int, wished: int) -> int:
    """A member that an order should have where it has another, by lot."""
    value = NONE
    met = 0
    for place in range(PLACES):
        member = (wished >> (4 * place)) & 15
        if member != (found >> (4 * place)) & 15 and member != 15:
            met += 1
            if luck(course, met) == 0:
                value = member
    return value


def misplaced(found: int, wished: int) -> int:
    """At how many places two orders differ."""
    places = 0
    for place in range(PLACES):
        if ((found ^ wished) >> (4 * place)) & 15:
            places += 1
    return places


def glimpsed(course: Row, reached: int) -> int:
    """Where to find what was seen after a hidden question, at random; -1 if nothing was."""
    first = glimpses(course)
    found = -1
    met = 0
    for number in range(course[GLIMPSES]):
        at = first + GLIMPSE * number
        if course[at] == reached:
            met += 1
            if luck(course, met) == 0:
                found = at
    return found


def too_much(course: Row, answers: Sequence[int], after: Sequence[int], reached: int) -> int:
    """A hidden answer but for which a question would not have been asked that was not to be asked; or -1."""
    for _ in range(min(8, after[OPTIONS])):
        at = latest(course, answers, reached, after[FIRST_OPTION + luck(course, after[OPTIONS])])
        if at >= 0 and pinned(course, answers, at) == 0:
            return at
    return -1


def unexplained(course: Row, true: Sequence[Row], answers: Sequence[int], reached: int) -> int:
    """How much of what was glimpsed after a question was not drawn or chosen by whom it was seen with."""
    first = glimpses(course)
    found = 0
    for number in range(course[GLIMPSES]):
        glimpse = first + GLIMPSE * number
        if course[glimpse] == reached:
            at = latest(course, answers, reached, course[glimpse + 2])
            if at < 0 or whose(row(true, at)) != course[glimpse + 1]:
                found += 1
    return found


def gap(
    facts: Sequence[int], course: Row, true: Sequence[Row], states: Sequence[Row], answers: Row, reached: int
) -> int:
    """How far a course is from going on as it should beyond a question."""
    s = row(states, reached)
    if course[COURSE + reached] == 0 and place_of(s, answers[reached]) < 0:
        return FAR + s[OPTIONS]
    after = row(states, reached + 1)
    wished = row(true, reached + 1)
    found = 0
    if after[SEAT] != wished[SEAT] or after[QUESTION] != wished[QUESTION]:
        found = after[OPTIONS]
    for cell in range(facts[HEADER], facts[SETS] - facts[GUARDS]):
        if differs(facts, after, wished, cell):
            of = facts[facts[SETS] + cell]
            if of == PACKED:
                found += misplaced(after[cell], wished[cell])
            else:
                found += counted(after[cell] ^ wished[cell], 1) if of >= 0 else 1
    return found + unexplained(course, true, answers, reached)


# --- what is changed


def picked(course: Row, true: Sequence[Row], answers: Sequence[int], reached: int, seat: int) -> int:
    """A hidden answer up to a question: rather one that is not needed, and concerns a seat (-1: any)."""
    last = 0
    while last + 1 < course[MANY] and lies(course, last + 1) <= reached:
        last += 1
    any_other = luck(course, 16) == 0
    at = lies(course, last)
    for number in range(32):
        at = lies(course, max(luck(course, last + 1), luck(course, last + 1)))
        fits = seat < 0 or number > 20 or whose(row(true, at)) == seat
        if any_other or (fits and pinned(course, answers, at) == 0):
            return at
    return at


def lately(course: Row, true: Sequence[Row], answers: Sequence[int], reached: int, seat: int) -> int:
    """The last hidden answer up to a question that concerns a seat and is not needed, or as `picked`."""
    if seat >= 0 and luck(course, 2):
        number = course[MANY] - 1
        while number >= 0:
            at = lies(course, number)
            if at <= reached and whose(row(true, at)) == seat and pinned(course, answers, at) == 0:
                return at
            number -= 1
    return picked(course, true, answers, reached, seat)


def drawn_anew(course: Row, states: Sequence[Row], answers: Sequence[int], at: int) -> int:
    """What else a hidden answer may be, at random: an option, or what was drawn before from the same deck.

    Rather something that is not needed elsewhere, if that is soon found.
    """
    s = row(states, at)
    value = s[FIRST_OPTION]
    for _ in range(12):
        value = s[FIRST_OPTION + luck(course, s[OPTIONS])]
        other = holder(course, answers, at, value)
        if luck(course, 2):
            other = lies(course, luck(course, course[MANY]))
            if other < at and course[COURSE + other] == course[COURSE + at]:
                value = answers[other]
        if (other < 0 or pinned(course, answers, other) == 0) and left_over(course, at, value) == 0:
            return value
    return value


def put(course: Row, answers: Row, where: int, value: int) -> int:
    """Give a hidden answer this value; who had it gets the old one, mostly. Gives the first answer changed."""
    other = holder(course, answers, where, value) if luck(course, 8) else -1
    if other >= 0:
        answers[other] = answers[where]
    answers[where] = value
    return min(where, other) if other >= 0 else where


def changed(
    facts: Sequence[int], course: Row, true: Sequence[Row], states: Sequence[Row], answers: Row, reached: int
) -> int:
    """Change a hidden answer, so that the course may look as it should beyond a question; the first one changed."""
    value = answers[reached]
    seat = whose(row(true, reached))
    where = -1
    course[WHERE] = -1
    course[ALSO] = -1
    if course[COURSE + reached] > 0 or place_of(row(states, reached), value) >= 0:
        after = row(states, reached + 1)
        wished = row(true, reached + 1)
        cell = missed(facts, course, after, wished)
        value = of_cell(facts, course, cell, after[cell], wished[cell]) if cell >= 0 else NONE
        seat = facts[facts[OWNERS] + cell] if cell >= 0 else -1
        seen_at = glimpsed(course, reached) if cell < 0 else -1
        if seen_at >= 0:
            value = course[seen_at + 2]
            seat = course[seen_at + 1] if luck(course, 4) else -1
        if (after[SEAT] != wished[SEAT] or after[QUESTION] != wished[QUESTION]) and luck(course, 4):
            where = too_much(course, answers, after, reached)
            value = NONE
            seat = whose(wished)
        elif cell >= 0 and course[COURSE + reached] > 0 and (seat < 0 or seat == whose(row(true, reached))):
            where = reached
    else:
        at = latest(course, answers, reached, value)
        if at >= 0 and whose(row(true, at)) == seat:  # it is there, and something else keeps it from being offered
            value = NONE
    if where < 0:
        where = lately(course, true, answers, reached, seat)
    if value == NONE or luck(course, 8) == 0:
        return put(course, answers, where, drawn_anew(course, states, answers, where))
    course[WHERE] = where
    other = holder(course, answers, where, value)
    if place_of(row(states, where), value) < 0 and (other < 0 or other > where):
        answers[where] = value  # it is needed here, and has to be offered here first of all
        course[ALSO] = where
        where = picked(course, true, answers, where, seat)
        course[WHERE] = where
    return put(course, answers, where, value)


def settled(
    code: Sequence[int],
    facts: Sequence[int],
    course: Row,
    true: Sequence[Row],
    marks: Sequence[int],
    here: Sequence[Row],
    there: Sequence[Row],
    wanted: Row,
    trial: Row,
    log: Row,
    eyes: Row,
    first: int,
) -> int:
    """Make a course look as it should, from question `first` on, as far as the budget reaches; how far it does."""
    last = course[LAST]
    pins = COURSE + last + 1 + course[MANY]
    reached = followed(code, facts, course, true, marks, here, wanted, log, eyes, first, FREE)
    far = gap(facts, course, true, here, wanted, reached) if reached < last else 0
    while reached < last and course[MANY] > 0 and course[PLAYED] < course[BUDGET]:
        course[PLAYED] += 1
        copied(trial, wanted)
        start = changed(facts, course, true, here, trial, reached)
        copied(row(there, start), row(here, start))
        found = followed(code, facts, course, true, marks, there, trial, log, eyes, start, FREE)
        close = gap(facts, course, true, there, trial, found) if found == reached else FAR
        if found > reached or (found == reached and (close <= far or luck(course, 8) == 0)) or luck(course, 200) == 0:
            copied(wanted, trial)
            for at in range(start + 1, min(found + 1, last) + 1):
                copied(row(here, at), row(there, at))
            if (found > reached or close < far) and course[WHERE] >= 0:
                course[pins + course[WHERE]] = wanted[course[WHERE]]
                if course[ALSO] >= 0:
                    course[pins + course[ALSO]] = wanted[course[ALSO]]
            reached = found
            far = gap(facts, course, true, here, wanted, reached) if reached < last else 0
    return reached
