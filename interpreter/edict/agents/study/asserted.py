"""Games in which what rules assert is looked at, and the shortest that was found in which it does not hold.

A condition is looked at whenever something is asked, and at the end; what must never happen, at every change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import course, dismissed
from edict.agents.study.bot_games import GameRange, Players, Setup, game_ranges, seeds_of
from edict.game.table.addresses import iter_changes
from edict.game.table.knowledge import run_query
from edict.game.table.seeded_draws import draw as lot
from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mix
from edict.runtime.program import Program
from edict.runtime.program.opcodes import ASKING, CHANCE, GAME_OVER, OPTIONS
from edict.runtime.program.reasons import Assertion
from edict.support.processes.distribution import ExecutorStarter, run_distributed

PIECE = 25  # games in a piece of work
TRIES = 300  # games played to make a game shorter
FALLING = ("losing", "leaving")


@dataclass(frozen=True, slots=True)
class Broken:
    """A game in which an assertion does not hold after these answers of the players; its luck is that of a table."""

    assertion: Assertion
    setup: Setup
    seed: int
    answers: tuple[int, ...]


class _Found(Exception):
    """An assertion does not hold."""

    def __init__(self, assertion: Assertion) -> None:
        self.assertion = assertion
        super().__init__(assertion.name)


@dataclass
class Watcher:
    """Plays as the machine does, and looks at each change and each question."""

    program: Program
    assertions: Sequence[Assertion]
    moved: dict[int, tuple[bool, list[Assertion]]] = field(init=False)  # by cell: whether it holds a set, what is of it

    def __post_init__(self) -> None:
        self.moved = {}
        for variable in self.program.variables:
            of = [assertion for assertion in self.assertions if variable.name in assertion.of]
            for cell in variable.cells if of else ():
                self.moved[cell] = (variable.type.shape == "set", of)

    def play(self, code: Sequence[int], cells: list[int], log: list[int]) -> int:
        """The machine's loop; with room for one event it comes here after each change. Raises `_Found`."""
        status = run(code, cells, log)
        for pc, cell, before, after in iter_changes(log[1 : log[0] + 1]):
            if cell in self.moved and not self.program.cause_at(pc).pays:
                members, of = self.moved[cell]
                for assertion in of:
                    if _moves(assertion.edge, members, before, after) and self.holds(assertion, cells, True):
                        raise _Found(assertion)
        if status in (ASKING, GAME_OVER):
            for assertion in self.assertions:
                if not assertion.edge and not self.holds(assertion, cells, False):
                    raise _Found(assertion)
        return status

    def holds(self, assertion: Assertion, cells: list[int], otherwise: bool) -> bool:
        """Whether its condition holds; `otherwise`, if it has none. What cannot be worked out breaks nothing."""
        if assertion.query < 0:
            return otherwise
        value = run_query(self.program, cells.copy(), assertion.query)
        return not otherwise if value is None else bool(value)


def _moves(edge: str, members: bool, before: int, after: int) -> bool:
    """Whether a change is what must never happen: fewer of a resource, or without somebody that was in a set."""
    old, new = (before, after) if edge in FALLING else (after, before)
    return bool(old & ~new) if members else old > new


# --- games ------------------------------------------------------------------------------------------


@dataclass
class Asserted:
    """A search through games of several tables: of each assertion that is broken, the shortest game found."""

    setups: tuple[Setup, ...]
    assertions: tuple[Assertion, ...]
    games: int  # for each kind of bots, over all numbers of players
    played: int = 0
    found: dict[str, Broken] = field(default_factory=dict)

    @property
    def whole(self) -> int:
        """Games to be played in all."""
        return sum(stretch.games for _, _, stretch in self._pieces())

    def run(self, start: ExecutorStarter, told: Callable[[int], object]) -> None:
        """Play, and shorten what was found. Raises `WorkersError`."""
        for (_, _, stretch), broken in run_distributed(_broken, self._pieces(), start):
            self.played += stretch.games
            told(self.played)
            for one in broken:
                self._keep(one)
        for _, shorter in run_distributed(shortened, list(self.found.values()), start):
            self._keep(shorter)

    def _keep(self, one: Broken) -> None:
        known = self.found.get(one.assertion.name)
        if known is None or _size(one) < _size(known):
            self.found[one.assertion.name] = one

    def _pieces(self) -> list[tuple[Setup, tuple[Assertion, ...], GameRange]]:
        each = -(-self.games // len({setup.players for setup in self.setups}))
        return [(s, self.assertions, stretch) for s in self.setups for stretch in game_ranges(each, PIECE)]


def _size(one: Broken) -> tuple[int, int, int]:
    return len(one.answers), one.setup.players, one.seed


def _broken(piece: tuple[Setup, tuple[Assertion, ...], GameRange]) -> list[Broken]:
    """The games of a piece in which one of the assertions does not hold."""
    setup, assertions, stretch = piece
    players = Players(setup.program, setup.bots)
    return [one for seed in seeds_of(setup, stretch) for one in _game(assertions, setup, seed & MASK, players)]


def _game(assertions: Sequence[Assertion], setup: Setup, seed: int, players: Players) -> Iterator[Broken]:
    """A game, played again without an assertion once that was found not to hold."""
    left = list(assertions)
    while left:
        match, given = _match(left, setup, seed), list[int]()
        seats = players.seats(seed)
        try:
            for seat, index in course(match, seats):
                match.answer(index)
                given += [index] if seat != CHANCE else []
        except _Found as found:
            yield Broken(found.assertion, setup, seed, tuple(given))
            left.remove(found.assertion)
        else:
            return
        finally:
            dismissed(seats)


def _match(assertions: Sequence[Assertion], setup: Setup, seed: int) -> Match:
    table = laid(setup.program, setup.players, dict(setup.settings))
    drawn, watcher = count(), Watcher(setup.program, assertions)
    return Match(table, seed, lambda _, options: lot(seed, next(drawn), options), loop=watcher.play, log_events=1)


def shortened(one: Broken) -> Broken:
    """A shorter game in which it does not hold, as far as one is found: some first answers and this luck or another,
    and any answers after that."""
    for tries in range(TRIES):
        size = len(one.answers)
        if size == 0:
            break
        kept = one.answers[: draw(one.seed, tries, size)] if tries % 2 else ()
        seed = one.seed if kept else mix((one.seed + tries * GOLDEN) & MASK)
        answers = _by_lot(one, seed, kept, tries)
        if answers is not None:
            one = Broken(one.assertion, one.setup, seed, answers)
    return one


def _by_lot(one: Broken, seed: int, first: Sequence[int], tries: int) -> tuple[int, ...] | None:
    """These answers, then any, until the assertion does not hold; None if that takes as long as it did before."""
    match, given = _match([one.assertion], one.setup, seed), list(first)
    number = 0
    try:
        while match.advance():
            if match.seat == CHANCE:
                match.answer(match.drawn())
                continue
            if number == len(given):
                given.append(draw((one.seed + tries + 1) & MASK, number, int(match.cells[OPTIONS])))
            match.answer(given[number])
            number += 1
            if number >= len(one.answers):
                return None
    except _Found:
        return tuple(given[:number])
    return None
