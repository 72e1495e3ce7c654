"""A best response: the bot that wins most in the first seat against a fixed table, if it has to meet a condition.

The condition, such as `owns mill by day 3`, is a goal of a plan: `first mill until day > 3`. Two searches of the same
extent look for the bot with most victories, one in which only victories in games that meet the condition count, and one
without the condition. Candidates are the bots that ship, alone and with plans for the goal, and networks that are
trained further against this table, for the condition by a reward for meeting it. Successive halving drops candidates:
all play the same seeds, and after each look the better half plays on with twice as many games. The two bots that are
left play games with other seeds, the same for both, so that the result does not profit from the selection.

The best bot that is found is a lower bound of what the best possible bot would achieve.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from typing import Any

from edict.agents.bots.bot_registry import BOTS, native_policy
from edict.agents.bots.networks import Network, create_reader, find_shipped_network
from edict.agents.bots.plan_guides import build_guides
from edict.agents.bots.self_play import PIECE_GAMES as TRAINING_PIECE
from edict.agents.bots.self_play import (
    RANDOM_PERMILLE,
    Piece,
    SelfPlayPlan,
    SelfPlayTraining,
    get_shared_features,
)
from edict.agents.bots.weight_training import find_clock, report_endless_games
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
from edict.agents.study.summary import Data
from edict.compiler.pipeline.compiled_plans import MARK, Plan, PlanLine
from edict.game.table.addresses import PLAYER
from edict.runtime.machine.mixing import GOLDEN, MASK, mix
from edict.runtime.program import Program
from edict.runtime.program.opcodes import GAME_OVER, STATUS
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import RANDOM, Policy, Watch
from edict.support.morphology import count_noun, join_words
from edict.support.processes.distribution import ExecutorStarter, run_in_workers
from edict.support.request_errors import RequestError

FORMAT = "edict best response 1"
SEAT = 0
ROUNDS = 8  # of a training
FIRST_SHARE = 16  # a first look is at one game in so many of the final ones
MIN_LOOK = 60  # games of a candidate before the first look
MAX_ONSETS = 3  # plans that begin later
PIECE_GAMES = 100
MAX_SHOWN_LACKS = 3
TRAINED, SHIPPED = "trained", "shipped"

_DEADLINE = re.compile(r"\s+by\s+(?P<clock>[a-z][\w-]*)\s+(?P<value>\d+)\s*$")
_OWNS = re.compile(r"^(?:owns?|has|have|holds?)\s+")
_LIST = re.compile(r"[a-z][\w-]*(?:\s*(?:,|\band\b)\s*[a-z][\w-]*)+")
_AND = re.compile(r"\s*(?:,|\band\b)\s*")
_NAME = re.compile(r'"[^"]*"|[a-z][\w-]*(?!\s*(?:of\b|[\w-]))')
CONDITION_EXAMPLE = "write it like `owns NAME by year 3` or `coin > 10`"


# --- the condition and the plans for it ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoalText:
    """A condition in the words of a plan."""

    target: str  # things, or a condition of `you`
    clauses: str  # such as ` until year > 3`
    is_owned: bool  # the target is things to have

    @property
    def plan(self) -> str:
        """The plan that holds a bot to the condition."""
        return f"first {self.target}{self.clauses}"

    def list_plans(self, clock: str, end: int) -> list[str]:
        """Return the plans that candidates follow.

        Args:
            clock: The name of the number that tells how far the game is; empty without one.
            end: Its last value.
        """
        plans = [self.plan]
        if self.is_owned:
            plans.append(f"prefer {self.target}{self.clauses}")
        deadline = re.search(rf"until {re.escape(clock)} > (\d+)", self.clauses) if clock else None
        last = int(deadline[1]) if deadline else end
        step = max(1, ceil((last - 1) / MAX_ONSETS))
        onsets = range(2, last + 1, step) if clock else ()
        return [*plans, *(f"first {self.target} when {clock} >= {onset}{self.clauses}" for onset in onsets)]


def parse_condition(text: str, program: Program) -> GoalText:
    """Parse a condition such as `owns mill and bakery by day 3` or `coin > 10`.

    A name of something that each player has stands for `NAME of you`. The rest is Edict, and is checked when the plans
    are compiled.
    """
    deadline, clauses = _DEADLINE.search(text), ""
    if deadline:
        text, clauses = text[: deadline.start()], f" until {deadline['clock']} > {deadline['value']}"
    text = text.strip()
    if owns := _OWNS.match(text):
        target = text[owns.end() :].strip()
        if _LIST.fullmatch(target):
            target = f"({' + '.join(_AND.split(target))})"
        return GoalText(target, clauses, True)
    own = {
        name
        for variable in program.variables
        if variable.kinds == (PLAYER,)
        for name in (variable.name, variable.plural)
    } | {quantity.name for quantity in program.reasons.measures if quantity.kinds == (PLAYER,)}
    target = _NAME.sub(lambda found: f"{found[0]} of you" if found[0] in own else found[0], text)
    return GoalText(target, clauses, False)


def check_goal(line: PlanLine, condition: str) -> None:
    """Raise `RequestError` unless the line of a compiled plan says when its goal is reached."""
    if not line.missing:
        raise RequestError(f"`{condition}` cannot be met or missed", CONDITION_EXAMPLE)


# --- candidates -----------------------------------------------------------------------------------------


@dataclass
class Candidate:
    """A bot for the seat, and its games so far."""

    name: str
    policy: Policy
    plan: str = ""  # the text of the plan that it follows
    origin: str = SHIPPED
    games: int = 0
    wins: float = 0.0
    met: int = 0
    met_wins: float = 0.0  # victories in games that met the condition

    @property
    def title(self) -> str:
        """The name with the plan."""
        return f"{self.name} with `{self.plan}`" if self.plan else self.name

    def add(self, results: GameResults) -> None:
        """Add the results of games."""
        self.games += len(results.wins)
        self.wins += sum(results.wins)
        self.met += sum(results.met)
        self.met_wins += sum(win * met for win, met in zip(results.wins, results.met, strict=True))

    def rank(self, held: bool) -> tuple[float, ...]:
        """Return what candidates are compared by, the greatest first; `held` if victories must meet the condition."""
        games = max(1, self.games)
        return (self.met_wins / games, self.met / games, self.wins / games) if held else (self.wins / games,)

    def to_data(self) -> Data:
        """Return the candidate with its results in the search as data."""
        return {
            "bot": self.name,
            "plan": self.plan,
            "origin": self.origin,
            "games": self.games,
            "wins": self.wins / max(1, self.games),
            "met": self.met / max(1, self.games),
            "met_wins": self.met_wins / max(1, self.games),
        }


@dataclass(frozen=True, slots=True)
class GameResults:
    """The results of the seat by game: its share of the victory, and whether the condition was met."""

    wins: list[float]
    met: list[int]
    unmet_ends: list[list[int]] = field(default_factory=list)  # last states, if they were asked for


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
    """A task that records positions of one seat against a fixed table, which follows these plans in turn."""

    setup: GameSetup
    responders: tuple[Policy, ...]
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
    variants: tuple[Policy, ...] = ()  # what watches and guides the seat, in turn; their judgement is not used
    goal_points: float = 0.0

    def create_sampler(self, number: int) -> Callable[[Piece], Any]:
        """Return the task that records the positions of a round."""
        assert self.setup is not None
        (players,) = self.plan.players
        policy = self.build_policies(RANDOM_PERMILLE)[players]
        responders = tuple(replace(policy, guides=v.guides, watch=v.watch) for v in self.variants)
        return ResponseSampler(self.setup, responders, self.table, self.plan.winning, self.goal_points)


# --- the search -----------------------------------------------------------------------------------------


@dataclass
class BestResponse:
    """A search for the best bot of the first seat that meets a condition, and the best without it.

    Attributes:
        setup: The table; the bot in the first seat is replaced. Its program was compiled with the plans.
        condition: The condition as typed.
        goal: The same as a plan.
        plans: The plan of the goal, and then those that candidates follow.
        texts: The texts of these plans.
        games: Games of each of both bots in the end.
    """

    setup: GameSetup
    condition: str
    goal: GoalText
    plans: tuple[Plan, ...]
    texts: tuple[str, ...]
    games: int
    done: int = 0
    held: list[Candidate] = field(default_factory=list)
    free: list[Candidate] = field(default_factory=list)
    final: dict[bool, GameResults] = field(default_factory=dict)  # of the best with the condition, and without

    def __post_init__(self) -> None:
        program = self.setup.program
        table = find_policies(program, self.setup.bots)
        if table is None or not native.is_available():
            raise StudyError("a best response needs bots that play in native code", "give --bots greedy or learned")
        self.table = tuple(table[1:])
        variable = next(variable for variable in program.variables if variable.name == MARK)
        guides = [build_guides(program, [plan])[0] for plan in self.plans]
        self.watch = Watch(guides[0][0].conditions, variable.base, 1)
        missing = next(q for q in program.reasons.measures if q.name == self.line.missing)
        reached = (program.queries[missing.query], False)
        conditions = [reached, *(c for c in self.watch.conditions if c != (reached[0], True))]
        self.watch = replace(self.watch, conditions=tuple(conditions))
        watched = Policy(watch=self.watch)
        self.variants = {text: replace(watched, guides=g) for text, g in zip(self.texts, guides, strict=True)} | {
            "": watched
        }

    @property
    def is_finished(self) -> bool:
        """Return True if the final games were played."""
        return len(self.final) == 2

    @property
    def line(self) -> PlanLine:
        """The line of the goal."""
        return self.plans[0].lines[0]

    @property
    def training_games(self) -> int:
        """The number of games of each of both trainings."""
        return max(ROUNDS * TRAINING_PIECE, self.games // (ROUNDS * TRAINING_PIECE) * ROUNDS * TRAINING_PIECE)

    @property
    def total(self) -> int:
        """About the number of games of the whole search."""
        look, looks = self._first_look, 3 * (len(self.texts) + 1) + 10
        return 2 * self.training_games + 2 * self.games + look * looks * 2

    @property
    def _first_look(self) -> int:
        return max(MIN_LOOK, self.games // FIRST_SHARE)

    def run(self, start: ExecutorStarter, report_progress: Callable[[int], object]) -> None:
        """Train networks, drop candidates by successive halving, and play the final games."""
        precompile(self.setup, self.total)
        with start() as workers:
            self._search(partial(nullcontext, workers), report_progress)

    def _search(self, start: ExecutorStarter, report_progress: Callable[[int], object]) -> None:
        shipped = list(self._iter_shipped())
        spread = self._measure_spread(shipped[0][1])
        for goal_points, arms in ((2 * spread, self.held), (0.0, self.free)):
            plans = list(self.variants) if goal_points else [""]
            arms += [self._create_candidate(name, policy, plan) for name, policy in shipped for plan in plans]
            for name, network in self._train(goal_points, spread, start, report_progress):
                policy = network.to_policy(self.setup.program, self.setup.players)
                arms += [self._create_candidate(name, policy, plan, TRAINED) for plan in plans]
        self._halve(self.held, True, start, report_progress)
        self.free.append(replace(self.best_held, games=0, wins=0.0, met=0, met_wins=0.0))  # it may win most anyway
        self._halve(self.free, False, start, report_progress)
        fresh = replace(self.setup, seed=mix((self.setup.seed + GOLDEN) & MASK))
        for held, best in ((True, self.best_held), (False, self.best_free)):
            pieces = [
                ResponsePiece(0, fresh, (best.policy, *self.table), games, held)
                for games in split_games(self.games, PIECE_GAMES)
            ]
            parts = {}
            for piece, results in run_in_workers(play_response_piece, pieces, start):
                parts[piece.games.first] = results
                self._report(piece.games.games, report_progress)
            ordered = [parts[first] for first in sorted(parts)]
            self.final[held] = GameResults(
                [win for part in ordered for win in part.wins],
                [met for part in ordered for met in part.met],
                [end for part in ordered for end in part.unmet_ends],
            )

    @property
    def best_held(self) -> Candidate:
        """The best candidate that has to meet the condition."""
        return _find_best(self.held, True)

    @property
    def best_free(self) -> Candidate:
        """The best candidate without the condition."""
        return _find_best(self.free, False)

    def _report(self, games: int, report_progress: Callable[[int], object]) -> None:
        self.done += games
        report_progress(self.done)

    def _iter_shipped(self) -> Iterator[tuple[str, Policy]]:
        """Yield the names and policies of the bots that ship and play natively, each policy once."""
        seen = set[Policy]()
        for kind in dict.fromkeys((*self.setup.bots, "learned", "greedy", "judge")):
            policy = (
                native_policy(self.setup.program, kind, self.setup.players) if kind in BOTS or "@" in kind else None
            )
            if policy is not None and policy not in seen and policy != RANDOM:
                seen.add(policy)
                yield kind, policy

    def _create_candidate(self, name: str, policy: Policy, plan: str, origin: str = SHIPPED) -> Candidate:
        variant = self.variants[plan]
        return Candidate(name, replace(policy, guides=variant.guides, watch=variant.watch), plan, origin)

    def _measure_spread(self, policy: Policy) -> float:
        """Return the deviation of the seat's lead at the end, in points of the score."""
        sampler = ResponseSampler(self.setup, (policy,), self.table, 0.0, 0.0)
        return float(sampler((self.setup.players, 0)).y.std()) or 1.0

    def _train(
        self, goal_points: float, spread: float, start: ExecutorStarter, report_progress: Callable[[int], object]
    ) -> Iterator[tuple[str, Network]]:
        """Train a network, and yield it as it is after half of the rounds, and in the end."""
        setup, begun = self.setup, self.done
        plan = SelfPlayPlan(
            setup.program,
            (setup.players,),
            self.training_games,
            mix(setup.seed) >> 16,
            winning=max(SelfPlayPlan.winning, spread),
            start=find_shipped_network(setup.program),
            round_games=self.training_games // ROUNDS,
        )
        variants = tuple(self.variants.values()) if goal_points else (Policy(watch=self.watch),)
        training = ResponseTraining(plan, setup=setup, table=self.table, variants=variants, goal_points=goal_points)
        purpose, networks = "for the condition" if goal_points else "for victories", dict[str, Network]()
        for played in training.train(partial(run_in_workers, start=start)):
            self.done = begun + played
            report_progress(self.done)
            if training.rounds == ROUNDS // 2 and training.network:
                networks.setdefault(f"network trained {purpose} in {played:,} games", training.network)
        if training.network:
            networks[f"network trained {purpose} in {training.played:,} games"] = training.network
        yield from networks.items()

    def _halve(
        self, arms: list[Candidate], held: bool, start: ExecutorStarter, report_progress: Callable[[int], object]
    ) -> None:
        """Play games of candidates, and drop the worse half after each look."""
        active, first, look = list(range(len(arms))), 0, self._first_look
        while len(active) > 1:
            pieces = [
                ResponsePiece(number, self.setup, (arms[number].policy, *self.table), games)
                for number in active
                for games in split_games(look, PIECE_GAMES, [GameRange(0, first)] if first else [])
            ]
            for piece, results in run_in_workers(play_response_piece, pieces, start):
                arms[piece.number].add(results)
                self._report(piece.games.games, report_progress)
            active.sort(key=lambda number: arms[number].rank(held), reverse=True)
            active = active[: len(active) // 2]
            first, look = look, 2 * look


def _find_best(arms: Iterable[Candidate], held: bool) -> Candidate:
    """Return the best of the candidates that played on longest."""
    arms = list(arms)
    longest = max(arm.games for arm in arms)
    return max((arm for arm in arms if arm.games == longest), key=lambda arm: arm.rank(held))


# --- results --------------------------------------------------------------------------------------------


def summarize_best_response(search: BestResponse) -> Data:
    """Return the results of a search that has ended as data."""
    setup, program = search.setup, search.setup.program
    held, free = search.final[True], search.final[False]
    met_wins = [win * met for win, met in zip(held.wins, held.met, strict=True)]
    differences = [one - other for one, other in zip(met_wins, free.wins, strict=True)]
    difference = estimate_mean(sum(differences), sum(d * d for d in differences), len(differences))
    data: Data = {
        "format": FORMAT,
        "game": {"title": program.title, "modules": list(program.modules), "rules": program.rules_hash},
        "players": setup.players,
        "opponents": list(setup.bots[1:]),
        "settings": dict(setup.settings),
        "seed": setup.seed,
        "condition": search.condition,
        "plan": search.goal.plan,
        "games": len(held.wins),
        "search_games": search.done - 2 * len(held.wins),
        "training_games": search.training_games,
        "held": {
            **search.best_held.to_data(),
            "games": len(held.wins),
            "met_wins": _share(sum(met_wins), len(held.wins)),
            "met": _share(sum(held.met), len(held.wins)),
            "wins": _share(sum(held.wins), len(held.wins)),
        },
        "free": {
            **search.best_free.to_data(),
            "games": len(free.wins),
            "wins": _share(sum(free.wins), len(free.wins)),
            "met": _share(sum(free.met), len(free.wins)),
        },
        "difference": {"value": difference.value, "low": difference.low, "high": difference.high},
        "lacks": list_lacks(program, search.line, SEAT, held.unmet_ends) if held.unmet_ends else [],
        "searched": {
            "held": [arm.to_data() for arm in search.held],
            "free": [arm.to_data() for arm in search.free],
        },
    }
    return data | {"said": describe_best_response(data)}


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
    return f"{row['bot']} with `{row['plan']}`" if row["plan"] else str(row["bot"])


def _describe_search(data: Data) -> str:
    """Return what was searched, so that a reader knows what "best" means."""
    arms = data["searched"]["held"]
    kinds = list(dict.fromkeys(arm["bot"] for arm in arms if arm["origin"] == SHIPPED))
    plans = len({arm["plan"] for arm in arms if arm["plan"]})
    return (
        f"Searched: {count_noun(len(arms), 'bot')} with the condition and {len(data['searched']['free'])} without "
        f"({join_words(kinds)}, and networks trained in {data['training_games']:,} games against this table; each "
        f"alone and with {count_noun(plans, 'plan')}), in {data['search_games']:,} games. The figures come from other "
        "games than the choice. A better bot may exist: they are lower bounds."
    )


def _format_percent(share: Data) -> str:
    return f"{100 * share['value']:.1f} %"


def _format_interval(share: Data) -> str:
    return f"{100 * share['low']:.1f} to {100 * share['high']:.1f}"


def list_plan_texts(goal: GoalText, program: Program, players: int) -> tuple[str, ...]:
    """Return the texts of the plans to compile: that of the goal, and then the others that candidates follow."""
    clock, end = find_clock(program, players)
    return tuple(dict.fromkeys(goal.list_plans(clock.name if clock and end <= 60 else "", end)))
