"""Many games side by side, an answer of each at a time, from outside: what learning programs want.

Plain Python over rows of integers, and native code by the same source; `side_by_side` plays by it.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.machine.encoding import observe, offered
from edict.machine.loop import run
from edict.machine.mixing import draw
from edict.program.opcodes import ANSWER, ASKING, CHANCE, GAME_OVER, OPTIONS, SEAT, STATUS, WINNERS
from edict.simulation.plans import COUNTS, SCORE_AT, STACK_AT, TRIED, Row
from edict.simulation.policies import choose, computed, copied, moved, row

TRIES = 100  # games begun that are over before anybody from outside is asked


def begin(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row], s: Row,
    asked: Row, game: int, outside: Sequence[int],
) -> None:  # fmt: skip
    """A new game in the place of one, played up to the first question that is answered from outside.

    One that is over before that is followed by another, with a seed `apart` from it.
    """
    for _ in range(TRIES):
        copied(s, initial)
        asked[game] = forth(code, s, plan, room, seeds[game], 0, outside)
        if s[STATUS] != GAME_OVER:
            return
        seeds[game] = moved(seeds[game], apart)


def begun(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row],
    states: Sequence[Row], asked: Row, outside: Sequence[int],
) -> None:  # fmt: skip
    """New games in all rows."""
    for game in range(len(seeds)):
        begin(code, initial, plan, seeds, apart, room, row(states, game), asked, game, outside)


def step(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row],
    states: Sequence[Row], asked: Row, outside: Sequence[int], actions: Row, firsts: Sequence[int],
    seated: Sequence[int], scores: Sequence[Row], winners: Row, ends: Row,
) -> None:  # fmt: skip
    """An answer for each game, played on to the next question from outside.

    A game that is over leaves its scores, its winners and its last status behind, and another begins in its place.
    The actions must be offered.
    """
    found = row(room, TRIED)
    for game in range(len(seeds)):
        s = row(states, game)
        s[ANSWER] = taken(s, actions[game], firsts, seated, found)
        asked[game] = forth(code, s, plan, room, seeds[game], asked[game], outside)
        ends[game] = s[STATUS]
        if s[STATUS] == GAME_OVER:
            scored(code, s, plan, room, row(scores, game))
            winners[game] = s[WINNERS]
            seeds[game] = moved(seeds[game], apart)
            begin(code, initial, plan, seeds, apart, room, s, asked, game, outside)


def look(
    states: Sequence[Row], firsts: Sequence[int], seated: Sequence[int], reads: Sequence[int],
    room: Sequence[Row], masks: Sequence[Row], seats: Row, seen: Sequence[Row],
) -> None:  # fmt: skip
    """What each game asks: the actions offered, who is asked, and (unless the rows are empty) what that seat sees."""
    found = row(room, TRIED)
    for game in range(len(states)):
        s = row(states, game)
        seats[game] = s[SEAT]
        mask = row(masks, game)
        for i in range(len(mask)):
            mask[i] = 0
        count = offered(s, firsts, seated, found)
        for i in range(count):
            mask[found[i]] = 1
        view = row(seen, game)
        for i in range(len(view)):
            view[i] = 0
        if len(view) > 0 and s[SEAT] >= 0:
            observe(s, reads, s[SEAT], view)


def drawn(
    states: Sequence[Row], firsts: Sequence[int], seated: Sequence[int], room: Sequence[Row], seed: int, actions: Row
) -> None:
    """An action for each game, any of those offered with equal chance."""
    found = row(room, TRIED)
    for game in range(len(states)):
        s = row(states, game)
        offered(s, firsts, seated, found)
        actions[game] = found[draw(seed, game, s[OPTIONS])]


# --- one game


def forth(
    code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], seed: int, asked: int, outside: Sequence[int]
) -> int:  # fmt: skip
    """Play on by the plan until a seat is asked that is played from outside, or the game is over or stopped.

    Gives the number of questions asked so far, that one included.
    """
    log = row(room, COUNTS)
    status = run(code, s, log)
    while status == ASKING:
        asked += 1
        if s[SEAT] != CHANCE and outside[s[SEAT]] != 0:
            return asked
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
        status = run(code, s, log)
    return asked


def taken(
    s: Sequence[int], action: int, firsts: Sequence[int], seated: Sequence[int], found: MutableSequence[int]
) -> int:
    """The index of the option that an action stands for; -1 if it is not offered."""
    offered(s, firsts, seated, found)
    for i in range(s[OPTIONS]):
        if found[i] == action:
            return i
    return -1


def scored(
    code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], found: MutableSequence[int]
) -> None:
    """Every seat's score."""
    for seat in range(len(found)):
        copied(row(room, 0), s)
        found[seat] = computed(
            code, row(room, 0), plan[STACK_AT], plan[SCORE_AT], plan[SCORE_AT + 1], plan[SCORE_AT + 2], seat,
            row(room, COUNTS),
        )  # fmt: skip
