"""Games side by side, an answer of each at a time, from outside: what learning programs want.

Plain Python over rows of integers, and native code by the same source; `side_by_side` plays by it.

    outside   whose answers come from outside: of chance, then by seat; the others answer by the plan
    again     what becomes of a game that has ended: it stays as it is, another begins at once, or with the next answer
    ends      by game: the status of what the last answer led to
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.machine.encoding import narrowed, observe, offered, one_by_one
from edict.machine.loop import run
from edict.machine.mixing import draw
from edict.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, SEAT, STATUS, TOO_LONG, WINNERS
from edict.simulation.plans import COUNTS, SCORE_AT, STACK_AT, TRIED, Row
from edict.simulation.policies import choose, computed, copied, moved, row

TRIES = 100  # games begun that are over before anybody from outside is asked
STAYS, AT_ONCE, WITH_THE_NEXT = range(3)
WHO_IS_ASKED = -1  # as the seat that looks


def begin(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row], s: Row,
    asked: Row, game: int, outside: Sequence[int],
) -> None:  # fmt: skip
    """A new game in the place of one, played up to the first question that is answered from outside.

    One that is over or too long before that is followed by another, with a seed `apart` from it.
    """
    for _ in range(TRIES):
        copied(s, initial)
        asked[game] = forth(code, s, plan, room, seeds[game], 0, outside)
        if s[STATUS] != GAME_OVER and s[STATUS] != TOO_LONG:
            return
        seeds[game] = moved(seeds[game], apart)


def follow(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row], s: Row,
    asked: Row, game: int, outside: Sequence[int], steps: Row,
) -> None:  # fmt: skip
    """The next game in the place of one that has ended."""
    seeds[game] = moved(seeds[game], apart)
    steps[game] = 0
    begin(code, initial, plan, seeds, apart, room, s, asked, game, outside)


def begun(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row],
    states: Sequence[Row], asked: Row, outside: Sequence[int], which: Sequence[int], steps: Row, cut: Row,
) -> None:  # fmt: skip
    """New games in the rows that are marked."""
    for game in range(len(seeds)):
        if which[game] != 0:
            steps[game] = 0
            cut[game] = 0
            begin(code, initial, plan, seeds, apart, room, row(states, game), asked, game, outside)


def step(
    code: Sequence[int], initial: Row, plan: Sequence[int], seeds: Row, apart: int, room: Sequence[Row],
    states: Sequence[Row], asked: Row, outside: Sequence[int], actions: Row, acts: Sequence[int],
    again: int, strict: int, most: int, steps: Row, cut: Row, answered: Row, illegal: Row,
    scores: Sequence[Row], winners: Row, ends: Row, finals: Sequence[Row],
) -> None:  # fmt: skip
    """An answer for each game, played on to the next question from outside, or to what an answer leaves of its own.

    An action that is not offered counts as the first that is, or (`strict`) nothing is played. `answered`: who was
    asked, CHANCE where nobody was. After the `most` answers from outside (0: as many as there are) a game is `cut`, and
    so is one of which the machine's budget for a whole game is spent. One that is over leaves its scores and winners
    behind; where another follows at once, one that ended leaves its last state.
    """
    found = row(room, TRIED)
    for game in range(len(seeds)):
        s = row(states, game)
        illegal[game] = 0
        answered[game] = -1
        if s[STATUS] != ASKING or (cut[game] != 0 and again != AT_ONCE):
            if again == WITH_THE_NEXT and (s[STATUS] >= 0 or cut[game] != 0):
                follow(code, initial, plan, seeds, apart, room, s, asked, game, outside, steps)
                cut[game] = 0
            ends[game] = s[STATUS]
            continue
        option = taken(s, actions[game], acts, found)
        if option < 0:
            illegal[game] = 1
            option = 0
            if strict != 0:
                continue
        answered[game] = s[SEAT]
        if one_by_one(s, acts) == 0 or narrowed(s, option, found) == 0:
            s[ANSWER] = option
            asked[game] = forth(code, s, plan, room, seeds[game], asked[game], outside)
        ends[game] = s[STATUS]
        steps[game] += 1
        cut[game] = 0
        if s[STATUS] == GAME_OVER:
            scored(code, s, plan, room, row(scores, game))
            winners[game] = s[WINNERS]
        elif steps[game] == most or s[STATUS] == TOO_LONG:
            cut[game] = 1
        if again == AT_ONCE and (s[STATUS] == GAME_OVER or cut[game] != 0):
            copied(row(finals, game), s)
            follow(code, initial, plan, seeds, apart, room, s, asked, game, outside, steps)


def look(
    states: Sequence[Row], acts: Sequence[int], reads: Sequence[int], viewer: int,
    room: Sequence[Row], masks: Sequence[Row], seats: Row, seen: Sequence[Row],
) -> None:  # fmt: skip
    """What each game asks: who is asked, the actions offered to the seat that looks, and (unless the rows are empty)
    what it sees. A seat that is not asked, and everybody at the end, is offered nothing.

    viewer: the seat that looks; WHO_IS_ASKED, in each game (at the end, the first seat).
    """
    found = row(room, TRIED)
    for game in range(len(states)):
        s = row(states, game)
        seat = viewer
        mask = row(masks, game)
        for i in range(len(mask)):
            mask[i] = 0
        seats[game] = -1
        if s[STATUS] == ASKING:
            seats[game] = s[SEAT]
            if viewer == WHO_IS_ASKED:
                seat = s[SEAT]
            if seat == s[SEAT] and seat >= 0:
                count = offered(s, acts, found)
                for i in range(count):
                    mask[found[i]] = 1
        seen_by(s, reads, max(0, seat), row(seen, game))


def seen_by(s: Sequence[int], reads: Sequence[int], seat: int, view: MutableSequence[Any]) -> None:
    """What a seat sees, unless the row is empty."""
    for i in range(len(view)):
        view[i] = 0
    if len(view) > 0:
        observe(s, reads, seat, view)


def drawn(states: Sequence[Row], acts: Sequence[int], room: Sequence[Row], seed: int, actions: Row) -> None:
    """An action for each game, that of any of the options with equal chance."""
    found = row(room, TRIED)
    for game in range(len(states)):
        s = row(states, game)
        if s[STATUS] == ASKING:
            offered(s, acts, found)
            actions[game] = found[draw(seed, game, s[OPTIONS])]


def branched(
    code: Sequence[int], s: Sequence[int], answer: int, target: Row, log: Row, acts: Sequence[int], found: Row,
) -> int:  # fmt: skip
    """What a state comes to in which a question is answered by the action of an option, into `target`: what that leaves
    of the question, or the next one, chance's included; and its actions, one for each option. Gives the status."""
    copied(target, s)
    left = 0
    if s[STATUS] == ASKING and one_by_one(s, acts) != 0:
        offered(target, acts, found)
        left = narrowed(target, answer, found)
    status = ASKING
    if left == 0:
        target[ANSWER] = answer
        status = run(code, target, log)
    if status == ASKING:
        offered(target, acts, found)
    return status


# --- one game


def forth(
    code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], seed: int, asked: int, outside: Sequence[int]
) -> int:  # fmt: skip
    """Play on by the plan until somebody is asked whose answers come from outside, or the game is over or stopped.

    Gives the number of questions asked so far, that one included.
    """
    log = row(room, COUNTS)
    status = run(code, s, log)
    while status == ASKING:
        asked += 1
        if outside[s[SEAT] + 1] != 0:
            return asked
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
        status = run(code, s, log)
    return asked


def taken(s: Sequence[int], action: int, acts: Sequence[int], found: MutableSequence[int]) -> int:
    """The index of the option that an action stands for; -1 if it is not offered."""
    offered(s, acts, found)
    for i in range(s[OPTIONS]):
        if found[i] == action:
            return i
    return -1


def scored(code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], found: MutableSequence[int]) -> None:
    """Every seat's score."""
    for seat in range(len(found)):
        copied(row(room, 0), s)
        found[seat] = computed(
            code, row(room, 0), plan[STACK_AT], plan[SCORE_AT], plan[SCORE_AT + 1], plan[SCORE_AT + 2], seat,
            row(room, COUNTS),
        )  # fmt: skip
