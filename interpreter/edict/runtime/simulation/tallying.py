"""Counting of what happens in a game, in plain Python over rows of integers, and native code by the same source.

`flat` is the row of a `CountingPlan`. A game is counted into a `row`; a row whose game ended well is added to the
`sums` of a batch; `counting_layout` defines the places. Wins are counted in shares: `SHARE` for a win alone, half of
it for each of two winners, and so on.
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


def count_question(flat: Sequence[int], state: Sequence[int], row: MutableSequence[int]) -> None:
    """Count the options of the present question, and whether a player or chance is asked."""
    seats = flat[SEATS]
    row[WHOM] = -1
    if state[SEAT] < 0:
        row[DRAWS] += 1
    else:
        row[CHOICES] += 1
        if row[BEGUN] == 0:
            row[BEGUN] = 1
            order = state[flat[ORDER]]
            place = 0
            while place < seats and order & 15 < seats:
                row[flat[ROW_PLACES] + (order & 15)] = place
                order >>= 4
                place += 1
    at = flat[QUESTIONS] + PER_QUESTION * state[QUESTION]
    first = flat[at]
    if first >= 0:
        offered = flat[ROW_OFFERED]
        i = 0
        while i < state[OPTIONS]:
            value = (state[FIRST_OPTION + i] >> flat[at + 2]) + 1
            if value >= flat[at + 1]:
                value = flat[at + 1] - 1
            row[offered + flat[first + value]] += 1
            i += 1


def count_events(
    flat: Sequence[int], code: Sequence[int], log: MutableSequence[int], row: MutableSequence[int]
) -> None:
    """Add every event in the log to the game's row by feature, seat and round, and empty the log."""
    seats = flat[SEATS]
    counts = flat[ROW_SEATS]
    rounds = flat[ROW_ROUNDS]
    offered = flat[ROW_OFFERED]
    end = log[0]
    at = 1
    while at <= end:
        pc = log[at + 1]
        first = log[at + 2]
        second = log[at + 3]
        third = log[at + 4]
        feature = -1  # the event's feature, seat and amount; and the announcement that it ends
        seat = seats
        amount = 1
        line = -1
        if log[at] == EV_SET:
            if flat[SCORE_AT] <= first <= flat[SCORE_LAST]:
                feature = flat[flat[PLACES] + PER_PLACE * pc + 3]
                seat = first - flat[SCORE_AT]
                amount = third - second
        elif log[at] == EV_CHOICE:
            question = flat[QUESTIONS] + PER_QUESTION * first
            forced = (code[pc] == ASK or code[pc] == ASKC) and code[pc + 1] == first
            if flat[question] >= 0 and not (forced and third == DECLINE):
                value = (third >> flat[question + 2]) + 1
                if value >= flat[question + 1]:
                    value = flat[question + 1] - 1
                feature = flat[flat[question] + value]
                if second >= 0:
                    seat = second
                if forced:
                    row[offered + feature] += 1
        elif log[at] == EV_SAY:
            place = flat[PLACES] + PER_PLACE * pc
            if flat[place] == WHO:
                row[WHOM] = second
            elif flat[place] == WHAT and second >= 0:
                feature = flat[place + 2] + second
            elif flat[place] == NUMBER:
                feature = flat[place + 2]
                amount = second
            line = flat[place + 1]
            if row[WHOM] >= 0:
                seat = row[WHOM]
            if line >= 0:
                row[WHOM] = -1
        elif log[at] == EV_ENTER:
            row[PHASES] += 1
            if first == flat[ROUND]:
                row[ROUNDS_PLAYED] += 1
        current_round = row[ROUNDS_PLAYED] - 1
        if current_round < 0:
            current_round = 0
        elif current_round >= flat[ROUNDS]:
            current_round = flat[ROUNDS] - 1
        if feature >= 0:
            row[counts + feature * (seats + 1) + seat] += amount
            row[rounds + feature * flat[ROUNDS] + current_round] += amount
        if line >= 0:
            row[counts + line * (seats + 1) + seat] += 1
            row[rounds + line * flat[ROUNDS] + current_round] += 1
        at += EVENT_SIZE
    log[0] = 0


