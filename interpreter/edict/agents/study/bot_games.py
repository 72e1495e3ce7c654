"""Games between bots as pieces of work that can be sent to another process or machine, and what they come to.

Where the machine has a policy for each seat, the native batch plays them; games of bots that think in Python, and those
whose decisions are wanted, are played here one by one and observed. Both are the same games, answer for answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from edict.agents.bots.kinds import BOTS, native_policy
from edict.agents.bots.match import Attending, Match, laid
from edict.agents.bots.matches import attending, course, dismissed
from edict.agents.bots.policy import PolicyLookahead
from edict.game.table.faults import fault_error
from edict.game.table.knowledge import run_query
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mix
from edict.runtime.program import Program
from edict.runtime.program.opcodes import CHANCE, ENDLESS_FAULTS, GAME_OVER, OPTIONS, PC, STATUS
from edict.runtime.simulation import native, tallying
from edict.runtime.simulation.counters import CountingPlan
from edict.runtime.simulation.counting import CountedGames, count_games, event_modes, plan_counting
from edict.runtime.simulation.plans import RANDOM, Policy
from edict.runtime.simulation.policies import choose_best

PIECE, SLOW_PIECE = 100, 1  # games in a piece of work, natively and where bots think in Python; about a second of it
LINE, SLOW_LINE = 500, 10  # games in a line of what is kept
MANY = 2000  # games for which it pays to translate the rules, whoever plays them
NEVER = "this happened in a game between bots, and more games would not end either"


class StudyError(Exception):
    """A study cannot be made or gone on with as asked."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)

    def __reduce__(self) -> tuple[type[StudyError], tuple[str, str]]:
        return type(self), (self.reason, self.remedy)  # from a worker, with its remedy


@dataclass(frozen=True)
class Setup:
    """What is played: rules, settings as integers, and the kind of bot in each seat; `seed` begins the luck."""

    program: Program
    bots: tuple[str, ...]
    settings: tuple[tuple[str, int], ...] = ()
    seed: int = 0

    @property
    def players(self) -> int:
        return len(self.bots)

    @property
    def native(self) -> bool:
        """Whether the machine plays for all bots."""
        return policies_of(self.program, self.bots) is not None

    @property
    def piece(self) -> int:
        """How many games make a piece of work; it follows from the bots alone."""
        return PIECE if self.native else SLOW_PIECE

    @property
    def line(self) -> int:
        """How many games are kept together, as what is counted of many takes no more room than that of a few."""
        return LINE if self.native else SLOW_LINE


@dataclass(frozen=True, slots=True)
class GameRange:
    """So many games from a number on. The luck of game `n` follows from the setup's seed and `n` alone."""

    first: int
    games: int

    @property
    def numbers(self) -> range:
        """Those of its games."""
        return range(self.first, self.first + self.games)


def precompile(setup: Setup, games: int) -> None:
    """Have the rules translated in the background if they are played often."""
    policies = policies_of(setup.program, setup.bots)
    if games >= MANY and policies is not None:
        native.start_translation(setup.program, *event_modes(policies))


_MADE: dict[tuple[str, int, tuple[tuple[str, int], ...]], CountingPlan] = {}  # made once in a process


def plan_of(setup: Setup) -> CountingPlan:
    """What is counted."""
    key = (setup.program.rules_hash, setup.players, setup.settings)
    if key not in _MADE:
        _MADE[key] = plan_counting(setup.program, setup.players, dict(setup.settings))
    return _MADE[key]


def seeds_of(setup: Setup, stretch: GameRange) -> list[int]:
    """A seed for each game."""
    return _seeds(setup, stretch.numbers)


def _seeds(setup: Setup, numbers: Iterable[int]) -> list[int]:
    return [mix((setup.seed + (number + 1) * GOLDEN) & MASK) for number in numbers]


