"""Games watched as they are played: what ran, what was offered and taken, what everything in the state has been.

Who looks ahead does so outside what is watched: only what happened in the games counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import course, dismissed
from edict.agents.study.adding import Addable
from edict.agents.study.bot_games import GameRange, Players, Setup, check_seats, seeds_of
from edict.game.table.addresses import PLAYER, bits_of, iter_cells, unpack_events
from edict.game.table.knowledge import run_query
from edict.runtime.machine.mixing import MASK
from edict.runtime.machine.observed_code import ReadCounts
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import TABLES, find_instructions
from edict.runtime.program.opcodes import EV_CHOICE, EV_SET

Answer = tuple[int, int]  # to which question, and the option's value


class GameReads(ReadCounts):
    """The code, which counts in one game how often each place of it is read, and when `first` and `last`."""

    def __init__(self, code: Sequence[int]) -> None:
        super().__init__(code)
        self._clock = 0
        self.first, self.last = [0] * len(code), [0] * len(code)

    def __getitem__(self, place: Any) -> Any:
        self._clock = now = self._clock + 1
        if self.counts[place] == 0:
            self.first[place] = now
        self.last[place] = now
        self.counts[place] += 1
        return self.code[place]


@dataclass
class SeenInGames(Addable):
    """What was seen in some games; adds up.

    ran: for each place in the code. offered, taken: answers where there were others to choose from; `forced` were given
    without a question. values: by cell all it has held; of a set, its members.
    """

    games: int = 0
    faults: int = 0
    ran: list[int] = field(default_factory=list)
    asked: Counter[int] = field(default_factory=Counter)
    offered: Counter[Answer] = field(default_factory=Counter)
    taken: Counter[Answer] = field(default_factory=Counter)
    forced: Counter[Answer] = field(default_factory=Counter)
    values: dict[int, set[int]] = field(default_factory=dict)
    changed: Counter[int] = field(default_factory=Counter)  # of each cell, how often after the first question
    rose: Counter[int] = field(default_factory=Counter)  # of each cell, how often it left 0 and the game went on
    fell: Counter[int] = field(default_factory=Counter)  # and how often it became 0 again
    raised: Counter[int] = field(default_factory=Counter)  # of each place that adds to a number: in how many games
    unread: Counter[int] = field(default_factory=Counter)  # in how many of them nothing asked for that number any more

    def note_value(self, cell: int, value: int, is_set: bool) -> None:
        """Note what a cell holds."""
        values = self.values.setdefault(cell, set())
        if is_set:
            values.update(bits_of(value))
        else:
            values.add(value)


def watch(setup: Setup, stretch: GameRange) -> SeenInGames:
    """Play these games and watch; one that runs into a fault counts as far as it went."""
    check_seats(setup.bots)
    program = setup.program
    players = Players(program, setup.bots)
    seen = SeenInGames(ran=[0] * len(program.code))
    places = places_of(program)
    cells = dict(cells_watched(program, setup.players))
    for seed in seeds_of(setup, stretch):
        game = GameReads(program.code)
        match = Match(laid(program, setup.players, dict(setup.settings)), seed & MASK, loop=game.run)
        _watched(match, players, game, seen, places, cells)
    return seen


def _watched(
    match: Match,
    players: Players,
    game: GameReads,
    seen: SeenInGames,
    places: WatchedPlaces,
    cells: dict[int, bool],
) -> None:
    seats, raised, rising = players.seats(match.seed), set[tuple[int, int]](), list[int]()
    for _, index in course(match, seats):
        if match.number == 1:
            for cell, is_set in cells.items():
                seen.note_value(cell, match.cells[cell], is_set)
        _events(match, seen, places, cells, raised, rising)
        _asked(match, seen, index)
        seen.rose.update(rising)
        rising.clear()
        match.answer(index)
    dismissed(seats)
    _events(match, seen, places, cells, raised, rising)
    if match.over:
        for seat in range(len(match.players)):
            run_query(match.program, match.state, match.program.score, seat, loop=game.run)
    seen.games += 1
    seen.faults += not match.over
    for place, times in enumerate(game.counts):
        if times:
            seen.ran[place] += times
    for pc, variable in raised:
        seen.raised[pc] += 1
        asked_last = max((game.last[at] for at in places.used[variable]), default=0)
        seen.unread[pc] += match.over and game.first[pc] > asked_last


def _asked(match: Match, seen: SeenInGames, index: int) -> None:
    """What is offered where there is a choice, and what is taken of it."""
    question, options = match.cells[o.QUESTION], match.options
    seen.asked[question] += 1
    if len(options) > 1:
        seen.offered.update((question, value) for value in options)
        seen.taken[question, options[index]] += 1
    else:
        seen.forced[question, options[0]] += 1


def _events(
    match: Match,
    seen: SeenInGames,
    places: WatchedPlaces,
    cells: dict[int, bool],
    raised: set[tuple[int, int]],
    rising: list[int],
) -> None:
    code = match.program.code
    for kind, pc, cell, before, after in unpack_events(match.fresh):
        if kind == EV_SET and cell in cells:
            seen.note_value(cell, after, cells[cell])
            seen.changed[cell] += bool(match.answers)
            if before == 0:
                rising.append(cell)
            elif after == 0:
                seen.fell[cell] += 1
            number = places.number.get(cell)
            if after > before and number is not None:
                raised.add((pc, number))
        elif kind == EV_CHOICE and code[pc] == o.ASK and code[pc + 1] == cell:
            seen.forced[cell, after] += 1


# --- where things stand -----------------------------------------------------------------------------


def cells_watched(program: Program, players: int) -> Iterator[tuple[int, bool]]:
    """Yield the cells of all variables for so many players, and whether each holds a set."""
    for variable in program.variables:
        for cell in iter_cells(variable):
            seats = (i for i, kind in zip(cell.of, variable.kinds, strict=True) if kind == PLAYER)
            if all(seat < players for seat in seats):
                for part in range(variable.type.cells):
                    yield cell.address + part, variable.type.shape == "set"


@dataclass(frozen=True)
class WatchedPlaces:
    """number: of each cell that holds a number, which variable it is of; used: where that is asked for; written: which
    of them are changed by more than payments.

    What reads it only to change it, or to show it, does not ask for it.
    """

    number: dict[int, int]
    used: dict[int, tuple[int, ...]]
    written: frozenset[int]


@lru_cache(maxsize=4)
def places_of(program: Program) -> WatchedPlaces:
    numbers = {
        i: one.cells
        for i, one in enumerate(program.variables)
        if one.type.shape == "number"
        and not one.counts
        and " " not in one.name  # the size of a bag is no keep
        and not one.lasting  # the next game asks for it
    }
    stores = [(i, pc) for pc, cell in _stores(program) for i, cells in numbers.items() if cell in cells]
    changed = {(i, _line(program, pc)) for i, pc in stores if not program.cause_at(pc).pays}
    used: dict[int, list[int]] = {i: [] for i in numbers}
    for pc, cell, row in _reads(program):
        for i, cells in numbers.items():
            one = program.variables[i]
            if cell in cells or (row and one.resource and _resource_at(program, cell) and cell <= one.base):
                if (i, _line(program, pc)) not in changed:
                    used[i].append(pc)
    by_cell = {cell: i for i, cells in numbers.items() for cell in cells}
    written = frozenset(i for i, pc in stores if not program.cause_at(pc).pays)
    return WatchedPlaces(by_cell, {i: tuple(found) for i, found in used.items()}, written)


def _resource_at(program: Program, cell: int) -> bool:
    """Whether a resource stands there: which of them is meant may be reckoned from there."""
    return any(one.resource and cell in one.cells for one in program.variables)


def _line(program: Program, pc: int) -> tuple[str, int, bool]:
    cause = program.cause_at(pc)
    return cause.file, cause.line, cause.asks


def _operands(program: Program) -> Iterator[tuple[int, int, str, int, int]]:
    """Place, operation, and of each operand its letter, its number and what it is."""
    for pc in sorted(find_instructions(program)[1]):
        op = program.code[pc]
        for number, letter in enumerate(o.OPERANDS[op].split(), 1):
            yield pc, op, letter, number, program.code[pc + number]


def _stores(program: Program) -> Iterator[tuple[int, int]]:
    stores = {o.SET: "d", o.STX: "base", o.STXX: "base"}
    return ((pc, what) for pc, op, letter, _, what in _operands(program) if stores.get(op) == letter)


def _reads(program: Program) -> Iterator[tuple[int, int, bool]]:
    """Place, cell, and whether a row begins there."""
    rows = (o.LDX, o.LDXX, o.JLTX, o.JINX, o.JOUTX, o.SORT)
    for pc, op, letter, number, what in _operands(program):
        if op == o.SAY or TABLES.get(op) == number:
            continue
        if letter in "abci":
            yield pc, what, False
        elif letter == "base" and op in rows:
            yield pc, what, True


__all__ = ["Answer", "WatchedPlaces", "SeenInGames", "places_of", "watch"]
