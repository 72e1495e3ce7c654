"""Networks fitted to the results of games, in floating point by Adam, and their conversion to the machine's integers.

Needs NumPy; import it only where `native.is_available()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from edict.agents.bots.regression import record_positions
from edict.runtime.program import Program
from edict.runtime.simulation.plans import NetJudgement, Policy
from edict.support.records import dataclass

SCALE = 1 << 12
BATCH = 4096  # positions
SAMPLE_INTERVAL = 4
MIN_DEVIATION = 0.05
MAX_BYTES = 1 << 30  # of positions that are kept
NEW_UNIT_FACTOR = 0.3
HELD_OUT = 20

Array = Any


@dataclass(frozen=True)
class Positions:
    """Positions with their outcomes."""

    x: Array  # features, of shape (positions, features)
    y: Array  # outcomes for the player who was asked, of shape (positions,)


@dataclass(frozen=True, slots=True)
class SeatReward:
    """A reward of one seat, whose positions alone are recorded; with a goal, only victories that meet it count."""

    seat: int = 0
    goal_cell: int = -1  # of the state, 1 once the goal was met; -1 without a goal
    goal_points: float = 0.0  # for meeting the goal


def collect_positions(
    program: Program,
    policies: Sequence[Policy],
    seeds: Sequence[int],
    reading: NetJudgement,
    shared: slice,
    winning: float,
    settings: Mapping[str, int] | None = None,
    reward: SeatReward | None = None,
) -> Positions:
    """Play games by these policies, and return the recorded positions (`x` features, `y` outcomes).

    The outcome of a position is the lead at the end, and `winning` points more for a victory.

    Args:
        program: The program.
        policies: The policy of each seat.
        seeds: A seed for each game.
        reading: A network that reads the features.
        shared: The features that are sums over the other players; they are replaced by means.
        winning: Points for a victory.
        settings: Checked values of settings.
        reward: The reward, if only one seat learns.

    Raises:
        EndlessGame: If a game would never end.
    """
    players = len(policies)
    recorded = record_positions(program, seeds, policies, reading, SAMPLE_INTERVAL, settings)
    x, shares, points = recorded.features.astype(np.float32), recorded.shares, 0.0
    x[:, shared] /= max(1, players - 1)
    if reward is not None and reward.goal_cell >= 0:
        met = recorded.ends[:, reward.goal_cell]
        shares, points = shares * met, reward.goal_points * met
    y = recorded.leads + winning * (shares - 1 / players) + points
    used = slice(None) if reward is None else recorded.seats == reward.seat
    return Positions(x.astype(np.float16)[used], y.astype(np.float32)[used])


@dataclass(frozen=True)
class IntegerNetwork:
    """A network in integers."""

    inner: Sequence[Sequence[int]]  # weights of each feature by unit
    bias: Sequence[int]  # of each unit
    outer: Sequence[int]  # weight of each unit


@dataclass
class FloatNetwork:
    """A network with one hidden layer in floating point: units = relu(x / scale @ inner + bias), then @ outer.

    The first unit is linear.
    """

    scale: Array
    inner: Array
    bias: Array
    outer: Array
    moments: list[tuple[Array, Array]] = field(default_factory=list)  # of Adam
    steps: int = 0  # of Adam
    batch: int = BATCH  # positions of a step, at least

    @staticmethod
    def initialize(positions: Positions, units: int, rng: Any) -> FloatNetwork:
        """Create a network with small random weights, scaled for positions like these."""
        scale = np.maximum(positions.x.astype(np.float32).std(0), MIN_DEVIATION)
        inner = (rng.standard_normal((len(scale), units)) / np.sqrt(len(scale))).astype(np.float32)
        inner[:, 0] = 0
        outer = (rng.standard_normal(units) / np.sqrt(units)).astype(np.float32)
        outer[0] = 1
        return FloatNetwork(scale, inner, np.zeros(units, np.float32), outer)

    @staticmethod
    def extend(positions: Positions, trained: IntegerNetwork, units: int, rng: Any) -> FloatNetwork:
        """Create a network of `units` units that starts with the trained ones and small random weights for the rest."""
        layer, old_units = FloatNetwork.initialize(positions, units, rng), len(trained.outer)
        layer.inner *= NEW_UNIT_FACTOR
        layer.outer *= NEW_UNIT_FACTOR
        layer.inner[:, :old_units] = np.array(trained.inner, np.float32) / SCALE * layer.scale[:, None]
        layer.bias[:old_units] = np.array(trained.bias, np.float32) / SCALE
        layer.outer[:old_units] = np.array(trained.outer, np.float32) / SCALE
        return layer

    def fit(self, parts: Sequence[Positions], rate: float, rng: Any) -> float:
        """Train for one epoch, and return the share of held-out variance that the network explains.

        Args:
            parts: The positions; some of the last part are held out.
            rate: The learning rate.
            rng: A NumPy generator.

        Returns:
            The share of the variance of the held-out outcomes that is explained.
        """
        held_out = max(1, len(parts[-1].y) // HELD_OUT)
        sizes = [len(part.y) for part in parts]
        sizes[-1] -= held_out
        batches = [
            (part, rows)
            for part, count in zip(parts, sizes, strict=True)
            for rows in _shuffle_batches(count, rng, self.batch)
        ]
        rng.shuffle(batches)
        for part, rows in batches:
            self._train_batch(self._normalize(part.x[rows]), part.y[rows], rate)
        outcomes = parts[-1].y[-held_out:]
        error = outcomes - self._compute_units(self._normalize(parts[-1].x[-held_out:])) @ self.outer
        return float(1 - error.var() / max(1e-9, outcomes.var()))

    def to_integers(self) -> tuple[list[tuple[int, ...]], tuple[int, ...], tuple[int, ...]]:
        """Return inner weights by input, outer weights and biases, scaled and rounded to integers."""
        inner = [_scale_and_round(row) for row in self.inner / self.scale[:, None]]
        return inner, _scale_and_round(self.outer), _scale_and_round(self.bias)

    def _normalize(self, x: Array) -> Array:
        return x.astype(np.float32) / self.scale

    def _compute_units(self, x: Array) -> Array:
        """Return the hidden activations for rows of features: unit 0 linear, all others rectified (ReLU)."""
        units = x @ self.inner + self.bias
        units[:, 1:] = np.maximum(units[:, 1:], 0)
        return units

    def _train_batch(self, x: Array, y: Array, rate: float) -> None:
        """Take one step of Adam on a batch, with the mean squared error."""
        units = self._compute_units(x)
        error = (units @ self.outer - y) / len(y)
        back = error[:, None] * self.outer
        back[:, 1:] *= units[:, 1:] > 0
        self._apply_adam([x.T @ back, back.sum(0), units.T @ error], rate)

    def _apply_adam(self, gradients: list[Array], rate: float) -> None:
        """Update inner weights, biases and outer weights in place by an Adam step with this learning rate."""
        weights = [self.inner, self.bias, self.outer]
        if not self.moments:
            self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
        self.steps += 1
        for w, g, (m, v) in zip(weights, gradients, self.moments, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= rate * (m / (1 - 0.9**self.steps)) / (np.sqrt(v / (1 - 0.999**self.steps)) + 1e-8)


def concatenate(parts: Sequence[Positions]) -> Positions:
    """Return one `Positions` with the rows (`x` and `y`) of all parts, in order."""
    return Positions(np.concatenate([part.x for part in parts]), np.concatenate([part.y for part in parts]))


def select_recent(rounds: Sequence[Positions], most: int) -> list[Positions]:
    """Return the last `most` rounds, or as many of them as fit into `MAX_BYTES`."""
    selected, size = list[Positions](), 0
    for part in reversed(rounds[-most:]):
        size += part.x.nbytes
        if selected and size > MAX_BYTES:
            break
        selected.append(part)
    return selected[::-1]


def create_rng(seed: int) -> Any:
    """Create a NumPy generator for a seed."""
    return np.random.default_rng(seed)


def _shuffle_batches(size: int, rng: Any, batch: int) -> list[Array]:
    """Return a random permutation of the indices below `size`, split into batches of at least `batch`."""
    return np.array_split(rng.permutation(size), max(1, size // batch))


def _scale_and_round(numbers: Array) -> tuple[int, ...]:
    """Multiply numbers by `SCALE` and round them to integers, as the machine's networks hold weights."""
    return tuple(int(number) for number in np.rint(numbers * SCALE))
