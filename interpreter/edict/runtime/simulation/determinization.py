"""Determinization, a course of the game without hidden information that looks to a seat like the true one.

A course that looks different is repaired: a hidden answer is exchanged for another, and the course is replayed. The
mismatch suggests the exchange: a card that is played later goes to the hand it is played from, and what was there to
where the card was. A change is kept if the course then looks the same for longer, or comes no less close to it. Rows
and rules as in `resampling`.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import count_dice
from edict.runtime.program.opcodes import BITS, FIRST_OPTION, OPTIONS, QUESTION, SEAT, YOU
from edict.runtime.simulation.information_sets import (
    COUNTED,
    FOREIGN,
    GUARDS,
    HEADER,
    OWNERS,
    PACKED,
    SETS,
    visibly_differs,
)
from edict.runtime.simulation.plans import Row
from edict.runtime.simulation.policies import copy_into, get_row
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
    draw_next,
    find_holder,
    find_option,
    get_hidden_question,
    glimpses_start,
    is_undrawn,
    replay_answers,
)

PLACES = 15  # of an order in one cell
FAR = 1 << 20  # the gap of an answer that is not offered, larger than any other


def get_concerned_seat(state: Sequence[int]) -> int:
    """Return the seat that a question concerns."""
    return state[SEAT] if state[SEAT] >= 0 else state[YOU]


def is_pinned(course: Sequence[int], answers: Sequence[int], at: int) -> int:
    """Return 1 if the hidden answer to question `at` already has the value that later evidence requires."""
    return 1 if course[COURSE + course[LAST] + 1 + course[MANY] + at] == answers[at] else 0


def find_latest(course: Sequence[int], answers: Sequence[int], before: int, value: int) -> int:
    """Return the last question up to `before` whose hidden answer has this value; -1 if there is none."""
    latest = -1
    for number in range(course[MANY]):
        at = get_hidden_question(course, number)
        if at <= before and answers[at] == value:
            latest = at
    return latest


# --- mismatches


def pick_mismatch(facts: Sequence[int], course: Row, state: Sequence[int], target: Sequence[int]) -> int:
    """Return a random cell, of those hidden answers reach, whose visible value is wrong; -1 if there is none."""
    picked = -1
    count = 0
    for cell in range(facts[HEADER], facts[SETS] - facts[GUARDS]):
        if facts[facts[SETS] + cell] != FOREIGN and visibly_differs(facts, state, target, cell):
            count += 1
            if draw_next(course, count) == 0:
                picked = cell
    return picked


def pick_missing_value(facts: Sequence[int], course: Row, cell: int, present: int, target: int) -> int:
    """Return the value to look for so that a cell becomes `target`; NONE if there is none.

    It is the cell's value, or for a set a random missing member, or one that should have been removed.
    """
    member = facts[facts[SETS] + cell]
    if member <= COUNTED:
        return COUNTED - member
    if member == PACKED:
        return pick_misplaced_member(course, present, target)
    if member < 0:
        return target if target >= 0 else NONE
    difference = target & ~present
    if difference == 0 or draw_next(course, 3) == 0:
        difference = present & ~target
    value = NONE
    count = 0
    for i in range(BITS):
        if (difference >> i) & 1:
            count += 1
            if draw_next(course, count) == 0:
                value = member + i
    return value


def pick_misplaced_member(course: Row, present: int, target: int) -> int:
    """Return a random member of the order `target` that `present` has not in the same place; NONE if equal."""
    value = NONE
    count = 0
    for place in range(PLACES):
        member = (target >> (4 * place)) & 15
        if member != (present >> (4 * place)) & 15 and member != 15:
            count += 1
            if draw_next(course, count) == 0:
                value = member
    return value


def count_misplaced_members(present: int, target: int) -> int:
    """Count the places at which two orders differ."""
    places = 0
    for place in range(PLACES):
        if ((present ^ target) >> (4 * place)) & 15:
            places += 1
    return places


def pick_glimpse(course: Row, reached: int) -> int:
    """Return where a random glimpse (a seat, and a value it must have) of this question begins; -1 if none."""
    first = glimpses_start(course)
    picked = -1
    count = 0
    for number in range(course[GLIMPSES]):
        at = first + GLIMPSE * number
        if course[at] == reached:
            count += 1
            if draw_next(course, count) == 0:
                picked = at
    return picked


def find_superfluous(course: Row, answers: Sequence[int], after: Sequence[int], reached: int) -> int:
    """Return a question whose unpinned hidden answer is now on offer, where no offer should be; -1 if none."""
    for _ in range(min(8, after[OPTIONS])):
        at = find_latest(course, answers, reached, after[FIRST_OPTION + draw_next(course, after[OPTIONS])])
        if at >= 0 and is_pinned(course, answers, at) == 0:
            return at
    return -1


def count_unexplained_glimpses(course: Row, true: Sequence[Row], answers: Sequence[int], reached: int) -> int:
    """Count the glimpses of a question whose value no hidden answer of their seat has up to then."""
    first = glimpses_start(course)
    count = 0
    for number in range(course[GLIMPSES]):
        glimpse = first + GLIMPSE * number
        if course[glimpse] == reached:
            at = find_latest(course, answers, reached, course[glimpse + 2])
            if at < 0 or get_concerned_seat(get_row(true, at)) != course[glimpse + 1]:
                count += 1
    return count


def measure_gap(
    facts: Sequence[int], course: Row, true: Sequence[Row], states: Sequence[Row], answers: Row, reached: int
) -> int:
    """Return a distance (0: none) between the course and what was seen, at the question after `reached`."""
    state = get_row(states, reached)
    if course[COURSE + reached] == 0 and find_option(state, answers[reached]) < 0:
        return FAR + state[OPTIONS]
    after = get_row(states, reached + 1)
    target = get_row(true, reached + 1)
    distance = 0
    if after[SEAT] != target[SEAT] or after[QUESTION] != target[QUESTION]:
        distance = after[OPTIONS]
    for cell in range(facts[HEADER], facts[SETS] - facts[GUARDS]):
        if visibly_differs(facts, after, target, cell):
            member = facts[facts[SETS] + cell]
            if member == PACKED:
                distance += count_misplaced_members(after[cell], target[cell])
            else:
                distance += count_dice(after[cell] ^ target[cell], 1) if member >= 0 else 1
    return distance + count_unexplained_glimpses(course, true, answers, reached)


# --- changes


def pick_answer(course: Row, true: Sequence[Row], answers: Sequence[int], reached: int, seat: int) -> int:
    """Return a random question with a hidden answer up to `reached`: mostly unpinned, about `seat` (-1: any)."""
    last = 0
    while last + 1 < course[MANY] and get_hidden_question(course, last + 1) <= reached:
        last += 1
    ignore_fit = draw_next(course, 16) == 0
    at = get_hidden_question(course, last)
    for number in range(32):
        at = get_hidden_question(course, max(draw_next(course, last + 1), draw_next(course, last + 1)))
        fits = seat < 0 or number > 20 or get_concerned_seat(get_row(true, at)) == seat
        if ignore_fit or (fits and is_pinned(course, answers, at) == 0):
            return at
    return at


def pick_recent_answer(course: Row, true: Sequence[Row], answers: Sequence[int], reached: int, seat: int) -> int:
    """Return the last unpinned hidden answer up to a question that concerns the seat, or one by `pick_answer`."""
    if seat >= 0 and draw_next(course, 2):
        number = course[MANY] - 1
        while number >= 0:
            at = get_hidden_question(course, number)
            if at <= reached and get_concerned_seat(get_row(true, at)) == seat and is_pinned(course, answers, at) == 0:
                return at
            number -= 1
    return pick_answer(course, true, answers, reached, seat)


def draw_other_value(course: Row, states: Sequence[Row], answers: Sequence[int], at: int) -> int:
    """Return a random other value for the hidden answer `at`: an option, or an earlier draw of the same deck.

    Values that are not needed elsewhere are preferred, if one is soon found.
    """
    state = get_row(states, at)
    value = state[FIRST_OPTION]
    for _ in range(12):
        value = state[FIRST_OPTION + draw_next(course, state[OPTIONS])]
        other = find_holder(course, answers, at, value)
        if draw_next(course, 2):
            other = get_hidden_question(course, draw_next(course, course[MANY]))
            if other < at and course[COURSE + other] == course[COURSE + at]:
                value = answers[other]
        if (other < 0 or is_pinned(course, answers, other) == 0) and is_undrawn(course, at, value) == 0:
            return value
    return value


def assign_answer(course: Row, answers: Row, question: int, value: int) -> int:
    """Give a hidden answer a value, and mostly its old value to the answer that had the new one.

    Returns:
        The first answer changed.
    """
    other = find_holder(course, answers, question, value) if draw_next(course, 8) else -1
    if other >= 0:
        answers[other] = answers[question]
    answers[question] = value
    return min(question, other) if other >= 0 else question


def mutate_answer(
    facts: Sequence[int], course: Row, true: Sequence[Row], states: Sequence[Row], answers: Row, reached: int
) -> int:
    """Give one hidden answer a value that may repair the course at question `reached`.

    Returns:
        The first answer changed.
    """
    value = answers[reached]
    seat = get_concerned_seat(get_row(true, reached))
    where = -1
    course[WHERE] = -1
    course[ALSO] = -1
    if course[COURSE + reached] > 0 or find_option(get_row(states, reached), value) >= 0:
        after = get_row(states, reached + 1)
        target = get_row(true, reached + 1)
        cell = pick_mismatch(facts, course, after, target)
        value = pick_missing_value(facts, course, cell, after[cell], target[cell]) if cell >= 0 else NONE
        seat = facts[facts[OWNERS] + cell] if cell >= 0 else -1
        seen_at = pick_glimpse(course, reached) if cell < 0 else -1
        if seen_at >= 0:
            value = course[seen_at + 2]
            seat = course[seen_at + 1] if draw_next(course, 4) else -1
        if (after[SEAT] != target[SEAT] or after[QUESTION] != target[QUESTION]) and draw_next(course, 4):
            where = find_superfluous(course, answers, after, reached)
            value = NONE
            seat = get_concerned_seat(target)
        elif (
            cell >= 0
            and course[COURSE + reached] > 0
            and (seat < 0 or seat == get_concerned_seat(get_row(true, reached)))
        ):
            where = reached
    else:
        at = find_latest(course, answers, reached, value)
        if (
            at >= 0 and get_concerned_seat(get_row(true, at)) == seat
        ):  # the value is there, and something else prevents the offer
            value = NONE
    if where < 0:
        where = pick_recent_answer(course, true, answers, reached, seat)
    if value == NONE or draw_next(course, 8) == 0:
        return assign_answer(course, answers, where, draw_other_value(course, states, answers, where))
    course[WHERE] = where
    other = find_holder(course, answers, where, value)
    if find_option(get_row(states, where), value) < 0 and (other < 0 or other > where):
        answers[where] = value  # the value is needed here, so it must become an option first
        course[ALSO] = where
        where = pick_answer(course, true, answers, where, seat)
        course[WHERE] = where
    return assign_answer(course, answers, where, value)


def determinize(
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
    seen_state: Row,
    first: int,
) -> int:
    """Repair a course from question `first` on within its budget; return the question up to which it looks right."""
    last = course[LAST]
    pins = COURSE + last + 1 + course[MANY]
    reached = replay_answers(code, facts, course, true, marks, here, wanted, log, seen_state, first, FREE)
    distance = measure_gap(facts, course, true, here, wanted, reached) if reached < last else 0
    while reached < last and course[MANY] > 0 and course[PLAYED] < course[BUDGET]:
        course[PLAYED] += 1
        copy_into(trial, wanted)
        start = mutate_answer(facts, course, true, here, trial, reached)
        copy_into(get_row(there, start), get_row(here, start))
        trial_reached = replay_answers(code, facts, course, true, marks, there, trial, log, seen_state, start, FREE)
        trial_distance = (
            measure_gap(facts, course, true, there, trial, trial_reached) if trial_reached == reached else FAR
        )
        if (
            trial_reached > reached
            or (trial_reached == reached and (trial_distance <= distance or draw_next(course, 8) == 0))
            or draw_next(course, 200) == 0
        ):
            copy_into(wanted, trial)
            for at in range(start + 1, min(trial_reached + 1, last) + 1):
                copy_into(get_row(here, at), get_row(there, at))
            if (trial_reached > reached or trial_distance < distance) and course[WHERE] >= 0:
                course[pins + course[WHERE]] = wanted[course[WHERE]]
                if course[ALSO] >= 0:
                    course[pins + course[ALSO]] = wanted[course[ALSO]]
            reached = trial_reached
            distance = measure_gap(facts, course, true, here, wanted, reached) if reached < last else 0
    return reached
