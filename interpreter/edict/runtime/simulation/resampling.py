"""Other courses of a game that look the same to one seat, drawn anew: what was hidden from it is answered otherwise.

A course is its answers, as the values of the options taken. Those the seat has seen stay; the others are the hidden
ones. A course is built answer by answer, and mended where it comes to look different (`determinization`). Once it looks
the same to its end it is shuffled: hidden answers are exchanged at random, and an exchange stays if the course still
looks the same, more likely the more likely the course has become (Metropolis and Hastings). So courses come about as
often as by chance, and by others who choose secretly by lot.

Nothing of the true course is used but what the seat has seen of it. Plain Python and native code from one source, as
`policies` is.

    facts     what stays the same throughout a game, see `information_sets`
    course    how far the game is, where the hidden answers are, and how much work was done (see below)
    true      the states in which the game's questions were asked; `marks`: what was seen on the way to each
    here      the states of the course; `wanted`: its answers
    there     the states of a course that is tried, from where it differs; `trial`: its answers
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as ln

from edict.runtime.machine.mixing import draw
from edict.runtime.program.opcodes import ANSWER, FIRST_OPTION, OPTIONS
from edict.runtime.simulation.information_sets import GUARDS, SETS, alike, played_on
from edict.runtime.simulation.plans import Row
from edict.runtime.simulation.policies import copied, row

# --- a course: from which question to which; the luck, and how often it was used; questions played, and how many at
# most; how many answers are hidden, and which one or two were changed last because their value is needed; then by
# question the number of its group if its answer is hidden, else 0; where those are; by question what answer is needed
# there; and what was glimpsed of things that were hidden (of a question before the first: of a deck, what was left).
# Answers of a group are cards of one deck: no value comes twice, unless there are copies.
(FIRST, LAST, LUCK, DRAWN, PLAYED, BUDGET, MANY, WHERE, ALSO, GLIMPSES) = range(10)
COURSE = 10
GLIMPSE = 3  # after which question, of whom, which value
NONE = -(1 << 60)  # no value of an option
FREE, FIXED = 1, 0  # whether hidden answers that cannot be given are drawn


def luck(course: Row, below: int) -> int:
    """The next random number."""
    course[DRAWN] += 1
    return draw(course[LUCK], course[DRAWN], below)


def place_of(s: Sequence[int], value: int) -> int:
    """The index of the option with a value; -1 if it is not offered."""
    for i in range(s[OPTIONS]):
        if s[FIRST_OPTION + i] == value:
            return i
    return -1


def lies(course: Sequence[int], number: int) -> int:
    """Where a hidden answer is."""
    return course[COURSE + course[LAST] + 1 + number]


def holder(course: Sequence[int], answers: Sequence[int], where: int, value: int) -> int:
    """The nearest other hidden answer of the same group with this value; -1 if there is none."""
    found = -1
    for number in range(course[MANY]):
        at = lies(course, number)
        if at != where and answers[at] == value and course[COURSE + at] == course[COURSE + where]:
            if found < 0 or abs(at - where) < abs(found - where):
                found = at
    return found


def left_over(course: Sequence[int], where: int, value: int) -> int:
    """Whether nobody is to draw a value from the deck of a hidden answer, as the seat got it in the end."""
    first = glimpses(course)
    for number in range(course[GLIMPSES]):
        at = first + GLIMPSE * number
        if course[at] == -course[COURSE + where] and course[at + 2] == value:
            return 1
    return 0


def glimpses(course: Sequence[int]) -> int:
    """Where the glimpses begin."""
    return COURSE + 2 * course[LAST] + 1 + course[MANY]


def unclaimed(course: Row, s: Sequence[int], answers: Sequence[int], at: int) -> int:
    """A random option: one that no other hidden answer is to have, if that is soon found."""
    index = 0
    for _ in range(12):
        index = luck(course, s[OPTIONS])
        value = s[FIRST_OPTION + index]
        if holder(course, answers, at, value) < at and left_over(course, at, value) == 0:
            return index
    return index


def followed(
    code: Sequence[int],
    facts: Sequence[int],
    course: Row,
    true: Sequence[Row],
    marks: Sequence[int],
    states: Sequence[Row],
    answers: Row,
    log: Row,
    eyes: Row,
    first: int,
    free: int,
) -> int:
    """Give these answers from question `first` on; the last question up to which all looks as it should."""
    cells = facts[SETS] - facts[GUARDS]
    for at in range(first, course[LAST]):
        s = row(states, at)
        index = place_of(s, answers[at])
        if index < 0:
            if free == 0 or course[COURSE + at] == 0:
                return at
            index = unclaimed(course, s, answers, at)
            answers[at] = s[FIRST_OPTION + index]
        after = row(states, at + 1)
        copied(after, s)
        after[ANSWER] = index
        course[PLAYED] += 1
        if played_on(code, facts, after, log, eyes) != marks[at + 1]:
            return at
        if alike(facts, after, row(true, at + 1), cells) == 0:
            return at
    return course[LAST]


# --- courses shuffled


def exchanged(course: Row, s: Sequence[int], answers: Row, where: int) -> int:
    """Exchange a hidden answer for another option, at random; 0 where that could not come about in reverse.

    Whoever gets that option later gets the other one in its place, every second time.
    """
    old = answers[where]
    value = s[FIRST_OPTION + luck(course, s[OPTIONS])]
    if value == old:
        return 0
    answers[where] = value
    if luck(course, 2):
        return 1
    for number in range(course[MANY]):
        at = lies(course, number)
        if at > where and course[COURSE + at] == course[COURSE + where]:
            if answers[at] == old:
                return 0
            if answers[at] == value:
                answers[at] = old
                return 1
    return 0


def likelier(course: Row, here: Sequence[Row], there: Sequence[Row], first: int) -> float:
    """The logarithm of how much more likely one course is than another, that differs from it from a question on."""
    found = 0.0
    for at in range(first + 1, course[LAST]):
        if course[COURSE + at] > 0:
            one = row(here, at)[OPTIONS]
            other = row(there, at)[OPTIONS]
            if one != other:
                found += ln(1.0 * other) - ln(1.0 * one)
    return found


def shuffled(
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
    times: int,
) -> int:
    """Exchange hidden answers so often; how many exchanges stayed."""
    last = course[LAST]
    many = course[MANY]
    stayed = 0
    for _ in range(times):
        if many == 0 or course[PLAYED] >= course[BUDGET]:
            return stayed
        course[PLAYED] += 1
        start = lies(course, max(luck(course, many), luck(course, many)) if luck(course, 2) else luck(course, many))
        copied(trial, wanted)
        if exchanged(course, row(here, start), trial, start):
            copied(row(there, start), row(here, start))
            found = followed(code, facts, course, true, marks, there, trial, log, eyes, start, FIXED)
            if found == last and ln((1.0 + luck(course, 1 << 30)) / (1 << 30)) <= likelier(course, there, here, start):
                copied(wanted, trial)
                for at in range(start + 1, last + 1):
                    copied(row(here, at), row(there, at))
                stayed += 1
    return stayed
