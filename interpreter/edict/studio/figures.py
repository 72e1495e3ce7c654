"""What games have shown of a variant, as values for whoever draws them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from edict.program import Program
from edict.simulation.counters import titles
from edict.study.comparing import Answer
from edict.study.findings import Data
from edict.study.intervals import Estimate, wilson

SORTS = ("held", "chosen", "drawn")  # where it is looked for how often a thing is used: held at the end, before chosen


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and the interval it lies in, as far as is known."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat (from 1): its share of the victories and its mean score, in the variant and in the base."""

    number: int
    wins: Figure
    base_wins: Figure
    score: Figure
    base_score: Figure


@dataclass(frozen=True, slots=True)
class Differs:
    """A main question. about: wins, scores or length; verdict: more, less, same, open (not clear yet) or rare."""

    about: str
    name: str
    before: float
    after: float
    change: Figure
    verdict: str


@dataclass(frozen=True, slots=True)
class Use:
    """How a thing fares under some rules.

    used: the share of players who have it at the end (sort: held) or choose it (chosen), or of games in which it is
    drawn (drawn). often: how often a player and game. worth: how much larger the chance to win is with it than without,
    and score: how many points more; None while there are no players of both sorts.
    """

    sort: str
    used: Figure
    often: float
    worth: Figure | None
    score: Figure | None


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing the variant has added or changed, and how it fares; `base` is how it did before."""

    name: str
    title: str
    kind: str
    way: str
    now: Use
    base: Use | None


@dataclass(frozen=True, slots=True)
class Touched:
    """A thing by its name, what studies call it, its kind, and whether it was added or changed."""

    name: str
    title: str
    kind: str
    way: str = "changed"

    @staticmethod
    def all_in(program: Program) -> dict[str, Touched]:
        """Every thing of a program."""
        kinds = [(kind, zip(kind.things, titles(kind), strict=True)) for kind in program.kinds]
        return {thing.name: Touched(thing.name, title, kind.name) for kind, named in kinds for thing, title in named}


def seats(before: Data, after: Data) -> tuple[Seat, ...]:
    """Of what was found of both rules; nothing before a game has ended well."""
    pairs = zip(before.get("seats", ()), after.get("seats", ()), strict=False)
    return tuple(
        Seat(now["seat"], _figure(now["win_share"]), _figure(old["win_share"]), _figure(now["score"]["mean"]),
             _figure(old["score"]["mean"]))
        for old, now in pairs
    )  # fmt: skip


def differing(answer: Answer) -> Differs:
    question = answer.question
    change = Figure(answer.value, answer.low, answer.high)
    return Differs(question.about, question.name, answer.one, answer.other, change, answer.verdict)


def thing_in(touched: Touched, before: Data, after: Data) -> Thing | None:
    """How a thing fares; None if games do not show it."""
    now = next(_uses(touched, after), None)
    if now is None:
        return None
    base = next((use for use in _uses(touched, before) if use.sort == now.sort), None)
    return Thing(touched.name, touched.title, touched.kind, touched.way, now, base)


def _uses(touched: Touched, data: Data) -> Iterator[Use]:
    for sort in SORTS:
        found = [
            option
            for group in data.get(sort, ())
            for option in group["options"]
            if group["of"] == touched.kind and option["option"] == touched.title
        ]
        if found:
            yield _use(sort, max(found, key=lambda option: float(option["often"])))


def _use(sort: str, option: Data) -> Use:
    had = option["with"]["of"]
    share = wilson(had, had + option["without"]["of"])
    return Use(sort, _figure_of(share), option["often"], _perhaps(option["lift"]), _perhaps(option["effect"]))


def _perhaps(data: Data | None) -> Figure | None:
    return _figure(data) if data is not None else None


def _figure(data: Data) -> Figure:
    low, high = (-inf, inf) if data["low"] is None else (data["low"], data["high"])
    return Figure(data["value"], low, high)


def _figure_of(one: Estimate) -> Figure:
    return Figure(one.value, one.low, one.high)


# --- in words ------------------------------------------------------------------------------------------

USED = {
    "held": "{share} of players have it at the end",
    "chosen": "{share} of players choose it at least once",
    "drawn": "it comes up in {share} of games",
}


def in_words(thing: Thing) -> str:
    """What games say of a thing, as a sentence."""
    used = USED[thing.now.sort].format(share=_percent(thing.now.used.value))
    before = f" (without the change: {_percent(thing.base.used.value)})" if thing.base is not None else ""
    return f"{thing.title}: {used}{before}{_worth(thing.now.worth)}."


def _worth(worth: Figure | None) -> str:
    if worth is None:
        return ""
    between = f"{_points(worth.low)} to {_points(worth.high)} percentage points"
    if worth.low > 0:
        return f", and they win more often than those without ({between})"
    if worth.high < 0:
        return f", and they win less often than those without ({between})"
    return f"; it is not clear yet whether they win more often ({between})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"
