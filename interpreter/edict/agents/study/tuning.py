"""A tuning: the value of a number in the rules with which games meet goals.

All values play the same seeds. The search is successive halving: every value plays `FIRST_GAMES` games; after each
look, the better half of the undecided values plays on, with twice as many games. A value is decided when its intervals
lie all within the goals, or one lies outside. The accepted probability of an error, `ALARM`, is divided evenly among
values, measures and looks (Bonferroni), so that all intervals of the whole search hold at once, whichever value is
picked and whenever the search stops. No library is used: with some tens of values that a look ranks, there is nothing
to model between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, inf, isfinite
from typing import Any

from edict.agents.study.bot_games import GameRange, GameSetup, get_plan, play_range, precompile, split_games
from edict.agents.study.inference import ALARM, Estimate
from edict.agents.study.retraining import NEVER, Retraining, create_pieces, find_network, retrain, select_values
from edict.agents.study.summary import Data, estimate_to_data
from edict.agents.study.totals import FeatureSums, Totals, sum_games
from edict.agents.study.tuning_goals import GameSample, TuningGoal, describe_range
from edict.runtime.program.opcodes import GAME_OVER
from edict.support.morphology import join_words
from edict.support.processes.distribution import ExecutorStarter, run_in_workers

FORMAT = "edict tuning 1"
FIRST_GAMES = 500  # of each value before the first look
MET, MISSED, OPEN = "met", "missed", "open"


@dataclass(frozen=True, slots=True)
class TuningPiece:
    """A piece of work: games of one value."""

    number: int
    setup: GameSetup
    games: GameRange
    features: tuple[int, ...]


def play_tuning_piece(piece: TuningPiece) -> tuple[Totals, list[int]]:
    """Play a piece, and return its totals and for each of its features the games in which anybody had it."""
    plan = get_plan(piece.setup)
    played = play_range(piece.setup, piece.games, keep=bool(piece.features))
    with_games = [0] * len(piece.features)
    for index, feature in enumerate(piece.features):
        start = plan.row_layout.place_of("by_seat", feature)
        for status, row in zip(played.counted.statuses, played.counted.rows, strict=True):
            with_games[index] += status == GAME_OVER and any(row[start : start + plan.players])
    return sum_games(piece.setup, played), with_games


@dataclass
class TunedValue:
    """The rules with some values of the tuned numbers, and the games played with them."""

    values: tuple[int, ...]
    setup: GameSetup
    goals: tuple[TuningGoal, ...]
    totals: Totals = field(init=False)
    with_games: list[int] = field(init=False)
    looks: int = 0
    retraining: Retraining | None = None
    untrained: TunedValue | None = None  # first games by the network before, if another is used

    def __post_init__(self) -> None:
        self.totals = Totals.zero(self.setup.players)
        self.with_games = [0] * len(self.features)

    def apply_retraining(self, retraining: Retraining) -> None:
        """Note a retraining, and play by the trained network if it is to be used."""
        self.retraining = retraining
        if retraining.is_used:
            self.untrained = TunedValue(self.values, self.setup, self.goals)
            self.setup = replace(self.setup, network=retraining.network)

    @property
    def features(self) -> tuple[int, ...]:
        """The features that are counted by game."""
        return tuple(measure.feature for goal in self.goals for measure in goal.measures if measure.feature >= 0)

    def add(self, totals: Totals, with_games: Sequence[int]) -> None:
        """Add the results of a piece."""
        self.totals.add(totals)
        self.with_games = [a + b for a, b in zip(self.with_games, with_games, strict=True)]

    def estimate(self, level: float) -> list[list[Estimate]]:
        """Estimate the measures of each goal."""
        sample = GameSample(FeatureSums(get_plan(self.setup), self.totals), self.with_games, self.features)
        return [[measure.estimate(sample, level) for measure in goal.measures] for goal in self.goals]


@dataclass
class Tuning:
    """A search among values, and its results so far."""

    arms: list[TunedValue]
    budget: int  # games of a value at most
    current: tuple[int, ...] = ()  # values of the rules as they are
    mode: str = NEVER  # whether bots are retrained, see `retraining`
    done: int = 0  # games played

    @cached_property
    def retrained_values(self) -> list[int]:
        """The numbers of the values for which bots are to be retrained; none if no bot can be."""
        if self.mode == NEVER or find_network(self.arms[0].setup) is None:
            return []
        return select_values(self.current, [arm.values for arm in self.arms], self.mode)

    @property
    def total(self) -> int:
        """The number of games of the whole search at most."""
        pieces = create_pieces([arm.setup for arm in self.arms], self.retrained_values, self.mode)
        return self.budget * len(self.arms) + sum(piece.games + piece.test_games for piece in pieces)

    @property
    def looks(self) -> list[int]:
        """The numbers of games of a value at which intervals are evaluated."""
        looks = [min(FIRST_GAMES, self.budget)]
        while looks[-1] < self.budget:
            looks.append(min(self.budget, 2 * looks[-1]))
        return looks

    @property
    def level(self) -> float:
        """The confidence of each interval at which all of the search hold at once."""
        measures = sum(len(goal.measures) for goal in self.arms[0].goals)
        return 1 - ALARM / (len(self.arms) * measures * len(self.looks))

    def run(self, start: ExecutorStarter, report_progress: Callable[[int], object]) -> None:
        """Retrain bots, and play until a value meets all goals, all miss one, or the budget is spent."""
        self._retrain(start, report_progress)
        active, first = list(self.arms), 0
        for look in self.looks:
            for arm in active:
                precompile(arm.setup, look - first)
            pieces = [
                TuningPiece(self.arms.index(arm), arm.setup, games, arm.features)
                for arm in active
                for games in split_games(look, arm.setup.piece_size, [GameRange(0, first)] if first else [])
            ]
            for piece, (totals, with_games) in run_in_workers(play_tuning_piece, pieces, start):
                self.arms[piece.number].add(totals, with_games)
                self.done += piece.games.games
                report_progress(self.done)
            first = look
            undecided = [arm for arm in active if self.judge(arm) == OPEN]
            if any(self.judge(arm) == MET for arm in active) or not undecided:
                return
            undecided.sort(key=self.measure_distance)
            active = undecided[: ceil(len(undecided) / 2)]

    def _retrain(self, start: ExecutorStarter, report_progress: Callable[[int], object]) -> None:
        """Retrain the bots, and play the first games by the networks before where others are used now."""
        numbers, arms = self.retrained_values, self.arms
        if not numbers:
            return

        def note_result(number: int, retraining: Retraining) -> None:
            """Note the retraining for a value."""
            arms[number].apply_retraining(retraining)
            self.done += retraining.games + retraining.wins.sample_size
            report_progress(self.done)

        retrain(create_pieces([arm.setup for arm in arms], numbers, self.mode), start, note_result)
        pieces = [
            TuningPiece(number, arm.untrained.setup, games, arm.features)
            for number, arm in enumerate(arms)
            if arm.untrained is not None
            for games in split_games(self.looks[0], arm.setup.piece_size)
        ]
        for piece, (totals, with_games) in run_in_workers(play_tuning_piece, pieces, start):
            untrained = arms[piece.number].untrained
            assert untrained is not None
            untrained.add(totals, with_games)

    def judge(self, arm: TunedValue) -> str:
        """Return whether the intervals of a value are all within the goals, one is outside, or neither."""
        estimates = arm.estimate(self.level)
        pairs = [(goal, estimate) for goal, row in zip(arm.goals, estimates, strict=True) for estimate in row]
        if not arm.totals.games or any(e.low > goal.high or e.high < goal.low for goal, e in pairs):
            return MISSED
        return MET if all(goal.low <= e.low and e.high <= goal.high for goal, e in pairs) else OPEN

    def measure_distance(self, arm: TunedValue) -> tuple[float, float]:
        """Return how far a value is from the goals, in widths of their ranges, and from the middle of these."""
        if not arm.totals.games:
            return inf, inf
        outside = inside = 0.0
        for goal, row in zip(arm.goals, arm.estimate(self.level), strict=True):
            bounds = [bound for bound in (goal.low, goal.high) if isfinite(bound)]
            width = (goal.high - goal.low) if len(bounds) == 2 else abs(bounds[0])
            for estimate in row:
                outside += max(0.0, goal.low - estimate.value, estimate.value - goal.high) / (width or 1.0)
                inside += abs(estimate.value - sum(bounds) / len(bounds)) / (width or 1.0)
        return outside, inside

    @property
    def best(self) -> TunedValue:
        """The value that meets the goals, or the nearest; of several, one that is not excluded."""
        order = {MET: 0, OPEN: 1, MISSED: 2}
        return min(self.arms, key=lambda arm: (order[self.judge(arm)], *self.measure_distance(arm)))

    def needed_games(self, arm: TunedValue) -> int:
        """Return about how many games would decide a value whose estimates are all within the goals; 0 otherwise."""
        needed = 0
        for goal, row in zip(arm.goals, arm.estimate(self.level), strict=True):
            for estimate in row:
                room = min(estimate.value - goal.low, goal.high - estimate.value)
                if room <= 0:
                    return 0
                reach = max(estimate.high - estimate.value, estimate.value - estimate.low)
                needed = max(needed, ceil(arm.totals.games * (reach / room) ** 2))
        return needed


def summarize_tuning(tuning: Tuning, facts: Data) -> Data:
    """Return the results of a tuning as data.

    Args:
        tuning: The tuning.
        facts: What the caller knows of the rules: `game`, `numbers`, `current`, `diff` and others.
    """
    goals = tuning.arms[0].goals
    data: Data = {
        "format": FORMAT,
        **facts,
        "goals": [
            {
                "text": goal.text,
                "low": goal.low if isfinite(goal.low) else None,
                "high": goal.high if isfinite(goal.high) else None,
                "range": describe_range(goal.low, goal.high, goal.measures[0].unit),
                "measures": [{"name": measure.name, "unit": measure.unit} for measure in goal.measures],
            }
            for goal in goals
        ],
        "confidence": 1 - ALARM,
        "level": tuning.level,
        "values": [_arm_to_data(tuning, arm) for arm in tuning.arms],
        "best": list(tuning.best.values),
        "needed": tuning.needed_games(tuning.best),
    }
    data["notes"] = [*facts.get("notes", ()), *describe_retraining(data)]
    return data


def _arm_to_data(tuning: Tuning, arm: TunedValue) -> Data:
    """Return a value with its games, verdict and estimates by goal."""
    rows: list[list[Any]] = [[estimate_to_data(estimate) for estimate in row] for row in arm.estimate(tuning.level)]
    return {
        "values": list(arm.values),
        "games": arm.totals.games,
        "faults": dict(arm.totals.faults),
        "verdict": tuning.judge(arm),
        "estimates": rows,
        "retrained": _retraining_to_data(tuning, arm),
    }


def _retraining_to_data(tuning: Tuning, arm: TunedValue) -> Data | None:
    """Return the retraining for a value, with the estimates by the network before; None without any."""
    retraining, before = arm.retraining, arm.untrained
    if retraining is None:
        return None
    rows = before.estimate(tuning.level) if before is not None and before.totals.games else []
    return {
        "games": retraining.games,
        "wins": estimate_to_data(retraining.wins),
        "even": retraining.even,
        "used": retraining.is_used,
        "before": [[estimate_to_data(estimate) for estimate in row] for row in rows],
    }


def describe_tuning(data: Data) -> list[str]:
    """Return the verdict of a tuning: the value that meets the goals, or the nearest, and how sure that is."""
    best = next(value for value in data["values"] if value["values"] == data["best"])
    name = describe_values(data, data["best"])
    shown = "; ".join(
        f"{measure['name']} {format_estimate(estimate, measure['unit'])}, wanted {goal['range']}"
        for goal, row in zip(data["goals"], best["estimates"], strict=True)
        for measure, estimate in zip(goal["measures"], row, strict=True)
    )
    together = f"with {100 * data['confidence']:.0f} % confidence over the whole search"
    if best["verdict"] == MET:
        others = [value["values"] for value in data["values"] if value["verdict"] == MET and value is not best]
        also = "".join(f" So does {describe_values(data, values)}." for values in others)
        return [f"{name} meets every goal, {together}: {shown}.{also}"]
    if best["verdict"] == OPEN and data["needed"]:
        return [
            f"{name} seems to meet every goal, but {best['games']:,} games are too few to be sure "
            f"(about {data['needed']:,} would do): {shown}."
        ]
    if all(value["verdict"] == MISSED for value in data["values"]):
        return [f"No value meets every goal, {together}. {name} comes nearest: {shown}."]
    return [f"No value was found to meet every goal. {name} comes nearest: {shown}."]


def describe_retraining(data: Data) -> list[str]:
    """Return what the retraining of bots has changed, for the notes of a report; nothing without any."""
    tried = [value for value in data["values"] if value["retrained"]]
    if not tried:
        return []
    games, even = tried[0]["retrained"]["games"], tried[0]["retrained"]["even"]
    count = "this value" if len(tried) == 1 else f"each of {len(tried)} values"
    lines = [f"`learned` was trained {games:,} games further with {count}, and then played against itself before."]
    for is_used, outcome in (
        (True, "the trained bots play, which won"),
        (False, "the bots play as they were: trained, they won"),
    ):
        values = [value for value in tried if value["retrained"]["used"] == is_used]
        if values:
            shares = sorted(round(value["retrained"]["wins"]["value"]) for value in values)
            span = f"{shares[0]} %" if shares[0] == shares[-1] else f"{shares[0]} to {shares[-1]} %"
            lines.append(f"At {_list_values(values)} {outcome} {span} of games ({even:.0f} % is even).")
    left = [value for value in data["values"] if not value["retrained"] and not _is_current(value, data)]
    if left:
        lines.append(
            f"For {_list_values(left)}, nearer to the present rules, nothing was trained: use --retrain always."
        )
    return lines


def _is_current(value: Data, data: Data) -> bool:
    """Return True if a value is that of the rules as they are."""
    return bool(value["values"] == [number["current"] for number in data["numbers"]])


def find_untrained(value: Data, goal: int, place: int) -> Data | None:
    """Return the estimate of a measure by the bots before they were trained; None if those play."""
    before = (value["retrained"] or {}).get("before")
    return before[goal][place] if before else None


def format_untrained(estimate: Data | None, unit: str) -> str:
    """Return an estimate by the bots before they were trained, without its interval; empty for None."""
    return f"{estimate['value']:.1f}{unit}" if estimate else ""


def _list_values(values: Sequence[Data]) -> str:
    """Return the numbers of values: `4, 5 and 6`."""
    return join_words([", ".join(map(str, value["values"])) for value in values], "and")


def describe_values(data: Data, values: Sequence[int]) -> str:
    """Return values with the phrases that name them: `cost of embassy in gold = 4`."""
    return ", ".join(f"{number['phrase']} = {value}" for number, value in zip(data["numbers"], values, strict=True))


def format_estimate(estimate: Data, unit: str) -> str:
    """Return an estimate with its interval: `27.4 % (24.8 to 30.1)`."""
    if estimate["low"] is None:
        return f"{estimate['value']:.1f}{unit}"
    return f"{estimate['value']:.1f}{unit} ({estimate['low']:.1f} to {estimate['high']:.1f})"
