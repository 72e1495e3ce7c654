"""A player that learns by playing against itself: a small network, trained with nothing but NumPy.

    python examples/self-play/learn.py -o network.json
    python examples/self-play/learn.py --game pig --rounds 30 --games 400 -o pig.json
    kingsburg play --bot learned@network.json

Each round plays games by the network as it is (in the first, by `greedy`), with a few answers by lot so that it sees
what it would not do. Of positions that players came to it is noted how the game ended for them, and the network is
fitted to the positions of the last rounds. Rounds are small and many: a network that changes much at once plays by what
it has not seen yet. Every tenth round it is measured against `greedy`, and written.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from edict.bots.features import places, surroundings
from edict.bots.kinds import policy_of
from edict.bots.nets import Network, reading
from edict.machine.regression import recorded, victories
from edict.machine.orders import Policy
from edict.program import Program
from edict.table.rules import load_rules

SCALE = 1 << 12  # weights are whole numbers inside the machine
WHIM = 60  # answers by lot in a thousand
EVERY = 4  # of so many other positions one is noted
KEEP = 25  # rounds whose positions are fitted to
BATCH = 4096
CHUNK = 50  # games played at once
RATE = 1e-3  # of the first steps; it falls to a fiftieth
MEASURED = 10  # rounds between two measurements
MATCHES = 2 * 10**11  # the seed of the first game of a measurement

Array = Any


@dataclass
class Layer:
    """The network with real numbers: units = relu(x @ inner + bias), but the first unit is straight; then @ outer."""

    inner: Array
    bias: Array
    outer: Array
    moments: list[tuple[Array, Array]] = field(default_factory=list)
    steps: int = 0

    @staticmethod
    def fresh(inputs: int, units: int, luck: Any) -> Layer:
        inner = (luck.standard_normal((inputs, units)) / np.sqrt(inputs)).astype(np.float32)
        inner[:, 0] = 0
        outer = (luck.standard_normal(units) / np.sqrt(units)).astype(np.float32)
        outer[0] = 1
        return Layer(inner, np.zeros(units, np.float32), outer)

    def values(self, x: Array) -> Array:
        return self._units(x) @ self.outer

    def _units(self, x: Array) -> Array:
        units = x @ self.inner + self.bias
        units[:, 1:] = np.maximum(units[:, 1:], 0)
        return units

    def step(self, x: Array, y: Array, rate: float) -> None:
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


@dataclass
class Data:
    """Positions, by features: what they are, and what became of them."""

    x: Array
    y: Array


def played(program: Program, players: int, games: int, policy: Policy, seed: int, winning: float) -> Data:
    """Positions of games by a policy. A victory counts `winning` points beside the lead."""
    xs, ys = [], []
    half = 2 * sum(len(place.names) for place in places(program))
    for first in range(seed, seed + games, CHUNK):
        seeds = range(first, first + CHUNK)
        x, lead, share = recorded(program, seeds, [policy] * players, reading(program), EVERY)
        x = x.astype(np.float32)
        x[:, half // 2 : half] /= max(1, players - 1)
        xs.append(x.astype(np.float16))
        ys.append((lead + winning * (share - 1 / players)).astype(np.float32))
    return Data(np.concatenate(xs), np.concatenate(ys))


def fit(layer: Layer, scale: Array, parts: list[Data], rate: float, luck: Any) -> float:
    """Go over all positions once; gives how much of the outcomes' variance is explained in games not fitted to."""
    held = [len(part.y) // 20 for part in parts]
    sizes = [len(part.y) - test for part, test in zip(parts, held, strict=True)]
    batches = [(part, rows) for part, size in zip(parts, sizes, strict=True) for rows in _batches(size, luck)]
    luck.shuffle(batches)
    for part, rows in batches:
        layer.step(part.x[rows].astype(np.float32) / scale, part.y[rows], rate)
    last, test = parts[-1], max(1, held[-1])
    error = last.y[-test:] - layer.values(last.x[-test:].astype(np.float32) / scale)
    return float(1 - error.var() / max(1e-9, last.y[-test:].var()))


def _batches(size: int, luck: Any) -> list[Array]:
    order = luck.permutation(size)
    return np.array_split(order, max(1, size // BATCH))


def network(program: Program, layer: Layer, scale: Array) -> Network:
    """The same in whole numbers, by name."""
    inner = layer.inner / scale[:, None]
    names = [name for place in places(program) for name in place.names]
    of_table = [name for place in surroundings(program) for name in place.names]
    rows = [tuple(int(n) for n in row) for row in np.rint(inner * SCALE)]
    size = len(names)
    whole = (tuple(int(n) for n in np.rint(numbers * SCALE)) for numbers in (layer.outer, layer.bias))
    weights, biases = whole
    return Network(
        program.name, program.rules_hash, program.modules, weights, biases, dict(zip(names, rows[:size], strict=True)),
        dict(zip(names, rows[size : 2 * size], strict=True)), dict(zip(of_table, rows[2 * size :], strict=True)),
    )  # fmt: skip


def wins(program: Program, policy: Policy, against: Policy, players: int, games: int, seed: int) -> float:
    """The share of victories of one seat, going round the table."""
    each = games // players
    total = 0.0
    for seat in range(players):
        seats = [against] * players
        seats[seat] = policy
        total += victories(program, seats, range(seed + seat * each, seed + (seat + 1) * each), seat)
    return total / (each * players)


@dataclass
class Course:
    """What is learned, round by round."""

    program: Program
    winning: float
    luck: Any
    policies: dict[int, Policy]
    layer: Layer | None = None
    scale: Array = None
    kept: list[list[Data]] = field(default_factory=list)

    def round(self, games: int, units: int, rate: float, seed: int) -> float:
        """Play, and fit the network to the last rounds' positions; gives how much of the outcomes it explains."""
        parts = [
            played(self.program, n, max(CHUNK, games // len(self.policies)), policy, seed + n * 10**9, self.winning)
            for n, policy in self.policies.items()
        ]
        self.kept = [*self.kept[1 - KEEP :], parts]
        if self.layer is None:
            self.scale = np.maximum(np.concatenate([part.x for part in parts]).astype(np.float32).std(0), 0.05)
            self.layer = Layer.fresh(len(self.scale), units, self.luck)
        explained = fit(self.layer, self.scale, [part for parts in self.kept for part in parts], rate, self.luck)
        found = self.network()
        self.policies = {n: found.policy(self.program, n, whim=WHIM) for n in self.policies}
        return explained

    def network(self) -> Network:
        """The network so far, in whole numbers and by name."""
        assert self.layer is not None
        return network(self.program, self.layer, self.scale)


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="kingsburg", help="a game by name or path")
    parser.add_argument("--with", dest="modules", action="append", default=[], help="a module laid over it")
    parser.add_argument("--games", type=int, default=1000, help="in each round")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--winning", type=float, default=8.0, help="how many points a victory counts beside the lead")
    parser.add_argument("--matches", type=int, default=400, help="games for each measurement, every tenth round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True, help="where to write the network")
    parser.add_argument("--curve", type=Path, help="where to write how it went, as JSON")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    program = load_rules(chosen.game, chosen.modules).program
    numbers = range(max(2, program.least_players), program.most_players + 1)
    greedy = {n: policy_of(program, "greedy", n) or Policy() for n in numbers}
    whims = {n: replace(policy, whim=WHIM) for n, policy in greedy.items()}
    course = Course(program, chosen.winning, np.random.default_rng(chosen.seed), whims)
    curve: list[dict[str, Any]] = []
    for number in range(chosen.rounds):
        rate = RATE * (1 - number / chosen.rounds) + RATE / 50
        explained = course.round(chosen.games, chosen.units, rate, chosen.seed + number * 10**7)
        if (number + 1) % MEASURED and number + 1 < chosen.rounds:
            continue
        found = course.network()
        shares = {
            str(n): round(wins(program, found.policy(program, n), greedy[n], n, chosen.matches, MATCHES), 4)
            for n in numbers
        }
        spent = round(time.process_time())
        curve.append({"round": number + 1, "seconds": spent, "explained": round(explained, 4), "wins": shares})
        print(json.dumps(curve[-1]), flush=True)
        measured = {f"wins against {n - 1} greedy": shares[str(n)] for n in numbers}
        told = replace(found, command=shlex.join(["python", *sys.argv]), measured={"round": number + 1, **measured})
        chosen.output.write_text(told.to_json(), encoding="utf-8")
        if chosen.curve:
            chosen.curve.write_text(json.dumps(curve, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
