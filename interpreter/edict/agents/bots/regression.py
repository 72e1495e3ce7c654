"""Learning from games played: positions recorded in native code, and weights fitted to how the games ended.

Needs NumPy; import it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from edict.runtime.program import Program
from edict.runtime.program.initial_state import create_state
from edict.runtime.program.opcodes import GAME_OVER, STATUS, WINNERS
from edict.runtime.simulation import native, sampling
from edict.runtime.simulation.plans import SCRATCH_ROWS, NetJudgement, Policy, build_plan, net_policy


class NeverEnds(Exception):
    """A game that would never end; `state` is the one in which it was stopped."""

    def __init__(self, state: Sequence[int]) -> None:
        self.state = list(state)
        super().__init__()


ROWS = 400  # options tried out in one game at most


def sampled(
    program: Program, seeds: Sequence[int], policies: Sequence[Policy], reading: Policy, every: int, games: int
) -> tuple[Any, Any, Any]:
    """Choices of games by these policies, every option tried out: what a policy reads (see `sampling.describe`), leads
    in score (own less the mean of the others', the mean of so many games), and the number of the choice.

    Raises `NeverEnds`.
    """
    players = len(policies)
    initial = native.make_integers(create_state(program, players, {}, logging=False))
    found = np.zeros((len(seeds), ROWS, reading.inputs + 2), dtype=np.int64)
    leads, groups = (np.zeros((len(seeds), ROWS), dtype=np.int64) for _ in range(2))
    orders = native.make_integers(build_plan(program, [*policies, reading]))
    room = np.empty((SCRATCH_ROWS + 1, len(initial)), dtype=np.int64)
    rows = found.reshape(-1, found.shape[-1])
    with native.use_program(program) as code:
        sound = native.native_function(sampling.sample_games)(
            code, initial, orders, native.make_seeds(seeds), room, rows, leads, groups, every, games
        )
    if not sound:
        raise NeverEnds(room[SCRATCH_ROWS].tolist())
    numbered = groups + np.arange(len(seeds))[:, None] * ROWS
    there = groups > 0
    return found[there], leads[there] / (max(1, games) * max(1, players - 1)), numbered[there]


def recorded(
    program: Program, seeds: Sequence[int], policies: Sequence[Policy], reading: NetJudgement, every: int
) -> tuple[Any, Any, Any]:
    """Positions that players came to in games by these policies, and how the games ended for them.

    Gives what the terms of a network read of each position (see `policies.described`; int16), and for whoever came to
    it: how far they led in score at the end (own less the mean of the others'), and their share of the victory.
    Raises `NeverEnds`.
    """
    players = len(policies)
    initial = native.make_integers(create_state(program, players, {}, logging=False))
    found = np.zeros((len(seeds), ROWS, reading.inputs), dtype=np.int64)
    whose = np.zeros((len(seeds), ROWS), dtype=np.int64)
    rows = np.zeros(len(seeds), dtype=np.int64)
    leads = np.zeros((len(seeds), players), dtype=np.int64)
    ends = np.empty((len(seeds), len(initial)), dtype=np.int64)
    orders = native.make_integers(build_plan(program, [*policies, net_policy(reading)]))
    room = np.empty((SCRATCH_ROWS, len(initial)), dtype=np.int64)
    with native.use_program(program) as code:
        native.native_function(sampling.record_games)(
            code,
            initial,
            orders,
            native.make_seeds(seeds),
            room,
            found.reshape(-1, found.shape[-1]),
            whose,
            rows,
            leads,
            ends,
            every,
        )
    for end in ends[ends[:, STATUS] != GAME_OVER]:
        raise NeverEnds(end.tolist())
    there = np.arange(ROWS) < rows[:, None]
    game = np.nonzero(there)[0]
    lead = leads[game, whose[there]] / max(1, players - 1)
    return found[there].astype(np.int16), lead, shares(ends, players)[game, whose[there]]


def shares(ends: Any, players: int) -> Any:
    """How much of the victory each seat has in each final state: 1, a part if it is shared, or 0."""
    bits = (ends[:, WINNERS][:, None] >> np.arange(players)) & 1
    bits[ends[:, STATUS] != GAME_OVER] = 0
    return bits / np.maximum(bits.sum(axis=1, keepdims=True), 1)


def victories(program: Program, policies: Sequence[Policy], seeds: Sequence[int], seat: int) -> float:
    """The sum of a seat's shares of the victory over games, one for each seed."""
    ends, _ = native.play_batch(program, len(policies), seeds, policies=policies)
    return float(shares(ends, len(policies))[:, seat].sum())


def fitted(parts: Sequence[tuple[Any, Any, Any]], end: int, ridge: float) -> Any:
    """Weights from samples: one's own at the clock's beginning, the others', then how both change to its end."""
    left: Any = 0.0
    right: Any = 0.0
    for found, leads, groups in parts:
        columns = _less_mean(_columns(found, end), groups)
        left = left + columns.T @ columns
        right = right + columns.T @ _less_mean(leads[:, None], groups)[:, 0]
    return np.linalg.solve(left + ridge * np.eye(len(right)), right)


def spreads(part: tuple[Any, Any, Any], weights: Any, end: int) -> float:
    """By what to multiply the rules' judgement so that its differences are as large as those by the weights."""
    found, _, groups = part
    by_weights = _less_mean(_columns(found, end), groups) @ weights
    by_rules = _less_mean(found[:, -1:].astype(float), groups)
    return float(by_weights.std() / max(1e-9, by_rules.std()))


def _columns(found: Any, end: int) -> Any:
    """The features, and the features by how far the game is."""
    features = found[:, :-2].astype(float)
    return np.hstack([features, features * np.clip(found[:, -2:-1] / end, 0, 1)])


def _less_mean(values: Any, groups: Any) -> Any:
    """The rows, less the mean of those of the same choice."""
    _, place, count = np.unique(groups, False, True, True)
    sums = np.zeros((len(count), values.shape[1]))
    np.add.at(sums, place, values)
    return values - (sums / count[:, None])[place]
