"""Options tried out in whole games, and positions described by their features: what one learns weights from.

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
    ROOM,
    SCORE_AT,
    SEATS,
    STACK_AT,
    TRIED,
    WHIM,
    WHIMS,
    Row,
)
from edict.runtime.simulation.policies import choose, computed, copied, described, mask, moved, rest, row

ANYONE = -2  # no seat, and not chance


def describe(code: Sequence[int], s: Row, plan: Sequence[int], section: int, seat: int, found: Row, log: Row) -> None:
    """The features that `weighed` weighs: one's own, the sums of the others', the clock, the rules' own judgement.

    Writes on the state.
    """
    count = described(s, plan, section, seat, found)
    found[count] = s[plan[section + CLOCK]] if plan[section + CLOCK] > 0 else 0
    found[count + 1] = 0
    if plan[section + JUDGE_WEIGHT] != 0:
        found[count + 1] = computed(
            code, s, plan[STACK_AT], plan[section + ENTRY], plan[section + PARAM], plan[section + JUDGED], seat, log
        )


def lead(code: Sequence[int], s: Row, plan: Sequence[int], seat: int, scratch: Row, log: Row) -> int:
    """By how much a seat's score is above the mean of the others', times how many others there are."""
    total = 0
    for other in range(s[PLAYERS]):
        copied(scratch, s)
        score = computed(
            code, scratch, plan[STACK_AT], plan[SCORE_AT], plan[SCORE_AT + 1], plan[SCORE_AT + 2], other, log
        )
        total += score * (s[PLAYERS] - 1) if other == seat else -score
    return total


def try_options(
    code: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seed: int,
    found: Sequence[Row],
    outcomes: Row,
    first: int,
    games: int,
) -> int:
    """Each option of a question tried out by so many games, with equal luck for all, played on by the plan.

    What an option led to is described, as the section behind those of the seats says, in `found` from row `first` on,
    and its leads added up in `outcomes`; gives the row after the last. A game that would never end is the last one: it
    stays in its row of the room, and -1 is given.
    """
    log = row(room, COUNTS)
    seat = s[SEAT]
    for option in range(s[OPTIONS]):
        after = row(room, TRIED)
        copied(after, s)
        after[ANSWER] = option
        run(code, after, log)
        play_on(code, after, plan, room, seed, seat, log)
        mask(after, plan, seat, row(room, 0))
        describe(code, row(room, 0), plan, plan[SEATS + s[PLAYERS]], seat, row(found, first), log)
        outcomes[first] = 0
        for game in range(games):
            copied(row(room, PLAYED), after)
            status = play_on(code, row(room, PLAYED), plan, room, moved(seed, game), ANYONE, log)
            if status == ENDLESS or status == TOO_LONG:
                return -1
            outcomes[first] += lead(code, row(room, PLAYED), plan, seat, row(room, 0), log)
        first += 1
    return first


def play_on(
    code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], seed: int, whom: int, log: Row
) -> int:
    """Answer by the plan as long as this seat is asked (or ANYONE is); gives the last status."""
    asked = 0
    status = s[STATUS]
    while status == ASKING and (whom == ANYONE or s[SEAT] == whom):
        asked += 1
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
        status = run(code, s, log)
    return status


def sample(
    code: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seed: int,
    found: Sequence[Row],
    outcomes: Row,
    group: Row,
    every: int,
    games: int,
) -> int:
    """A game by the plan; at one choice in `every`, picked at random, all options are tried out.

    `group`: the number of the choice each row belongs to, from 1. Gives how many rows were written; -1 for a game that
    would never end, be it a trial's, and then its state is the one in which it was stopped.
    """
    log = row(room, COUNTS)
    asked = 0
    at = 0
    chosen = 0
    while run(code, s, log) == ASKING:
        asked += 1
        if s[SEAT] != CHANCE and at + s[OPTIONS] <= len(outcomes) and draw(seed, asked + 2 * WHIMS, every) == 0:
            chosen += 1
            end = try_options(code, s, plan, room, moved(seed, asked * 1000), found, outcomes, at, games)
            if end < 0:
                copied(s, row(room, PLAYED))
                return -1
            while at < end:
                group[at] = chosen
                at += 1
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
    return -1 if s[STATUS] == ENDLESS or s[STATUS] == TOO_LONG else at


def record(
    code: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seed: int,
    found: Sequence[Row],
    whose: Row,
    every: int,
) -> int:
    """A game by the plan, in which positions that its players came to are described.

    A position is what somebody's answers led to, when chance or somebody else is asked, as they know it; `whose` says
    who that was. Those are taken to which an answer by lot led (a whim), and one in `every` of the others. What is
    read of them says the section behind those of the seats. Gives how many rows were written.
    """
    log = row(room, COUNTS)
    asked = 0
    at = 0
    last = CHANCE
    strayed = False
    while run(code, s, log) == ASKING:
        asked += 1
        seat = s[SEAT]
        if last != CHANCE and seat != last:
            if at < len(whose) and (strayed or draw(seed, asked + 2 * WHIMS, every) == 0):
                mask(s, plan, last, row(room, 0))
                described(row(room, 0), plan, plan[SEATS + s[PLAYERS]], last, row(found, at))
                whose[at] = last
                at += 1
            strayed = False
        last = seat
        if seat != CHANCE and draw(seed, asked + WHIMS, 1000) < plan[plan[SEATS + seat] + WHIM]:
            strayed = True
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
    return at


# --- many games


def samples(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    room: Sequence[Row],
    found: Sequence[Row],
    outcomes: Sequence[Row],
    groups: Sequence[Row],
    every: int,
    games: int,
) -> int:
    """Games by the plan, one for each seed, with choices of each tried out (see `sample`), each in as many rows
    of `found` as a game has outcomes. Gives whether all of them ended; if not, the last row of the room is the state of
    the one that would not.
    """
    for game in range(len(seeds)):
        s = row(room, ROOM)
        copied(s, initial)
        results = row(outcomes, game)
        tried = rest(found, game * len(results))
        if sample(code, s, plan, room, seeds[game], tried, results, row(groups, game), every, games) < 0:
            return 0
    return 1


def records(
    code: Sequence[int],
    initial: Row,
    plan: Sequence[int],
    seeds: Row,
    room: Sequence[Row],
    found: Sequence[Row],
    whose: Sequence[Row],
    rows: Row,
    leads: Sequence[Row],
    ends: Sequence[Row],
    every: int,
) -> None:
    """Games by the plan, one for each seed, with positions of each described; see `record`.

    rows: how many of a game; leads: by game and seat; ends: the games' final states.
    """
    for game in range(len(seeds)):
        s = row(ends, game)
        copied(s, initial)
        mine = row(whose, game)
        rows[game] = record(code, s, plan, room, seeds[game], rest(found, game * len(mine)), mine, every)
        ahead = row(leads, game)
        for seat in range(len(ahead)):
            ahead[seat] = lead(code, s, plan, seat, row(room, 0), row(room, COUNTS))
