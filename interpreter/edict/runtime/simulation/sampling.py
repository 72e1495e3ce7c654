"""Samples for learning weights, from options tried out in whole games and from positions described by their features.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import draw
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, ENDLESS, OPTIONS, PLAYERS, SEAT, STATUS, TOO_LONG
from edict.runtime.simulation.plans import (
    CLOCK,
    COUNTS,
    ENTRY,
    JUDGE_WEIGHT,
    JUDGED,
    PARAM,
    PLAYED,
    SCORE_AT,
    SCRATCH_ROWS,
    SEATS,
    STACK_AT,
    TRIED,
    WATCHED_AT,
    WHIM,
    WHIMS,
    Row,
)
from edict.runtime.simulation.policies import (
    choose,
    copy_into,
    copy_masked_state,
    get_row,
    mark_watched,
    offset_seed,
    read_features,
    rows_from,
    run_query,
)

ANYONE = -2  # no seat, and not chance


def describe_position(
    code: Sequence[int], state: Row, plan: Sequence[int], section: int, seat: int, features: Row, log: Row
) -> None:
    """Write a position's features, then the clock (0 without), then the rules' judgement (0 without).

    Overwrites the state.
    """
    count = read_features(state, plan, section, seat, features)
    features[count] = state[plan[section + CLOCK]] if plan[section + CLOCK] > 0 else 0
    features[count + 1] = 0
    if plan[section + JUDGE_WEIGHT] != 0:
        features[count + 1] = run_query(
            code, state, plan[STACK_AT], plan[section + ENTRY], plan[section + PARAM], plan[section + JUDGED], seat, log
        )


def compute_lead(code: Sequence[int], state: Row, plan: Sequence[int], seat: int, scratch: Row, log: Row) -> int:
    """Return a seat's lead in score over the mean of the others, times the number of others."""
    total = 0
    for other in range(state[PLAYERS]):
        copy_into(scratch, state)
        score = run_query(
            code, scratch, plan[STACK_AT], plan[SCORE_AT], plan[SCORE_AT + 1], plan[SCORE_AT + 2], other, log
        )
        total += score * (state[PLAYERS] - 1) if other == seat else -score
    return total


def try_options(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    descriptions: Sequence[Row],
    outcomes: Row,
    first: int,
    games: int,
) -> int:
    """Try each option in `games` games with equal seeds; write its features and the sum of leads.

    The position after an option is described in `descriptions` from row `first` on, by the section after those of the
    seats,
    and the leads of its games are summed in `outcomes`.

    Returns:
        The row after the last, or -1 if a game would never end, whose state then stays in its scratch row.
    """
    log = get_row(scratch, COUNTS)
    seat = state[SEAT]
    for option in range(state[OPTIONS]):
        after = get_row(scratch, TRIED)
        copy_into(after, state)
        after[ANSWER] = option
        run(code, after, log)
        play_by_plan(code, after, plan, scratch, seed, seat, log)
        copy_masked_state(after, plan, seat, get_row(scratch, 0))
        describe_position(
            code, get_row(scratch, 0), plan, plan[SEATS + state[PLAYERS]], seat, get_row(descriptions, first), log
        )
        outcomes[first] = 0
        for game in range(games):
            copy_into(get_row(scratch, PLAYED), after)
            status = play_by_plan(code, get_row(scratch, PLAYED), plan, scratch, offset_seed(seed, game), ANYONE, log)
            if status == ENDLESS or status == TOO_LONG:
                return -1
            outcomes[first] += compute_lead(code, get_row(scratch, PLAYED), plan, seat, get_row(scratch, 0), log)
        first += 1
    return first


def play_by_plan(
    code: Sequence[int], state: Row, plan: Sequence[int], scratch: Sequence[Row], seed: int, asked_seat: int, log: Row
) -> int:
    """Answer by the plan while `asked_seat` is asked (ANYONE: always), and return the machine's last status."""
    asked = 0
    status = state[STATUS]
    while status == ASKING and (asked_seat == ANYONE or state[SEAT] == asked_seat):
        asked += 1
        state[ANSWER] = choose(code, state, plan, scratch, seed, asked)
        status = run(code, state, log)
    return status


