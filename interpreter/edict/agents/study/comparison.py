"""A comparison of two sets of rules over the same seeds: what changes, and whether that is significant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from math import ceil
from typing import Any

from edict.agents.study.bot_games import (
    GameRange,
    GameSetup,
    PlayedGames,
    get_plan,
    play_range,
    precompile,
    split_games,
)
from edict.agents.study.checkpoint import CheckpointFile, ResultFormat
from edict.agents.study.inference import FIRST, MIN_DIFFERING, PairedDifference, divide_alarm, plan_looks
from edict.agents.study.option_groups import label_announcement
from edict.agents.study.totals import add_up, check_integer, describe_fault, read_faults
from edict.runtime.program.opcodes import GAME_OVER
from edict.runtime.simulation.counters import CHOSEN, HELD, SAID, SCORED
from edict.runtime.simulation.counting import CountedGames, FeatureKey, list_features, sum_measures_over_pairs
from edict.runtime.simulation.counting_layout import PER_MEASURE, SHARE, measures_layout, read_pair_sums
from edict.support.processes.distribution import ExecutorStarter, run_in_workers
from edict.support.records import dataclass

PIECE_PAIRS, SLOW_PIECE_PAIRS = 50, 1  # in a piece of work, natively and with bots in Python
WINS, SCORES, LENGTH, OFTEN, FAVOUR = "wins", "scores", "length", "often", "favour"
MORE, LESS, SAME, OPEN, RARE = "more", "less", "same", "open", "rare"
# the least relevant difference: of a share of wins, and relative to the mean of a score or length
RELEVANT_DIFFERENCE = 0.01
WINNING_SCORE, SCORE_PER_PLAYER, CHOICES = "winning score", "score per player", "choices per game"


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    """A measure that may differ between the rules."""

    about: str
    name: str
    measure: int  # the number of its measure
    unit: float  # divisor of the counted number
    main: bool = False  # one of the main questions
    place: int = 0  # in the turn order, from 1, whose wins it is about
    bot: str = ""  # the kind of bot whose wins it is about
    key: FeatureKey = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question with its value under both rules, the difference with its interval, and the verdict."""

    question: ComparisonQuestion
    one: float
    other: float
    value: float
    low: float
    high: float
    p: float
    verdict: str
    needed_pairs: int = 0  # pairs that would narrow the interval to irrelevant differences; 0 if unknown


@dataclass(frozen=True, slots=True)
class PairResults:
    """The results of some pairs of games."""

    sound: int  # pairs in which both games ended normally
    faults: Counter[str]  # why the other pairs broke off
    sums: list[int]
    mishaps: Counter[str] = field(default_factory=Counter)  # faults of users' bots


