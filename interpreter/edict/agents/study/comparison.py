"""Two sets of rules over the same seeds: what changes, and whether that is more than chance.

The shape of the data is described in grammar/schema/comparison.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Any

from edict.agents.study.adding import add_up
from edict.agents.study.bot_games import GameRange, Played, Setup, game_ranges, plan_of, play, precompile
from edict.agents.study.checkpoint import CheckpointFile, StoredForm
from edict.agents.study.inference import ALARM, FEW, FIRST, PairedDifference, alarm_at_a_look, looks
from edict.agents.study.summary import Data
from edict.agents.study.totals import faults_of, what_happened, whole
from edict.runtime.program.opcodes import GAME_OVER
from edict.runtime.simulation.counters import CHOSEN, HELD, SAID, SCORED
from edict.runtime.simulation.counting import CountedGames, FeatureKey, list_features, sum_pairs
from edict.runtime.simulation.counting_layout import PER_MEASURE, SHARE, measures_layout, read_pair_sums
from edict.support.morphology import inflect
from edict.support.processes.distribution import ExecutorStarter, run_distributed

PIECE, SLOW_PIECE = 50, 1  # pairs in a piece of work, natively and where bots think in Python
WINS, SCORES, LENGTH, OFTEN, FAVOUR = "wins", "scores", "length", "often", "favour"
MORE, LESS, SAME, OPEN, RARE = "more", "less", "same", "open", "rare"
MATTERS = 0.01  # the least difference that matters: of a share of wins, and of a score or length by its size


@dataclass(frozen=True, slots=True)
class Question:
    """Something that may differ. at: the number of its measure; unit: what the counted number is divided by; main:
    whether it is one of the main questions."""

    about: str
    name: str
    at: int
    unit: float
    main: bool = False
    key: FeatureKey = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question, its value under both rules, the difference with its interval, and the verdict. needed: how many pairs
    would narrow the interval to what does not matter; 0 where that is not known."""

    question: Question
    one: float
    other: float
    value: float
    low: float
    high: float
    p: float
    verdict: str
    needed: int = 0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Some pairs of games: how many came to a good end, what made the others break off, the sums, and what bots of
    somebody's own did wrong."""

    sound: int
    faults: Counter[str]
    sums: list[int]
    mishaps: Counter[str] = field(default_factory=Counter)


