"""Games counted for a study, alone or in pairs of two sets of rules, of which each two have the same seed: in native
code or by the machine of a page where either can be had, else by the same functions in plain Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edict.runtime.machine import loop
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.machine.mixing import MASK, draw
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    EV_ENTER,
    EV_LEAVE,
    EVENT_SIZE,
    GAME_OVER,
    LOG_FULL,
    OPTIONS,
    PC,
    RUNNING,
    SEAT,
    STATUS,
    WITHOUT_END,
)
from edict.runtime.simulation import at_hand, batches, keyed_luck, native, tallying
from edict.runtime.simulation.counters import Plan, plan_for
from edict.runtime.simulation.counting_layout import PER_MEASURE, measures_layout
from edict.runtime.simulation.keyed_luck import Luck
from edict.runtime.simulation.plans import RANDOM, ROOM, Policy
from edict.runtime.simulation.plans import plan as ordered
from edict.runtime.simulation.policies import choose

PILOTS = 3  # random games that show how a game is divided
MOST_ROUNDS = 12  # later ones count as the last

Pick = Callable[[list[int]], int]
"""Answers for a seat: takes the state of a question, gives an option's index."""


Key = tuple[str, str, str, str]
"""The name of what is counted, as `counters.Feature` has it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Some games: how each ended, at which place in the code, its row's head with scores and places by seat, and the
    sums of those that ended well; `rows` holds the whole rows, where they were asked for. After a game that would never
    end no others are played; `stopped` is the state it was stopped in."""

    statuses: list[int]
    places: list[int]
    heads: list[list[int]]
    sums: list[int]
    rows: list[list[int]] | Any = ()
    stopped: list[int] | None = None


def count(
    plan: Plan,
    seeds: Sequence[int],
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
    keep: bool = False,
) -> Counted:
    """Games, one for each seed, each seat by its policy (None: all at random). Values of settings must be checked."""
    policies = native.seated(plan.players, policies or [RANDOM] * plan.players)
    if at_hand.quick():
        return _quickly(plan, seeds, settings or {}, policies, keep)
    return count_in_python(plan, seeds, settings, policies, keep)


def _quickly(
    plan: Plan, seeds: Sequence[int], settings: Mapping[str, int], policies: Sequence[Policy], keep: bool
) -> Counted:
    first = first_state(plan.program, plan.players, settings)
    initial, state, games = at_hand.integers(first), at_hand.integers(first), len(seeds)
    statuses, places = at_hand.integers([0] * games), at_hand.integers([0] * games)
    heads, rows = at_hand.rows(games, plan.head), at_hand.rows(games if keep else 1, plan.row.length)
    sums, log = at_hand.integers([0] * plan.sums.length), at_hand.integers(make_event_buffer())
    orders, room = at_hand.integers(ordered(plan.program, policies)), at_hand.rows(ROOM, len(first))
    keys = keyed_luck.keys_of(plan.program, plan.players)
    with at_hand.playing(plan.program, *ways_played(policies)) as code:
        played = at_hand.faster(batches.counted_games)(
            code,
            at_hand.integers(plan.flat),
            initial,
            state,
            orders,
            room,
            at_hand.seeds(seeds),
            at_hand.integers(keys),
            at_hand.integers(keyed_luck.room_for(keys)),
            statuses,
            places,
            heads,
            rows,
            sums,
            log,
        )
    ended = statuses[:played]
    return Counted(
        [*map(int, ended)],
        [*map(int, places[:played])],
        at_hand.lists(heads, played),
        [*map(int, sums)],
        (rows[:played] if native.available() else at_hand.lists(rows, played)) if keep else (),
        [*map(int, state)] if played and int(ended[-1]) in WITHOUT_END else None,
    )


def ways_played(policies: Sequence[Policy]) -> tuple[bool, ...]:
    """Whether events are written where games of these policies are counted; who thinks ahead also plays without."""
    return (True,) if all(policy == RANDOM for policy in policies) else (True, False)


def planned(program: Program, players: int, settings: Mapping[str, int] | None = None) -> Plan:
    """What to count; what a round of the game is shows in a few random games."""
    entered = Counter[int]()
    for seed in range(PILOTS):
        state = first_state(program, players, settings or {})
        for phase, often in _outermost(program, state, seed).items():
            entered[phase] = max(entered[phase], often)
        if state[STATUS] in WITHOUT_END:
            break
    phase, often = max(entered.items(), key=lambda item: item[1], default=(-1, 0))
    return plan_for(program, players, phase, min(often, MOST_ROUNDS)) if often > 1 else plan_for(program, players)


