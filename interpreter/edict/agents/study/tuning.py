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
from dataclasses import dataclass, field
from math import ceil, inf, isfinite
from typing import Any

from edict.agents.study.bot_games import GameRange, GameSetup, get_plan, play_range, precompile, split_games
from edict.agents.study.inference import ALARM, Estimate
from edict.agents.study.summary import Data, estimate_to_data
from edict.agents.study.totals import FeatureSums, Totals, sum_games
from edict.agents.study.tuning_goals import GameSample, TuningGoal, describe_range
from edict.runtime.program.opcodes import GAME_OVER
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

    def __post_init__(self) -> None:
        self.totals = Totals.zero(self.setup.players)
        self.with_games = [0] * len(self.features)

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
    done: int = 0  # games played

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
        """Play until a value meets all goals, every value misses one, or the budget is spent."""
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
    return {
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


def _arm_to_data(tuning: Tuning, arm: TunedValue) -> Data:
    """Return a value with its games, verdict and estimates by goal."""
    rows: list[list[Any]] = [[estimate_to_data(estimate) for estimate in row] for row in arm.estimate(tuning.level)]
    return {
        "values": list(arm.values),
        "games": arm.totals.games,
        "faults": dict(arm.totals.faults),
        "verdict": tuning.judge(arm),
        "estimates": rows,
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


def describe_values(data: Data, values: Sequence[int]) -> str:
    """Return values with the phrases that name them: `cost of embassy in gold = 4`."""
    return ", ".join(f"{number['phrase']} = {value}" for number, value in zip(data["numbers"], values, strict=True))


def format_estimate(estimate: Data, unit: str) -> str:
    """Return an estimate with its interval: `27.4 % (24.8 to 30.1)`."""
    if estimate["low"] is None:
        return f"{estimate['value']:.1f}{unit}"
    return f"{estimate['value']:.1f}{unit} ({estimate['low']:.1f} to {estimate['high']:.1f})"
