"""Learning weights by self-play.

A round plays games by the weights learned so far. At some choices, drawn at random, every option is tried out in a few
games played to their end with equal luck, and the lead each gives is recorded. What the options of one choice have in
common carries no information; weights are fitted to their differences by ridge regression. Finally it is measured how
much the rules' own judgement should count beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from edict.agents.bots.features import FeaturePlace, clocks, places
from edict.agents.bots.weights import Judgement, Weights
from edict.game.table.faults import fault_error
from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Program, StateVariable
from edict.runtime.program.initial_state import create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, STATUS
from edict.runtime.simulation.plans import GREEDY, FeatureTerm, LinearJudgement, Policy, weights_policy

EVERY = 10  # one choice in so many is tried out
TRIES = 2  # games for each option
WHIM = 50  # random answers in a thousand, so that the games differ
RIDGE = 60.0
JUDGE_SHARES = (0.0, 0.5, 1.0, 2.0)  # how strong the rules' judgement is beside the weights, in standard deviations
LEARNING = "this happened in a game played to learn from"
CHUNK = 25  # games between two looks at the clock


@dataclass(frozen=True)
class LessonPlan:
    """What to learn from: the program, how many players, games in all, rounds, games for each measurement."""

    program: Program
    players: int
    games: int
    rounds: int
    matches: int
    seed: int


@dataclass
class Lesson:
    """What has been found so far; stopping early leaves what there is."""

    wanted: LessonPlan
    clock: StateVariable | None = None
    end: int = 1
    places: tuple[FeaturePlace, ...] = ()
    swift: Any = None
    parts: list[Any] = field(default_factory=list)
    played: int = 0

    @property
    def names(self) -> list[str]:
        return [name for place in self.places for name in place.names]


def lesson(wanted: LessonPlan) -> Lesson:
    """The beginning: which features there are, and which number says how far a game is."""
    clock, end = clock_of(wanted.program, wanted.players)
    return Lesson(wanted, clock, end, places(wanted.program))


@dataclass(frozen=True, slots=True)
class TrainingGames:
    """Games to learn from, by this policy in all seats; `games` for each option."""

    program: Program
    players: int
    policy: Policy
    tries: int = TRIES

    def __call__(self, first: int) -> Any:
        """The choices tried out in `CHUNK` games. Raises `RulesError` for a game that would never end."""
        seats, seeds = [self.policy] * self.players, range(first, first + CHUNK)
        with ending(self.program):
            return _regression().sampled(self.program, seeds, seats, self.policy, EVERY, self.tries)


@contextmanager
def ending(program: Program) -> Iterator[None]:
    """A game within that would never end is a fault of the rules: raises `RulesError`."""
    try:
        yield
    except _regression().NeverEnds as problem:
        raise fault_error(program, problem.state, LEARNING) from None


Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[tuple[Any, Any]]]
"""Carries out work for each of some pieces, and gives each with its result, in any order."""


def here(work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """In this process, one after the other."""
    return ((piece, work(piece)) for piece in pieces)


def learn(course: Lesson, spread: Spread = here) -> Iterator[int]:
    """All rounds; yields the number of games played so far. What is learned is the same however the games
    are spread."""
    wanted = course.wanted
    each = max(CHUNK, wanted.games // wanted.rounds)
    for number in range(wanted.rounds):
        work = _trial(course, policy_of(course, course.swift, whim=WHIM))
        found = {}
        start = wanted.seed + number * each
        for first, part in spread(work, range(start, start + each, CHUNK)):
            found[first] = part
            course.played += CHUNK
            yield course.played
        parts = [found[first] for first in sorted(found)]
        course.parts = [*(course.parts if number > 1 else []), *parts]  # the first round's games were too wild
        course.swift = _regression().fitted(course.parts, course.end, RIDGE)


def _trial(course: Lesson, policy: Policy, tries: int = TRIES) -> TrainingGames:
    return TrainingGames(course.wanted.program, course.wanted.players, policy, tries)


def policy_of(course: Lesson, weights: Any, judge: float = 0.0, whim: int = 0) -> Policy:
    """The policy of weights in the order of the features; without any, everything is equally good."""
    if weights is None:
        blank = tuple(FeatureTerm(p.shape, p.base, p.step, ((0, 0, 0, 0),) * len(p.names)) for p in course.places)
        return weights_policy(
            LinearJudgement(blank, 0, course.clock.base if course.clock else 0, course.end), whim=whim
        )
    found = weights_of(course, weights, judge)
    return found.judging(course.wanted.program, course.wanted.players, whim, whole=True)


def weights_of(course: Lesson, weights: Any, judge: float, command: str = "", measured: Any = None) -> Weights:
    """What is to be written to a file."""
    program, size = course.wanted.program, len(course.names)
    table = {}
    for i, name in enumerate(course.names):
        numbers = [float(weights[i + k * size]) for k in (0, 2, 1, 3)]
        numbers[2:] = [number * (course.wanted.players - 1) for number in numbers[2:]]  # of their mean, not their sum
        if any(round(number, 4) for number in numbers):
            table[name] = (round(numbers[0], 4), round(numbers[1], 4), round(numbers[2], 4), round(numbers[3], 4))
    return Weights(
        program.name,
        program.rules_hash,
        program.modules,
        course.clock.name if course.clock else "",
        course.end,
        Judgement(round(judge, 5), table),
        Judgement(0.0, table),
        command,
        measured or {},
    )


def judge_weights(course: Lesson) -> list[float]:
    """Weights of the rules' own judgement to choose from; 0 alone if the rules have none of their own."""
    wanted = course.wanted
    if wanted.program.judge < 0:
        return [0.0]
    policy = policy_of(course, course.swift, judge=1e-4, whim=WHIM)
    part = _trial(course, policy, 0)(0)
    usual = _regression().spreads(part, course.swift, course.end)
    return [share * usual for share in JUDGE_SHARES]


