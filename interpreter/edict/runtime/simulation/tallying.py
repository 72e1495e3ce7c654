"""Counting what happens in a game: plain Python over rows of integers, and native code by this same source.

`flat` is a `Plan`'s row of integers. A game is counted into a `row`; a row whose game came to a good end is added to
the `sums` of a batch; `counting_layout` says what lies where. Wins are counted in shares: `SHARE` for a win alone,
half of it for a win of two, and so on.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.runtime.program.opcodes import (
    ASK,
    ASKC,
    DECLINE,
    EV_CHOICE,
    EV_ENTER,
    EV_SAY,
    EV_SET,
    EVENT_SIZE,
    FIRST_OPTION,
    OPTIONS,
    QUESTION,
    SEAT,
    WINNERS,
)
from edict.runtime.simulation.counters import (
    FEATURES,
    HELD_COUNT,
    HELDS,
    NUMBER,
    ORDER,
    PER_HELD,
    PER_PLACE,
    PER_QUESTION,
    PLACES,
    QUESTIONS,
    ROUND,
    ROUNDS,
    ROW_OFFERED,
    ROW_PLACES,
    ROW_ROUNDS,
    ROW_SCORES,
    ROW_SEATS,
    SCORE_AT,
    SCORE_LAST,
    SEATS,
    SUM_BINS,
    SUM_PLACES,
    SUM_SEATS,
    WHAT,
    WHO,
)
from edict.runtime.simulation.counting_layout import (
    BEGUN,
    BEST,
    BIN_SCORE,
    BIN_SEATS,
    BIN_SQUARES,
    BIN_WINS,
    BINS,
    CHOICES,
    DIFFERENCE,
    DIFFERING,
    DRAWS,
    LEAD,
    MEASURES,
    ONE,
    OTHER,
    PER_BIN,
    PER_MEASURE,
    PHASES,
    QUESTIONS_ASKED,
    ROUNDS_HAD,
    ROUNDS_PLAYED,
    SHARE,
    SQUARES,
    TOGETHER,
    WHOM,
    WINNING,
)


def note_question(flat: Sequence[int], s: Sequence[int], row: MutableSequence[int]) -> None:
    """Count the options of the question being asked, and whether players or chance are asked."""
    seats = flat[SEATS]
    row[WHOM] = -1
    if s[SEAT] < 0:
        row[DRAWS] += 1
    else:
        row[CHOICES] += 1
        if row[BEGUN] == 0:
            row[BEGUN] = 1
            order = s[flat[ORDER]]
            place = 0
            while place < seats and order & 15 < seats:
                row[flat[ROW_PLACES] + (order & 15)] = place
                order >>= 4
                place += 1
    at = flat[QUESTIONS] + PER_QUESTION * s[QUESTION]
    first = flat[at]
    if first >= 0:
        offered = flat[ROW_OFFERED]
        i = 0
        while i < s[OPTIONS]:
            value = (s[FIRST_OPTION + i] >> flat[at + 2]) + 1
            if value >= flat[at + 1]:
                value = flat[at + 1] - 1
            row[offered + flat[first + value]] += 1
            i += 1


def note_events(flat: Sequence[int], code: Sequence[int], log: MutableSequence[int], row: MutableSequence[int]) -> None:
    """Count the events in the log, and empty it."""
    seats = flat[SEATS]
    counts = flat[ROW_SEATS]
    rounds = flat[ROW_ROUNDS]
    offered = flat[ROW_OFFERED]
    end = log[0]
    at = 1
    while at <= end:
        pc = log[at + 1]
        x = log[at + 2]
        y = log[at + 3]
        z = log[at + 4]
        feature = -1  # what the event counts for, whose, how much; and the announcement it ends
        seat = seats
        amount = 1
        line = -1
        if log[at] == EV_SET:
            if flat[SCORE_AT] <= x <= flat[SCORE_LAST]:
                feature = flat[flat[PLACES] + PER_PLACE * pc + 3]
                seat = x - flat[SCORE_AT]
                amount = z - y
        elif log[at] == EV_CHOICE:
            question = flat[QUESTIONS] + PER_QUESTION * x
            forced = (code[pc] == ASK or code[pc] == ASKC) and code[pc + 1] == x
            if flat[question] >= 0 and not (forced and z == DECLINE):
                value = (z >> flat[question + 2]) + 1
                if value >= flat[question + 1]:
                    value = flat[question + 1] - 1
                feature = flat[flat[question] + value]
                if y >= 0:
                    seat = y
                if forced:
                    row[offered + feature] += 1
        elif log[at] == EV_SAY:
            place = flat[PLACES] + PER_PLACE * pc
            if flat[place] == WHO:
                row[WHOM] = y
            elif flat[place] == WHAT and y >= 0:
                feature = flat[place + 2] + y
            elif flat[place] == NUMBER:
                feature = flat[place + 2]
                amount = y
            line = flat[place + 1]
            if row[WHOM] >= 0:
                seat = row[WHOM]
            if line >= 0:
                row[WHOM] = -1
        elif log[at] == EV_ENTER:
            row[PHASES] += 1
            if x == flat[ROUND]:
                row[ROUNDS_PLAYED] += 1
        now = row[ROUNDS_PLAYED] - 1
        if now < 0:
            now = 0
        elif now >= flat[ROUNDS]:
            now = flat[ROUNDS] - 1
        if feature >= 0:
            row[counts + feature * (seats + 1) + seat] += amount
            row[rounds + feature * flat[ROUNDS] + now] += amount
        if line >= 0:
            row[counts + line * (seats + 1) + seat] += 1
            row[rounds + line * flat[ROUNDS] + now] += 1
        at += EVENT_SIZE
    log[0] = 0


def note_end(flat: Sequence[int], s: Sequence[int], row: MutableSequence[int]) -> None:
    """Count what each player holds when the game is over, and who has won."""
    seats = flat[SEATS]
    counts = flat[ROW_SEATS]
    row[WINNING] = s[WINNERS]
    held = 0
    while held < flat[HELD_COUNT]:
        at = flat[HELDS] + PER_HELD * held
        seat = 0
        while seat < seats:
            value = s[flat[at] + seat * flat[at + 4]]
            thing = 0
            while thing < flat[at + 3]:
                has = (value >> thing) & 1 if flat[at + 1] else value == thing
                if has:
                    row[counts + (flat[at + 2] + thing) * (seats + 1) + seat] += 1
                thing += 1
            seat += 1
        held += 1


def fold(flat: Sequence[int], row: Sequence[int], sums: MutableSequence[int]) -> None:
    """Add a finished game to the sums of its batch."""
    seats = flat[SEATS]
    features = flat[FEATURES]
    counts = flat[ROW_SEATS]
    bins = flat[SUM_BINS]
    same = bins - flat[SUM_SEATS]  # summed as they are
    winners = 0
    seat = 0
    while seat < seats:
        winners += (row[WINNING] >> seat) & 1
        seat += 1
    seat = 0
    while seat < seats:
        if (row[WINNING] >> seat) & 1:
            sums[seat] += SHARE // winners
            sums[flat[SUM_PLACES] + row[flat[ROW_PLACES] + seat]] += SHARE // winners
        seat += 1
    i = 0
    while i < same:
        sums[flat[SUM_SEATS] + i] += row[counts + i]
        i += 1
    whole = 0
    seat = 0
    while seat < seats:
        whole += row[flat[ROW_SCORES] + seat]
        seat += 1
    feature = 0
    while feature < features:
        often = row[counts + feature * (seats + 1) + seats]
        if often > 0:  # of the whole table: a game counts once, with all scores together
            if often >= BINS:
                often = BINS - 1
            at = bins + (feature * BINS + often) * PER_BIN
            sums[at + BIN_SEATS] += 1
            sums[at + BIN_SCORE] += whole
            sums[at + BIN_SQUARES] += whole * whole
        seat = 0
        while seat < seats:
            often = row[counts + feature * (seats + 1) + seat]
            size = -often if often < 0 else often  # lost score counts as score
            if size > 0:
                if size >= BINS:
                    size = BINS - 1
                at = bins + (feature * BINS + size) * PER_BIN
                score = row[flat[ROW_SCORES] + seat]
                sums[at + BIN_SEATS] += 1
                if (row[WINNING] >> seat) & 1:
                    sums[at + BIN_WINS] += SHARE // winners
                sums[at + BIN_SCORE] += score
                sums[at + BIN_SQUARES] += score * score
            seat += 1
        feature += 1


# --- two sets of rules side by side


def measure(
    flat: Sequence[int], row: Sequence[int], wanted: Sequence[int], groups: Sequence[int], found: MutableSequence[int]
) -> None:
    """What is compared of a game. `wanted`: the features by number, -1 for what these rules do not have. `groups`: to
    which group each seat belongs.

    A feature goes with winning as much as those who have it win above an even share, in `SHARE`s times the seats.
    """
    seats = flat[SEATS]
    counts = flat[ROW_SEATS]
    winners = 0
    best = row[flat[ROW_SCORES]]
    second = row[flat[ROW_SCORES]]
    found[TOGETHER] = 0
    seat = 0
    while seat < seats:
        score = row[flat[ROW_SCORES] + seat]
        winners += (row[WINNING] >> seat) & 1
        found[TOGETHER] += score
        if seat == 1:
            second = score if score < best else best
            best = score if score > best else best
        elif seat > 1:
            if score > best:
                second = best
                best = score
            elif score > second:
                second = score
        seat += 1
    found[LEAD] = best - second
    found[BEST] = best
    found[QUESTIONS_ASKED] = row[CHOICES]
    found[ROUNDS_HAD] = row[ROUNDS_PLAYED]
    share = SHARE // winners if winners > 0 else 0
    i = 0
    while i < 2 * seats:
        found[MEASURES + i] = 0
        i += 1
    seat = 0
    while seat < seats:
        if (row[WINNING] >> seat) & 1:
            found[MEASURES + row[flat[ROW_PLACES] + seat]] += share
            found[MEASURES + seats + groups[seat]] += share
        seat += 1
    i = 0
    while i < len(wanted):
        much = 0
        with_wins = 0
        if wanted[i] >= 0:
            at = counts + wanted[i] * (seats + 1)
            much = row[at + seats]
            seat = 0
            while seat < seats:
                much += row[at + seat]
                if row[at + seat] != 0:
                    with_wins += (seats * share if (row[WINNING] >> seat) & 1 else 0) - SHARE
                seat += 1
        found[MEASURES + 2 * seats + 2 * i] = much
        found[MEASURES + 2 * seats + 2 * i + 1] = with_wins
        i += 1


def pair(one: Sequence[int], other: Sequence[int], sums: MutableSequence[int]) -> None:
    """Add two games that belong together to the sums of all pairs."""
    i = 0
    while i < len(one):
        by = other[i] - one[i]
        at = PER_MEASURE * i
        sums[at + ONE] += one[i]
        sums[at + OTHER] += other[i]
        sums[at + DIFFERENCE] += by
        sums[at + SQUARES] += by * by
        sums[at + DIFFERING] += 1 if by != 0 else 0
        i += 1
