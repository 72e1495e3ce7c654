"""Evaluation of a variant against its base: pairs of games in the background, with figures that become more precise.

The statistics are those of `run_evaluation`: planned looks for differences, and intervals for shares and means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import inf, isfinite

from edict.agents.bots import BOTS
from edict.agents.study.bot_games import GameRange, GameSetup, play_range, split_games
from edict.agents.study.charts import Chart
from edict.agents.study.comparison import ComparedQuestion, Comparison, pair_results
from edict.agents.study.factors import list_factors
from edict.agents.study.inference import Estimate, estimate_share
from edict.agents.study.summary import Data, name_score_unit, summarize_study
from edict.agents.study.totals import Totals, sum_games
from edict.agents.study.verdict import ComparedGames, describe_comparison
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.rule_differences import find_differences
from edict.runtime.program import Program
from edict.runtime.simulation.counters import distinct_titles
from edict.support.processes.tasks import ReportFunction
from edict.support.records import dataclass
from edict.tools.studio import StudioError
from edict.tools.studio.background import BackgroundRun
from edict.tools.studio.variant_files import (
    Snapshot,
    compile_base,
    compile_variant,
    find_variant_index,
    gather_snapshot,
)

# --- figures ---------------------------------------------------------------------------------------


USE_SORTS = ("held", "chosen", "drawn")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SeatComparison:
    """A seat's share of victories and mean score, in the variant and in the base."""

    number: int  # from 1
    wins: Figure
    base_wins: Figure
    score: Figure
    base_score: Figure


@dataclass(frozen=True, slots=True)
class MeasuredDifference:
    """The answer to one of the main questions."""

    about: str  # wins, scores or length
    name: str
    before: float
    after: float
    change: Figure
    verdict: str  # more, less, same, open (not clear yet) or rare


@dataclass(frozen=True, slots=True)
class ThingUse:
    """The use of a thing under some rules."""

    sort: str  # held, chosen or drawn
    used: Figure  # share of players who hold it at the end or choose it, or of games in which it is drawn
    often: float  # mean number of times per player and game
    worth: Figure | None  # win probability with it minus without; None while there are no players of both sorts
    score: Figure | None  # points with it minus without; None in the same case


@dataclass(frozen=True, slots=True)
class EvaluatedThing:
    """A thing that the variant adds or changes and its use in both rules."""

    name: str
    title: str
    kind: str
    way: str  # added or changed
    now: ThingUse
    base: ThingUse | None


@dataclass(frozen=True, slots=True)
class TouchedThing:
    """A thing that the variant adds or changes."""

    name: str
    title: str  # as in the data of studies
    kind: str
    way: str = "changed"  # added or changed

    @staticmethod
    def list_things(program: Program) -> dict[str, TouchedThing]:
        """Return every thing of a program by name."""
        kinds = [(kind, zip(kind.things, distinct_titles(kind), strict=True)) for kind in program.kinds]
        return {
            thing.name: TouchedThing(thing.name, title, kind.name)
            for kind, titled_things in kinds
            for thing, title in titled_things
        }


def compare_seats(before: Data, after: Data) -> tuple[SeatComparison, ...]:
    """Return the comparison of each seat; empty before a game has ended properly."""
    pairs = zip(before.get("seats", ()), after.get("seats", ()), strict=False)
    return tuple(
        SeatComparison(
            after_seat["seat"],
            _to_figure(after_seat["win_share"]),
            _to_figure(before_seat["win_share"]),
            _to_figure(after_seat["score"]["mean"]),
            _to_figure(before_seat["score"]["mean"]),
        )
        for before_seat, after_seat in pairs
    )


def to_difference(answer: ComparedQuestion) -> MeasuredDifference:
    """Convert a compared question to a `MeasuredDifference`: both values, their difference and the verdict."""
    question = answer.question
    change = Figure(answer.value, answer.low, answer.high)
    return MeasuredDifference(question.about, question.name, answer.one, answer.other, change, answer.verdict)


def evaluate_thing(touched: TouchedThing, before: Data, after: Data) -> EvaluatedThing | None:
    """Return how a thing was used in games by both rules; None if no game by the variant's rules used it."""
    use_after = next(_iter_uses(touched, after), None)
    if use_after is None:
        return None
    use_before = next((use for use in _iter_uses(touched, before) if use.sort == use_after.sort), None)
    return EvaluatedThing(touched.name, touched.title, touched.kind, touched.way, use_after, use_before)


def _iter_uses(touched: TouchedThing, data: Data) -> Iterator[ThingUse]:
    """Yield each way in which a thing was used in a study's games, by its most frequent option."""
    for sort in USE_SORTS:
        options = [
            option
            for group in data.get(sort, ())
            for option in group["options"]
            if group["of"] == touched.kind and option["option"] == touched.title
        ]
        if options:
            yield _to_use(sort, max(options, key=lambda option: float(option["often"])))