def play(setup: Setup, stretch: GameRange, keep: bool = False, observer: Observer | None = None) -> Played:
    """Play a stretch of games and count them; `keep`: also what each game came to by itself. `observer` looks at them.

    Raises `RulesError` for a game that would never end.
    """
    return play_numbers(setup, stretch.numbers, keep, observer)


def play_numbers(setup: Setup, numbers: Sequence[int], keep: bool = False, observer: Observer | None = None) -> Played:
    """The same for games of any numbers, in this order."""
    played = _played(setup, numbers, keep, observer)
    if played.counted.endless_state is not None:
        raise fault_error(setup.program, played.counted.endless_state, NEVER)
    return played


def _played(setup: Setup, numbers: Sequence[int], keep: bool, observer: Observer | None) -> Played:
    plan, seeds, settings = plan_of(setup), _seeds(setup, numbers), dict(setup.settings)
    policies = policies_of(setup.program, setup.bots)
    if policies is not None and observer is None:
        return Played(count_games(plan, seeds, settings, policies, keep))
    return observed(plan, numbers, seeds, settings, setup.bots, observer)


def game_ranges(games: int, size: int, done: Iterable[GameRange] = ()) -> Iterator[GameRange]:
    """The games from 0 on in pieces that begin at multiples of `size`, without those that are done."""
    at = 0
    for stretch in [*sorted(done, key=lambda one: one.first), GameRange(games, 0)]:
        while at < min(stretch.first, games):
            end = min(games, at - at % size + size, stretch.first)
            yield GameRange(at, end - at)
            at = end
        at = max(at, stretch.first + stretch.games)


def policies_of(program: Program, bots: Sequence[str]) -> list[Policy] | None:
    """A policy for each seat, if all of them can be had as such."""
    found = [native_policy(program, kind, len(bots)) for kind in bots]
    policies = [policy for policy in found if policy is not None]
    return policies if len(policies) == len(bots) else None


def check_seats(bots: Iterable[str]) -> None:
    """Raises `StudyError` for a bot of somebody's own that cannot be loaded in this process, as the machine of a worker
    may lack its file: games in which it answers at random would say nothing."""
    for kind in bots:
        if BOTS.is_code(kind):
            _check(kind)


@cache
def _check(kind: str) -> None:
    problem = BOTS.problem(kind)
    if problem:
        raise StudyError(f"a worker cannot play: {problem[0]}", "every worker needs it in the same place")