def measured(course: Lesson, policy: Policy, against: Policy, seed: int, tell: Callable[[], None]) -> tuple[float, int]:
    """The share of victories of one seat with a policy against another in all other seats; and the games."""
    wanted = course.wanted
    return share_of_wins(wanted.program, [policy, *[against] * (wanted.players - 1)], wanted.matches, seed, tell)


def share_of_wins(
    program: Program, policies: Sequence[Policy], games: int, seed: int, tell: Callable[[], None] = lambda: None
) -> tuple[float, int]:
    """The share of victories of the first of these policies, which go round the table, and how many games it was.

    tell: called whenever they have moved on a seat. seed: of the first game; those after it have the next ones.
    """
    players = len(policies)
    number, total = max(1, games // players), 0.0
    for seat in range(players):
        seated = [*policies[players - seat :], *policies[: players - seat]]
        first = seed + seat * number
        total += _regression().victories(program, seated, range(first, first + number), seat)
        tell()
    return total / (number * players), number * players


def chosen_judge(course: Lesson, tell: Callable[[], None]) -> float:
    """The weight of the rules' judgement that does best against it alone."""
    seed = course.wanted.seed + 10_000_000
    tried = [
        (measured(course, policy_of(course, course.swift, judge), GREEDY, seed, tell)[0], judge)
        for judge in judge_weights(course)
    ]
    return max(tried)[1]


def clock_of(program: Program, players: int) -> tuple[StateVariable | None, int]:
    """The number kept for the table that only grows during a game, and its greatest value; None if there is none."""
    best: tuple[int, StateVariable | None, int] = (1, None, 1)
    for variable, values in _random_game(program, players, clocks(program)):
        grows = all(a <= b for a, b in pairwise(values))
        if values and grows and values[0] >= 0 and len(set(values)) > best[0]:
            best = (len(set(values)), variable, max(values))
    return best[1], best[2]


def _random_game(
    program: Program, players: int, clocks: Sequence[StateVariable]
) -> list[tuple[StateVariable, list[int]]]:
    """What these variables were at every question of a random game. Raises `RulesError` for a fault."""
    state, asked = create_state(program, players, {}, logging=False), 0
    values: list[tuple[StateVariable, list[int]]] = [(variable, []) for variable in clocks]
    while run(program.code, state, [0]) == ASKING:
        for variable, course in values:
            course.append(state[variable.base])
        asked += 1
        state[ANSWER] = draw(1, asked, state[OPTIONS])
    if state[STATUS] != GAME_OVER:
        raise fault_error(program, state, LEARNING)
    return values


def _regression() -> Any:
    """The part that needs NumPy."""
    from edict.agents.bots import regression

    return regression
