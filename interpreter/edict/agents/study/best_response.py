"""A best response: the bot that wins most in the first seat against a fixed table, if it has to meet a condition.

Two searches of the same extent look for the bot with most victories, one in which only victories in games that meet
the condition count, and one without the condition. Candidates are the bots that ship, each alone and in the ways of
`response_goals`, and networks that are trained further against this table, by the games of the best of these and with
a reward for meeting the condition. Successive halving drops candidates: all play the same seeds, and after each look
the better half plays on with twice as many games, the last two with half of the final number. The two bots that are
left play games with other seeds, the same for both, so that the result does not profit from the choice.

The best bot that is found is a lower bound of what the best possible bot would achieve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from functools import partial
from typing import Any

from edict.agents.bots.bot_registry import BOTS, native_policy
from edict.agents.bots.networks import Network, create_reader, find_shipped_network
from edict.agents.bots.self_play import PIECE_GAMES as TRAINING_PIECE
from edict.agents.bots.self_play import (
    RANDOM_PERMILLE,
    WINNING,
    Piece,
    SelfPlayPlan,
    SelfPlayTraining,
    get_shared_features,
)
from edict.agents.bots.weight_training import report_endless_games
from edict.agents.study.bot_games import (
    GameRange,
    GameSetup,
    StudyError,
    derive_seeds,
    find_policies,
    precompile,
    split_games,
)
from edict.agents.study.inference import estimate_mean, estimate_share
from edict.agents.study.plan_report import list_lacks
from edict.agents.study.response_goals import CompiledGoal, GoalVariant
from edict.agents.study.summary import Data
from edict.runtime.machine.mixing import GOLDEN, MASK, mix
from edict.runtime.program.opcodes import GAME_OVER, STATUS
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import RANDOM, Policy
from edict.support.morphology import count_noun, join_words
from edict.support.processes.distribution import ExecutorStarter, ManagedExecutor, run_in_workers
from edict.support.records import dataclass

SEAT = 0
ROUNDS, EPOCHS, BATCH = 8, 3, 256  # of a training, which has to learn from few games
FIRST_SHARE = 16  # a first look is at one game in so many of the final ones
MIN_LOOK = 60  # games of a candidate before the first look
PIECE_GAMES = 100
KEPT = 3  # candidates of a first halving that meet trained networks


@dataclass(frozen=True, slots=True)
class GameResults:
    """The results of the seat by game."""

    wins: list[float]  # its share of the victory
    met: list[int]  # whether the condition was met
    unmet_ends: list[list[int]] = field(default_factory=list)  # last states, if they were asked for

    @property
    def met_wins(self) -> list[float]:
        """The victories in games that met the condition."""
        return [win * met for win, met in zip(self.wins, self.met, strict=True)]


@dataclass
class Candidate:
    """A bot for the seat, and the sums of its games so far."""

    name: str
    policy: Policy
    variant: GoalVariant
    is_trained: bool = False
    games: int = 0
    wins: float = 0.0
    met: int = 0
    met_wins: float = 0.0

    def add(self, results: GameResults) -> None:
        """Add the results of games."""
        self.games += len(results.wins)
        self.wins += sum(results.wins)
        self.met += sum(results.met)
        self.met_wins += sum(results.met_wins)

    def rank(self, held: bool) -> tuple[float, ...]:
        """Return what candidates are compared by, the greatest first; `held` if victories must meet the condition."""
        games = max(1, self.games)
        return (self.met_wins / games, self.met / games, self.wins / games) if held else (self.wins / games,)


@dataclass(frozen=True, slots=True)
class ResponsePiece:
    """A piece of work: games of one candidate against the table."""

    number: int  # of the candidate
    setup: GameSetup
    policies: tuple[Policy, ...]
    games: GameRange
    keep_ends: bool = False


def play_response_piece(piece: ResponsePiece) -> GameResults:
    """Play a piece. Raises `StudyError` for a fault of the rules."""
    from edict.agents.bots.regression import compute_win_shares

    setup, watch = piece.setup, piece.policies[SEAT].watch
    seeds = derive_seeds(setup, piece.games)
    ends, _ = native.play_batch(setup.program, setup.players, seeds, dict(setup.settings), piece.policies)
    if (ends[:, STATUS] != GAME_OVER).any():
        raise StudyError("games were aborted by a fault of the rules", "`study` with the same options tells which")
    met = ends[:, watch.get_cell(SEAT)] if watch else ends[:, 0] * 0
    unmet = ends[met == 0].tolist() if piece.keep_ends else []
    return GameResults(compute_win_shares(ends, setup.players)[:, SEAT].tolist(), met.tolist(), unmet)


# --- training -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResponseSampler:
    """A task that records positions of one seat against a fixed table, which plays by these policies in turn."""

    setup: GameSetup
    responders: tuple[Policy, ...]  # of the seat
    table: tuple[Policy, ...]  # the policies of the other seats
    winning: float
    goal_points: float  # for meeting the condition; 0 if victories count without it

    def __call__(self, piece: Piece) -> Any:
        """Record positions of a piece of training games. Raises `RulesError` for a game that would never end."""
        from edict.agents.bots.fitting import SeatReward, collect_positions

        program, first = self.setup.program, piece[1]
        responder = self.responders[first // TRAINING_PIECE % len(self.responders)]
        cell = responder.watch.get_cell(SEAT) if responder.watch and self.goal_points else -1
        with report_endless_games(program):
            return collect_positions(
                program,
                [responder, *self.table],
                range(first, first + TRAINING_PIECE),
                create_reader(program),
                get_shared_features(program),
                self.winning,
                dict(self.setup.settings),
                SeatReward(SEAT, cell, self.goal_points),
            )


@dataclass
class ResponseTraining(SelfPlayTraining):
    """A training of a network for one seat against a fixed table."""

    setup: GameSetup | None = None
    table: tuple[Policy, ...] = ()
    goal: CompiledGoal | None = None
    variants: tuple[GoalVariant, ...] = ()  # what the seat does in turn
    goal_points: float = 0.0

    def create_sampler(self, number: int) -> Callable[[Piece], Any]:
        """Return the task that records the positions of a round."""
        assert self.setup is not None and self.goal is not None
        (players,) = self.plan.players
        policy = self.build_policies(RANDOM_PERMILLE)[players]
        responders = tuple(variant.apply_to(policy, self.goal.watch) for variant in self.variants)
        return ResponseSampler(self.setup, responders, self.table, self.plan.winning, self.goal_points)


# --- the search -----------------------------------------------------------------------------------------


@dataclass
class BestResponse:
    """A search for the best bot of the first seat that meets a condition, and the best without it.

    Attributes:
        setup: The table, with the program of the goal; the bot in the first seat is replaced.
        goal: The condition.
        games: Games of each of both bots in the end.
    """

    setup: GameSetup
    goal: CompiledGoal
    games: int
    done: int = 0
    held: list[Candidate] = field(default_factory=list)  # with the condition
    free: list[Candidate] = field(default_factory=list)  # without it
    best: dict[bool, Candidate] = field(default_factory=dict)  # with the condition, and without
    final: dict[bool, GameResults] = field(default_factory=dict)  # of these

    def __post_init__(self) -> None:
        table = find_policies(self.setup.program, self.setup.bots)
        if table is None or not native.is_available():
            raise StudyError("a best response needs bots that play in native code", "give --bots greedy or learned")
        self.table = tuple(table[1:])
        self.watch = self.goal.watch

    @property
    def is_finished(self) -> bool:
        """Return True if the final games were played."""
        return len(self.final) == 2

    @property
    def training_games(self) -> int:
        """The number of games of each of both trainings, all rounds alike; 0 if there are too few to learn from."""
        return self.games // (ROUNDS * TRAINING_PIECE) * ROUNDS * TRAINING_PIECE

    @property
    def total(self) -> int:
        """About the number of games of the whole search."""
        return 2 * self.training_games + 2 * self.games + 60 * self.first_look

    @property
    def first_look(self) -> int:
        """The number of games of a candidate before the first look."""
        return max(min(MIN_LOOK, self.games), self.games // FIRST_SHARE)

    def run(self, start: ExecutorStarter, report_progress: Callable[[int], object]) -> None:
        """Train networks, drop candidates by successive halving, and play the final games."""
        precompile(self.setup, self.total)
        with start() as workers:
            self._search(_ResponseWorkers(self, workers, report_progress))

    def _search(self, workers: _ResponseWorkers) -> None:
        shipped = list(self._iter_shipped())
        spread = self._measure_spread(shipped[0][1])
        variants = self.goal.list_variants(spread)
        plain = variants[0]
        for name, policy in shipped:
            self.held += [
                self._create(name, policy, variant) for variant in variants if policy.net or not variant.points
            ]
            self.free.append(self._create(name, policy, plain))
        kept = workers.halve(self.held, True)[:KEPT]
        useful = tuple(dict.fromkeys((plain, *(candidate.variant for candidate in kept))))
        for held, arms, ways in ((True, self.held, useful), (False, self.free, (plain,))):
            for name, network in self._train(2 * spread if held else 0.0, spread, ways, workers):
                policy = network.to_policy(self.setup.program, self.setup.players)
                arms += [self._create(name, policy, variant, is_trained=True) for variant in ways]
        self.best[True] = workers.halve([*kept, *(arm for arm in self.held if arm.is_trained)], True)[0]
        self.free.append(self._create(self.best[True].name, self.best[True].policy, self.best[True].variant))
        self.free[-1].policy, self.free[-1].is_trained = self.best[True].policy, self.best[True].is_trained
        self.best[False] = workers.halve(self.free, False)[0]
        for held, best in self.best.items():
            self.final[held] = workers.play_final(self.offset_setup(1), best)

    def offset_setup(self, step: int) -> GameSetup:
        """Return the setup with a seed for other games."""
        return replace(self.setup, seed=mix((self.setup.seed + step * GOLDEN) & MASK))

    def _iter_shipped(self) -> Iterator[tuple[str, Policy]]:
        """Yield the names and policies of the table's bots and of those that ship and play natively, each once."""
        seen = {RANDOM}
        for kind in dict.fromkeys((*self.setup.bots, *BOTS)):
            policy = native_policy(self.setup.program, kind, self.setup.players)
            if policy is not None and policy not in seen:
                seen.add(policy)
                yield kind, policy

    def _create(self, name: str, policy: Policy, variant: GoalVariant, is_trained: bool = False) -> Candidate:
        return Candidate(name, variant.apply_to(policy, self.watch), variant, is_trained)

    def _measure_spread(self, policy: Policy) -> float:
        """Return the deviation of the seat's lead at the end, in points of the score."""
        sampler = ResponseSampler(self.setup, (policy,), self.table, 0.0, 0.0)
        return float(sampler((self.setup.players, 0)).y.std()) or 1.0

    def _train(
        self, goal_points: float, spread: float, variants: tuple[GoalVariant, ...], workers: _ResponseWorkers
    ) -> Iterator[tuple[str, Network]]:
        """Train a network, and yield it as it is after half of the rounds, and in the end."""
        setup, begun = self.setup, self.done
        if not self.training_games:
            return
        plan = SelfPlayPlan(
            setup.program,
            (setup.players,),
            self.training_games,
            mix(setup.seed) >> 16,
            winning=max(WINNING, spread),
            start=find_shipped_network(setup.program),
            round_games=self.training_games // ROUNDS,
            epochs=EPOCHS,
            batch=BATCH,
        )
        training = ResponseTraining(
            plan, setup=setup, table=self.table, goal=self.goal, variants=variants, goal_points=goal_points
        )
        purpose, networks = "for the condition" if goal_points else "for victories", dict[int, Network]()
        for played in training.train(partial(run_in_workers, start=workers.start)):
            workers.report_done(begun + played)
            if training.rounds == ROUNDS // 2 and training.network:
                networks.setdefault(ROUNDS // 2 * plan.round_games, training.network)
        if training.network:
            networks[training.played] = training.network
        for games, network in networks.items():
            yield f"network trained {purpose} in {games:,} games", network


@dataclass
class _ResponseWorkers:
    """The workers of a search, which stay for all of its games."""

    search: BestResponse
    executor: ManagedExecutor
    report_progress: Callable[[int], object]

    def start(self) -> AbstractContextManager[ManagedExecutor]:
        """Return the workers that run already."""
        return nullcontext(self.executor)

    def report_done(self, games: int) -> None:
        """Report the number of games that were played."""
        self.search.done = games
        self.report_progress(games)

    def halve(self, arms: Sequence[Candidate], held: bool) -> list[Candidate]:
        """Play games of candidates, drop the worse half after each look, and return all, the best first.

        The games of candidates without the condition are others: the best with it, which is among them, was chosen by
        its luck in these.
        """
        setup = self.search.setup if held else self.search.offset_setup(2)
        active, dropped, look = list(arms), list[Candidate](), self.search.first_look
        while True:
            if len(active) <= 2:
                look = max(look, self.search.games // 2)
            pieces = [
                ResponsePiece(number, setup, (arm.policy, *self.search.table), games)
                for number, arm in enumerate(active)
                for games in split_games(look, PIECE_GAMES, [GameRange(0, arm.games)] if arm.games else [])
            ]
            for piece, results in run_in_workers(play_response_piece, pieces, self.start):
                active[piece.number].add(results)
                self.report_done(self.search.done + piece.games.games)
            active.sort(key=lambda arm: arm.rank(held), reverse=True)
            if len(active) == 1:
                return [*active, *dropped]
            half = len(active) // 2
            active, dropped, look = active[:half], [*active[half:], *dropped], 2 * look

    def play_final(self, setup: GameSetup, candidate: Candidate) -> GameResults:
        """Return the results of the final games of a candidate."""
        pieces = [
            ResponsePiece(0, setup, (candidate.policy, *self.search.table), games, keep_ends=True)
            for games in split_games(self.search.games, PIECE_GAMES)
        ]
        parts = dict[int, GameResults]()
        for piece, results in run_in_workers(play_response_piece, pieces, self.start):
            parts[piece.games.first] = results
            self.report_done(self.search.done + piece.games.games)
        ordered = [parts[first] for first in sorted(parts)]
        return GameResults(
            [win for part in ordered for win in part.wins],
            [met for part in ordered for met in part.met],
            [end for part in ordered for end in part.unmet_ends],
        )


FORMAT = "edict best-response 1"
MAX_SHOWN_LACKS = 3


def summarize_best_response(search: BestResponse) -> Data:
    """Return the results of a search that has ended as data."""
    setup, program = search.setup, search.setup.program
    held, free, games = search.final[True], search.final[False], search.games
    differences = [one - other for one, other in zip(held.met_wins, free.wins, strict=True)]
    difference = estimate_mean(sum(differences), sum(d * d for d in differences), len(differences))
    data: Data = {
        "format": FORMAT,
        "game": {"title": program.title, "modules": list(program.modules), "rules": program.rules_hash},
        "players": setup.players,
        "opponents": list(setup.bots[1:]),
        "settings": dict(setup.settings),
        "seed": setup.seed,
        "condition": search.goal.condition,
        "plan": search.goal.texts[0],
        "games": games,
        "search_games": search.done - 2 * games,
        "training_games": search.training_games,
        "held": {
            **_name_candidate(search.best[True]),
            "met_wins": _share(sum(held.met_wins), games),
            "met": _share(sum(held.met), games),
            "wins": _share(sum(held.wins), games),
        },
        "free": {
            **_name_candidate(search.best[False]),
            "met": _share(sum(free.met), games),
            "wins": _share(sum(free.wins), games),
        },
        "difference": {"value": difference.value, "low": difference.low, "high": difference.high},
        "lacks": list_lacks(program, search.goal.line, SEAT, held.unmet_ends) if held.unmet_ends else [],
        "searched": {
            "held": [_candidate_to_data(arm) for arm in search.held],
            "free": [_candidate_to_data(arm) for arm in search.free],
        },
    }
    return data | {"said": describe_best_response(data)}


def _name_candidate(candidate: Candidate) -> Data:
    """Return the bot of a candidate and what it does for the condition as data."""
    return {"bot": candidate.name, "way": candidate.variant.title, "trained": candidate.is_trained}


def _candidate_to_data(candidate: Candidate) -> Data:
    """Return a candidate with its shares of games in the search as data."""
    games = max(1, candidate.games)
    return {
        **_name_candidate(candidate),
        "games": candidate.games,
        "wins": candidate.wins / games,
        "met": candidate.met / games,
        "met_wins": candidate.met_wins / games,
    }


def _share(hits: float, games: int) -> Data:
    estimate = estimate_share(hits, games)
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def describe_best_response(data: Data) -> list[str]:
    """Return the result in sentences: what the condition costs, how often it was met, and what was searched."""
    held, free, games = data["held"], data["free"], f"{data['games']:,} games"
    against = describe_opponents(data["opponents"])
    without = f"{_format_percent(free['wins'])} ({_format_interval(free['wins'])}) without it"
    if not held["met"]["value"]:
        lacks = [f"{lack['what']} ({100 * lack['share']:.0f} %)" for lack in data["lacks"][:MAX_SHOWN_LACKS]]
        why = f"; missing at the end of games: {', '.join(lacks)}" if lacks else ""
        said = [
            f"No bot that was found ever met `{data['condition']}` against {against}, in {games}{why}. "
            f"The best bot wins {without}."
        ]
    else:
        change, low, high = (100 * data["difference"][key] for key in ("value", "low", "high"))
        said = [
            f"`{data['condition']}`: at best {_format_percent(held['met_wins'])} of wins "
            f"({_format_interval(held['met_wins'])}) against {against}; {without}. "
            f"The difference is {change:+.1f} points ({low:+.1f} to {high:+.1f}), in {games} each with the same luck.",
            f"The condition was met in {_format_percent(held['met'])} of games; a win without it does not count"
            + (f" (with those, {_format_percent(held['wins'])})." if held["wins"] != held["met_wins"] else "."),
        ]
    said.append(f"Best with it: {_title(held)}. Best without: {_title(free)}.")
    return [*said, _describe_search(data)]


def describe_opponents(bots: Sequence[str]) -> str:
    """Return the bots of the other seats in words: `three learned`."""
    words = ("no", "one", "two", "three", "four", "five", "six")
    counts = {kind: bots.count(kind) for kind in dict.fromkeys(bots)}
    return join_words([f"{words[n] if n < len(words) else n} {kind}" for kind, n in counts.items()]) or "nobody"


def _title(row: Data) -> str:
    return f"{row['bot']}, which {row['way']}" if row["way"] else str(row["bot"])


def _describe_search(data: Data) -> str:
    """Return what was searched, so that a reader knows what "best" means."""
    arms = data["searched"]["held"]
    kinds = list(dict.fromkeys(arm["bot"] for arm in arms if not arm["trained"]))
    ways = len({arm["way"] for arm in arms if arm["way"]})
    trained = f"networks trained in {data['training_games']:,} games against this table"
    kinds += [trained] if data["training_games"] else []
    return (
        f"Searched: {count_noun(len(arms), 'bot')} with the condition and {len(data['searched']['free'])} without "
        f"({join_words(kinds)}; each alone and with {count_noun(ways, 'plan')}), in {data['search_games']:,} games. "
        "The figures come from other games than the choice. A better bot may exist: they are lower bounds."
    )


def _format_percent(share: Data) -> str:
    return f"{100 * share['value']:.1f} %"


def _format_interval(share: Data) -> str:
    return f"{100 * share['low']:.1f} to {100 * share['high']:.1f}"