@dataclass
class Comparison:
    """Two set-ups with the same seats, seed and bots, and what pairs of games have come to so far.

    first: pairs before the first look.
    """

    one: Setup
    other: Setup
    budget: int
    matters: float = MATTERS
    kept: CheckpointFile[Pairs] | None = None
    pairs: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    sums: list[int] = field(default_factory=list)
    clear: bool = False
    first: int = FIRST

    def __post_init__(self) -> None:
        self.plan_pair = (plan_of(self.one), plan_of(self.other))
        self.keys = list_features(*self.plan_pair)
        self.measures = measures_layout(self.one.players, len(self.keys))

    @property
    def broken(self) -> int:
        """Pairs that broke off."""
        return sum(self.faults.values())

    @property
    def played(self) -> int:
        return self.pairs + self.broken

    @property
    def looks(self) -> list[int]:
        """At how many pairs it is asked what can be said."""
        return looks(self.budget, self.first)

    def run(self, start: ExecutorStarter, told: Callable[[int], object]) -> None:
        """Play until the main questions are answered, or the budget is spent; what is kept is not played again."""
        for setup in (self.one, self.other):
            precompile(setup, self.budget - self.played)
        done = 0
        for number, look in enumerate(self.looks):
            known = self._known(done, look)
            for _, pairs in known:
                self.take(pairs)
            pieces = self._missing(done, look, [stretch for stretch, _ in known])
            for stretch, pairs in run_distributed(partial(play_pairs, self.one, self.other), pieces, start):
                self.take(pairs)
                told(self.played)
                if self.kept:
                    self.kept.add(stretch, pairs)
            done = look
            self.clear = all(a.verdict in (MORE, LESS, SAME) for a in self.answers() if a.question.main)
            if self.clear and number + 1 < len(self.looks):
                return

    def _known(self, first: int, last: int) -> list[tuple[GameRange, Pairs]]:
        """What is kept of these pairs."""
        kept = self.kept.results if self.kept else ()
        return [one for one in kept if first <= one[0].first and one[0].first + one[0].games <= last]

    def _missing(self, first: int, last: int, known: list[GameRange]) -> Iterator[GameRange]:
        size = PIECE if self.one.native and self.other.native else SLOW_PIECE
        return game_ranges(last, size, [GameRange(0, first), *known])

    def take(self, pairs: Pairs) -> None:
        """Add some pairs."""
        self.pairs += pairs.sound
        self.faults.update(pairs.faults)
        self.mishaps.update(pairs.mishaps)
        self.sums = add_up(self.sums, pairs.sums)

    # --- what it says

    def questions(self) -> list[Question]:
        """All that may be asked, the main questions among the first."""
        players, at, kinds = self.one.players, self.measures.place_of, list(dict.fromkeys(self.one.bots))
        round_name = self.plan_pair[0].round_name
        return [
            Question(SCORES, "margin between first and second", at("lead"), 1.0),
            Question(SCORES, "winning score", at("best"), 1.0, main=True),
            Question(SCORES, "score per player", at("together"), players, main=True),
            Question(LENGTH, "choices per game", at("choices"), 1.0, main=True),
            Question(LENGTH, f"rounds ({round_name})" if round_name else "rounds", at("rounds"), 1.0),
            *(
                Question(
                    WINS,
                    f"win share of place {place + 1} in the initial turn order",
                    at("places", place),
                    SHARE,
                    main=True,
                )
                for place in range(players)
            ),
            *(
                Question(
                    WINS,
                    f"win share of {kind}" if len(kinds) > 1 else "games that somebody wins",
                    at("groups", group),
                    SHARE,
                    main=True,
                )
                for group, kind in enumerate(kinds)
            ),
            *(one for number, key in enumerate(self.keys) for one in _about(key, at("features", number), players)),
        ]

    def answers(self) -> list[ComparedQuestion]:
        """Every question with its answer so far; those about which there is nothing to ask are left out, and all of
        them while there are not two pairs, which alone could tell how much pairs vary."""
        if self.pairs < 2:
            return []
        alarm = alarm_at_a_look(self.budget, first=self.first)
        found: list[ComparedQuestion] = []
        for main in (True, False):
            family = [question for question in self.questions() if question.main == main and self._asked(question)]
            found += [self._answer(question, alarm / len(family)) for question in family]
        return found

    def _asked(self, question: Question) -> bool:
        """Whether there is something to ask: not of wins that every game has, nor of places that nobody has. A detail
        must have happened; and how it goes with winning is asked only of answers and of what is held."""
        if question.about == WINS:
            return all(set(read_pair_sums(self.sums, question.at)[:2]) - {number} for number in (0, SHARE * self.pairs))
        if question.about in (SCORES, LENGTH):
            return True
        kinds = (CHOSEN, HELD) if question.about == FAVOUR else (CHOSEN, HELD, SCORED, SAID)
        return question.key[0] in kinds and any(read_pair_sums(self.sums, question.at)[:2])

    def _answer(self, question: Question, alarm: float) -> ComparedQuestion:
        sums, unit = read_pair_sums(self.sums, question.at), question.unit
        by = PairedDifference(self.pairs, sums.differing, sums.difference, sums.squares)
        estimate = by.estimate(alarm)
        low, high = estimate.low / unit, estimate.high / unit
        mean = sums.one / unit / self.pairs
        limit = self.matters if question.about == WINS else self.matters * abs(mean)
        verdict = OPEN
        if by.p < alarm:
            verdict = MORE if estimate.value > 0 else LESS
        elif question.main and by.pairs and -limit <= low and high <= limit:
            verdict = SAME
        elif by.differing < FEW and not question.main:
            verdict = RARE
        needed = ceil(self.pairs * ((high - low) / 2 / limit) ** 2) if question.main and limit else 0
        other = sums.other / unit / self.pairs
        return ComparedQuestion(question, mean, other, estimate.value / unit, low, high, by.p, verdict, needed)


def _about(key: FeatureKey, at: int, players: int) -> Iterator[Question]:
    """How much there is of a feature a player and game (of announcements: a game), and how it goes with winning."""
    kind, group, option, _ = key
    name = f"{group}: {option}" if option and kind != SCORED else group if kind != SCORED else f"score from {option}"
    yield Question(OFTEN, name, at, 1.0 if kind == SAID else players, key=key)
    yield Question(FAVOUR, name, at + 1, SHARE * players, key=key)


def play_pairs(one: Setup, other: Setup, stretch: GameRange) -> Pairs:
    """A piece of work."""
    return pairs_of((one, other), (play(one, stretch, keep=True), play(other, stretch, keep=True)))


def pairs_of(setups: tuple[Setup, Setup], played: tuple[Played, Played]) -> Pairs:
    """What games of both, of the same seeds and with their rows kept, come to in pairs."""
    plan_pair = (plan_of(setups[0]), plan_of(setups[1]))
    counted = (played[0].counted, played[1].counted)
    sound, sums = sum_pairs(plan_pair, counted, list_features(*plan_pair), groups_of(setups[0].bots))
    return Pairs(sound, Counter(_faults(setups, counted)), sums, played[0].mishaps + played[1].mishaps)


def groups_of(bots: Sequence[str]) -> list[int]:
    """For each seat the number of its kind of bot, by which wins are counted together."""
    kinds = list(dict.fromkeys(bots))
    return [kinds.index(bot) for bot in bots]


def _faults(setups: tuple[Setup, Setup], counted: tuple[CountedGames, CountedGames]) -> Iterator[str]:
    """What made each pair break off: what happened in the first of its games that did."""
    for number in range(len(counted[0].statuses)):
        for setup, games in zip(setups, counted, strict=True):
            if games.statuses[number] != GAME_OVER:
                yield what_happened(setup.program, games.statuses[number], games.places[number])
                break


