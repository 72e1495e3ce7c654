"""Batches of games, and whatever else is passed to native code in one call.

Plain Python over rows of integers, like all that native code is made of (`compiled`). Native code has its own
`play_translated` and `run`: there a translated program plays itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import draw
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    ENDLESS,
    GAME_OVER,
    LOG_FULL,
    LOGGING,
    OPTIONS,
    PC,
    RETURNED,
    RUNNING,
    SEAT,
    SP,
    SPENT,
    STACK,
    STATUS,
    TOO_LONG,
)
from edict.runtime.simulation.counters import ENTRY, PARAMETER, RESULT_AT, ROW_SCORES, SEATS
from edict.runtime.simulation.keyed_randomness import begin_game, draw_option, question_key, track_events
from edict.runtime.simulation.plans import COUNTS, Row
from edict.runtime.simulation.plans import SEATS as SEATED
from edict.runtime.simulation.policies import choose, copy_into, get_row, look_ahead, play
from edict.runtime.simulation.tallying import (
    add_pair,
    add_to_sums,
    count_end,
    count_events,
    count_question,
    measure_game,
)


def play_translated(code: Sequence[int], state: Row, seed: int) -> int:
    """Play on with every answer drawn if there is a translation, and return the number of questions.

    This form does nothing; native code has its own.
    """
    return 0


def random_games(code: Sequence[int], initial: Row, seeds: Row, ends: Sequence[Row], counts: Row, log: Row) -> None:
    """Play a random game for each seed; write its final state into `ends`, its number of questions into `counts`."""
    for game in range(len(seeds)):
        state = get_row(ends, game)
        copy_into(state, initial)
        asked = play_translated(code, state, seeds[game])
        while state[STATUS] == RUNNING or state[STATUS] == ASKING:
            if state[STATUS] == ASKING:
                asked += 1
                state[ANSWER] = draw(seeds[game], asked, state[OPTIONS])
            run(code, state, log)
        counts[game] = asked


def games(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    ends: Sequence[Row],
    counts: Row,
    scratch: Sequence[Row],
) -> None:
    """Play a game by the plan's policies for each seed.

    The final states go into `ends`, and the numbers of questions into `counts`.
    """
    for game in range(len(seeds)):
        state = get_row(ends, game)
        copy_into(state, initial)
        counts[game] = play(code, state, plan, scratch, seeds[game], get_row(scratch, COUNTS))


def think(code: Sequence[int], state: Row, plan: Sequence[int], scratch: Sequence[Row]) -> None:
    """Write the value of every option by the policy of seat 0 into the scratch row VALUES."""
    look_ahead(code, state, plan, plan[SEATED], scratch)


def counted_games(
    code: Sequence[int],
    flat: Sequence[int],
    initial: Row,
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seeds: Row,
    keys: Sequence[int],
    tracker: Row,
    statuses: Row,
    places: Row,
    heads: Sequence[Row],
    rows: Sequence[Row],
    sums: Row,
    log: Row,
) -> int:
    """Play a game for each seed and write its counts into `rows`; return how many games were played.

    A game that would never end is the last one.

    Args:
        code: The program's code.
        flat: The counting plan.
        initial: The state at the start.
        state: A state to play in.
        plan: The policies' plan.
        scratch: Scratch rows for the policies.
        seeds: The seeds.
        keys: The keys of random numbers, see `keyed_randomness`.
        tracker: The row that tracks a game for them.
        statuses: The last status of each game.
        places: The place in the code where each ended.
        heads: The head of the row of each.
        rows: A row for each game, to be kept, or a single one for all.
        sums: The sums of the batch.
        log: An event buffer.

    Returns:
        The number of games played.
    """
    for game in range(len(seeds)):
        numbers = get_row(rows, game % len(rows))
        for i in range(len(numbers)):
            numbers[i] = 0
        copy_into(state, initial)
        status = count_game(code, flat, state, plan, scratch, seeds[game], keys, tracker, numbers, log)
        if status == GAME_OVER:
            add_to_sums(flat, numbers, sums)
        statuses[game] = status
        places[game] = state[PC]
        head = get_row(heads, game)
        for i in range(len(head)):
            head[i] = numbers[i]
        if status == ENDLESS or status == TOO_LONG:
            return game + 1
    return len(seeds)


def count_game(
    code: Sequence[int],
    flat: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    keys: Sequence[int],
    tracker: Row,
    numbers: Row,
    log: Row,
) -> int:
    """Play a game to its end, counting events and questions into the row `numbers`; return its last status."""
    begin_game(tracker)
    status = run(code, state, log)
    while status == ASKING or status == LOG_FULL:
        track_events(keys, log, tracker)
        count_events(flat, code, log, numbers)
        if status == ASKING:
            count_question(flat, state, numbers)
            key = question_key(keys, state, tracker)
            if state[SEAT] == CHANCE:
                state[ANSWER] = draw_option(state, seed, key)
            else:
                state[ANSWER] = choose(code, state, plan, scratch, seed, key)
        status = run(code, state, log)
    count_events(flat, code, log, numbers)
    if status == GAME_OVER:
        count_end(flat, state, numbers)
        status = count_scores(code, flat, state, numbers, log)
    return status


def count_scores(code: Sequence[int], flat: Sequence[int], state: Row, numbers: Row, log: Row) -> int:
    """Write every seat's score by the rules' own query into the row; return GAME_OVER, or a fault."""
    for seat in range(flat[SEATS]):
        state[flat[PARAMETER]] = seat
        state[PC] = flat[ENTRY]
        state[SP] = state[STACK]
        state[LOGGING] = 0
        state[OPTIONS] = 0
        state[SPENT] = 0
        state[STATUS] = RUNNING
        status = run(code, state, log)
        if status != RETURNED:
            return status
        numbers[flat[ROW_SCORES] + seat] = state[flat[RESULT_AT]]
    return GAME_OVER


def sum_pair_measures(
    flat: Sequence[int],
    other_flat: Sequence[int],
    rows: Sequence[Row],
    other_rows: Sequence[Row],
    wanted: Sequence[int],
    other_wanted: Sequence[int],
    groups: Sequence[int],
    sound: Row,
    measures: Sequence[Row],
    sums: Row,
) -> None:
    """Add the measures of games `i` of both batches to `sums`, for every `i` that is `sound`.

    Args:
        flat: The counting plan of the first batch.
        other_flat: That of the second one.
        rows: The rows of the first batch.
        other_rows: Those of the second one.
        wanted: The features to measure in the first batch, as in `measure_game`.
        other_wanted: Those in the second one.
        groups: The group of each seat, as in `measure_game`.
        sound: For each pair, whether both games came to a good end.
        measures: Two scratch rows for measures.
        sums: The sums, added to.
    """
    first = get_row(measures, 0)
    second = get_row(measures, 1)
    for game in range(len(sound)):
        if sound[game]:
            measure_game(flat, get_row(rows, game), wanted, groups, first)
            measure_game(other_flat, get_row(other_rows, game), other_wanted, groups, second)
            add_pair(first, second, sums)


def step(code: Sequence[int], state: Row, log: Row) -> int:
    """Run to the next question, the end or a fault, and return the status."""
    return run(code, state, log)


def benchmark_copies(state: Row, target: Row, times: int) -> int:
    """Copy a state many times, to measure the speed of copying.

    It reads from each copy, because the compiler would otherwise remove them.
    """
    checksum = 0
    for number in range(times):
        state[0] = number
        copy_into(target, state)
        checksum += target[number % len(target)]
    return checksum
