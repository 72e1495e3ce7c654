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
    EV_LEAVE,
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
    GROUP_COUNT,
    GROUPS,
    HELD_COUNT,
    HELDS,
    NUMBER,
    ORDER,
    PER_HELD,
    PER_MEMBER,
    PER_PLACE,
    PER_QUESTION,
    PLACES,
    QUESTIONS,
    ROUND,
    ROUNDS,
    ROW_OFFERED,
    ROW_PLACES,
    ROW_ROUNDS,
    ROW_SCORED,
    ROW_SCORES,
    ROW_SEATS,
    ROW_TURNS,
    SCORE_AT,
    SCORE_LAST,
    SEATS,
    SUM_BINS,
    SUM_COURSE,
    SUM_LED,
    SUM_PLACES,
    SUM_SEATS,
    SUM_TURNS,
    TURNS,
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
    NO_TURN,
    ONE,
    OTHER,
    PER_BIN,
    PER_MEASURE,
    PER_ROUND,
    PER_TURN_PLACE,
    PHASES,
    PLACE_GAMES,
    PLACE_SQUARES,
    PLACE_WINS,
    QUESTIONS_ASKED,
    ROUND_GAMES,
    ROUND_LEADERS,
    ROUND_SCORE,
    ROUND_SQUARES,
    ROUND_WINNERS,
    ROUNDS_HAD,
    ROUNDS_PLAYED,
    SHARE,
    SQUARES,
    TOGETHER,
    TURN,
    TURN_ASKED,
    TURN_BEGUN,
    TURN_ORDER,
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
        if row[TURN] != NO_TURN:
            row[TURN] = TURN_ASKED
            row[TURN_ORDER] = state[flat[ORDER]]
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


def count_turn(flat: Sequence[int], row: MutableSequence[int]) -> None:
    """Count the place of each seat in the order of the turn that ends, as it was when a player was last asked."""
    seats = flat[SEATS]
    if row[TURN] == TURN_ASKED:
        order = row[TURN_ORDER]
        place = 0
        while place < seats and order & 15 < seats:
            row[flat[ROW_TURNS] + (order & 15) * seats + place] += 1
            order >>= 4
            place += 1
    row[TURN] = NO_TURN


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
        points_to = -1  # the seat that scores
        if log[at] == EV_SET:
            if flat[SCORE_AT] <= first <= flat[SCORE_LAST]:
                feature = flat[flat[PLACES] + PER_PLACE * pc + 3]
                seat = first - flat[SCORE_AT]
                amount = third - second
                points_to = seat
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
            if flat[flat[TURNS] + first] == 1:
                count_turn(flat, row)
                row[TURN] = TURN_BEGUN
        elif log[at] == EV_LEAVE:
            if flat[flat[TURNS] + first] == 1:
                count_turn(flat, row)
        current_round = row[ROUNDS_PLAYED] - 1
        if current_round < 0:
            current_round = 0
        elif current_round >= flat[ROUNDS]:
            current_round = flat[ROUNDS] - 1
        if points_to >= 0:
            row[flat[ROW_SCORED] + points_to * flat[ROUNDS] + current_round] += amount
        if feature >= 0:
            row[counts + feature * (seats + 1) + seat] += amount
            row[rounds + feature * flat[ROUNDS] + current_round] += amount
        if line >= 0:
            row[counts + line * (seats + 1) + seat] += 1
            row[rounds + line * flat[ROUNDS] + current_round] += 1
        at += EVENT_SIZE
    log[0] = 0


def count_end(flat: Sequence[int], state: Sequence[int], row: MutableSequence[int]) -> None:
    """Count what each player holds when the game is over, the groups of all things, and the winners."""
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
    member = 0
    while member < flat[GROUP_COUNT]:
        at = flat[GROUPS] + PER_MEMBER * member
        seat = 0
        while seat < seats:
            row[counts + flat[at + 1] * (seats + 1) + seat] += row[counts + flat[at] * (seats + 1) + seat]
            seat += 1
        member += 1
    count_turn(flat, row)


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
    add_course(flat, row, sums)
    add_turns(flat, row, sums)


def add_course(flat: Sequence[int], row: Sequence[int], sums: MutableSequence[int]) -> None:
    """Add scores and leads at the end of each round to the sums, if the score is a variable."""
    seats = flat[SEATS]
    rounds = flat[ROUNDS]
    winners = 0
    seat = 0
    while seat < seats:
        winners += (row[WINNING] >> seat) & 1
        seat += 1
    current_round = 0
    while current_round < rounds and current_round < row[ROUNDS_PLAYED] and flat[SCORE_LAST] >= flat[SCORE_AT]:
        at = flat[SUM_COURSE] + current_round * PER_ROUND
        total = 0
        leaders = 0
        best = 0
        seat = 0
        while seat < seats:
            score = score_after(flat, row, seat, current_round)
            if leaders == 0 or score > best:
                best = score
                leaders = 1
            elif score == best:
                leaders += 1
            total += score
            if (row[WINNING] >> seat) & 1:
                sums[at + ROUND_WINNERS] += SHARE // winners * score
            seat += 1
        sums[at + ROUND_GAMES] += 1
        sums[at + ROUND_SCORE] += total
        sums[at + ROUND_SQUARES] += total * total
        seat = 0
        while seat < seats:
            if score_after(flat, row, seat, current_round) == best:
                sums[flat[SUM_LED] + current_round * seats + seat] += SHARE // leaders
                if (row[WINNING] >> seat) & 1:
                    sums[at + ROUND_LEADERS] += SHARE // winners // leaders
            seat += 1
        current_round += 1


def score_after(flat: Sequence[int], row: Sequence[int], seat: int, last_round: int) -> int:
    """Return a seat's score at the end of a round: the final score without what came later."""
    score = row[flat[ROW_SCORES] + seat]
    current_round = last_round + 1
    while current_round < flat[ROUNDS]:
        score -= row[flat[ROW_SCORED] + seat * flat[ROUNDS] + current_round]
        current_round += 1
    return score


def add_turns(flat: Sequence[int], row: Sequence[int], sums: MutableSequence[int]) -> None:
    """Add to the sums, for each place in the order of turns, the mean share of wins of those who were there."""
    seats = flat[SEATS]
    turns = flat[ROW_TURNS]
    winners = 0
    seat = 0
    while seat < seats:
        winners += (row[WINNING] >> seat) & 1
        seat += 1
    place = 0
    while place < seats:
        all_turns = 0
        won_turns = 0
        seat = 0
        while seat < seats:
            all_turns += row[turns + seat * seats + place]
            if (row[WINNING] >> seat) & 1:
                won_turns += row[turns + seat * seats + place]
            seat += 1
        if all_turns > 0:
            mean = SHARE // winners * won_turns // all_turns if winners > 0 else 0
            at = flat[SUM_TURNS] + place * PER_TURN_PLACE
            sums[at + PLACE_GAMES] += 1
            sums[at + PLACE_WINS] += mean
            sums[at + PLACE_SQUARES] += mean * mean
        place += 1


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