def _outermost(program: Program, state: list[int], seed: int) -> Counter[int]:
    """How often the phases that lie in no other are entered in a random game."""
    buffer, found, depth, asked = make_event_buffer(), Counter[int](), 0, 0
    status = RUNNING
    while status in (RUNNING, ASKING):
        if status == ASKING:
            asked += 1
            state[ANSWER] = draw(seed, asked, state[OPTIONS])
        events: list[int] = []
        status = run_logged(program.code, state, buffer, events)
        for at in range(0, len(events), EVENT_SIZE):
            if events[at] == EV_ENTER:
                found[events[at + 2]] += depth == 0
            depth += (events[at] == EV_ENTER) - (events[at] == EV_LEAVE)
    return found


def count_in_python(
    plan: Plan,
    seeds: Sequence[int],
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
    keep: bool = False,
    picks: Callable[[int], Sequence[Pick]] | None = None,
) -> Counted:
    """The same in plain Python. `picks`: instead of policies, who answers for the seats in the game with a seed."""
    counted = Counted([], [], [], [0] * plan.sums.length, [])
    first = first_state(plan.program, plan.players, settings or {})
    orders = ordered(plan.program, policies or [RANDOM] * plan.players)
    room = [[0] * len(first) for _ in range(ROOM)]
    luck = Luck(plan.program, plan.players)
    for seed in seeds:
        state = first.copy()
        luck.begin(seed & MASK)
        status, row = _one(plan, state, orders, room, luck, picks(seed) if picks else ())
        if status == GAME_OVER:
            tallying.fold(plan.flat, row, counted.sums)
        counted.statuses.append(status)
        counted.places.append(state[PC])
        counted.heads.append(row[: plan.head])
        if keep:
            counted.rows.append(row)
        if status in WITHOUT_END:
            return replace(counted, stopped=state)
    return counted


def _one(
    plan: Plan, state: list[int], orders: Sequence[int], room: Sequence[list[int]], luck: Luck, picks: Sequence[Pick]
) -> tuple[int, list[int]]:
    """How a game ends, and its row."""
    flat, code = plan.flat, plan.program.code
    row = [0] * plan.row.length
    log = make_event_buffer()
    status = loop.run(code, state, log)
    while status in (ASKING, LOG_FULL):
        luck.follow(log)
        tallying.note_events(flat, code, log, row)
        if status == ASKING:
            tallying.note_question(flat, state, row)
            luck.ask(state)
            if state[SEAT] == CHANCE:
                state[ANSWER] = luck.drawn(state)
            elif picks:
                state[ANSWER] = picks[state[SEAT]](state)
            else:
                state[ANSWER] = choose(code, state, orders, room, luck.seed, luck.key)
        status = loop.run(code, state, log)
    tallying.note_events(flat, code, log, row)
    if status == GAME_OVER:
        tallying.note_end(flat, state, row)
        status = batches.scored(code, flat, state, row, [0])
    return status, row


# --- games of two sets of rules in pairs


def shared_features(plan: Plan, other: Plan) -> list[Key]:
    """The names of all features that either has, those of `one` first."""
    return list(dict.fromkeys([*plan.numbered, *other.numbered]))


def paired(
    plan_pair: tuple[Plan, Plan], counted: tuple[Counted, Counted], keys: Sequence[Key], groups: Sequence[int]
) -> tuple[int, list[int]]:
    """How many pairs came to a good end, and their sums. The whole rows must have been kept. `groups`: for each seat,
    the number of the group whose wins are counted together."""
    wanted = [[plan.numbered.get(key, -1) for key in keys] for plan in plan_pair]
    sound = [a == b == GAME_OVER for a, b in zip(counted[0].statuses, counted[1].statuses, strict=True)]
    number = measures_layout(plan_pair[0].players, len(keys)).length
    if at_hand.quick():
        return sum(sound), _paired_quickly(plan_pair, counted, wanted, groups, sound, number)
    sums, found = [0] * (PER_MEASURE * number), ([0] * number, [0] * number)
    for game, well in enumerate(sound):
        if well:
            for plan, games, features, into in zip(plan_pair, counted, wanted, found, strict=True):
                tallying.measure(plan.flat, games.rows[game], features, groups, into)
            tallying.pair(*found, sums)
    return sum(sound), sums


def _paired_quickly(
    plan_pair: tuple[Plan, Plan],
    counted: tuple[Counted, Counted],
    wanted: Any,
    groups: Sequence[int],
    sound: list[bool],
    number: int,
) -> list[int]:
    flats = [at_hand.integers(plan.flat) for plan in plan_pair]
    rows = [at_hand.integers(games.rows) for games in counted]
    numbers = [at_hand.integers(features) for features in wanted]
    found, sums = at_hand.rows(2, number), at_hand.integers([0] * (PER_MEASURE * number))
    seated, well = at_hand.integers(groups), at_hand.integers([*map(int, sound)])
    at_hand.faster(batches.pairs)(*flats, *rows, *numbers, seated, well, found, sums)
    return [*map(int, sums)]
