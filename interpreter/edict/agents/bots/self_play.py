"""Training of a network by self-play, for the bot `learned`.

Each round plays games by the current network (at first by `greedy`), with a few random answers. In some pieces of a
round, networks of earlier rounds have the other seats, and in some one player explores: that player takes only a random
half of the options of some questions, the same throughout a piece, so that none stays untried because it seems bad. The
network is fitted to positions of the last rounds and the results of their games. Rounds are small and many, because a
network that changes much at once plays by positions it has not seen yet. A trained network can be trained further,
also with more units and by other rules: it keeps what it knows of features with the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from edict.agents.bots.bot_registry import find_policy
from edict.agents.bots.features import list_player_features, list_table_features
from edict.agents.bots.networks import Network, create_reader
from edict.agents.bots.plan_guides import build_random_guides
from edict.agents.bots.weight_training import PieceMapper, map_locally, measure_win_share, report_endless_games
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Program
from edict.runtime.simulation.plans import Policy
from edict.support.records import dataclass

ROUND_GAMES = 1000
KEPT_ROUNDS = 25
PIECE_GAMES = 50
MIN_POSITIONS = 40  # positions in a round that are worth fitting to
RANDOM_PERMILLE = 60  # random answers in a thousand
EXPLORING_INTERVAL = 8  # pieces of which in one a player explores, and in one the others are earlier networks
LEAGUE_INTERVAL = 5  # rounds between the networks that are kept as opponents
LEAGUE_SIZE = 8
LEARNING_RATE = 1e-3  # of the first steps; it falls to a fiftieth
FINE_TUNING_RATE = 6e-4  # the same for a network that was trained before
UNITS = 64
WINNING = 8.0  # points that a victory counts beside the lead, unless a plan has others
SEED_DISTANCE = 10**9  # between the seeds of games for different numbers of players
MEASURE_SEED = 2 * 10**11  # the seed of the first game of a measurement

Piece = tuple[int, int]  # number of players, seed of the first game


@dataclass(frozen=True)
class SelfPlayPlan:
    """The plan of a training."""

    program: Program
    players: tuple[int, ...]  # the numbers of players
    games: int  # in all
    seed: int
    units: int = UNITS  # hidden units of the network, unless `start` has more
    winning: float = WINNING  # points that a victory counts beside the lead
    start: Network | None = None  # a network that is trained further
    round_games: int = 0  # games of a round; 0 for `ROUND_GAMES`
    epochs: int = 1  # times that the positions are learned from in a round
    batch: int = 0  # positions of a step of learning; 0 for the usual number
    settings: tuple[tuple[str, int], ...] = ()  # of the games

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return max(1, self.games // (self.round_games or ROUND_GAMES))


@dataclass(frozen=True, slots=True)
class PositionSampler:
    """A task that records positions of games by these policies, given by the number of players."""

    program: Program
    policies: Mapping[int, Policy]
    winning: float
    league: tuple[Mapping[int, Policy], ...] = ()  # policies of earlier rounds
    settings: tuple[tuple[str, int], ...] = ()

    def __call__(self, piece: Piece) -> Any:
        """Record positions of `PIECE_GAMES` games. Raises `RulesError` for a game that would never end."""
        with report_endless_games(self.program):
            return _import_fitting().collect_positions(
                self.program,
                self.seat_policies(piece),
                range(piece[1], piece[1] + PIECE_GAMES),
                create_reader(self.program),
                get_shared_features(self.program),
                self.winning,
                dict(self.settings),
            )

    def seat_policies(self, piece: Piece) -> list[Policy]:
        """Return the policy of each seat; in some pieces the others are earlier networks, or a player explores."""
        players, first = piece
        seats, number = [self.policies[players]] * players, first // PIECE_GAMES
        seat = number // EXPLORING_INTERVAL % players
        if number % EXPLORING_INTERVAL == 3 and self.league:
            seats = [self.league[draw(first, other, len(self.league))][players] for other in range(players)]
            seats[seat] = self.policies[players]
        if number % EXPLORING_INTERVAL == 7:
            guides = build_random_guides(self.program, first)
            seats[seat] = replace(seats[seat], guides=guides)
        return seats


def get_shared_features(program: Program) -> slice:
    """Return the features of positions that are sums over the other players."""
    own = sum(len(place.names) for place in list_player_features(program))
    return slice(own, 2 * own)


@dataclass
class SelfPlayTraining:
    """A training in progress; its network can be used at any time."""

    plan: SelfPlayPlan
    played: int = 0
    rounds: int = 0
    explained: float = 0.0  # share of the variance of the results that the network explains
    network: Network | None = None
    _float_network: Any = None
    _league: tuple[Mapping[int, Policy], ...] = ()
    _kept_positions: list[Any] = field(default_factory=list)

    def train(self, map_pieces: PieceMapper = map_locally) -> Iterator[int]:
        """Play and fit round by round, yielding the games played; the order in which pieces finish does not matter."""
        plan, rng = self.plan, _import_fitting().create_rng(self.plan.seed)
        self.network = plan.start
        rate = FINE_TUNING_RATE if plan.start else LEARNING_RATE
        games_per_count = max(PIECE_GAMES, plan.games // plan.rounds // len(plan.players))
        for number in range(plan.rounds):
            first = plan.seed + number * games_per_count
            pieces = [
                (players, first + players * SEED_DISTANCE + offset)
                for players in plan.players
                for offset in range(0, games_per_count, PIECE_GAMES)
            ]
            recorder = self.create_sampler(number)
            results = {}
            for piece, part in map_pieces(recorder, pieces):
                results[piece] = part
                self.played += PIECE_GAMES
                yield self.played
            self._fit([results[piece] for piece in pieces], rate * (1 - number / plan.rounds) + rate / 50, rng)

    def create_sampler(self, number: int) -> Callable[[Piece], Any]:
        """Return the task that records the positions of a round."""
        policies = self.build_policies(RANDOM_PERMILLE)
        if number % LEAGUE_INTERVAL == 0:
            self._league = (*self._league, policies)[-LEAGUE_SIZE:]
        plan = self.plan
        return PositionSampler(plan.program, policies, plan.winning, self._league, plan.settings)

    def build_policies(self, whim: int = 0) -> dict[int, Policy]:
        """Return the policy that plays, by the number of players: the network, or at first `greedy`."""
        program = self.plan.program
        if self.network is not None:
            return {n: self.network.to_policy(program, n, whim=whim) for n in self.plan.players}
        return {n: replace(find_policy(program, "greedy", n) or Policy(), whim=whim) for n in self.plan.players}

    def _fit(self, parts: Sequence[Any], rate: float, rng: Any) -> None:
        """Train the network on this round's positions and recent ones; skip rounds below `MIN_POSITIONS`."""
        newest = _import_fitting().concatenate(parts)
        if len(newest.y) < MIN_POSITIONS:
            return
        self._kept_positions = _import_fitting().select_recent([*self._kept_positions, newest], KEPT_ROUNDS)
        if self._float_network is None:
            self._float_network = self._create_network(newest, rng)
            if self.plan.batch:
                self._float_network.batch = self.plan.batch
        for _ in range(self.plan.epochs):
            self.explained = self._float_network.fit(self._kept_positions, rate, rng)
        self.network = _to_network(self.plan.program, self._float_network)
        self.rounds += 1

    def _create_network(self, positions: Any, rng: Any) -> Any:
        """Return the network before the first fit: random, or the plan's `start` extended to the wanted units."""
        plan = self.plan
        if plan.start is None:
            return _import_fitting().FloatNetwork.initialize(positions, plan.units, rng)
        trained = _to_integer_network(plan.program, plan.start)
        return _import_fitting().FloatNetwork.extend(positions, trained, max(plan.units, len(trained.outer)), rng)

    def measure_win_shares(self, games: int) -> dict[int, float]:
        """Measure the share of victories of one seat against `greedy` in all others, by the number of players.

        The seat rotates around the table, in so many games each with seeds of their own.
        """
        program = self.plan.program
        greedy = {n: find_policy(program, "greedy", n) or Policy() for n in self.plan.players}
        return {
            n: measure_win_share(program, [mine, *[greedy[n]] * (n - 1)], games, MEASURE_SEED)[0]
            for n, mine in self.build_policies().items()
        }


def _to_integer_network(program: Program, network: Network) -> Any:
    """Return the network in the order of the program's features."""
    names, table_names = _list_feature_names(program)
    zero = (0,) * len(network.weights)
    rows = [part.get(name, zero) for part in (network.own, network.others) for name in names]
    rows += [network.table.get(name, zero) for name in table_names]
    return _import_fitting().IntegerNetwork(rows, network.biases, network.weights)


def _to_network(program: Program, float_network: Any) -> Network:
    """Return the network in integers, by the names of its features."""
    rows, weights, biases = float_network.to_integers()
    names, table_names = _list_feature_names(program)
    own, others = dict(zip(names, rows, strict=False)), dict(zip(names, rows[len(names) :], strict=False))
    table = dict(zip(table_names, rows[2 * len(names) :], strict=True))
    return Network(program.name, program.rules_hash, program.modules, weights, biases, own, others, table)


def _list_feature_names(program: Program) -> tuple[list[str], list[str]]:
    """Return the names of all features of players and of the table."""
    table_names = [name for place in list_table_features(program) for name in place.names]
    return [name for place in list_player_features(program) for name in place.names], table_names


def _import_fitting() -> Any:
    """Import the module that needs NumPy."""
    from edict.agents.bots import fitting

    return fitting