def form_of(one: Setup, other: Setup, budget: int) -> StoredForm[Pairs]:
    """How a comparison is stored. The looks were planned for the whole budget, so that must stay the same, too."""
    keys = list_features(plan_of(one), plan_of(other))
    numbers = PER_MEASURE * measures_layout(one.players, len(keys)).length

    def read(pairs: int, data: dict[str, Any]) -> Pairs:
        sums, faults = data["sums"], faults_of(data)
        sound = whole(data["sound"], 0, pairs)
        if not isinstance(sums, list) or len(sums) != numbers or sound + faults.total() != pairs:
            raise ValueError
        return Pairs(sound, faults, [whole(value) for value in sums], faults_of(data, "mishaps"))

    def write(pairs: Pairs) -> dict[str, Any]:
        return {"sound": pairs.sound, "faults": dict(pairs.faults), "sums": pairs.sums, "mishaps": dict(pairs.mishaps)}

    both = (one, other)
    asked = {
        "rules": [setup.program.rules_hash for setup in both],
        "modules": [list(s.program.modules) for s in both],
        "bots": list(one.bots),
        "settings": [dict(s.settings) for s in both],
        "seed": one.seed,
        "games": budget,
    }
    return StoredForm("comparison", asked, write, read)


FORMAT = "edict comparison 1"
CERTAIN = "more than chance would explain"
METHOD = (
    "Both sets of rules were played with the same seeds, and what counts is the difference within each pair of games. "
    "The looks at growing numbers of pairs were planned in advance; a false-alarm rate of 5 % overall is divided among "
    "the looks and kinds of questions, and evenly among the questions of a kind (Bonferroni). So all intervals hold at "
    "once, and a difference is told where its interval does not hold 0. Nothing is said of a detail that differs in "
    f"fewer than {FEW} pairs."
)


def comparison_data(found: Comparison, names: tuple[str, str]) -> Data:
    """Everything found."""
    answers = found.answers()
    return {
        "format": FORMAT,
        "rules": [_rules(found.one, names[0]), _rules(found.other, names[1])],
        "players": found.one.players,
        "bots": list(found.one.bots),
        "seed": found.one.seed,
        "budget": found.budget,
        "pairs": found.pairs,
        "broken": found.broken,
        "looks": found.looks,
        "alarm": ALARM,
        "matters": found.matters,
        "clear": found.clear,
        "main": [_told(a) for a in answers if a.question.main],
        "details": [_told(a) for a in answers if not a.question.main],
        "said": list(sentences(answers, names)),
    }


def _rules(setup: Setup, name: str) -> Data:
    program = setup.program
    return {
        "name": name,
        "title": program.title,
        "modules": list(program.modules),
        "rules": program.rules_hash,
        "settings": dict(setup.settings),
    }


def _told(answer: ComparedQuestion) -> Data:
    question = answer.question
    kind, group, option, of = question.key
    return {
        "about": question.about,
        "name": question.name,
        "kind": kind,
        "group": group,
        "option": option,
        "of": of,
        "values": [answer.one, answer.other],
        "difference": {"value": answer.value, "low": answer.low, "high": answer.high},
        "p": answer.p,
        "verdict": answer.verdict,
    }


def sentences(answers: list[ComparedQuestion], names: tuple[str, str]) -> Iterator[str]:
    """What can be said with confidence, and what cannot."""
    main = [answer for answer in answers if answer.question.main]
    for answer in main:
        if answer.verdict in (MORE, LESS):
            yield f"{names[1]}: {answer.question.name} {_change(answer)}; that is {CERTAIN}."
    same = [a.question.name for a in main if a.verdict == SAME]
    if same:
        yield f"No meaningful difference: {'; '.join(same)}."
    unclear = [a for a in main if a.verdict not in (MORE, LESS, SAME)]
    if unclear:
        yield f"Still unclear after this many games: {'; '.join(a.question.name for a in unclear)}."
        needed = max(a.needed for a in unclear)
        if needed:
            yield f"Some {_rounded(needed):,} pairs would narrow these intervals to differences that do not matter."
    details = [a for a in answers if not a.question.main]
    differing = [a for a in details if a.verdict in (MORE, LESS)]
    differ = inflect(len(differing), "differs", "differ")
    yield f"Of {len(details):,} details examined, {len(differing):,} {differ} by {CERTAIN}."


def _rounded(number: int) -> int:
    """Up to two digits and zeros."""
    unit = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // unit) * unit


def _change(answer: ComparedQuestion) -> str:
    way = "up" if answer.value > 0 else "down"
    if answer.question.about == WINS:
        return f"{way} by {abs(100 * answer.value):.1f} percentage points to {100 * answer.other:.1f} %"
    return f"{way} by {abs(answer.value):.2f} to {answer.other:.2f}"