class Observer(Protocol):
    """Somebody who looks at games as they are played."""

    def begin(self, number: int, match: Match) -> None: ...
    def look(self, match: Match) -> None:
        """At every question, chance's included, and at the end."""
        ...

    def decided(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        """A player's answer, before it is carried out."""
        ...


class ByPolicy:
    """A policy of the machine in a seat of a match; see `match.Attending`."""

    def __init__(self, program: Program, players: int, policy: Policy) -> None:
        self._ahead = None if policy == RANDOM else PolicyLookahead(program, players, policy)
        self.values: Sequence[float] | None = None

    def decide(self, match: Match) -> int:
        if self._ahead is None:
            return draw(match.seed, match.key, int(match.cells[OPTIONS]))  # no luck of the table is used up
        values = self._ahead.values(match.cells)
        self.values = values
        return choose_best(values, len(values), match.seed, match.key)


class Players:
    """Who sits at the tables of one setup."""

    def __init__(self, program: Program, bots: Sequence[str]) -> None:
        self._program, self._bots = program, bots
        policies = policies_of(program, bots)
        self.native = policies is not None and native.is_available()
        if self.native:
            native.load_native()  # or else they would look ahead in plain Python
        self._policies = [ByPolicy(program, len(bots), policy) for policy in policies] if policies else None

    def seats(self, seed: int) -> Sequence[Attending]:
        """For a game's seed, who answers for each seat."""
        if self._policies is not None:
            return self._policies
        seeds = [mix((seed ^ (seat + 1) * GOLDEN) & MASK) for seat in range(len(self._bots))]
        return [attending(BOTS[kind](self._program, number)) for kind, number in zip(self._bots, seeds, strict=True)]


@dataclass(frozen=True, slots=True)
class Played:
    """Games as they are counted, and what bots of somebody's own did wrong in them."""

    counted: CountedGames
    mishaps: Counter[str] = field(default_factory=Counter)


def observed(
    plan: CountingPlan,
    numbers: Sequence[int],
    seeds: Sequence[int],
    settings: dict[str, int],
    bots: Sequence[str],
    observer: Observer | None = None,
    players: Players | None = None,
) -> Played:
    """Play games of these numbers and seeds one by one, and keep their rows.

    Args:
        plan: What to count.
        numbers: The number of each game, for the observer.
        seeds: The seed of each game.
        settings: Checked values of settings.
        bots: The kind of bot in each seat.
        observer: Looks at each game.
        players: Who answers for the seats, if not those bots as usual.
    """
    check_seats(bots)
    players = players or Players(plan.program, bots)
    counted, mishaps = CountedGames([], [], [], [0] * plan.sums_layout.length, []), Counter[str]()
    for number, seed in zip(numbers, seeds, strict=True):
        match = Match(laid(plan.program, plan.players, settings), seed & MASK, natively=players.native)
        if observer:
            observer.begin(number, match)
        row, wrong = _row(plan, match, players.seats(seed), observer)
        mishaps.update(wrong)
        if match.status == GAME_OVER:
            tallying.add_to_sums(plan.flat, row, counted.sums)
        counted.statuses.append(match.status)
        counted.places.append(int(match.cells[PC]))
        counted.heads.append(row[: plan.head_length])
        counted.rows.append(row)
        if match.status in ENDLESS_FAULTS:
            return Played(_stopped(counted, match), mishaps)
    return Played(counted, mishaps)


def stopped(setup: Setup, number: int) -> Exception:
    """What broke off the game of this number, as an error to be raised; the game is played again for it."""
    (seed,) = _seeds(setup, [number])
    players = Players(setup.program, setup.bots)
    match = Match(laid(setup.program, setup.players, dict(setup.settings)), seed & MASK, natively=players.native)
    seats = players.seats(seed)
    for _, index in course(match, seats):
        match.answer(index)
    dismissed(seats)
    if match.status == GAME_OVER:
        _score(plan_of(setup), match, [0] * plan_of(setup).row_layout.length)
    return fault_error(setup.program, match.state, "this happened in a game between bots")


def _stopped(counted: CountedGames, match: Match) -> CountedGames:
    return CountedGames(
        counted.statuses, counted.places, counted.heads, counted.sums, counted.rows, endless_state=match.state
    )


def _row(
    plan: CountingPlan, match: Match, seats: Sequence[Attending], observer: Observer | None
) -> tuple[list[int], Counter[str]]:
    """What a game is counted in, and what bots did wrong."""
    flat, code, row = plan.flat, plan.program.code, [0] * plan.row_layout.length
    for seat, index in course(match, seats):
        tallying.count_events(flat, code, [len(match.fresh), *match.fresh], row)
        tallying.count_question(flat, match.cells, row)
        if observer:
            observer.look(match)
            if seat != CHANCE:
                observer.decided(match, seat, index, seats[seat].values)
        match.answer(index)
    tallying.count_events(flat, code, [len(match.fresh), *match.fresh], row)
    if observer:
        observer.look(match)
    if match.status == GAME_OVER:
        tallying.count_end(flat, match.state, row)
        _score(plan, match, row)
    return row, dismissed(seats)


def _score(plan: CountingPlan, match: Match, row: list[int]) -> None:
    """Every seat's score into the row; a fault while computing it is one of the game."""
    for seat in range(plan.players):
        scratch = match.state
        score = run_query(plan.program, scratch, plan.program.score, seat)
        if score is None:
            match.status, match.cells = scratch[STATUS], scratch
            return
        row[plan.row_layout.place_of("scores", seat)] = score
