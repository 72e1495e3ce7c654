"""Networks fitted to how games ended: real numbers, Adam, and the way to the whole numbers that the machine plays by.

Needs NumPy; import it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edict.agents.bots.regression import recorded
from edict.runtime.program import Program
from edict.runtime.simulation.plans import NetJudgement, Policy

SCALE = 1 << 12  # weights are whole numbers inside the machine
BATCH = 4096
EVERY = 4  # of so many other positions one is noted
FLAT = 0.05  # a feature that varies less than that is not stretched to vary by 1
MOST_BYTES = 1 << 30  # of positions that are kept
FAINT = 0.3  # how strong the weights of new units are beside those of a fresh network
HELD_OUT = 20  # of so many positions of the last round one is not fitted to

Array = Any


@dataclass(frozen=True)
class Positions:
    """Positions by features, of shape (positions, features), and what they came to for whoever came to them."""

    x: Array
    y: Array


def positions(
    program: Program,
    policies: Sequence[Policy],
    seeds: Sequence[int],
    reading: NetJudgement,
    shared: slice,
    winning: float,
) -> Positions:
    """Positions of games by these policies, a game for each seed.

    shared: the features that are sums over the other players; their means are given. What a position comes to is the
    lead at the end, and `winning` points more for a victory. Raises `regression.NeverEnds`.
    """
    players = len(policies)
    x, lead, share = recorded(program, seeds, policies, reading, EVERY)
    x = x.astype(np.float32)
    x[:, shared] /= max(1, players - 1)
    return Positions(x.astype(np.float16), (lead + winning * (share - 1 / players)).astype(np.float32))


@dataclass(frozen=True)
class IntegerNetwork:
    """A network in whole numbers: weights of each feature by unit, the units' biases, and their weights."""

    inner: Sequence[Sequence[int]]
    bias: Sequence[int]
    outer: Sequence[int]


@dataclass
class Layer:
    """The network with real numbers: units = relu(x / scale @ inner + bias), but the first one is straight; then
    @ outer. `moments` and `steps` are Adam's."""

    scale: Array
    inner: Array
    bias: Array
    outer: Array
    moments: list[tuple[Array, Array]] = field(default_factory=list)
    steps: int = 0

    @staticmethod
    def fresh(part: Positions, units: int, luck: Any) -> Layer:
        """A network of small weights drawn at random, for positions like these."""
        scale = np.maximum(part.x.astype(np.float32).std(0), FLAT)
        inner = (luck.standard_normal((len(scale), units)) / np.sqrt(len(scale))).astype(np.float32)
        inner[:, 0] = 0
        outer = (luck.standard_normal(units) / np.sqrt(units)).astype(np.float32)
        outer[0] = 1
        return Layer(scale, inner, np.zeros(units, np.float32), outer)

    @staticmethod
    def grown(part: Positions, known: IntegerNetwork, units: int, luck: Any) -> Layer:
        """A network that values positions as a known one does, nearly: what units it has more say little so far."""
        layer, old = Layer.fresh(part, units, luck), len(known.outer)
        layer.inner *= FAINT
        layer.outer *= FAINT
        layer.inner[:, :old] = np.array(known.inner, np.float32) / SCALE * layer.scale[:, None]
        layer.bias[:old] = np.array(known.bias, np.float32) / SCALE
        layer.outer[:old] = np.array(known.outer, np.float32) / SCALE
        return layer

    def fit(self, parts: Sequence[Positions], rate: float, luck: Any) -> float:
        """Go over all positions once; gives how much of the outcomes' variance is explained in some of the last part,
        which are left out."""
        held = max(1, len(parts[-1].y) // HELD_OUT)
        sizes = [len(part.y) for part in parts]
        sizes[-1] -= held
        batches = [(part, rows) for part, size in zip(parts, sizes, strict=True) for rows in _batches(size, luck)]
        luck.shuffle(batches)
        for part, rows in batches:
            self._step(self._scaled(part.x[rows]), part.y[rows], rate)
        outcomes = parts[-1].y[-held:]
        error = outcomes - self._units(self._scaled(parts[-1].x[-held:])) @ self.outer
        return float(1 - error.var() / max(1e-9, outcomes.var()))

    def whole(self) -> tuple[list[tuple[int, ...]], tuple[int, ...], tuple[int, ...]]:
        """Weights in whole numbers: of each feature by unit, of the units, and the units' biases."""
        inner = [_whole(row) for row in self.inner / self.scale[:, None]]
        return inner, _whole(self.outer), _whole(self.bias)

    def _scaled(self, x: Array) -> Array:
        return x.astype(np.float32) / self.scale

    def _units(self, x: Array) -> Array:
        units = x @ self.inner + self.bias
        units[:, 1:] = np.maximum(units[:, 1:], 0)
        return units

    def _step(self, x: Array, y: Array, rate: float) -> None:
        """One step of Adam towards y, by the mean of the squared errors."""
        units = self._units(x)
        error = (units @ self.outer - y) / len(y)
        back = error[:, None] * self.outer
        back[:, 1:] *= units[:, 1:] > 0
        self._adam([x.T @ back, back.sum(0), units.T @ error], rate)

    def _adam(self, slopes: list[Array], rate: float) -> None:
        weights = [self.inner, self.bias, self.outer]
        if not self.moments:
            self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
        self.steps += 1
        for w, g, (m, v) in zip(weights, slopes, self.moments, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= rate * (m / (1 - 0.9**self.steps)) / (np.sqrt(v / (1 - 0.999**self.steps)) + 1e-8)


def joined(parts: Sequence[Positions]) -> Positions:
    """All of them as one."""
    return Positions(np.concatenate([part.x for part in parts]), np.concatenate([part.y for part in parts]))


def kept(rounds: Sequence[Positions], most: int) -> list[Positions]:
    """The last of these rounds, as many as memory may be used for."""
    found, size = list[Positions](), 0
    for part in reversed(rounds[-most:]):
        size += part.x.nbytes
        if found and size > MOST_BYTES:
            break
        found.append(part)
    return found[::-1]


def luck_of(seed: int) -> Any:
    """Random numbers for a network, always the same for a seed."""
    return np.random.default_rng(seed)


def _batches(size: int, luck: Any) -> list[Array]:
    return np.array_split(luck.permutation(size), max(1, size // BATCH))


def _whole(numbers: Array) -> tuple[int, ...]:
    return tuple(int(number) for number in np.rint(numbers * SCALE))