def count_end(flat: Sequence[int], state: Sequence[int], row: MutableSequence[int]) -> None:
    """Count what each player holds when the game is over, and the winners."""
    seats = flat[SEATS]
    counts = flat[ROW_SEATS]
    row[WINNING] = state[WINNERS]
    held = 0
    while held < flat[HELD_COUNT]:
        at = flat[HELDS] + PER_HELD * held
        seat = 0
        while seat < seats:
            value = state[flat[at] + seat * flat[at + 4]]
            thing = 0
            while thing < flat[at + 3]:
                has = (value >> thing) & 1 if flat[at + 1] else value == thing
                if has:
                    row[counts + (flat[at + 2] + thing) * (seats + 1) + seat] += 1
                thing += 1
            seat += 1
        held += 1


def add_to_sums(flat: Sequence[int], row: Sequence[int], sums: MutableSequence[int]) -> None:
    """Add a finished game to the sums of its batch."""
    seats = flat[SEATS]
    features = flat[FEATURES]
    counts = flat[ROW_SEATS]
    bins = flat[SUM_BINS]
    plain_sums = bins - flat[SUM_SEATS]  # number of fields that are simply summed
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
    while i < plain_sums:
        sums[flat[SUM_SEATS] + i] += row[counts + i]
        i += 1
    total_score = 0
    seat = 0
    while seat < seats:
        total_score += row[flat[ROW_SCORES] + seat]
        seat += 1
    feature = 0
    while feature < features:
        amount = row[counts + feature * (seats + 1) + seats]
        if amount > 0:  # a feature of the whole table: the game counts once, with the sum of scores
            if amount >= BINS:
                amount = BINS - 1
            at = bins + (feature * BINS + amount) * PER_BIN
            sums[at + BIN_SEATS] += 1
            sums[at + BIN_SCORE] += total_score
            sums[at + BIN_SQUARES] += total_score * total_score
        seat = 0
        while seat < seats:
            amount = row[counts + feature * (seats + 1) + seat]
            size = -amount if amount < 0 else amount  # lost score counts as score
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


# --- comparison of two rule sets


def measure_game(
    flat: Sequence[int],
    row: Sequence[int],
    wanted: Sequence[int],
    groups: Sequence[int],
    measures: MutableSequence[int],
) -> None:
    """Write the values to compare between games (scores, lengths, wins, features) from a game's row.

    A feature goes with winning as much as those who have it win above an even share, in `SHARE`s times the seats.

    Args:
        flat: The counting plan.
        row: The game's row.
        wanted: The numbers of the features, -1 for those that these rules lack.
        groups: The group of each seat.
        measures: The row for the measures.
    """
    seats = flat[SEATS]
    counts = flat[ROW_SEATS]
    winners = 0
    best = row[flat[ROW_SCORES]]
    second = row[flat[ROW_SCORES]]
    measures[TOGETHER] = 0
    seat = 0
    while seat < seats:
        score = row[flat[ROW_SCORES] + seat]
        winners += (row[WINNING] >> seat) & 1
        measures[TOGETHER] += score
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
    measures[LEAD] = best - second
    measures[BEST] = best
    measures[QUESTIONS_ASKED] = row[CHOICES]
    measures[ROUNDS_HAD] = row[ROUNDS_PLAYED]
    share = SHARE // winners if winners > 0 else 0
    i = 0
    while i < 2 * seats:
        measures[MEASURES + i] = 0
        i += 1
    seat = 0
    while seat < seats:
        if (row[WINNING] >> seat) & 1:
            measures[MEASURES + row[flat[ROW_PLACES] + seat]] += share
            measures[MEASURES + seats + groups[seat]] += share
        seat += 1
    i = 0
    while i < len(wanted):
        amount = 0
        with_wins = 0
        if wanted[i] >= 0:
            at = counts + wanted[i] * (seats + 1)
            amount = row[at + seats]
            seat = 0
            while seat < seats:
                amount += row[at + seat]
                if row[at + seat] != 0:
                    with_wins += (seats * share if (row[WINNING] >> seat) & 1 else 0) - SHARE
                seat += 1
        measures[MEASURES + 2 * seats + 2 * i] = amount
        measures[MEASURES + 2 * seats + 2 * i + 1] = with_wins
        i += 1


def add_pair(first: Sequence[int], second: Sequence[int], sums: MutableSequence[int]) -> None:
    """Add both games' measures, their differences (second - first) and the squares of these to the sums."""
    i = 0
    while i < len(first):
        difference = second[i] - first[i]
        at = PER_MEASURE * i
        sums[at + ONE] += first[i]
        sums[at + OTHER] += second[i]
        sums[at + DIFFERENCE] += difference
        sums[at + SQUARES] += difference * difference
        sums[at + DIFFERING] += 1 if difference != 0 else 0
        i += 1
