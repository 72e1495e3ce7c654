"""Games of two sets of rules in pairs, of which each two have the same seed: what the pairs sum up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edict.program.opcodes import GAME_OVER
from edict.simulation import batches, native, tallying
from edict.simulation.counters import Plan
from edict.simulation.counting import Counted
from edict.simulation.tallying import MEASURES, PER_MEASURE

Key = tuple[str, str, str, str]


def shared_features(one: Plan, other: Plan) -> list[Key]:
    """The names of all features that either has, those of `one` first."""
    return list(dict.fromkeys([*one.numbered, *other.numbered]))


def paired(
    plan_pair: tuple[Plan, Plan], counted: tuple[Counted, Counted], keys: Sequence[Key]
) -> tuple[int, list[int]]:
    """How many pairs came to a good end, and their sums. The whole rows must have been kept."""
    wanted = [[plan.numbered.get(key, -1) for key in keys] for plan in plan_pair]
    sound = [a == b == GAME_OVER for a, b in zip(counted[0].statuses, counted[1].statuses, strict=True)]
    measures = MEASURES + plan_pair[0].players + 2 * len(keys)
    if native.available():
        return sum(sound), _natively(plan_pair, counted, wanted, sound, measures)
    sums, found = [0] * (PER_MEASURE * measures), ([0] * measures, [0] * measures)
    for number, well in enumerate(sound):
        if well:
            for plan, games, features, into in zip(plan_pair, counted, wanted, found, strict=True):
                tallying.measure(plan.flat, games.rows[number], features, into)
            tallying.pair(*found, sums)
    return sum(sound), sums


def _natively(
    plan_pair: tuple[Plan, Plan], counted: tuple[Counted, Counted], wanted: Any, sound: list[bool], measures: int
) -> list[int]:
    import numpy as np

    flats = [np.array(plan.flat, dtype=np.int64) for plan in plan_pair]
    rows = [np.asarray(games.rows, dtype=np.int64) for games in counted]
    numbers = [np.array(features, dtype=np.int64) for features in wanted]
    found = np.zeros((2, measures), dtype=np.int64)
    sums = np.zeros(PER_MEASURE * measures, dtype=np.int64)
    native.faster(batches.pairs)(*flats, *rows, *numbers, np.array(sound, dtype=np.int64), found, sums)
    given: list[int] = sums.tolist()
    return given
