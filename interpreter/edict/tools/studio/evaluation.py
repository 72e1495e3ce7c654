"""What a variant is worth against what it is laid over: games in pairs, in the background, whose figures grow surer.

The statistics are those of `study`: what differs by its planned looks, shares and means with its intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from edict.agents.bots import BOTS
from edict.agents.study.bot_games import GameRange, Setup, game_ranges, play
from edict.agents.study.comparison import ComparedQuestion, Comparison, pairs_of, sentences
from edict.agents.study.inference import Estimate, wilson
from edict.agents.study.summary import Data, study_data
from edict.agents.study.totals import Totals, totalled
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.rule_differences import find_differences
from edict.runtime.program import Program
from edict.runtime.simulation.counters import distinct_titles
from edict.support.processes.tasks import ReportFunction
from edict.tools.studio.background import Run
from edict.tools.studio.snapshots import Snapshot, base_of, gathered, rules_of, variant_in
from edict.tools.studio.studio_errors import StudioError

# --- figures ---------------------------------------------------------------------------------------


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
class ThingUse:
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
class EvaluatedThing:
    """A thing the variant has added or changed, and how it fares; `base` is how it did before."""

    name: str
    title: str
    kind: str
    way: str
    now: ThingUse
    base: ThingUse | None


@dataclass(frozen=True, slots=True)
class TouchedThing:
    """A thing by its name, what studies call it, its kind, and whether it was added or changed."""

    name: str
    title: str
    kind: str
    way: str = "changed"

    @staticmethod
    def all_in(program: Program) -> dict[str, TouchedThing]:
        """Every thing of a program."""
        kinds = [(kind, zip(kind.things, distinct_titles(kind), strict=True)) for kind in program.kinds]
        return {
            thing.name: TouchedThing(thing.name, title, kind.name) for kind, named in kinds for thing, title in named
        }


def seats(before: Data, after: Data) -> tuple[Seat, ...]:
    """Of what was found of both rules; nothing before a game has ended well."""
    pairs = zip(before.get("seats", ()), after.get("seats", ()), strict=False)
    return tuple(
        Seat(
            now["seat"],
            _figure(now["win_share"]),
            _figure(old["win_share"]),
            _figure(now["score"]["mean"]),
            _figure(old["score"]["mean"]),
        )
        for old, now in pairs
    )


def differing(answer: ComparedQuestion) -> Differs:
    question = answer.question
    change = Figure(answer.value, answer.low, answer.high)
    return Differs(question.about, question.name, answer.one, answer.other, change, answer.verdict)


def thing_in(touched: TouchedThing, before: Data, after: Data) -> EvaluatedThing | None:
    """How a thing fares; None if games do not show it."""
    now = next(_uses(touched, after), None)
    if now is None:
        return None
    base = next((use for use in _uses(touched, before) if use.sort == now.sort), None)
    return EvaluatedThing(touched.name, touched.title, touched.kind, touched.way, now, base)


def _uses(touched: TouchedThing, data: Data) -> Iterator[ThingUse]:
    for sort in SORTS:
        found = [
            option
            for group in data.get(sort, ())
            for option in group["options"]
            if group["of"] == touched.kind and option["option"] == touched.title
        ]
        if found:
            yield _use(sort, max(found, key=lambda option: float(option["often"])))


def _use(sort: str, option: Data) -> ThingUse:
    had = option["with"]["of"]
    share = wilson(had, had + option["without"]["of"])
    return ThingUse(sort, _figure_of(share), option["often"], _perhaps(option["lift"]), _perhaps(option["effect"]))


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


def in_words(thing: EvaluatedThing) -> str:
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


# --- the study -------------------------------------------------------------------------------------


FIRST, PIECE = 20, 20  # pairs before the first figures, and in a piece of work: the first are to be there at once
USUAL = 4  # players
USUAL_BOT = "greedy"


@dataclass(frozen=True, slots=True)
class Wanted:
    """How to study. players: None for the usual number. bot: who sits in every seat. pairs: of games, at most."""

    players: int | None = None
    bot: str = USUAL_BOT
    pairs: int = 2000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class EvaluationFound:
    """What is known after so many pairs of games.

    pairs: played so far, of `of`; looked: how many of these the figures are from. main: the main questions, in the
    variant against its base. things: what the variant adds or changes, as far as games can describe it. said: the same
    in sentences. faults: what made games break off.
    """

    pairs: int
    of: int
    looked: int
    players: int
    bot: str
    seats: tuple[Seat, ...]
    main: tuple[Differs, ...]
    things: tuple[EvaluatedThing, ...]
    said: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def done(self) -> bool:
        return self.pairs >= self.of


class Evaluation(Run[EvaluationFound]):
    """A variant being studied in a separate process; to be stopped at the next edit."""

    def __init__(self, seen: Snapshot, wanted: Wanted = Wanted()) -> None:
        super().__init__(study, seen, wanted)


def study(seen: Snapshot, wanted: Wanted, tell: ReportFunction[EvaluationFound]) -> None:
    """Play, and report what is known at every look, and the progress in between.

    Raises `RulesError`, or `StudioError` if the two cannot be compared.
    """
    base, rules = base_of(seen), rules_of(seen)
    if base is None:
        remedy = "run `kingsburg study` to see how it plays"
        raise StudioError("a game of your own has nothing to be compared with", remedy)
    work = _Work(seen, base, rules, wanted)
    found: EvaluationFound | None = None
    for _ in work.pieces():
        if work.at_a_look:
            found = work.figures()
        if found is not None:
            tell(replace(found, pairs=work.found.played))


class _Work:
    """Both rules over the same seeds, and what games have come to so far."""

    def __init__(self, seen: Snapshot, base: Rules, rules: Rules, wanted: Wanted) -> None:
        players, bot = _players(base, rules, wanted.players), _bot(wanted.bot)
        self.seen = seen
        self.title = rules.sources[variant_in(rules.sources, seen)].manifest.title
        one, other = (Setup(rule.program, (bot,) * players, (), wanted.seed) for rule in (base, rules))
        self.setups = one, other
        self.found = Comparison(one, other, wanted.pairs, first=FIRST)
        self.totals = Totals.none(players), Totals.none(players)
        self._looked = False

    @property
    def at_a_look(self) -> bool:
        return self.found.played in self.found.looks

    def pieces(self) -> Iterator[GameRange]:
        """Play piece after piece."""
        size = PIECE if all(setup.native for setup in self.setups) else 1
        for stretch in game_ranges(self.found.budget, size):
            played = [play(setup, stretch, keep=True) for setup in self.setups]
            self.found.take(pairs_of(self.setups, (played[0], played[1])))
            for totals, setup, games in zip(self.totals, self.setups, played, strict=True):
                totals.add(totalled(setup, games))
            yield stretch

    def figures(self) -> EvaluationFound:
        """All that is known now."""
        before, after = (
            study_data(setup, totals, self.found.budget) for setup, totals in zip(self.setups, self.totals, strict=True)
        )
        answers = self.found.answers()
        things = tuple(self._things(before, after))
        said = sentences([one for one in answers if one.question.main], ("the game without it", self.title))
        sums = [in_words(thing) for thing in things]
        return EvaluationFound(
            self.found.played,
            self.found.budget,
            self.found.played,
            len(self.setups[0].bots),
            self.setups[0].bots[0],
            seats(before, after),
            tuple(differing(one) for one in answers if one.question.main),
            things,
            (*sums, *list(said)[:-1]),
            tuple(self.found.faults),
        )

    def _things(self, before: Data, after: Data) -> Iterator[EvaluatedThing]:
        """How what the variant adds or changes fares; at first only what it adds, as the rest has to be looked for."""
        found = self.touched if self._looked else self.added
        self._looked = True
        things = (thing_in(touched, before, after) for touched in found)
        yield from (thing for thing in things if thing is not None)

    @property
    def added(self) -> tuple[TouchedThing, ...]:
        """The things that only the variant has."""
        base, own = (TouchedThing.all_in(setup.program) for setup in self.setups)
        return tuple(replace(thing, way="added") for name, thing in own.items() if name not in base)

    @cached_property
    def touched(self) -> tuple[TouchedThing, ...]:
        """The things that the variant adds or changes."""
        base, own = (TouchedThing.all_in(setup.program) for setup in self.setups)
        changed = (own[name] for name in _changed(self.seen) if name in own and name in base)
        return (*self.added, *changed)


def _changed(seen: Snapshot) -> Iterator[str]:
    """The names of all that is not the same in the variant as in its base."""
    modules = gathered(seen).unwrap()
    home = seen.folder.resolve()
    known = annotate_rules(modules).unwrap()
    base = annotate_rules(tuple(one for one in modules if one.folder.resolve() != home)).unwrap()
    yield from dict.fromkeys(change.name for change in find_differences(base, known))


def _players(base: Rules, rules: Rules, wanted: int | None) -> int:
    """How many play; raises `StudioError` if both cannot be played by so many."""
    low = max(one.program.least_players for one in (base, rules))
    high = min(one.program.most_players for one in (base, rules))
    players = max(low, min(USUAL, high)) if wanted is None else wanted
    if not low <= players <= high:
        raise StudioError(f"{rules.title} cannot be compared with {players} players", f"choose {low} to {high}")
    return players


# A form names a bot by its kind and a budget: no class that would be imported, no file that would be read.
_NAMED_BOT = re.compile(r"[a-z]+(@[0-9.]+[a-z]?)?")


def _bot(kind: str) -> str:
    if not _NAMED_BOT.fullmatch(kind) or kind not in BOTS or BOTS.problem(kind):
        raise StudioError(f"there is no bot `{kind}`", f"try {USUAL_BOT}")
    return kind
