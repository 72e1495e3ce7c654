"""Games counted for a study, alone or in pairs of two rule sets with equal seeds.

They are played in native code or by a page's machine where available, else by the same functions in plain Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from edict.runtime.machine.events import make_event_buffer, run_and_collect_events
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    ENDLESS_FAULTS,
    EV_ENTER,
    EV_LEAVE,
    EVENT_SIZE,
    GAME_OVER,
    OPTIONS,
    RUNNING,
    SEAT,
    STATUS,
)
from edict.runtime.simulation import batches, execution_backend, keyed_randomness, native
from edict.runtime.simulation.counters import GROUPED, CountingPlan, build_counting_plan
from edict.runtime.simulation.counting_layout import PER_MEASURE, measures_layout
from edict.runtime.simulation.plans import RANDOM, SCRATCH_ROWS, Policy
from edict.runtime.simulation.plans import build_plan as ordered
from edict.support.records import dataclass

PILOTS = 3  # random games that show which phase is a round
MOST_ROUNDS = 12  # later ones count as the last

FeatureKey = tuple[str, str, str, str]  # the key of a feature, see `counters.Feature`


@dataclass(frozen=True, slots=True)
class CountedGames:
    """The results of counted games.

    After a game that would never end no others are played.
    """

    statuses: list[int]  # last status of each game
    places: list[int]  # place in the code where each ended
    heads: list[list[int]]  # head of each row, with scores and places by seat
    sums: list[int]  # sums of the games that ended well
    rows: list[list[int]] | Any = ()  # whole rows, if they were kept
    endless_state: list[int] | None = None  # state in which an endless game was stopped


def count_games(
    plan: CountingPlan,
    seeds: Sequence[int],
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
    keep: bool = False,
) -> CountedGames:
    """Play and count games, one for each seed.

    Args:
        plan: The features to count.
        seeds: A 64-bit seed for each game.
        settings: Checked values of settings; the others have their defaults.
        policies: The policy of each seat; all play at random if None.
        keep: Keep the whole row of each game.
    """
    policies = native.require_seat_policies(plan.players, policies or [RANDOM] * plan.players)
    start = create_state(plan.program, plan.players, settings or {})
    initial, state, games = execution_backend.make_integers(start), execution_backend.make_integers(start), len(seeds)
    statuses, places = execution_backend.make_integers([0] * games), execution_backend.make_integers([0] * games)
    heads, rows = (
        execution_backend.make_rows(games, plan.head_length),
        execution_backend.make_rows(games if keep else 1, plan.row_layout.length),
    )
    sums, log = (
        execution_backend.make_integers([0] * plan.sums_layout.length),
        execution_backend.make_integers(make_event_buffer()),
    )
    policy_plan, scratch = (
        execution_backend.make_integers(ordered(plan.program, policies)),
        execution_backend.make_rows(SCRATCH_ROWS, len(start)),
    )
    keys = keyed_randomness.build_keys(plan.program, plan.players)
    with execution_backend.use_program(plan.program, *event_modes(policies)) as code:
        played_count = execution_backend.accelerate(batches.counted_games)(
            code,
            execution_backend.make_integers(plan.flat),
            initial,
            state,
            policy_plan,
            scratch,
            execution_backend.make_seeds(seeds),
            execution_backend.make_integers(keys),
            execution_backend.make_integers(keyed_randomness.create_tracker(keys)),
            statuses,
            places,
            heads,
            rows,
            sums,
            log,
        )
    last_statuses = [*map(int, statuses[:played_count])]
    kept: Any = ()
    if keep:
        kept = rows[:played_count] if native.is_available() else execution_backend.to_lists(rows, played_count)
    stopped = [*map(int, state)] if last_statuses and last_statuses[-1] in ENDLESS_FAULTS else None
    return CountedGames(
        last_statuses,
        [*map(int, places[:played_count])],
        execution_backend.to_lists(heads, played_count),
        [*map(int, sums)],
        kept,
        stopped,
    )


def event_modes(policies: Sequence[Policy]) -> tuple[bool, ...]:
    """Return the event modes to compile: (True,) if all policies are random, else (True, False) for lookahead too."""
    return (True,) if all(policy == RANDOM for policy in policies) else (True, False)


def plan_counting(program: Program, players: int, settings: Mapping[str, int] | None = None) -> CountingPlan:
    """Build the counting plan of a program, after finding its rounds in a few random games."""
    entered, turns = Counter[int](), set[int]()
    for seed in range(PILOTS):
        state = create_state(program, players, settings or {})
        outer_phases, turn_phases = _observe_phases(program, state, seed)
        turns |= turn_phases
        for phase, times in outer_phases.items():
            entered[phase] = max(entered[phase], times)
        if state[STATUS] in ENDLESS_FAULTS:
            break
    phase, times = max(entered.items(), key=lambda item: item[1], default=(-1, 0))
    return (
        build_counting_plan(program, players, phase, min(times, MOST_ROUNDS), turns)
        if times > 1
        else build_counting_plan(program, players, turn_phases=turns)
    )


def _observe_phases(program: Program, state: list[int], seed: int) -> tuple[Counter[int], set[int]]:
    """Play a random game, and return how often each phase begins outside of others, and those that set the turn order.

    A phase within a round sets the order if a player is asked there under another order than before.
    """
    buffer, entered, asked = make_event_buffer(), Counter[int](), 0
    turns, open_phases, order = set[int](), list[int](), -1
    status = RUNNING
    while status in (RUNNING, ASKING):
        if status == ASKING:
            asked += 1
            if state[SEAT] >= 0:
                if open_phases and order not in (-1, state[program.order]):
                    turns.add(open_phases[:2][-1])
                order = state[program.order]
            state[ANSWER] = draw(seed, asked, state[OPTIONS])
        events: list[int] = []
        status = run_and_collect_events(program.code, state, buffer, events)
        for event in range(0, len(events), EVENT_SIZE):
            if events[event] == EV_ENTER:
                entered[events[event + 2]] += not open_phases
                open_phases.append(events[event + 2])
            elif events[event] == EV_LEAVE:
                del open_phases[-1:]
    return entered, turns


# --- pairs of games of two rule sets


def list_features(plan: CountingPlan, other: CountingPlan) -> list[FeatureKey]:
    """List the keys of the features of two plans, without groups, those of the first plan first."""
    return [key for key in dict.fromkeys([*plan.feature_numbers, *other.feature_numbers]) if key[0] != GROUPED]


def sum_measures_over_pairs(
    plan_pair: tuple[CountingPlan, CountingPlan],
    counted: tuple[CountedGames, CountedGames],
    keys: Sequence[FeatureKey],
    groups: Sequence[int],
) -> tuple[int, list[int]]:
    """Sum up measures over pairs of games that both ended well, and return the number of pairs and the sums.

    Args:
        plan_pair: The counting plans.
        counted: The games, with whole rows.
        keys: The features to compare.
        groups: For each seat, the number of the group whose wins are counted together.
    """
    sound = [int(a == b == GAME_OVER) for a, b in zip(counted[0].statuses, counted[1].statuses, strict=True)]
    wanted = [
        execution_backend.make_integers([plan.feature_numbers.get(key, -1) for key in keys]) for plan in plan_pair
    ]
    flats = [execution_backend.make_integers(plan.flat) for plan in plan_pair]
    rows = [execution_backend.make_integers(games.rows) for games in counted]
    number = measures_layout(plan_pair[0].players, len(keys)).length
    measures, sums = (
        execution_backend.make_rows(2, number),
        execution_backend.make_integers([0] * (PER_MEASURE * number)),
    )
    group_row, sound_row = execution_backend.make_integers(groups), execution_backend.make_integers(sound)
    execution_backend.accelerate(batches.sum_pair_measures)(
        *flats, *rows, *wanted, group_row, sound_row, measures, sums
    )
    return sum(sound), [*map(int, sums)]
