"""Other courses of a game that look the same to one seat: what was hidden from it is answered otherwise.

A course is its answers, as the values of the options taken. Those the seat has seen stay; the others are the hidden
ones, and are drawn anew. A course is built answer by answer. Where it comes to look different, a hidden answer is
exchanged for another (a card that is played later goes to the hand it is played from), and what follows is built again.
Once it looks the same to its end it is shuffled: hidden answers are exchanged at random, and an exchange stays if the
course still looks the same and is no less likely (Metropolis and Hastings). So courses come as often as chance, and
others who choose secretly by lot, would make them.

Nothing of the true course is used but what the seat has seen of it. Plain Python and native code from one source, as
`policies` is.

    facts     what stays the same throughout a game: the seat, where the game's cells begin, where the parts begin
              GUARDS   by cell: the cell of who knows it, 0 for all; for such a cell, the first cell it guards, negative
              SETS     by cell: the first member that stands in it, -1 if it is no set
              OWNERS   by cell: whose it is, -1 if it is no player's
              HUSHED   by question: whether its answer is a secret
    course    how far the game is, where the hidden answers are, and how much work was done (see below)
    true      the states in which the game's questions were asked; `marks`: a name for what was seen on the way to each
    here      the states of the course; `wanted`: its answers
    there     the states of a course that is tried, from where it differs; `trial`: its answers
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as ln

from edict.machine.loop import counted
from edict.machine.mixing import GOLDEN, MASK, draw, mixed
from edict.machine.plain import run
from edict.machine.plans import Row
from edict.machine.policies import copied, row
from edict.program.opcodes import (
    ANSWER, ASKING, BITS, EV_CHOICE, EV_ENTER, EV_LEAVE, EV_SAY, EV_SET, EVENT_SIZE, FIRST_OPTION, LOG_FULL, LOGGING,
    OPTIONS, QUESTION, SEAT, YOU,
)  # fmt: skip

SEATED, HEADER, GUARDS, SETS, OWNERS, HUSHED = range(6)
FACTS = 6
# --- a course: from which question to which; the luck, and how often it was used; questions played, and how many at
# most; how many answers are hidden, and which one or two were changed last because their value is needed; then by
# question the number of its group if its answer is hidden, else 0; where those are; by question what answer is needed
# there; and what was glimpsed of things that were hidden.
# Answers of a group are cards of one deck: no value comes twice.
(FIRST, LAST, LUCK, DRAWN, PLAYED, BUDGET, MANY, WHERE, ALSO, GLIMPSES) = range(10)
COURSE = 10
GLIMPSE = 3  # after which question, of whom, which value
NONE = -(1 << 60)  # no value of an option
FAR = 1 << 20  # what cannot be answered at all is further away than anything else
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


# --- what a seat sees


def named(mark: int, one: int, two: int) -> int:
    """A name for what was seen, and then this."""
    return (mixed((mark + one * GOLDEN) & MASK) ^ (two * GOLDEN)) & (MASK >> 2)


def who_knows(facts: Sequence[int], log: Sequence[int], eyes: Sequence[int], i: int, known: int) -> int:
    """The seats that know a value set by the event at `i`: the rules say who right after it, unless it is as it was."""
    while i < log[0] and log[i + 1] == EV_SET:
        if log[i + 3] == known:
            return log[i + 5]
        if log[i + 3] >= facts[HEADER] and facts[facts[GUARDS] + log[i + 3]] != known:
            return eyes[known]
        i += EVENT_SIZE
    return eyes[known]


def seen(facts: Sequence[int], log: Row, eyes: Row, mark: int) -> int:
    """What the seat sees of events. `eyes` is the state before them, and then that after them."""
    guards = facts[GUARDS]
    seat = facts[SEATED]
    for i in range(0, log[0], EVENT_SIZE):
        kind = log[i + 1]
        cell = log[i + 3]
        value = log[i + 5]
        if kind == EV_SET and cell >= facts[HEADER]:
            eyes[cell] = value
            known = facts[guards + cell]
            if known <= 0 or (who_knows(facts, log, eyes, i, known) >> seat) & 1:
                mark = named(mark, cell, value)
            if known < 0 and (value >> seat) & 1:
                while facts[guards - known] == cell:
                    mark = named(mark, -known, eyes[-known])
                    known -= 1
        elif kind == EV_CHOICE:
            if facts[facts[HUSHED] + cell] == 0 or log[i + 4] == seat:
                mark = named(mark, cell, value)
        elif kind == EV_SAY:
            mark = named(mark, kind + cell, log[i + 4])
        elif kind == EV_ENTER or kind == EV_LEAVE:
            mark = named(mark, kind, cell)
    log[0] = 0
    return mark


def played_on(code: Sequence[int], facts: Sequence[int], s: Row, log: Row, eyes: Row) -> int:
    """Answer, and play to the next question; a name for what the seat sees of that, or -1 if there is none."""
    copied(eyes, s)
    s[LOGGING] = 1
    log[0] = 0
    mark = 1
    status = LOG_FULL
    while status == LOG_FULL:
        status = run(code, s, log)
        mark = seen(facts, log, eyes, mark)
    return mark if status == ASKING else -1


def alike(facts: Sequence[int], s: Sequence[int], other: Sequence[int], cells: int) -> int:
    """Whether two questions look the same to the seat."""
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


def marked(
    code: Sequence[int], facts: Sequence[int], true: Sequence[Row], answers: Sequence[int], names: Row, first: int,
    last: int, s: Row, log: Row, eyes: Row,
) -> None:  # fmt: skip
    """What the seat has seen on the way from question `first` to question `last`. answers: indices of options."""
    for at in range(first, last):
        copied(s, row(true, at))
        s[ANSWER] = answers[at]
        names[at + 1] = played_on(code, facts, s, log, eyes)


# --- courses built


def unclaimed(course: Row, s: Sequence[int], answers: Sequence[int], at: int) -> int:
    """An option by lot: one that no other hidden answer is to have, if that is soon found."""
    index = 0
    for _ in range(12):
        index = luck(course, s[OPTIONS])
        if holder(course, answers, at, s[FIRST_OPTION + index]) < at:
            return index
    return index


def followed(
    code: Sequence[int], facts: Sequence[int], course: Row, true: Sequence[Row], marks: Sequence[int],
    states: Sequence[Row], answers: Row, log: Row, eyes: Row, first: int, free: int,
) -> int:  # fmt: skip
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


def lies(course: Sequence[int], number: int) -> int:
    """Where a hidden answer is."""
    return course[COURSE + course[LAST] + 1 + number]


def latest(course: Sequence[int], answers: Sequence[int], before: int, value: int) -> int:
    """The last hidden answer up to a question with this value, whatever was asked; -1 if there is none."""
    found = -1
    for number in range(course[MANY]):
        at = lies(course, number)
        if at <= before and answers[at] == value:
            found = at
    return found


def holder(course: Sequence[int], answers: Sequence[int], where: int, value: int) -> int:
    """The nearest other hidden answer of the same group with this value; -1 if there is none."""
    found = -1
    for number in range(course[MANY]):
        at = lies(course, number)
        if at != where and answers[at] == value and course[COURSE + at] == course[COURSE + where]:
            if found < 0 or abs(at - where) < abs(found - where):
                found = at
    return found


def whose(s: Sequence[int]) -> int:
    """Whom a question concerns."""
    return s[SEAT] if s[SEAT] >= 0 else s[YOU]


def pinned(course: Sequence[int], answers: Sequence[int], at: int) -> int:
    """Whether a hidden answer is what it is because that is needed later."""
    return 1 if course[COURSE + course[LAST] + 1 + course[MANY] + at] == answers[at] else 0


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


def differs(facts: Sequence[int], s: Sequence[int], wished: Sequence[int], cell: int) -> int:
    """Whether the seat sees that a cell does not hold what it should."""
    known = facts[facts[GUARDS] + cell]
    if s[cell] == wished[cell] or known < 0:
        return 0
    return 1 if known == 0 or (s[known] >> facts[SEATED]) & 1 else 0


def missed(facts: Sequence[int], course: Row, s: Sequence[int], wished: Sequence[int]) -> int:
    """A cell that does not hold what it should, and the seat sees it, by lot; -1 if there is none."""
    found = -1
    met = 0
    for cell in range(facts[HEADER], facts[SETS] - facts[GUARDS]):
        if differs(facts, s, wished, cell):
            met += 1
            if luck(course, met) == 0:
                found = cell
    return found


def gap(facts: Sequence[int], course: Row, true: Sequence[Row], states: Sequence[Row], answers: Row, reached: int) -> int:
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
            found += counted(after[cell] ^ wished[cell], 1) if facts[facts[SETS] + cell] >= 0 else 1
    return found + unexplained(course, true, answers, reached)


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


def glimpses(course: Row) -> int:
    """Where the glimpses begin."""
    return COURSE + 2 * course[LAST] + 1 + course[MANY]


def of_cell(facts: Sequence[int], course: Row, cell: int, found: int, wished: int) -> int:
    """What a cell should hold: its value, or of a set a member, by lot; one that is too much was to be taken out."""
    member = facts[facts[SETS] + cell]
    if member < 0:
        return wished
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


def drawn_anew(course: Row, states: Sequence[Row], answers: Sequence[int], at: int) -> int:
    """An option of a question by lot: one that is not needed elsewhere, if that is soon found."""
    s = row(states, at)
    value = s[FIRST_OPTION]
    for _ in range(12):
        value = s[FIRST_OPTION + luck(course, s[OPTIONS])]
        other = holder(course, answers, at, value)
        if other < 0 or pinned(course, answers, other) == 0:
            return value
    return value


def glimpsed(course: Row, reached: int) -> int:
    """Where it stands what was seen after a question of something hidden, by lot; -1 if nothing was."""
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
    if after[OPTIONS] == 0:
        return -1
    at = latest(course, answers, reached, after[FIRST_OPTION + luck(course, after[OPTIONS])])
    return at if at >= 0 and pinned(course, answers, at) == 0 else -1


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
        if (after[SEAT] != wished[SEAT] or after[QUESTION] != wished[QUESTION]) and luck(course, 2):
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


def put(course: Row, answers: Row, where: int, value: int) -> int:
    """Give a hidden answer this value; who had it gets the old one, mostly. Gives the first answer changed."""
    other = holder(course, answers, where, value) if luck(course, 8) else -1
    if other >= 0:
        answers[other] = answers[where]
    answers[where] = value
    return min(where, other) if other >= 0 else where


def settled(
    code: Sequence[int], facts: Sequence[int], course: Row, true: Sequence[Row], marks: Sequence[int],
    here: Sequence[Row], there: Sequence[Row], wanted: Row, trial: Row, log: Row, eyes: Row, first: int,
) -> int:  # fmt: skip
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
    code: Sequence[int], facts: Sequence[int], course: Row, true: Sequence[Row], marks: Sequence[int],
    here: Sequence[Row], there: Sequence[Row], wanted: Row, trial: Row, log: Row, eyes: Row, times: int,
) -> int:  # fmt: skip
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