def _to_use(sort: str, option: Data) -> ThingUse:
    """Convert a study's option: share of players with it, mean count, and wins and points with it minus without."""
    with_count = option["with"]["of"]
    share = estimate_share(with_count, with_count + option["without"]["of"])
    return ThingUse(
        sort,
        _from_estimate(share),
        option["often"],
        _optional_figure(option["lift"]),
        _optional_figure(option["effect"]),
    )


def _optional_figure(data: Data | None) -> Figure | None:
    """Convert an estimate with its interval to a figure; None stays None."""
    return _to_figure(data) if data is not None else None


def _to_figure(data: Data) -> Figure:
    """Convert an estimate with its interval to a figure; an unknown interval becomes infinite."""
    low, high = (-inf, inf) if data["low"] is None else (data["low"], data["high"])
    return Figure(data["value"], low, high)


def _from_estimate(estimate: Estimate) -> Figure:
    return Figure(estimate.value, estimate.low, estimate.high)


def describe_worth(worth: Figure | None) -> str:
    """Return in words how the chance to win differs for those who have a thing."""
    if worth is None:
        return "cannot tell: everybody has it, or nobody does"
    if not isfinite(worth.low):
        return "not clear yet"
    interval = f"{100 * worth.low:+.0f} to {100 * worth.high:+.0f} percentage points"
    if worth.low > 0:
        verdict = "higher"
    elif worth.high < 0:
        verdict = "lower"
    else:
        verdict = "not clear yet"
    return f"{verdict} ({interval})"


# --- the study -------------------------------------------------------------------------------------


FIRST_LOOK, PIECE = 20, 20  # pairs before the first figures, and per batch; few, to show figures soon
DEFAULT_PLAYERS = 4  # players
DEFAULT_BOT = "greedy"


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Settings of an evaluation."""

    players: int | None = None  # None for the usual number
    bot: str = DEFAULT_BOT  # in every seat
    pairs: int = 2000  # of games at most
    seed: int = 0


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Figures after a number of pairs of games."""

    pairs: int  # played so far
    of: int  # pairs in all
    looked: int  # pairs on which the figures are based
    players: int
    bot: str
    seats: tuple[SeatComparison, ...]
    main: tuple[MeasuredDifference, ...]  # the main questions, variant against base
    things: tuple[EvaluatedThing, ...]  # those that the variant adds or changes and games can measure
    said: tuple[str, ...]  # the verdict in sentences
    faults: tuple[str, ...]  # errors that broke off games
    charts: tuple[tuple[str, Chart], ...] = ()  # of the variant's turn order, rounds and groups, with their titles

    @property
    def done(self) -> bool:
        """True if all pairs were played."""
        return self.pairs >= self.of


_USUAL_REQUEST = EvaluationRequest()


class Evaluation(BackgroundRun[EvaluationReport]):
    """An evaluation running in a separate process; stop it at the next edit."""

    def __init__(self, snapshot: Snapshot, request: EvaluationRequest = _USUAL_REQUEST) -> None:
        super().__init__(run_evaluation, snapshot, request)


def run_evaluation(snapshot: Snapshot, request: EvaluationRequest, report: ReportFunction[EvaluationReport]) -> None:
    """Play games, and report figures at every look and progress in between.

    Raises `RulesError`, or `StudioError` if the variant and its base cannot be compared.
    """
    base, rules = compile_base(snapshot), compile_variant(snapshot)
    if base is None:
        remedy = "run `kingsburg study` to see how it plays"
        raise StudioError("a game of your own has no base game to compare with", remedy)
    work = _PairedStudy(snapshot, base, rules, request)
    latest_report: EvaluationReport | None = None
    for _ in work.play_batches():
        if work.is_at_look:
            latest_report = work.build_report()
        if latest_report is not None:
            report(replace(latest_report, pairs=work.comparison.played_pairs))


