"""Resampling of a game's course, other courses that look the same to one seat, with different hidden answers.

A course is its answers, as the values of the options taken. Those that the seat has seen are fixed; the others are
hidden. A course is built answer by answer, and repaired where it looks different (`determinization`). Once it looks
the same to its end it is shuffled by a Metropolis-Hastings walk: hidden answers are exchanged at random, and an
exchange is kept if the course still looks the same, with a probability by how much likelier the course has become. So
courses occur about as often as by chance and by opponents who choose secretly at random.

Only what the seat has seen of the true course is used. Plain Python and native code from one source, as `policies` is.

    facts     what stays the same throughout a game, see `information_sets`
    course    how far the game is, where the hidden answers are, and how much work was done (see below)
    true      the states in which the game's questions were asked; `marks`: hashes of what was seen between them
    here      the states of the course; `wanted`: its answers
    there     the states of a course that is tried, from where it differs; `trial`: its answers
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as ln

from edict.runtime.machine.mixing import draw
from edict.runtime.program.opcodes import ANSWER, FIRST_OPTION, OPTIONS
from edict.runtime.simulation.information_sets import GUARDS, SETS, look_alike, play_and_hash
from edict.runtime.simulation.plans import Row
from edict.runtime.simulation.policies import copy_into, get_row

# --- head of a course: its first and last question; the seed and the count of draws; questions played, and their
# limit; the number of hidden answers, and which one or two were changed last because their value is needed. Then by
# question the number of its group if its answer is hidden, else 0; the questions of those; by question the answer
# needed there; and glimpses of hidden things (with a question before the first: what was left of a deck).
# Answers of a group are cards of one deck: no value occurs twice, unless there are copies.
(FIRST, LAST, LUCK, DRAWN, PLAYED, BUDGET, MANY, WHERE, ALSO, GLIMPSES) = range(10)
COURSE = 10  # numbers at the head of a course
GLIMPSE = 3  # numbers of a glimpse: after which question, of which seat, which value
NONE = -(1 << 60)  # not the value of any option
FREE, FIXED = 1, 0  # whether hidden answers that cannot be given are drawn


def draw_next(course: Row, bound: int) -> int:
    """Draw the next random number."""
    course[DRAWN] += 1
    return draw(course[LUCK], course[DRAWN], bound)


def find_option(state: Sequence[int], value: int) -> int:
    """Return the index of the option with a value; -1 if it is not offered."""
    for i in range(state[OPTIONS]):
        if state[FIRST_OPTION + i] == value:
            return i
    return -1


def get_hidden_question(course: Sequence[int], number: int) -> int:
    """Return the question of a hidden answer by its number."""
    return course[COURSE + course[LAST] + 1 + number]


def find_holder(course: Sequence[int], answers: Sequence[int], question: int, value: int) -> int:
    """Return the nearest other question of the same deck whose hidden answer has this value; -1 if none."""
    nearest = -1
    for number in range(course[MANY]):
        at = get_hidden_question(course, number)
        if at != question and answers[at] == value and course[COURSE + at] == course[COURSE + question]:
            if nearest < 0 or abs(at - question) < abs(nearest - question):
                nearest = at
    return nearest


def is_undrawn(course: Sequence[int], question: int, value: int) -> int:
    """Return 1 if the seat has learned that nobody draws a value from the deck of a hidden answer."""
    first = glimpses_start(course)
    for number in range(course[GLIMPSES]):
        at = first + GLIMPSE * number
        if course[at] == -course[COURSE + question] and course[at + 2] == value:
            return 1
    return 0


def glimpses_start(course: Sequence[int]) -> int:
    """Return the place in a course where the glimpses begin."""
    return COURSE + 2 * course[LAST] + 1 + course[MANY]


def draw_unclaimed_option(course: Row, state: Sequence[int], answers: Sequence[int], at: int) -> int:
    """Return the index of a random option, one that no other hidden answer needs if that is soon found."""
    index = 0
    for _ in range(12):
        index = draw_next(course, state[OPTIONS])
        value = state[FIRST_OPTION + index]
        if find_holder(course, answers, at, value) < at and is_undrawn(course, at, value) == 0:
            return index
    return index


def replay_answers(
    code: Sequence[int],
    facts: Sequence[int],
    course: Row,
    true: Sequence[Row],
    marks: Sequence[int],
    states: Sequence[Row],
    answers: Row,
    log: Row,
    seen_state: Row,
    first: int,
    free: int,
) -> int:
    """Replay answers from question `first` on; return the last question up to which the seat sees what it saw.

    With `free`, hidden answers that cannot be given are drawn anew.
    """
    cells = facts[SETS] - facts[GUARDS]
    for at in range(first, course[LAST]):
        state = get_row(states, at)
        index = find_option(state, answers[at])
        if index < 0:
            if free == 0 or course[COURSE + at] == 0:
                return at
            index = draw_unclaimed_option(course, state, answers, at)
            answers[at] = state[FIRST_OPTION + index]
        after = get_row(states, at + 1)
        copy_into(after, state)
        after[ANSWER] = index
        course[PLAYED] += 1
        if play_and_hash(code, facts, after, log, seen_state) != marks[at + 1]:
            return at
        if look_alike(facts, after, get_row(true, at + 1), cells) == 0:
            return at
    return course[LAST]


# --- shuffling


def exchange_answer(course: Row, state: Sequence[int], answers: Row, question: int) -> int:
    """Give a hidden answer another random option; return 0 if that cannot be undone by the same step.

    Half the time, the next answer of the group with that value gets the old one.
    """
    old = answers[question]
    value = state[FIRST_OPTION + draw_next(course, state[OPTIONS])]
    if value == old:
        return 0
    answers[question] = value
    if draw_next(course, 2):
        return 1
    for number in range(course[MANY]):
        at = get_hidden_question(course, number)
        if at > question and course[COURSE + at] == course[COURSE + question]:
            if answers[at] == old:
                return 0
            if answers[at] == value:
                answers[at] = old
                return 1
    return 0


def log_likelihood_ratio(course: Row, here: Sequence[Row], there: Sequence[Row], first: int) -> float:
    """Return ln(P(here) / P(there)) of hidden draws after `first`, from their numbers of options."""
    ratio = 0.0
    for at in range(first + 1, course[LAST]):
        if course[COURSE + at] > 0:
            options_here = get_row(here, at)[OPTIONS]
            options_there = get_row(there, at)[OPTIONS]
            if options_here != options_there:
                ratio += ln(1.0 * options_there) - ln(1.0 * options_here)
    return ratio


def shuffle_course(
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
    times: int,
) -> int:
    """Try so many exchanges of hidden answers, and return how many were kept."""
    last = course[LAST]
    hidden = course[MANY]
    kept = 0
    for _ in range(times):
        if hidden == 0 or course[PLAYED] >= course[BUDGET]:
            return kept
        course[PLAYED] += 1
        start = get_hidden_question(
            course,
            max(draw_next(course, hidden), draw_next(course, hidden))
            if draw_next(course, 2)
            else draw_next(course, hidden),
        )
        copy_into(trial, wanted)
        if exchange_answer(course, get_row(here, start), trial, start):
            copy_into(get_row(there, start), get_row(here, start))
            found = replay_answers(code, facts, course, true, marks, there, trial, log, seen_state, start, FIXED)
            if found == last and ln((1.0 + draw_next(course, 1 << 30)) / (1 << 30)) <= log_likelihood_ratio(
                course, there, here, start
            ):
                copy_into(wanted, trial)
                for at in range(start + 1, last + 1):
                    copy_into(get_row(here, at), get_row(there, at))
                kept += 1
    return kept
