"""Positions recorded from games in native code, and weights fitted to the results of these games.

Needs NumPy; import it only where `native.is_available()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import GAME_OVER, STATUS, WINNERS
from edict.runtime.simulation import native, sampling
from edict.runtime.simulation.plans import SCRATCH_ROWS, NetJudgement, Policy, build_plan, net_policy
from edict.support.records import dataclass


class EndlessGame(Exception):
    """A game that would never end; `state` is the one in which it was stopped."""

    def __init__(self, state: Sequence[int]) -> None:
        self.state = list(state)
        super().__init__()


MAX_ROWS = 400  # options tried or positions recorded in one game


def sample_choices(
    program: Program, seeds: Sequence[int], policies: Sequence[Policy], reading: Policy, every: int, games: int
) -> tuple[Any, Any, Any]:
    """Play games, try every option of one choice in `every`, and return features, leads and choice numbers.

    Args:
        program: The program.
        seeds: A seed for each game.
        policies: The policy of each seat.
        reading: The policy whose features are recorded.
        every: One choice in so many is tried out.
        games: Playouts for each option.

    Returns:
        For each option tried: its features (see `sampling.describe`), the mean lead in score over the playouts (own
        score less the mean of the others'), and the number of the choice.

    Raises:
        EndlessGame: If a game would never end.
    """
    players = len(policies)
    initial = native.make_integers(create_state(program, players, {}, logging=False))
    features = np.zeros((len(seeds), MAX_ROWS, reading.inputs + 2), dtype=np.int64)
    leads, groups = (np.zeros((len(seeds), MAX_ROWS), dtype=np.int64) for _ in range(2))
    plan_row = native.make_integers(build_plan(program, [*policies, reading]))
    scratch = np.empty((SCRATCH_ROWS + 1, len(initial)), dtype=np.int64)
    rows = features.reshape(-1, features.shape[-1])
    with native.use_program(program) as code:
        is_sound = native.native_function(sampling.sample_games)(
            code, initial, plan_row, native.make_seeds(seeds), scratch, rows, leads, groups, every, games
        )
    if not is_sound:
        raise EndlessGame(scratch[SCRATCH_ROWS].tolist())
    numbered = groups + np.arange(len(seeds))[:, None] * MAX_ROWS
    used = groups > 0
    return features[used], leads[used] / (max(1, games) * max(1, players - 1)), numbered[used]


@dataclass(frozen=True)
class RecordedPositions:
    """Positions of games, with an entry for each in every array."""

    features: Any  # int16
    seats: Any  # the player who was asked
    leads: Any  # that player's score at the end less the mean of the others'
    shares: Any  # that player's share of the victory
    ends: Any  # the final state of the game


def record_positions(
    program: Program,
    seeds: Sequence[int],
    policies: Sequence[Policy],
    reading: NetJudgement,
    every: int,
    settings: Mapping[str, int] | None = None,
) -> RecordedPositions:
    """Play games, and return some of their positions with the results.

    Args:
        program: The program.
        seeds: A seed for each game.
        policies: The policy of each seat.
        reading: The network whose features are recorded.
        every: One position in so many is recorded.
        settings: Checked values of settings.

    Raises:
        EndlessGame: If a game would never end.
    """
    players = len(policies)
    initial = native.make_integers(create_state(program, players, settings or {}, logging=False))
    features = np.zeros((len(seeds), MAX_ROWS, reading.inputs), dtype=np.int64)
    asked_seats = np.zeros((len(seeds), MAX_ROWS), dtype=np.int64)
    rows = np.zeros(len(seeds), dtype=np.int64)
    leads = np.zeros((len(seeds), players), dtype=np.int64)
    ends = np.empty((len(seeds), len(initial)), dtype=np.int64)
    plan_row = native.make_integers(build_plan(program, [*policies, net_policy(reading)]))
    scratch = np.empty((SCRATCH_ROWS, len(initial)), dtype=np.int64)
    with native.use_program(program) as code:
        native.native_function(sampling.record_games)(
            code,
            initial,
            plan_row,
            native.make_seeds(seeds),
            scratch,
            features.reshape(-1, features.shape[-1]),
            asked_seats,
            rows,
            leads,
            ends,
            every,
        )
    for end in ends[ends[:, STATUS] != GAME_OVER]:
        raise EndlessGame(end.tolist())
    used = np.arange(MAX_ROWS) < rows[:, None]
    game = np.nonzero(used)[0]
    seats = asked_seats[used]
    return RecordedPositions(
        features[used].astype(np.int16),
        seats,
        leads[game, seats] / max(1, players - 1),
        compute_win_shares(ends, players)[game, seats],
        ends[game],
    )


def compute_win_shares(ends: Any, players: int) -> Any:
    """Return each seat's share of the victory in each final state: 1, a part if it is shared, or 0."""
    bits = (ends[:, WINNERS][:, None] >> np.arange(players)) & 1
    bits[ends[:, STATUS] != GAME_OVER] = 0
    return bits / np.maximum(bits.sum(axis=1, keepdims=True), 1)


def sum_win_shares(
    program: Program,
    policies: Sequence[Policy],
    seeds: Sequence[int],
    seat: int,
    settings: Mapping[str, int] | None = None,
) -> float:
    """Return the sum of a seat's shares of the victory over games, one for each seed."""
    ends, _ = native.play_batch(program, len(policies), seeds, settings, policies)
    return float(compute_win_shares(ends, len(policies))[:, seat].sum())


def fit_weights(parts: Sequence[tuple[Any, Any, Any]], end: int, ridge: float) -> Any:
    """Return the weights that best predict leads from features within each choice, by ridge regression.

    Returns:
        The player's weights at the clock's beginning, the others', then how both change to its end.
    """
    left: Any = 0.0
    right: Any = 0.0
    for features, leads, groups in parts:
        columns = _subtract_group_means(_add_clock_columns(features, end), groups)
        left = left + columns.T @ columns
        right = right + columns.T @ _subtract_group_means(leads[:, None], groups)[:, 0]
    return np.linalg.solve(left + ridge * np.eye(len(right)), right)


def compute_judgement_scale(part: tuple[Any, Any, Any], weights: Any, end: int) -> float:
    """Return the deviation of the weights' values within choices divided by that of the rules' judgement."""
    features, _, groups = part
    by_weights = _subtract_group_means(_add_clock_columns(features, end), groups) @ weights
    by_rules = _subtract_group_means(features[:, -1:].astype(float), groups)
    return float(by_weights.std() / max(1e-9, by_rules.std()))


def _add_clock_columns(rows: Any, end: int) -> Any:
    """Return the features, then the same times progress (clock / end, from 0 to 1); the last two columns go."""
    features = rows[:, :-2].astype(float)
    return np.hstack([features, features * np.clip(rows[:, -2:-1] / end, 0, 1)])


def _subtract_group_means(values: Any, groups: Any) -> Any:
    """Return the rows less the mean of their group."""
    _, place, count = np.unique(groups, False, True, True)
    sums = np.zeros((len(count), values.shape[1]))
    np.add.at(sums, place, values)
    return values - (sums / count[:, None])[place]
