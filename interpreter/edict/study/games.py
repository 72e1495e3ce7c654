"""A stretch of games as a piece of work that can be sent to another process or machine, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edict.machine.mixing import GOLDEN, MASK, mixed
from edict.program import Program
from edict.simulation import native
from edict.simulation.counters import Plan
from edict.simulation.counting import count, planned, ways_played
from edict.study.seating import policies_of
from edict.study.watched import Played, Witness, watched
from edict.table.faults import fault

PIECE, SLOW_PIECE = 100, 1  # games in a piece of work, natively and where bots think in Python; about a second of it
LINE, SLOW_LINE = 500, 10  # games in a line of what is kept
MANY = 2000  # games for which it pays to translate the rules, whoever plays them
NEVER = "this happened in a game between bots, and more games would not end either"


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
class Stretch:
    """So many games from a number on. The luck of game `n` follows from the setup's seed and `n` alone."""

    first: int
    games: int


def foresee(setup: Setup, games: int) -> None:
    """Have the rules translated in the background if they are played often."""
    policies = policies_of(setup.program, setup.bots)
    if games >= MANY and policies is not None:
        native.prepare(setup.program, *ways_played(policies))


_MADE: dict[tuple[str, int, tuple[tuple[str, int], ...]], Plan] = {}  # made once in a process


def plan_of(setup: Setup) -> Plan:
    """What is counted."""
    key = (setup.program.rules_hash, setup.players, setup.settings)
    if key not in _MADE:
        _MADE[key] = planned(setup.program, setup.players, dict(setup.settings))
    return _MADE[key]


def seeds_of(setup: Setup, stretch: Stretch) -> list[int]:
    """A seed for each game."""
    numbers = range(stretch.first, stretch.first + stretch.games)
    return [mixed((setup.seed + (number + 1) * GOLDEN) & MASK) for number in numbers]


def play(setup: Setup, stretch: Stretch, keep: bool = False, witness: Witness | None = None) -> Played:
    """Play a stretch of games and count them; `keep`: also what each game came to by itself. `witness` looks at them.

    Raises `RulesError` for a game that would never end.
    """
    played = _played(setup, stretch, keep, witness)
    if played.counted.stopped is not None:
        raise fault(setup.program, played.counted.stopped, NEVER)
    return played


def _played(setup: Setup, stretch: Stretch, keep: bool, witness: Witness | None) -> Played:
    plan, seeds, settings = plan_of(setup), seeds_of(setup, stretch), dict(setup.settings)
    policies = policies_of(setup.program, setup.bots)
    if policies is not None and witness is None:
        return Played(count(plan, seeds, settings, policies, keep))
    numbers = range(stretch.first, stretch.first + stretch.games)
    return watched(plan, numbers, seeds, settings, setup.bots, witness)


def stretches(games: int, size: int, done: Iterable[Stretch] = ()) -> Iterator[Stretch]:
    """The games from 0 on in pieces that begin at multiples of `size`, without those that are done."""
    at = 0
    for stretch in [*sorted(done, key=lambda one: one.first), Stretch(games, 0)]:
        while at < min(stretch.first, games):
            end = min(games, at - at % size + size, stretch.first)
            yield Stretch(at, end - at)
            at = end
        at = max(at, stretch.first + stretch.games)
