"""Many games side by side in native code. Import this by way of `native.stepped` only: it needs Numba."""

from __future__ import annotations

from typing import Any

from edict.machine import acting, observing, plans, stepping
from edict.machine.cells import cells, fixed_cells
from edict.machine.keeping import native
from edict.machine.thinking import copied, draw, moved, natively, row
from edict.program.opcodes import ANSWER, GAME_OVER, OPTIONS, SEAT, STATUS, WINNERS

TRIES = 100  # games begun that are over before anybody from outside is asked

offered = natively(acting.offered)
around = natively(observing.around)
count = natively(observing.count)
see = natively(observing.see)
observe = natively(observing.observe)
forth = natively(stepping.forth)
taken = natively(stepping.taken)
scored = natively(stepping.scored)


@native
def begin(code: Any, initial: Any, plan: Any, seed: Any, apart: Any, room: Any, state: Any, outside: Any) -> Any:
    """A new game, played up to the first question that is answered from outside.

    One that is over before that is followed by another, with a seed `apart` from it. Gives the seed and the number of
    questions asked.
    """
    asked = 0
    for _ in range(TRIES):
        copied(state, initial)
        asked = forth(code, state, plan, room, seed, 0, outside)
        if state[STATUS] != GAME_OVER:
            break
        seed = moved(seed, apart)
    return seed, asked


@native
def begun(
    code: Any, initial: Any, plan: Any, seeds: Any, apart: Any, room: Any, states: Any, asked: Any, outside: Any
) -> None:  # fmt: skip
    """New games in all rows."""
    program, orders, first = fixed_cells(code), fixed_cells(plan), cells(initial)
    for game in range(len(seeds)):
        state = cells(states[game])
        seeds[game], asked[game] = begin(program, first, orders, seeds[game], apart, room, state, outside)


@native
def step(
    code: Any, initial: Any, plan: Any, seeds: Any, apart: Any, room: Any, states: Any, asked: Any, outside: Any,
    actions: Any, firsts: Any, seated: Any, scores: Any, winners: Any, ends: Any,
) -> None:  # fmt: skip
    """An answer for each game, played on to the next question from outside.

    A game that is over leaves its scores, its winners and its last status behind, and another begins in its place.
    The actions must be offered.
    """
    program, orders, first = fixed_cells(code), fixed_cells(plan), cells(initial)
    found = row(room, plans.TRIED)
    for game in range(len(seeds)):
        state = cells(states[game])
        state[ANSWER] = taken(state, actions[game], firsts, seated, found)
        asked[game] = forth(program, state, orders, room, seeds[game], asked[game], outside)
        ends[game] = state[STATUS]
        if state[STATUS] == GAME_OVER:
            scored(program, state, orders, room, scores[game])
            winners[game] = state[WINNERS]
            seed = moved(seeds[game], apart)
            seeds[game], asked[game] = begin(program, first, orders, seed, apart, room, state, outside)


@native
def look(
    states: Any, firsts: Any, seated: Any, reads: Any, most: Any, room: Any, masks: Any, seats: Any, seen: Any
) -> None:
    """What each game asks: the actions offered, who is asked, and (unless the rows are empty) what that seat sees."""
    found, orders = row(room, plans.TRIED), fixed_cells(reads)
    for game in range(len(states)):
        state = cells(states[game])
        seats[game] = state[SEAT]
        masks[game][:] = False
        for i in range(offered(state, firsts, seated, found)):
            masks[game][found[i]] = True
        if seen.shape[1] > 0:
            seen[game][:] = 0
            observe(state, orders, most, state[SEAT], seen[game])


@native
def drawn(states: Any, firsts: Any, seated: Any, room: Any, seed: Any, actions: Any) -> None:
    """An action for each game, any of those offered with equal chance."""
    found = row(room, plans.TRIED)
    for game in range(len(states)):
        state = cells(states[game])
        offered(state, firsts, seated, found)
        actions[game] = found[draw(seed, game, state[OPTIONS])]
