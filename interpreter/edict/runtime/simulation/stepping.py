"""Games advanced by one answer each at a time, from outside, as learning programs need them.

Plain Python over rows of integers, and native code by the same source; `game_batch` plays by it.

    outside    whose answers come from outside: of chance, then by seat; the others answer by the plan
    autoreset  what happens to a finished game: it stays, another begins in the same step, or in the next one
    ends       by game: the status after the last answer
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.runtime.machine.encoding import encode_actions, may_share_actions, narrow_options, observe
from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import draw
from edict.runtime.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, SEAT, STATUS, TOO_LONG, WINNERS
from edict.runtime.simulation.plans import COUNTS, SCORE_AT, STACK_AT, TRIED, Row
from edict.runtime.simulation.policies import choose, copy_into, get_row, offset_seed, run_query

TRIES = 100  # games begun that end before anybody from outside is asked
DISABLED, SAME_STEP, NEXT_STEP = range(3)  # autoreset modes, named as Gymnasium's
ASKED_SEAT = -1  # as the viewer: the seat that is asked


def begin_game(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    seed_step: int,
    scratch: Sequence[Row],
    state: Row,
    asked: Row,
    game: int,
    outside: Sequence[int],
) -> None:
    """Begin a game in row `game`, and let the plan play to the first question of an outside seat.

    A game that ends or is too long before that is replaced by one with a seed `seed_step` further.
    """
    for _ in range(TRIES):
        copy_into(state, initial)
        asked[game] = play_to_outside(code, state, plan, scratch, seeds[game], 0, outside)
        if state[STATUS] != GAME_OVER and state[STATUS] != TOO_LONG:
            return
        seeds[game] = offset_seed(seeds[game], seed_step)


def begin_next_game(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    seed_step: int,
    scratch: Sequence[Row],
    state: Row,
    asked: Row,
    game: int,
    outside: Sequence[int],
    steps: Row,
) -> None:
    """Begin the next game in the row of a finished one."""
    seeds[game] = offset_seed(seeds[game], seed_step)
    steps[game] = 0
    begin_game(code, initial, plan, seeds, seed_step, scratch, state, asked, game, outside)


def begin_games(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    seed_step: int,
    scratch: Sequence[Row],
    states: Sequence[Row],
    asked: Row,
    outside: Sequence[int],
    which: Sequence[int],
    steps: Row,
    cut: Row,
) -> None:
    """Begin games in the rows marked in `which`."""
    for game in range(len(seeds)):
        if which[game] != 0:
            steps[game] = 0
            cut[game] = 0
            begin_game(code, initial, plan, seeds, seed_step, scratch, get_row(states, game), asked, game, outside)


def step(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    seed_step: int,
    scratch: Sequence[Row],
    states: Sequence[Row],
    asked: Row,
    outside: Sequence[int],
    actions: Row,
    acts: Sequence[int],
    autoreset: int,
    strict: int,
    max_answers: int,
    steps: Row,
    cut: Row,
    answered: Row,
    illegal: Row,
    scores: Sequence[Row],
    winners: Row,
    ends: Row,
) -> None:
    """Carry out each game's action, and let the plan play on to the next question of an outside seat.

    An action that is not offered counts as the first offered one, or with `strict` nothing is played. `answered` is
    the seat asked, or CHANCE without a question. A game is `cut` after `max_answers` answers from outside (0:
    unlimited), or when the machine's budget for a game is spent. A finished game leaves its scores and winners; where
    another one shall begin in the same step, the caller begins it.
    """
    option_actions = get_row(scratch, TRIED)
    for game in range(len(seeds)):
        state = get_row(states, game)
        illegal[game] = 0
        answered[game] = -1
        if state[STATUS] != ASKING or (cut[game] != 0 and autoreset != SAME_STEP):
            if autoreset == NEXT_STEP and (state[STATUS] >= 0 or cut[game] != 0):
                begin_next_game(code, initial, plan, seeds, seed_step, scratch, state, asked, game, outside, steps)
                cut[game] = 0
            ends[game] = state[STATUS]
            continue
        option = find_option(state, actions[game], acts, option_actions)
        if option < 0:
            illegal[game] = 1
            option = 0
            if strict != 0:
                continue
        answered[game] = state[SEAT]
        if may_share_actions(state, acts) == 0 or narrow_options(state, option, option_actions) == 0:
            state[ANSWER] = option
            asked[game] = play_to_outside(code, state, plan, scratch, seeds[game], asked[game], outside)
        ends[game] = state[STATUS]
        steps[game] += 1
        cut[game] = 0
        if state[STATUS] == GAME_OVER:
            compute_scores(code, state, plan, scratch, get_row(scores, game))
            winners[game] = state[WINNERS]
        elif steps[game] == max_answers or state[STATUS] == TOO_LONG:
            cut[game] = 1


def look(
    states: Sequence[Row],
    acts: Sequence[int],
    reads: Sequence[int],
    viewer: int,
    scratch: Sequence[Row],
    masks: Sequence[Row],
    seats: Row,
    seen: Sequence[Row],
) -> None:
    """Write by game the seat that is asked, the mask of the viewer's actions, and the viewer's observation.

    Observations are omitted if their rows are empty. A seat that is not asked, and everybody at the end, is offered
    nothing. The viewer is a seat, or `ASKED_SEAT` for the one asked in each game (at the end, the first seat).
    """
    option_actions = get_row(scratch, TRIED)
    for game in range(len(states)):
        state = get_row(states, game)
        seat = viewer
        mask = get_row(masks, game)
        for i in range(len(mask)):
            mask[i] = 0
        seats[game] = -1
        if state[STATUS] == ASKING:
            seats[game] = state[SEAT]
            if viewer == ASKED_SEAT:
                seat = state[SEAT]
            if seat == state[SEAT] and seat >= 0:
                count = encode_actions(state, acts, option_actions)
                for i in range(count):
                    mask[option_actions[i]] = 1
        write_observation(state, reads, max(0, seat), get_row(seen, game))


def write_observation(state: Sequence[int], reads: Sequence[int], seat: int, seen: MutableSequence[Any]) -> None:
    """Write the observation of a seat, unless the row is empty."""
    for i in range(len(seen)):
        seen[i] = 0
    if len(seen) > 0:
        observe(state, reads, seat, seen)


def observe_states(states: Sequence[Row], reads: Sequence[int], viewers: Sequence[int], seen: Sequence[Row]) -> None:
    """Write the observation of each state by its viewer, a seat, unless it is negative or the rows are empty."""
    for game in range(len(states)):
        if viewers[game] >= 0:
            write_observation(get_row(states, game), reads, viewers[game], get_row(seen, game))


def draw_actions(states: Sequence[Row], acts: Sequence[int], scratch: Sequence[Row], seed: int, actions: Row) -> None:
    """Draw an action for each game, each option with equal probability."""
    option_actions = get_row(scratch, TRIED)
    for game in range(len(states)):
        state = get_row(states, game)
        if state[STATUS] == ASKING:
            encode_actions(state, acts, option_actions)
            actions[game] = option_actions[draw(seed, game, state[OPTIONS])]


def apply_action_into(
    code: Sequence[int],
    state: Sequence[int],
    answer: int,
    target: Row,
    log: Row,
    acts: Sequence[int],
    option_actions: Row,
) -> int:
    """Write into `target` the state after an option's action, and return the status there.

    The state waits for the rest of the question, or for the next one, even if chance is asked. `option_actions` then
    has the action of each option.
    """
    copy_into(target, state)
    remains = 0
    if state[STATUS] == ASKING and may_share_actions(state, acts) != 0:
        encode_actions(target, acts, option_actions)
        remains = narrow_options(target, answer, option_actions)
    status = ASKING
    if remains == 0:
        target[ANSWER] = answer
        status = run(code, target, log)
    if status == ASKING:
        encode_actions(target, acts, option_actions)
    return status


# --- one game


def play_to_outside(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    asked: int,
    outside: Sequence[int],
) -> int:
    """Answer by the plan until an outside seat is asked or the game ends.

    Returns:
        The number of questions asked so far, including that one.
    """
    log = get_row(scratch, COUNTS)
    status = run(code, state, log)
    while status == ASKING:
        asked += 1
        if outside[state[SEAT] + 1] != 0:
            return asked
        state[ANSWER] = choose(code, state, plan, scratch, seed, asked)
        status = run(code, state, log)
    return asked


def find_option(state: Sequence[int], action: int, acts: Sequence[int], option_actions: MutableSequence[int]) -> int:
    """Return the index of the option that an action stands for; -1 if it is not offered."""
    encode_actions(state, acts, option_actions)
    for i in range(state[OPTIONS]):
        if option_actions[i] == action:
            return i
    return -1


def compute_scores(
    code: Sequence[int], state: Row, plan: Sequence[int], scratch: Sequence[Row], scores: MutableSequence[int]
) -> None:
    """Write every seat's score."""
    for seat in range(len(scores)):
        copy_into(get_row(scratch, 0), state)
        scores[seat] = run_query(
            code,
            get_row(scratch, 0),
            plan[STACK_AT],
            plan[SCORE_AT],
            plan[SCORE_AT + 1],
            plan[SCORE_AT + 2],
            seat,
            get_row(scratch, COUNTS),
        )
