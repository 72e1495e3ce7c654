"""Games counted for a study, alone or in pairs of two sets of rules, of which each two have the same seed: in native
code or by the machine of a page where either can be had, else by the same functions in plain Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    EV_ENTER,
    EV_LEAVE,
    EVENT_SIZE,
    GAME_OVER,
    OPTIONS,
    RUNNING,
    STATUS,
    WITHOUT_END,
)
from edict.runtime.simulation import at_hand, batches, keyed_luck, native
from edict.runtime.simulation.counters import Plan, plan_for
from edict.runtime.simulation.counting_layout import PER_MEASURE, measures_layout
from edict.runtime.simulation.plans import RANDOM, ROOM, Policy
from edict.runtime.simulation.plans import plan as ordered

PILOTS = 3  # random games that show how a game is divided
MOST_ROUNDS = 12  # later ones count as the last

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
    """Play and count games, one for each seed.

    Args:
        plan: What to count.
        seeds: A seed of 64 bits for each game.
        settings: Checked values of settings; the others have their defaults.
        policies: The policy of each seat; all play at random if None.
        keep: Keep the whole row of each game.
    """
    policies = native.seated(plan.players, policies or [RANDOM] * plan.players)
    first = first_state(plan.program, plan.players, settings or {})
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
    ended = [*map(int, statuses[:played])]
    kept: Any = ()
    if keep:
        kept = rows[:played] if native.available() else at_hand.lists(rows, played)
    stopped = [*map(int, state)] if ended and ended[-1] in WITHOUT_END else None
    return Counted(ended, [*map(int, places[:played])], at_hand.lists(heads, played), [*map(int, sums)], kept, stopped)


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


# --- games of two sets of rules in pairs


def shared_features(plan: Plan, other: Plan) -> list[Key]:
    """The names of all features that either has, those of `one` first."""
    return list(dict.fromkeys([*plan.numbered, *other.numbered]))


def paired(
    plan_pair: tuple[Plan, Plan], counted: tuple[Counted, Counted], keys: Sequence[Key], groups: Sequence[int]
) -> tuple[int, list[int]]:
    """Sum up pairs of games that both came to a good end, and return their number and the sums.

    Args:
        plan_pair: What was counted of each.
        counted: The games, with their whole rows.
        keys: The features to compare.
        groups: For each seat, the number of the group whose wins are counted together.
    """
    sound = [int(a == b == GAME_OVER) for a, b in zip(counted[0].statuses, counted[1].statuses, strict=True)]
    wanted = [at_hand.integers([plan.numbered.get(key, -1) for key in keys]) for plan in plan_pair]
    flats = [at_hand.integers(plan.flat) for plan in plan_pair]
    rows = [at_hand.integers(games.rows) for games in counted]
    number = measures_layout(plan_pair[0].players, len(keys)).length
    measures, sums = at_hand.rows(2, number), at_hand.integers([0] * (PER_MEASURE * number))
    seated, well = at_hand.integers(groups), at_hand.integers(sound)
    at_hand.faster(batches.pairs)(*flats, *rows, *wanted, seated, well, measures, sums)
    return sum(sound), [*map(int, sums)]
