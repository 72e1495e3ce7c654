"""A search through games for the shortest one in which an assertion of the rules fails.

A condition is checked at each question and at the end; a forbidden change is checked at every change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots
from edict.agents.study.bot_games import BotSeats, GameRange, GameSetup, derive_seeds, split_games
from edict.game.table.addresses import iter_changes
from edict.game.table.knowledge import run_query
from edict.game.table.seeded_draws import draw as lot
from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mix
from edict.runtime.program import Program
from edict.runtime.program.opcodes import ASKING, CHANCE, GAME_OVER, OPTIONS
from edict.runtime.program.reasons import Assertion
from edict.support.processes.distribution import ExecutorStarter, run_in_workers

PIECE_GAMES = 25
SHORTENING_TRIES = 300
FALLING = ("losing", "leaving")


@dataclass(frozen=True, slots=True)
class BrokenAssertion:
    """A game in which an assertion fails after these answers of the players."""

    assertion: Assertion
    setup: GameSetup
    seed: int  # of a table
    answers: tuple[int, ...]


class _AssertionFailed(Exception):
    """An assertion that fails in the game being played."""

    def __init__(self, assertion: Assertion) -> None:
        self.assertion = assertion
        super().__init__(assertion.name)


@dataclass
class AssertionWatcher:
    """A machine loop that checks assertions at each change and each question."""

    program: Program
    assertions: Sequence[Assertion]
    # by cell: whether it holds a set, and the assertions about it
    watched_cells: dict[int, tuple[bool, list[Assertion]]] = field(init=False)

    def __post_init__(self) -> None:
        self.watched_cells = {}
        for variable in self.program.variables:
            about = [assertion for assertion in self.assertions if variable.name in assertion.of]
            for cell in variable.cells if about else ():
                self.watched_cells[cell] = (variable.type.shape == "set", about)

    def run(self, code: Sequence[int], cells: list[int], log: list[int]) -> int:
        """Run the machine's loop; with room for one event it returns after each change. Raises `_AssertionFailed`."""
        status = run(code, cells, log)
        for pc, cell, before, after in iter_changes(log[1 : log[0] + 1]):
            if cell in self.watched_cells and not self.program.cause_at(pc).pays:
                is_set, about = self.watched_cells[cell]
                for assertion in about:
                    if _is_forbidden_change(assertion.edge, is_set, before, after) and self.holds(
                        assertion, cells, True
                    ):
                        raise _AssertionFailed(assertion)
        if status in (ASKING, GAME_OVER):
            for assertion in self.assertions:
                if not assertion.edge and not self.holds(assertion, cells, False):
                    raise _AssertionFailed(assertion)
        return status

    def holds(self, assertion: Assertion, cells: list[int], fallback: bool) -> bool:
        """Return the condition's truth; without one `fallback`, after a fault its opposite."""
        if assertion.query < 0:
            return fallback
        value = run_query(self.program, cells.copy(), assertion.query)
        return not fallback if value is None else bool(value)


def _is_forbidden_change(edge: str, is_set: bool, before: int, after: int) -> bool:
    """Return True if a change is of the forbidden kind: a smaller number, or a set without a former member."""
    old, new = (before, after) if edge in FALLING else (after, before)
    return bool(old & ~new) if is_set else old > new


# --- games ------------------------------------------------------------------------------------------


