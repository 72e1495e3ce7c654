"""Learning a network by self-play, for the bot `learned`.

Each round plays games by the network as it is (before there is one, by `greedy`), with a few answers at random so that
it sees what it would not do. Of positions that players came to it is noted how the game ended for them, and the network
is fitted to the positions of the last rounds. Rounds are small and many: a network that changes much at once plays by
what it has not seen yet. One that has learned before can learn on, with more units too and by other rules: what it
knows of features by the same names stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from edict.agents.bots.features import places, surroundings
from edict.agents.bots.kinds import policy_of
from edict.agents.bots.nets import Network, reading
from edict.agents.bots.training import Spread, ending, here, share_of_wins
from edict.runtime.program import Program
from edict.runtime.simulation.plans import Policy

ROUND = 1000  # games
KEEP = 25  # rounds whose positions are fitted to
CHUNK = 50  # games in one piece of work
FEWEST = 40  # positions in a round that are worth fitting to
WHIM = 60  # random answers in a thousand
RATE = 1e-3  # of the first steps; it falls to a fiftieth
GENTLE = 6e-4  # the same for a network that has learned before
UNITS = 64
APART = 10**9  # between the seeds of games for different numbers of players
MATCHES = 2 * 10**11  # the seed of the first game of a measurement

Piece = tuple[int, int]
"""How many play, and the seed of the first game."""


@dataclass(frozen=True)
class CoursePlan:
    """What to learn from. players: the numbers of players; games: in all; units: hidden units of the network, unless
    the `start` has more; winning: how many points a victory counts beside the lead; start: a network that learns on."""

    program: Program
    players: tuple[int, ...]
    games: int
    seed: int
    units: int = UNITS
    winning: float = 8.0
    start: Network | None = None

    @property
    def rounds(self) -> int:
        return max(1, self.games // ROUND)


@dataclass(frozen=True, slots=True)
class NotedGames:
    """Games whose positions are noted, by these policies, by the number of players."""

    program: Program
    policies: Mapping[int, Policy]
    winning: float

    def __call__(self, piece: Piece) -> Any:
        """The positions of `CHUNK` games. Raises `RulesError` for a game that would never end."""
        players, first = piece
        own = sum(len(place.names) for place in places(self.program))
        policies, seeds = [self.policies[players]] * players, range(first, first + CHUNK)
        with ending(self.program):
            return _fitting().positions(
                self.program, policies, seeds, reading(self.program), slice(own, 2 * own), self.winning
            )


@dataclass
class TrainingCourse:
    """What has been learned so far; stopping early leaves what there is."""

    plan: CoursePlan
    played: int = 0
    rounds: int = 0
    explained: float = 0.0
    network: Network | None = None
    _layer: Any = None
    _kept: list[Any] = field(default_factory=list)

    def learn(self, spread: Spread = here) -> Iterator[int]:
        """All rounds; yields the number of games played so far. What is learned is the same however the games are
        spread."""
        plan, luck = self.plan, _fitting().luck_of(self.plan.seed)
        self.network = plan.start
        rate = GENTLE if plan.start else RATE
        each = max(CHUNK, plan.games // plan.rounds // len(plan.players))
        for number in range(plan.rounds):
            first = plan.seed + number * each
            pieces = [(n, first + n * APART + by) for n in plan.players for by in range(0, each, CHUNK)]
            work = NotedGames(plan.program, self.policies(WHIM), plan.winning)
            found = {}
            for piece, part in spread(work, pieces):
                found[piece] = part
                self.played += CHUNK
                yield self.played
            self._fit([found[piece] for piece in pieces], rate * (1 - number / plan.rounds) + rate / 50, luck)

    def policies(self, whim: int = 0) -> dict[int, Policy]:
        """Who plays, by the number of players: the network, or `greedy` before there is one."""
        program = self.plan.program
        if self.network is not None:
            return {n: self.network.policy(program, n, whim=whim) for n in self.plan.players}
        return {n: replace(policy_of(program, "greedy", n) or Policy(), whim=whim) for n in self.plan.players}

    def _fit(self, parts: Sequence[Any], rate: float, luck: Any) -> None:
        newest = _fitting().joined(parts)
        if len(newest.y) < FEWEST:
            return
        self._kept = _fitting().kept([*self._kept, newest], KEEP)
        if self._layer is None:
            self._layer = self._first(newest, luck)
        self.explained = self._layer.fit(self._kept, rate, luck)
        self.network = _named(self.plan.program, self._layer)
        self.rounds += 1

    def _first(self, part: Any, luck: Any) -> Any:
        """What learning begins with."""
        plan = self.plan
        if plan.start is None:
            return _fitting().Layer.fresh(part, plan.units, luck)
        known = _known(plan.program, plan.start)
        return _fitting().Layer.grown(part, known, max(plan.units, len(known.outer)), luck)

    def wins(self, games: int) -> dict[int, float]:
        """The share of victories of one seat against `greedy` in all others, going round the table, by the number of
        players: in so many games each, of their own."""
        program = self.plan.program
        greedy = {n: policy_of(program, "greedy", n) or Policy() for n in self.plan.players}
        return {
            n: share_of_wins(program, [mine, *[greedy[n]] * (n - 1)], games, MATCHES)[0]
            for n, mine in self.policies().items()
        }


def _known(program: Program, network: Network) -> Any:
    """The network as the positions of a program are read."""
    names, around = _features(program)
    zero = (0,) * len(network.weights)
    rows = [part.get(name, zero) for part in (network.own, network.others) for name in names]
    rows += [network.table.get(name, zero) for name in around]
    return _fitting().IntegerNetwork(rows, network.biases, network.weights)


def _named(program: Program, layer: Any) -> Network:
    """The network in whole numbers, by the names of its features."""
    rows, weights, biases = layer.whole()
    names, around = _features(program)
    own, others = dict(zip(names, rows, strict=False)), dict(zip(names, rows[len(names) :], strict=False))
    table = dict(zip(around, rows[2 * len(names) :], strict=True))
    return Network(program.name, program.rules_hash, program.modules, weights, biases, own, others, table)


def _features(program: Program) -> tuple[list[str], list[str]]:
    """The names of all features of players, and of the table's."""
    around = [name for place in surroundings(program) for name in place.names]
    return [name for place in places(program) for name in place.names], around


def _fitting() -> Any:
    """The part that needs NumPy."""
    from edict.agents.bots import fitting

    return fitting