def sample_game(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    descriptions: Sequence[Row],
    outcomes: Row,
    group: Row,
    every: int,
    games: int,
) -> int:
    """Play a game by the plan, and try all options at one choice in `every`, picked at random.

    `group` gets the number of the choice for each row, from 1.

    Returns:
        The number of rows written, or -1 for a game (or trial) that would never end; the state is then where it was
        stopped.
    """
    log = get_row(scratch, COUNTS)
    asked = 0
    at = 0
    choice_number = 0
    while run(code, state, log) == ASKING:
        asked += 1
        if state[SEAT] != CHANCE and at + state[OPTIONS] <= len(outcomes) and draw(seed, asked + 2 * WHIMS, every) == 0:
            choice_number += 1
            end = try_options(
                code, state, plan, scratch, offset_seed(seed, asked * 1000), descriptions, outcomes, at, games
            )
            if end < 0:
                copy_into(state, get_row(scratch, PLAYED))
                return -1
            while at < end:
                group[at] = choice_number
                at += 1
        state[ANSWER] = choose(code, state, plan, scratch, seed, asked)
    return -1 if state[STATUS] == ENDLESS or state[STATUS] == TOO_LONG else at


def record_game(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    descriptions: Sequence[Row],
    whose: Row,
    every: int,
) -> int:
    """Play a game by the plan, write a row of features for some positions, and return the number of rows.

    Such a position follows a player's answers, when chance or another seat is asked next, as that player knows it.
    All those after a random answer (a whim) are taken, and one in `every` of the others. They are described by the
    section after those of the seats; `whose` gets the player.

    Returns:
        The number of rows written.
    """
    log = get_row(scratch, COUNTS)
    asked = 0
    at = 0
    last_seat = CHANCE
    was_whim = False
    while run(code, state, log) == ASKING:
        asked += 1
        seat = state[SEAT]
        if last_seat != CHANCE and seat != last_seat:
            if at < len(whose) and (was_whim or draw(seed, asked + 2 * WHIMS, every) == 0):
                copy_masked_state(state, plan, last_seat, get_row(scratch, 0))
                read_features(
                    get_row(scratch, 0), plan, plan[SEATS + state[PLAYERS]], last_seat, get_row(descriptions, at)
                )
                whose[at] = last_seat
                at += 1
            was_whim = False
        last_seat = seat
        if seat != CHANCE and draw(seed, asked + WHIMS, 1000) < plan[plan[SEATS + seat] + WHIM]:
            was_whim = True
        state[ANSWER] = choose(code, state, plan, scratch, seed, asked)
    if plan[WATCHED_AT] > 0:
        mark_watched(code, state, plan, scratch)
    return at


# --- many games


def sample_games(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    scratch: Sequence[Row],
    descriptions: Sequence[Row],
    outcomes: Sequence[Row],
    groups: Sequence[Row],
    every: int,
    games: int,
) -> int:
    """Play games by the plan, one for each seed, and try options in each, see `sample_game`.

    Each game has as many rows of `descriptions` as it has outcomes.

    Returns:
        1 if all games ended; otherwise 0, and the last scratch row is the state of the game that would not end.
    """
    for game in range(len(seeds)):
        state = get_row(scratch, SCRATCH_ROWS)
        copy_into(state, initial)
        results = get_row(outcomes, game)
        tried = rows_from(descriptions, game * len(results))
        if (
            sample_game(code, state, plan, scratch, seeds[game], tried, results, get_row(groups, game), every, games)
            < 0
        ):
            return 0
    return 1


def record_games(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    scratch: Sequence[Row],
    descriptions: Sequence[Row],
    whose: Sequence[Row],
    rows: Row,
    leads: Sequence[Row],
    ends: Sequence[Row],
    every: int,
) -> None:
    """Play games by the plan, one for each seed, and describe positions of each, see `record_game`.

    `rows` gets the number of rows, `leads` the leads by seat, and `ends` the final state of each game.
    """
    for game in range(len(seeds)):
        state = get_row(ends, game)
        copy_into(state, initial)
        seat_row = get_row(whose, game)
        rows[game] = record_game(
            code, state, plan, scratch, seeds[game], rows_from(descriptions, game * len(seat_row)), seat_row, every
        )
        lead_row = get_row(leads, game)
        for seat in range(len(lead_row)):
            lead_row[seat] = compute_lead(code, state, plan, seat, get_row(scratch, 0), get_row(scratch, COUNTS))