@dataclass
class AssertionSearch:
    """A search through games of several setups; it keeps the shortest game found for each broken assertion."""

    setups: tuple[GameSetup, ...]
    assertions: tuple[Assertion, ...]
    games: int
    played: int = 0
    found: dict[str, BrokenAssertion] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of games to play."""
        return sum(stretch.games for _, _, stretch in self._list_pieces())

    def run(self, start: ExecutorStarter, on_progress: Callable[[int], object]) -> None:
        """Play the games, and shorten those that were found. Raises `WorkersError`."""
        for (_, _, game_range), broken in run_in_workers(_search_piece, self._list_pieces(), start):
            self.played += game_range.games
            on_progress(self.played)
            for case in broken:
                self._keep_shorter(case)
        for _, shortened_case in run_in_workers(shorten, list(self.found.values()), start):
            self._keep_shorter(shortened_case)

    def _keep_shorter(self, case: BrokenAssertion) -> None:
        """Keep a broken assertion's game if it is the first, or smaller than the known one by `_size`."""
        known = self.found.get(case.assertion.name)
        if known is None or _size(case) < _size(known):
            self.found[case.assertion.name] = case

    def _list_pieces(self) -> list[tuple[GameSetup, tuple[Assertion, ...], GameRange]]:
        """Return the pieces of work: for each setup, the games per number of players in ranges of `PIECE_GAMES`."""
        games_per_count = -(-self.games // len({setup.players for setup in self.setups}))
        return [
            (s, self.assertions, game_range)
            for s in self.setups
            for game_range in split_games(games_per_count, PIECE_GAMES)
        ]


def _size(case: BrokenAssertion) -> tuple[int, int, int]:
    """Return the sort key of a broken game: fewest answers first, then fewest players, then the least seed."""
    return len(case.answers), case.setup.players, case.seed


def _search_piece(piece: tuple[GameSetup, tuple[Assertion, ...], GameRange]) -> list[BrokenAssertion]:
    """Return the broken assertions in the games of a piece."""
    setup, assertions, game_range = piece
    players = BotSeats(setup.program, setup.bots, setup.plans)
    return [
        case
        for seed in derive_seeds(setup, game_range)
        for case in _search_game(assertions, setup, seed & MASK, players)
    ]


def _search_game(
    assertions: Sequence[Assertion], setup: GameSetup, seed: int, players: BotSeats
) -> Iterator[BrokenAssertion]:
    """Play a game, and again without each assertion that was found to fail; yield the failures."""
    remaining = list(assertions)
    while remaining:
        match, answers = _create_match(remaining, setup, seed), list[int]()
        seats = players.create_seats(seed)
        try:
            for seat, index in iter_answers(match, seats):
                match.answer(index)
                answers += [index] if seat != CHANCE else []
        except _AssertionFailed as failure:
            yield BrokenAssertion(failure.assertion, setup, seed, tuple(answers))
            remaining.remove(failure.assertion)
        else:
            return
        finally:
            release_bots(seats)


def _create_match(assertions: Sequence[Assertion], setup: GameSetup, seed: int) -> Match:
    """Create a match that checks the assertions after each change, with chance drawn from the seed in order."""
    table = create_bot_table(setup.program, setup.players, dict(setup.settings))
    draws, watcher = count(), AssertionWatcher(setup.program, assertions)
    return Match(table, seed, lambda _, options: lot(seed, next(draws), options), loop=watcher.run, log_events=1)


def shorten(case: BrokenAssertion) -> BrokenAssertion:
    """Return a shorter game in which the assertion fails, as far as one is found.

    It tries some of the first answers with the same seed, or another seed, and random answers after that.
    """
    for tries in range(SHORTENING_TRIES):
        size = len(case.answers)
        if size == 0:
            break
        prefix = case.answers[: draw(case.seed, tries, size)] if tries % 2 else ()
        seed = case.seed if prefix else mix((case.seed + tries * GOLDEN) & MASK)
        answers = _try_random_answers(case, seed, prefix, tries)
        if answers is not None:
            case = BrokenAssertion(case.assertion, case.setup, seed, answers)
    return case


def _try_random_answers(case: BrokenAssertion, seed: int, prefix: Sequence[int], tries: int) -> tuple[int, ...] | None:
    """Return these answers and random ones up to the failure; None if that is not shorter."""
    match, answers = _create_match([case.assertion], case.setup, seed), list(prefix)
    number = 0
    try:
        while match.advance():
            if match.seat == CHANCE:
                match.answer(match.draw_chance())
                continue
            if number == len(answers):
                answers.append(draw((case.seed + tries + 1) & MASK, number, int(match.cells[OPTIONS])))
            match.answer(answers[number])
            number += 1
            if number >= len(case.answers):
                return None
    except _AssertionFailed:
        return tuple(answers[:number])
    return None
