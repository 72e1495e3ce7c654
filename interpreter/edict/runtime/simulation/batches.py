"""Many games at once, and whatever else is handed to native code in one go.

Plain Python over rows of integers, as all that native code is made of (`compiled`); `played` and `run` are what native
code has its own of: there a program that has been translated plays itself.
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
from edict.runtime.simulation.keyed_luck import begin, follow, key_of, lot
from edict.runtime.simulation.plans import COUNTS, Row
from edict.runtime.simulation.plans import SEATS as SEATED
from edict.runtime.simulation.policies import choose, copied, look_ahead, play, row
from edict.runtime.simulation.tallying import fold, measure, note_end, note_events, note_question, pair


def played(code: Sequence[int], s: Row, seed: int) -> int:
    """Play on with every answer drawn, as far as that can be done at once; how many questions there were."""
    return 0


def random_games(code: Sequence[int], initial: Row, seeds: Row, ends: Sequence[Row], counts: Row, log: Row) -> None:
    """Games of draws alone, one for each seed: final states into the rows of `ends`, questions asked into `counts`."""
    for game in range(len(seeds)):
        s = row(ends, game)
        copied(s, initial)
        asked = played(code, s, seeds[game])
        while s[STATUS] == RUNNING or s[STATUS] == ASKING:
            if s[STATUS] == ASKING:
                asked += 1
                s[ANSWER] = draw(seeds[game], asked, s[OPTIONS])
            run(code, s, log)
        counts[game] = asked


def games(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    ends: Sequence[Row],
    counts: Row,
    room: Sequence[Row],
) -> None:
    """Games by the plan, one for each seed: likewise."""
    for game in range(len(seeds)):
        s = row(ends, game)
        copied(s, initial)
        counts[game] = play(code, s, plan, room, seeds[game], row(room, COUNTS))


def think(code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row]) -> None:
    """The value of every option in one state, by the first seat's policy, into the row of values."""
    look_ahead(code, s, plan, plan[SEATED], room)


def counted_games(
    code: Sequence[int],
    flat: Sequence[int],
    initial: Row,
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seeds: Row,
    keys: Sequence[int],
    luck: Row,
    statuses: Row,
    places: Row,
    heads: Sequence[Row],
    rows: Sequence[Row],
    sums: Row,
    log: Row,
) -> int:
    """Games counted, one for each seed: how and where each ended, the heads of their rows, and what they sum up to.
    A game that would never end is the last; gives how many were played.

    `s` is the state that is played on. `plan` and `room` are what the policies need, `keys` and `luck` what
    `keyed_luck` needs. `rows`: one for each game, to be
    kept, or a single one that serves for all.
    """
    for game in range(len(seeds)):
        numbers = row(rows, game % len(rows))
        for i in range(len(numbers)):
            numbers[i] = 0
        copied(s, initial)
        status = counted(code, flat, s, plan, room, seeds[game], keys, luck, numbers, log)
        if status == GAME_OVER:
            fold(flat, numbers, sums)
        statuses[game] = status
        places[game] = s[PC]
        head = row(heads, game)
        for i in range(len(head)):
            head[i] = numbers[i]
        if status == ENDLESS or status == TOO_LONG:
            return game + 1
    return len(seeds)


def counted(
    code: Sequence[int],
    flat: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seed: int,
    keys: Sequence[int],
    luck: Row,
    numbers: Row,
    log: Row,
) -> int:
    """One game counted into its row; gives its last status."""
    begin(luck)
    status = run(code, s, log)
    while status == ASKING or status == LOG_FULL:
        follow(keys, log, luck)
        note_events(flat, code, log, numbers)
        if status == ASKING:
            note_question(flat, s, numbers)
            key = key_of(keys, s, luck)
            if s[SEAT] == CHANCE:
                s[ANSWER] = lot(s, seed, key)
            else:
                s[ANSWER] = choose(code, s, plan, room, seed, key)
        status = run(code, s, log)
    note_events(flat, code, log, numbers)
    if status == GAME_OVER:
        note_end(flat, s, numbers)
        status = scored(code, flat, s, numbers, log)
    return status


def scored(code: Sequence[int], flat: Sequence[int], s: Row, numbers: Row, log: Row) -> int:
    """Every seat's score into the row, by the rules' own reckoning; gives GAME_OVER, or a fault met in reckoning."""
    for seat in range(flat[SEATS]):
        s[flat[PARAMETER]] = seat
        s[PC] = flat[ENTRY]
        s[SP] = s[STACK]
        s[LOGGING] = 0
        s[OPTIONS] = 0
        s[SPENT] = 0
        s[STATUS] = RUNNING
        status = run(code, s, log)
        if status != RETURNED:
            return status
        numbers[flat[ROW_SCORES] + seat] = s[flat[RESULT_AT]]
    return GAME_OVER


def pairs(
    flat: Sequence[int],
    other_flat: Sequence[int],
    rows: Sequence[Row],
    other_rows: Sequence[Row],
    wanted: Sequence[int],
    other_wanted: Sequence[int],
    groups: Sequence[int],
    sound: Row,
    found: Sequence[Row],
    sums: Row,
) -> None:
    """What pairs of games sum up to, game by game of two batches; those that are not `sound` are left out. `groups`: as
    in `measure`."""
    one = row(found, 0)
    other = row(found, 1)
    for game in range(len(sound)):
        if sound[game]:
            measure(flat, row(rows, game), wanted, groups, one)
            measure(other_flat, row(other_rows, game), other_wanted, groups, other)
            pair(one, other, sums)


def step(code: Sequence[int], s: Row, log: Row) -> int:
    """Play on to the next question, the end or a fault; gives the status."""
    return run(code, s, log)


def copies(s: Row, target: Row, times: int) -> int:
    """Copy a state so often, as games and thoughts do all the time; each copy is looked at, or none would be made."""
    seen = 0
    for number in range(times):
        s[0] = number
        copied(target, s)
        seen += target[number % len(target)]
    return seen