@dataclass
class Comparison:
    """A comparison of two setups with the same seats, seed and bots, and the results of their pairs of games so far."""

    one: GameSetup
    other: GameSetup
    budget: int  # pairs to play at most
    matters: float = RELEVANT_DIFFERENCE
    checkpoint: CheckpointFile[PairResults] | None = None
    pairs: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    sums: list[int] = field(default_factory=list)
    clear: bool = False  # all main questions are answered
    first_look: int = FIRST  # pairs before the first look

    def __post_init__(self) -> None:
        self.plan_pair = (get_plan(self.one), get_plan(self.other))
        self.keys = list_features(*self.plan_pair)
        self.measures = measures_layout(self.one.players, len(self.keys))

    @property
    def broken_pairs(self) -> int:
        """The number of pairs that broke off."""
        return sum(self.faults.values())

    @property
    def played_pairs(self) -> int:
        """The number of pairs that were played, including those that broke off."""
        return self.pairs + self.broken_pairs

    @property
    def looks(self) -> list[int]:
        """The numbers of pairs at which the test is evaluated."""
        return plan_looks(self.budget, self.first_look)

    def run(self, start: ExecutorStarter, on_progress: Callable[[int], object]) -> None:
        """Play until the main questions are answered or the budget is spent, using the checkpoint."""
        for setup in (self.one, self.other):
            precompile(setup, self.budget - self.played_pairs)
        done = 0
        for number, look in enumerate(self.looks):
            saved = self._list_saved_results(done, look)
            for _, pairs in saved:
                self.add(pairs)
            pieces = self._list_missing_pieces(done, look, [game_range for game_range, _ in saved])
            for game_range, pairs in run_in_workers(partial(play_pairs, self.one, self.other), pieces, start):
                self.add(pairs)
                on_progress(self.played_pairs)
                if self.checkpoint:
                    self.checkpoint.add(game_range, pairs)
            done = look
            self.clear = all(answer.verdict in (MORE, LESS, SAME) for answer in self.evaluate() if answer.question.main)
            if self.clear and number + 1 < len(self.looks):
                return

    def _list_saved_results(self, first: int, last: int) -> list[tuple[GameRange, PairResults]]:
        """Return range and results of each saved piece that lies within the pairs `first` to `last` (exclusive)."""
        saved = self.checkpoint.results if self.checkpoint else ()
        return [item for item in saved if first <= item[0].first and item[0].first + item[0].games <= last]

    def _list_missing_pieces(self, first: int, last: int, known: list[GameRange]) -> Iterator[GameRange]:
        """Yield the pairs from `first` to below `last` that are not known, in pieces of work."""
        size = PIECE_PAIRS if self.one.is_native and self.other.is_native else SLOW_PIECE_PAIRS
        return split_games(last, size, [GameRange(0, first), *known])

    def add(self, pairs: PairResults) -> None:
        """Add the sums, faults and number of sound pairs of one batch to the totals."""
        self.pairs += pairs.sound
        self.faults.update(pairs.faults)
        self.mishaps.update(pairs.mishaps)
        self.sums = add_up(self.sums, pairs.sums)

    # --- questions and answers

    def list_questions(self) -> list[ComparisonQuestion]:
        """Return the questions on scores, length, wins and every feature, each with its place in the measures."""
        players, at, kinds = (
            self.one.players,
            self.measures.place_of,
            list(dict.fromkeys(label_seats(self.one, self.other))),
        )
        round_name = self.plan_pair[0].round_name
        return [
            ComparisonQuestion(SCORES, "margin between first and second", at("lead"), 1.0),
            ComparisonQuestion(SCORES, WINNING_SCORE, at("best"), 1.0, main=True),
            ComparisonQuestion(SCORES, SCORE_PER_PLAYER, at("together"), players, main=True),
            ComparisonQuestion(LENGTH, CHOICES, at("choices"), 1.0, main=True),
            ComparisonQuestion(LENGTH, f"rounds ({round_name})" if round_name else "rounds", at("rounds"), 1.0),
            *(
                ComparisonQuestion(
                    WINS,
                    f"win share of place {place + 1} in the initial turn order",
                    at("places", place),
                    SHARE,
                    main=True,
                    place=place + 1,
                )
                for place in range(players)
            ),
            *(
                ComparisonQuestion(
                    WINS,
                    f"win share of {kind}" if len(kinds) > 1 else "games that somebody wins",
                    at("groups", group),
                    SHARE,
                    main=True,
                    bot=kind if len(kinds) > 1 else "",
                )
                for group, kind in enumerate(kinds)
            ),
            *(
                question
                for number, key in enumerate(self.keys)
                for question in _iter_feature_questions(key, at("features", number), players)
            ),
        ]

    def evaluate(self) -> list[ComparedQuestion]:
        """Return every question that applies with its answer so far; none before there are two pairs."""
        if self.pairs < 2:
            return []
        alarm = divide_alarm(self.budget, first=self.first_look)
        answers: list[ComparedQuestion] = []
        for main in (True, False):
            family = [
                question
                for question in self.list_questions()
                if question.main == main and self._is_applicable(question)
            ]
            answers += [self._evaluate_question(question, alarm / len(family)) for question in family]
        return answers

    def _is_applicable(self, question: ComparisonQuestion) -> bool:
        """Return True if the games so far show anything on a question: it occurred, and wins are not constant.

        Wins that every game has, and places that no player has, are left out. A detail must have happened; its
        correlation with winning is asked only of answers and holdings.
        """
        if question.about == WINS:
            return all(
                set(read_pair_sums(self.sums, question.measure)[:2]) - {number} for number in (0, SHARE * self.pairs)
            )
        if question.about in (SCORES, LENGTH):
            return True
        kinds = (CHOSEN, HELD) if question.about == FAVOUR else (CHOSEN, HELD, SCORED, SAID)
        return question.key[0] in kinds and any(read_pair_sums(self.sums, question.measure)[:2])

    def _evaluate_question(self, question: ComparisonQuestion, alarm: float) -> ComparedQuestion:
        """Test the mean paired difference of a question at level `alarm`; return its interval and verdict."""
        sums, unit = read_pair_sums(self.sums, question.measure), question.unit
        differences = PairedDifference(self.pairs, sums.differing, sums.difference, sums.squares)
        estimate = differences.estimate(alarm)
        low, high = estimate.low / unit, estimate.high / unit
        mean = sums.one / unit / self.pairs
        limit = self.matters if question.about == WINS else self.matters * abs(mean)
        verdict = OPEN
        if differences.p_value < alarm:
            verdict = MORE if estimate.value > 0 else LESS
        elif question.main and differences.pairs and -limit <= low and high <= limit:
            verdict = SAME
        elif differences.differing < MIN_DIFFERING and not question.main:
            verdict = RARE
        if question.main and limit:
            needed = ceil(self.pairs * ((high - low) / 2 / limit) ** 2)
        else:
            needed = 0
        other = sums.other / unit / self.pairs
        return ComparedQuestion(
            question, mean, other, estimate.value / unit, low, high, differences.p_value, verdict, needed
        )


