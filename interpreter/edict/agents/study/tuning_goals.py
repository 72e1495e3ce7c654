"""The goals of a tuning: what a measure of games must be, written as `built in 25 to 40 % of games`.

A goal is a range with words around it. The words name an option of the game (a building, an answer) or leave it to
the tuned thing, and a measure of a study.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import inf

from edict.agents.study.inference import Estimate, estimate_difference, estimate_mean, estimate_share
from edict.agents.study.totals import FeatureSums, SeatBin
from edict.runtime.simulation.counters import CHOSEN, HELD, CountingPlan
from edict.support.records import dataclass
from edict.support.request_errors import RequestError

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(
    rf"(?P<bound>within|at least|at most|over|under|above|below)?\s*(?P<low>{_NUMBER})"
    rf"(?:\s*(?:to|and|\.\.)\s*(?P<high>{_NUMBER}))?\s*(?P<unit>%|percent|points?\b)?"
)
_ONE_SIDED = {"at least": 1, "over": 1, "above": 1, "at most": -1, "under": -1, "below": -1}
GOAL_EXAMPLE = "write it like `built in 25 to 40 % of games` or `win difference within 2 points`"


class GoalError(RequestError):
    """A goal that cannot be understood."""


@dataclass(frozen=True)
class GameSample:
    """The games of one value."""

    sums: FeatureSums
    with_games: Sequence[int]  # for each wanted feature, the games in which anybody had it
    features: Sequence[int]  # the wanted features

    @property
    def games(self) -> int:
        """The number of games that ended well."""
        return self.sums.totals.games


Estimator = Callable[[GameSample, float], Estimate]  # of a measure, at a level of confidence


@dataclass(frozen=True)
class TuningMeasure:
    """A number that games are measured by."""

    name: str
    unit: str  # " %", " points" or nothing
    estimate: Estimator
    feature: int = -1  # that must be counted by game


@dataclass(frozen=True)
class TuningGoal:
    """A range that measures must be in, all of them."""

    text: str
    measures: tuple[TuningMeasure, ...]
    low: float
    high: float


def parse_goal(text: str, plan: CountingPlan, subject: str) -> TuningGoal:
    """Parse a goal; raises `GoalError`.

    Args:
        text: The goal as typed.
        plan: The features of the game.
        subject: The title of the tuned thing, which a goal without a name is about; may be empty.
    """
    names = {feature.option.casefold() for feature in plan.features if feature.kind in (CHOSEN, HELD)}
    lower = text.casefold()
    option = max((name for name in names if _is_named(name, lower)), key=len, default="")
    outside = re.sub(rf"(?<!\w){re.escape(option)}(?!\w)", " ", lower) if option else lower
    found = next((match for match in _RANGE.finditer(outside) if _is_range(match)), None)
    if found is None:
        raise GoalError(f"`{text}` has no range of numbers", GOAL_EXAMPLE)
    low, high = _parse_bounds(found)
    around = f"{outside[: found.start()]} {found['unit'] or ''} {outside[found.end() :]}"
    words = set(re.findall(r"\w+|%", around))
    return TuningGoal(text, _find_measures(words, plan, option or subject.casefold(), text), low, high)


def _is_named(name: str, text: str) -> bool:
    """Return True if a text contains the name of an option, which is not just a number."""
    return not name.isdecimal() and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _is_range(match: re.Match[str]) -> bool:
    return bool(match["bound"] or match["high"])


def _parse_bounds(match: re.Match[str]) -> tuple[float, float]:
    """Return the bounds of a range; `within 2` is from -2 to 2."""
    first = float(match["low"])
    side = _ONE_SIDED.get(match["bound"] or "", 0)
    if side:
        return (first, inf) if side > 0 else (-inf, first)
    if match["high"] is None:
        return -abs(first), abs(first)
    second = float(match["high"])
    return min(first, second), max(first, second)


def _find_measures(words: set[str], plan: CountingPlan, option: str, text: str) -> tuple[TuningMeasure, ...]:
    """Return the measures that words name: the entry of `_list_measures` of which most words are among them."""
    entries = _list_measures(plan, option, bool(words & {"taken", "chosen", "offered"}))
    named = [(len(keys), measures) for keys, measures in entries if keys <= words]
    if named:
        return max(named, key=lambda item: item[0])[1]
    known = ", ".join(dict.fromkeys(measure.name for _, measures in entries for measure in measures[:1]))
    if "win" in words or "%" in words:
        remedy = "name something that players choose or hold, as its title is written, in front of it"
    else:
        remedy = f"measures of this game: {known}"
    raise GoalError(f"`{text}` names no measure of these games", remedy)


def _list_measures(
    plan: CountingPlan, option: str, chosen: bool
) -> list[tuple[frozenset[str], tuple[TuningMeasure, ...]]]:
    """Return the measures of a game with the words that name each; those of an option if the game counts it."""
    players = plan.players
    entries: list[tuple[str, tuple[TuningMeasure, ...]]] = [
        ("winning score", (TuningMeasure("winning score", "", _mean_of("winning")),)),
        ("score", (TuningMeasure("score per player", "", _mean_of("together", players)),)),
        ("margin", (TuningMeasure("margin between first and second", "", _mean_of("margins")),)),
        ("choices", (TuningMeasure("choices per game", "", _mean_of("choices")),)),
        ("length", (TuningMeasure("choices per game", "", _mean_of("choices")),)),
        ("rounds", (TuningMeasure(f"rounds ({plan.round_name})", "", _mean_of("rounds")),)),
        (
            "ties %",
            (TuningMeasure("ties", " %", lambda s, a: _percent(estimate_share(s.sums.totals.shared, s.games, a))),),
        ),
    ]
    by_place = tuple(
        TuningMeasure(f"win difference of place {place + 1}", " points", _place_difference(place, players))
        for place in range(players)
    )
    entries += [("win difference seat", by_place), ("win difference place", by_place)]
    entries += [(f"win difference place {place}", (measure,)) for place, measure in enumerate(by_place, 1)]
    kinds = (CHOSEN, HELD) if chosen else (HELD, CHOSEN)
    candidates = [
        (kinds.index(feature.kind), number)
        for number, feature in enumerate(plan.features)
        if feature.kind in kinds and feature.option.casefold() == option
    ]
    if candidates:
        number = min(candidates)[1]
        title = plan.features[number].option
        verb = "held at the end" if plan.features[number].kind == HELD else "taken"
        entries += [
            ("% games", (TuningMeasure(f"{title} {verb}, of games", " %", _share_of_games(number), number),)),
            ("%", (TuningMeasure(f"{title} {verb}, of players", " %", _share_of_players(number)),)),
            ("% offered", (TuningMeasure(f"{title} taken when offered", " %", _share_of_offers(number)),)),
            ("win difference", (TuningMeasure(f"win difference with {title}", " points", _lift(number)),)),
            ("win %", (TuningMeasure(f"wins with {title}", " %", _wins_with(number)),)),
        ]
    return [(frozenset(words.split()), measures) for words, measures in entries]


# --- measures -------------------------------------------------------------------------------------


def _mean_of(name: str, divisor: int = 1) -> Estimator:
    """Return the estimator of a mean that `Totals` counts, by its field or the name of a length."""

    def estimate(sample: GameSample, level: float) -> Estimate:
        totals = sample.sums.totals
        counts = totals.lengths[name] if name in totals.lengths else getattr(totals, name)
        total = sum(value * count for value, count in counts.items())
        squares = sum(value * value * count for value, count in counts.items())
        return estimate_mean(total / divisor, squares / divisor**2, sum(counts.values()), level)

    return estimate


def _percent(estimate: Estimate) -> Estimate:
    """Return an estimate of a share in percent."""
    return Estimate(100 * estimate.value, 100 * estimate.low, 100 * estimate.high, estimate.sample_size)


def _place_difference(place: int, players: int) -> Estimator:
    def estimate(sample: GameSample, level: float) -> Estimate:
        share = _percent(estimate_share(sample.sums.wins_by_place()[place], sample.games, level))
        return share.shift(-100 / players)

    return estimate


def _share_of_games(feature: int) -> Estimator:
    def estimate(sample: GameSample, level: float) -> Estimate:
        return _percent(estimate_share(sample.with_games[sample.features.index(feature)], sample.games, level))

    return estimate


def _split_seats(sample: GameSample, feature: int) -> tuple[SeatBin, SeatBin]:
    """Return the seats with and without a feature."""
    without, *bins = sample.sums.bins(feature)
    return sum(bins, SeatBin()), without


def _share_of_players(feature: int) -> Estimator:
    def estimate(sample: GameSample, level: float) -> Estimate:
        have, without = _split_seats(sample, feature)
        return _percent(estimate_share(have.seats, have.seats + without.seats, level))

    return estimate


def _share_of_offers(feature: int) -> Estimator:
    def estimate(sample: GameSample, level: float) -> Estimate:
        taken = sum(sample.sums.get_counts_by_seat(feature))
        return _percent(estimate_share(taken, sample.sums.get_offer_count(feature), level))

    return estimate


def _wins_with(feature: int) -> Estimator:
    def estimate(sample: GameSample, level: float) -> Estimate:
        have, _ = _split_seats(sample, feature)
        return _percent(estimate_share(have.wins, have.seats, level))

    return estimate


def _lift(feature: int) -> Estimator:
    def estimate(sample: GameSample, level: float) -> Estimate:
        shares = (estimate_share(seats.wins, seats.seats, level) for seats in _split_seats(sample, feature))
        return _percent(estimate_difference(*shares))

    return estimate


def describe_range(low: float, high: float, unit: str) -> str:
    """Return a goal's range in words, as `25 to 40 %`."""
    if high == inf:
        return f"at least {low:g}{unit}"
    if low == -inf:
        return f"at most {high:g}{unit}"
    return f"{low:g} to {high:g}{unit}"