class _PairedStudy:
    """Both rules over the same seeds and their results so far."""

    def __init__(self, snapshot: Snapshot, base: Rules, rules: Rules, request: EvaluationRequest) -> None:
        players, bot = _choose_player_count(base, rules, request.players), check_bot(request.bot)
        self.snapshot = snapshot
        self.title = rules.sources[find_variant_index(rules.sources, snapshot)].manifest.title
        base_setup, variant_setup = (
            GameSetup(either.program, (bot,) * players, (), request.seed) for either in (base, rules)
        )
        self.setups = base_setup, variant_setup
        self.comparison = Comparison(base_setup, variant_setup, request.pairs, first_look=FIRST_LOOK)
        self.totals = Totals.zero(players), Totals.zero(players)
        self._has_looked = False

    @property
    def is_at_look(self) -> bool:
        """True if figures are due after this number of pairs."""
        return self.comparison.played_pairs in self.comparison.looks

    def play_batches(self) -> Iterator[GameRange]:
        """Play the pairs batch by batch and yield the range of each."""
        size = PIECE if all(setup.is_native for setup in self.setups) else 1
        for stretch in split_games(self.comparison.budget, size):
            played = [play_range(setup, stretch, keep=True) for setup in self.setups]
            self.comparison.add(pair_results(self.setups, (played[0], played[1])))
            for totals, setup, games in zip(self.totals, self.setups, played, strict=True):
                totals.add(sum_games(setup, games))
            yield stretch

    def build_report(self) -> EvaluationReport:
        """Return all figures known now."""
        before, after = (
            summarize_study(setup, totals, self.comparison.budget)
            for setup, totals in zip(self.setups, self.totals, strict=True)
        )
        answers = self.comparison.evaluate()
        things = tuple(self._iter_things(before, after))
        games = ComparedGames(self.comparison.pairs, self.title, name_score_unit(self.setups[1].program))
        return EvaluationReport(
            self.comparison.played_pairs,
            self.comparison.budget,
            self.comparison.played_pairs,
            len(self.setups[0].bots),
            self.setups[0].bots[0],
            compare_seats(before, after),
            tuple(to_difference(question_answer) for question_answer in answers if question_answer.question.main),
            things,
            tuple(describe_comparison(answers, games)),
            tuple(self.comparison.faults),
            tuple(_iter_charts(after)),
        )

    def _iter_things(self, before: Data, after: Data) -> Iterator[EvaluatedThing]:
        """Yield the use of each thing that the variant adds, and from the second call on, changes.

        The first time, only added ones, since finding changed ones takes longer.
        """
        candidates = self.touched_things if self._has_looked else self.added_things
        self._has_looked = True
        things = (evaluate_thing(touched, before, after) for touched in candidates)
        yield from (thing for thing in things if thing is not None)

    @property
    def added_things(self) -> tuple[TouchedThing, ...]:
        """The things that only the variant has."""
        base_things, variant_things = (TouchedThing.list_things(setup.program) for setup in self.setups)
        return tuple(replace(thing, way="added") for name, thing in variant_things.items() if name not in base_things)

    @cached_property
    def touched_things(self) -> tuple[TouchedThing, ...]:
        """The things that the variant adds or changes."""
        base_things, variant_things = (TouchedThing.list_things(setup.program) for setup in self.setups)
        changed = (
            variant_things[name]
            for name in _find_changed_names(self.snapshot)
            if name in variant_things and name in base_things
        )
        return (*self.added_things, *changed)


def _iter_charts(data: Data) -> Iterator[tuple[str, Chart]]:
    """Yield title and chart of each factor of a study's games, if any ended well."""
    for factor in list_factors(data) if data["games"] else ():
        if factor.part.chart is not None:
            yield factor.part.title, factor.part.chart


def _find_changed_names(snapshot: Snapshot) -> Iterator[str]:
    """Yield the names of definitions that differ between the variant and its base."""
    modules = gather_snapshot(snapshot).unwrap()
    folder = snapshot.folder.resolve()
    variant_rules = annotate_rules(modules).unwrap()
    base_rules = annotate_rules(tuple(module for module in modules if module.folder.resolve() != folder)).unwrap()
    yield from dict.fromkeys(change.name for change in find_differences(base_rules, variant_rules))


def _choose_player_count(base: Rules, rules: Rules, wanted: int | None) -> int:
    """Return the number of players. Raises `StudioError` if both rules cannot be played by as many as wanted."""
    low = max(either.program.least_players for either in (base, rules))
    high = min(either.program.most_players for either in (base, rules))
    players = max(low, min(DEFAULT_PLAYERS, high)) if wanted is None else wanted
    if not low <= players <= high:
        raise StudioError(f"{rules.title} cannot be compared with {players} players", f"choose {low} to {high}")
    return players


# A web form names a bot by kind and budget, never a class to import or a file to read.
_NAMED_BOT = re.compile(r"[a-z]+(@[0-9.]+[a-z]?)?")


def check_bot(kind: str) -> str:
    """Return the kind of bot if it can play here. Raises `StudioError` for any other."""
    if not _NAMED_BOT.fullmatch(kind) or kind not in BOTS or BOTS.find_problem(kind):
        raise StudioError(f"there is no bot `{kind}`", f"try {DEFAULT_BOT}")
    return kind
