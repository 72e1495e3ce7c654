"""Whole games counted in native code. Import this by way of `native` only: it needs Numba.

It stands apart from `compiled`, so that nobody who counts nothing waits for it to be compiled.
"""

from __future__ import annotations

from typing import Any

from edict.machine import tallying
from edict.machine.cells import cells, fixed_cells
from edict.machine.compiled import run
from edict.machine.counters import ENTRY, PARAMETER, RESULT_AT, SEATS
from edict.machine.keeping import native
from edict.machine.tallying import ROW_HEAD
from edict.machine.thinking import choose
from edict.program.opcodes import (
    ANSWER, ASKING, ENDLESS, GAME_OVER, LOG_FULL, LOGGING, OPTIONS, PC, RETURNED, RUNNING, SP, SPENT, STACK, STATUS,
    TOO_LONG,
)  # fmt: skip

note_question = native(tallying.note_question)
note_events = native(tallying.note_events)
note_end = native(tallying.note_end)
fold = native(tallying.fold)


@native
def batch(
    code: Any, plan: Any, initial: Any, kept: Any, orders: Any, room: Any, seeds: Any, statuses: Any, places: Any,
    heads: Any, rows: Any, sums: Any, log: Any,
) -> Any:  # fmt: skip
    """Games counted, one for each seed: how and where each ended, the heads of their rows, and what they sum up to.
    A game that would never end is the last; gives how many were played.

    `kept` is the state that is played on. `orders` and `room` are what the policies need. `rows`: one for each game,
    to be kept, or a single one that serves for all.
    """
    program, flat, events, total = fixed_cells(code), fixed_cells(plan), cells(log), cells(sums)
    policies = fixed_cells(orders)
    state = cells(kept)
    for game in range(len(seeds)):
        numbers = rows[game % len(rows)]
        numbers[:] = 0
        row = cells(numbers)
        kept[:] = initial
        asked = 0
        status = run(program, state, events)
        while status == ASKING or status == LOG_FULL:
            note_events(flat, program, events, row)
            if status == ASKING:
                note_question(flat, state, row)
                asked += 1
                state[ANSWER] = choose(program, state, policies, room, seeds[game], asked)
            status = run(program, state, events)
        note_events(flat, program, events, row)
        if status == GAME_OVER:
            note_end(flat, state, row)
            status = score(program, flat, state, row, events)
        if status == GAME_OVER:
            fold(flat, row, total)
        statuses[game] = status
        places[game] = state[PC]
        heads[game][:] = numbers[: heads.shape[1]]
        if status == ENDLESS or status == TOO_LONG:
            return game + 1
    return len(seeds)


@native
def score(program: Any, flat: Any, state: Any, row: Any, events: Any) -> Any:
    """Every seat's score into the row, by the rules' own reckoning; gives GAME_OVER, or a fault met in reckoning."""
    for seat in range(flat[SEATS]):
        state[flat[PARAMETER]] = seat
        state[PC] = flat[ENTRY]
        state[SP] = state[STACK]
        state[LOGGING] = 0
        state[OPTIONS] = 0
        state[SPENT] = 0
        state[STATUS] = RUNNING
        status = run(program, state, events)
        if status != RETURNED:
            return status
        row[ROW_HEAD + seat] = state[flat[RESULT_AT]]
    return GAME_OVER


measure = native(tallying.measure)
pair = native(tallying.pair)


@native
def pairs(
    one_flat: Any, other_flat: Any, rows: Any, other_rows: Any, wanted: Any, other_wanted: Any, sound: Any, found: Any,
    sums: Any,
) -> None:  # fmt: skip
    """What pairs of games sum up to, game by game of two batches; those that are not `sound` are left out."""
    one, other, total = cells(found[0]), cells(found[1]), cells(sums)
    for game in range(len(sound)):
        if sound[game]:
            measure(fixed_cells(one_flat), cells(rows[game]), fixed_cells(wanted), one)
            measure(fixed_cells(other_flat), cells(other_rows[game]), fixed_cells(other_wanted), other)
            pair(one, other, total)