def _iter_feature_questions(key: FeatureKey, measure: int, players: int) -> Iterator[ComparisonQuestion]:
    """Yield the questions of a feature: its frequency, and its correlation with winning."""
    kind, name = key[0], _name_feature(key)
    yield ComparisonQuestion(OFTEN, name, measure, 1.0 if kind == SAID else players, key=key)
    yield ComparisonQuestion(FAVOUR, name, measure + 1, SHARE * players, key=key)


def _name_feature(key: FeatureKey) -> str:
    """Return the name of a feature in tables."""
    kind, group, option, _ = key
    if kind == SCORED:
        return f"score from {option}"
    if kind == HELD:
        return f"{group} at the end: {option}"
    if not option:
        return label_announcement(group)
    if group.endswith("?"):
        return f"{group} {option}"
    return f"{group.rstrip('.')}: {option}"


def play_pairs(one: GameSetup, other: GameSetup, game_range: GameRange) -> PairResults:
    """Play the same seeds by both setups, and return the results of the pairs."""
    return pair_results(
        (one, other), (play_range(one, game_range, keep=True), play_range(other, game_range, keep=True))
    )


def pair_results(setups: tuple[GameSetup, GameSetup], played: tuple[PlayedGames, PlayedGames]) -> PairResults:
    """Return the results in pairs of the games of both setups, which have the same seeds and kept rows."""
    plan_pair = (get_plan(setups[0]), get_plan(setups[1]))
    counted = (played[0].counted, played[1].counted)
    sound, sums = sum_measures_over_pairs(
        plan_pair, counted, list_features(*plan_pair), number_bot_kinds(label_seats(*setups))
    )
    return PairResults(sound, Counter(_iter_pair_faults(setups, counted)), sums, played[0].mishaps + played[1].mishaps)


def label_seats(one: GameSetup, other: GameSetup) -> list[str]:
    """Return the kind of bot in each seat, apart for seats that follow a plan in either setup."""
    planned = {seat for setup in (one, other) for seat, plan in enumerate(setup.plans) if plan is not None}
    return [f"{bot} with the plan" if seat in planned else bot for seat, bot in enumerate(one.bots)]


def number_bot_kinds(bots: Sequence[str]) -> list[int]:
    """Return for each seat the number of its kind of bot, by which wins are counted."""
    kinds = list(dict.fromkeys(bots))
    return [kinds.index(bot) for bot in bots]


def _iter_pair_faults(setups: tuple[GameSetup, GameSetup], counted: tuple[CountedGames, CountedGames]) -> Iterator[str]:
    """Yield why each broken pair broke off: the fault of its first game that did."""
    for number in range(len(counted[0].statuses)):
        for setup, games in zip(setups, counted, strict=True):
            if games.statuses[number] != GAME_OVER:
                yield describe_fault(setup.program, games.statuses[number], games.places[number])
                break


def make_comparison_format(one: GameSetup, other: GameSetup, budget: int) -> ResultFormat[PairResults]:
    """Return the stored form of a comparison; its looks depend on the budget, so that must stay the same, too."""
    keys = list_features(get_plan(one), get_plan(other))
    numbers = PER_MEASURE * measures_layout(one.players, len(keys)).length

    def read(pairs: int, data: dict[str, Any]) -> PairResults:
        """Read the results of a piece from JSON data; raise `ValueError` unless they account for all its pairs."""
        sums, faults = data["sums"], read_faults(data)
        sound = check_integer(data["sound"], 0, pairs)
        if not isinstance(sums, list) or len(sums) != numbers or sound + faults.total() != pairs:
            raise ValueError
        return PairResults(sound, faults, [check_integer(value) for value in sums], read_faults(data, "mishaps"))

    def write(pairs: PairResults) -> dict[str, Any]:
        """Return the results of a piece as JSON data: sound pairs, faults of rules, sums, and faults of bots."""
        return {"sound": pairs.sound, "faults": dict(pairs.faults), "sums": pairs.sums, "mishaps": dict(pairs.mishaps)}

    setups = (one, other)
    identity = {
        "rules": [setup.program.rules_hash for setup in setups],
        "modules": [list(game_setup.program.modules) for game_setup in setups],
        "bots": list(one.bots),
        "settings": [dict(game_setup.settings) for game_setup in setups],
        "seed": one.seed,
        "games": budget,
        **one.plan_names,
        **({"plans of the second": other.plan_names["plans"]} if other.plans else {}),
    }
    return ResultFormat("comparison", identity, write, read)


FORMAT = "edict comparison 1"
METHOD = (
    "Both sets of rules were played with the same seeds, and what counts is the difference within each pair of games. "
    "The looks at growing numbers of pairs were planned in advance; a false-alarm rate of 5 % overall is divided among "
    "the looks and kinds of questions, and evenly among the questions of a kind (Bonferroni). So all intervals hold at "
    "once, and a difference is reported where its interval excludes 0. Details that differ in "
    f"fewer than {MIN_DIFFERING} pairs are too rare to tell."
)
