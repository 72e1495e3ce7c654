"""Observations of games: which code ran and how long, which options were offered and taken, and all cells.

Lookahead by bots is not observed; only what happened in the games counts. A profile's counts are exact; its times are
those of CPython with an instrumented code array, and hold only as shares.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any

from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots
from edict.agents.study.bot_games import BotSeats, GameRange, GameSetup, check_bots, derive_seeds
from edict.agents.study.totals import Addable
from edict.game.table.addresses import PLAYER, bits_of, iter_cells, unpack_events
from edict.game.table.faults import fault_error
from edict.game.table.knowledge import run_query
from edict.runtime.machine.events import ObservedCode, ReadCounts
from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Cause, Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import TABLES, find_instructions
from edict.runtime.program.opcodes import EV_CHOICE, EV_SET, GAME_OVER, NAMES, STATUS
from edict.runtime.simulation.native import play_one
from edict.runtime.simulation.plans import Policy
from edict.support.records import dataclass

OptionKey = tuple[int, int]


class GameReads(ReadCounts):
    """A code array that counts the reads of each place in one game, with the times of the first and last."""

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
    """Counts of what was seen in some games."""

    games: int = 0
    seats: int = 0  # of all games
    faults: int = 0
    ran: list[int] = field(default_factory=list)  # by place in the code
    asked: Counter[int] = field(default_factory=Counter)
    offered: Counter[OptionKey] = field(default_factory=Counter)  # where there were other options
    taken: Counter[OptionKey] = field(default_factory=Counter)  # where there were other options
    forced: Counter[OptionKey] = field(default_factory=Counter)  # taken without a choice
    values: dict[int, set[int]] = field(default_factory=dict)  # by cell, all values; of a set, its members
    changed: Counter[int] = field(default_factory=Counter)  # by cell, after the first question
    rose: Counter[int] = field(default_factory=Counter)  # by cell, how often it left 0 and the game continued
    fell: Counter[int] = field(default_factory=Counter)  # by cell, how often it became 0 again
    raised: Counter[int] = field(default_factory=Counter)  # games, by place that adds to a number
    unread: Counter[int] = field(default_factory=Counter)  # those games in which nothing read the number afterwards
    effective: Counter[int] = field(default_factory=Counter)  # by place, how often it changed a variable
    asked_at: Counter[tuple[int, int, int]] = field(default_factory=Counter)  # by question, clock and its value
    turned_back: set[int] = field(default_factory=set)  # numbers that became less, so that they are no clocks

    def note_value(self, cell: int, value: int, is_set: bool) -> None:
        """Record the value of a cell."""
        values = self.values.setdefault(cell, set())
        if is_set:
            values.update(bits_of(value))
        else:
            values.add(value)


def watch_games(setup: GameSetup, game_range: GameRange) -> SeenInGames:
    """Play games, and return what happened in them: code run, options offered and taken, values of cells."""
    check_bots(setup.bots)
    program = setup.program
    players = BotSeats(program, setup.bots, setup.plans)
    seen = SeenInGames(ran=[0] * len(program.code))
    places = find_watched_places(program)
    cells = dict(iter_watched_cells(program, setup.players))
    for seed in derive_seeds(setup, game_range):
        reads = GameReads(program.code)
        match = Match(create_bot_table(program, setup.players, dict(setup.settings)), seed & MASK, loop=reads.run)
        _watch_match(match, players, reads, seen, places, cells)
    return seen


def _watch_match(
    match: Match,
    players: BotSeats,
    reads: GameReads,
    seen: SeenInGames,
    places: WatchedPlaces,
    cells: dict[int, bool],
) -> None:
    """Play a match to its end by bots; add its events, questions, reads and unread increases to `seen`."""
    seats, raised, rising = players.create_seats(match.seed), set[tuple[int, int]](), list[int]()
    for _, index in iter_answers(match, seats):
        if match.number == 1:
            for cell, is_set in cells.items():
                seen.note_value(cell, match.cells[cell], is_set)
        _record_events(match, seen, places, cells, raised, rising)
        _record_question(match, seen, index, places.clocks)
        seen.rose.update(rising)
        rising.clear()
        match.answer(index)
    release_bots(seats)
    _record_events(match, seen, places, cells, raised, rising)
    if match.over:
        for seat in range(len(match.players)):
            run_query(match.program, match.state, match.program.score, seat, loop=reads.run)
    seen.games += 1
    seen.seats += len(match.players)
    seen.faults += not match.over
    for place, read_count in enumerate(reads.counts):
        if read_count:
            seen.ran[place] += read_count
    for pc, variable in raised:
        seen.raised[pc] += 1
        last_read = max((reads.last[at] for at in places.uses[variable]), default=0)
        seen.unread[pc] += match.over and reads.first[pc] > last_read


def _record_question(match: Match, seen: SeenInGames, index: int, clocks: Sequence[int]) -> None:
    """Count a question, at each value of the clocks, and its options as offered and taken, or forced if alone."""
    question, options = match.cells[o.QUESTION], match.options
    seen.asked[question] += 1
    for number in clocks:
        seen.asked_at[question, number, match.cells[match.program.variables[number].base]] += 1
    if len(options) > 1:
        seen.offered.update((question, value) for value in options)
        seen.taken[question, options[index]] += 1
    else:
        seen.forced[question, options[0]] += 1


def _record_events(
    match: Match,
    seen: SeenInGames,
    places: WatchedPlaces,
    cells: dict[int, bool],
    raised: set[tuple[int, int]],
    rising: list[int],
) -> None:
    """Add the new events to `seen`; collect increases as (pc, variable) in `raised`, cells leaving 0 in `rising`."""
    code = match.program.code
    for kind, pc, cell, before, after in unpack_events(match.new_events):
        if kind == EV_SET and cell in cells:
            seen.note_value(cell, after, cells[cell])
            seen.changed[cell] += bool(match.answers)
            seen.effective[pc] += before != after
            if before == 0:
                rising.append(cell)
            elif after == 0:
                seen.fell[cell] += 1
            number = places.variable_by_cell.get(cell)
            if after > before and number is not None:
                raised.add((pc, number))
            elif after < before and number is not None:
                seen.turned_back.add(number)
        elif kind == EV_CHOICE and code[pc] == o.ASK and code[pc + 1] == cell:
            seen.forced[cell, after] += 1


# --- places in the code -----------------------------------------------------------------------------


def iter_watched_cells(program: Program, players: int) -> Iterator[tuple[int, bool]]:
    """Yield the cells of all variables for so many players, and whether each holds a set."""
    for variable in program.variables:
        for cell in iter_cells(variable):
            seats = (i for i, kind in zip(cell.of, variable.kinds, strict=True) if kind == PLAYER)
            if all(seat < players for seat in seats):
                for part in range(variable.type.cells):
                    yield cell.address + part, variable.type.shape == "set"


@dataclass(frozen=True)
class WatchedPlaces:
    """The places in the code that use number variables.

    Reads that only change or display a number do not count as uses.
    """

    variable_by_cell: dict[int, int]  # the number variable of each cell
    uses: dict[int, tuple[int, ...]]  # places that read a variable
    written: frozenset[int]  # variables that are changed by more than payments
    clocks: tuple[int, ...]  # numbers of the whole table that may count rounds
    stores: tuple[int, ...]  # places that write a variable


@lru_cache(maxsize=4)
def find_watched_places(program: Program) -> WatchedPlaces:
    """Return the places that store into and that read each number variable; cached."""
    numbers = {
        i: one.cells
        for i, one in enumerate(program.variables)
        if one.type.shape == "number"
        and not one.counts
        and " " not in one.name  # the size of a bag is no variable of the rules
        and not one.lasting  # it is read by the next game
    }
    stores = [(i, pc) for pc, cell in _iter_stores(program) for i, cells in numbers.items() if cell in cells]
    changed = {(i, _source_line(program, pc)) for i, pc in stores if not program.cause_at(pc).pays}
    used: dict[int, list[int]] = {i: [] for i in numbers}
    for pc, cell, row in _iter_reads(program):
        for i, cells in numbers.items():
            one = program.variables[i]
            if cell in cells or (row and one.resource and _is_resource_cell(program, cell) and cell <= one.base):
                if (i, _source_line(program, pc)) not in changed:
                    used[i].append(pc)
    by_cell = {cell: i for i, cells in numbers.items() for cell in cells}
    written = frozenset(i for i, pc in stores if not program.cause_at(pc).pays)
    clocks = tuple(i for i in numbers if not program.variables[i].kinds and i in written)
    cells_of_all = {cell for variable in program.variables for cell in variable.cells}
    places = tuple(sorted({pc for pc, cell in _iter_stores(program) if cell in cells_of_all}))
    return WatchedPlaces(by_cell, {i: tuple(pcs) for i, pcs in used.items()}, written, clocks, places)


def _is_resource_cell(program: Program, cell: int) -> bool:
    """Return True if a cell belongs to a resource, so that it may be the base of an indexed read."""
    return any(variable.resource and cell in variable.cells for variable in program.variables)


def _source_line(program: Program, pc: int) -> tuple[str, int, bool]:
    """Return file and line of the rules behind an instruction, and the cause's flag `asks`."""
    cause = program.cause_at(pc)
    return cause.file, cause.line, cause.asks


def _iter_operands(program: Program) -> Iterator[tuple[int, int, str, int, int]]:
    """Yield (place, opcode, operand's letter, its number from 1, its value) for every operand of the code."""
    for pc in sorted(find_instructions(program)[1]):
        op = program.code[pc]
        for number, letter in enumerate(o.OPERANDS[op].split(), 1):
            yield pc, op, letter, number, program.code[pc + number]


def _iter_stores(program: Program) -> Iterator[tuple[int, int]]:
    """Yield the place of each instruction that writes a cell, and the cell; for an array, its first cell."""
    stores = {o.SET: "d", o.STX: "base", o.STXX: "base"}
    return ((pc, operand) for pc, op, letter, _, operand in _iter_operands(program) if stores.get(op) == letter)


def _iter_reads(program: Program) -> Iterator[tuple[int, int, bool]]:
    """Yield (place, cell, True if the cell begins an indexed row) for every operand that is read."""
    indexed_ops = (o.LDX, o.LDXX, o.JLTX, o.JINX, o.JOUTX, o.SORT)
    for pc, op, letter, number, operand in _iter_operands(program):
        if op == o.SAY or TABLES.get(op) == number:
            continue
        if letter in "abci":
            yield pc, operand, False
        elif letter == "base" and op in indexed_ops:
            yield pc, operand, True


__all__ = ["OptionKey", "WatchedPlaces", "SeenInGames", "find_watched_places", "watch_games"]


MAX_DURATION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an operation or a rule."""

    name: str
    place: str
    ran: float  # instructions in a game
    share: float  # of all instructions
    time: float  # share of the time


@dataclass(frozen=True, slots=True)
class Profile:
    """The mean costs of games; `instructions` and `questions` are per game."""

    games: int
    instructions: float
    questions: float
    operations: tuple[Cost, ...]
    rules: tuple[Cost, ...]


def profile_games(program: Program, seats: list[Policy], games: int, settings: dict[str, int] | None = None) -> Profile:
    """Play games in plain Python and measure them. Raises `RulesError` for a fault."""
    reads, clock = ReadCounts(program.code), InstructionClock(program.code, find_instructions(program)[1])
    questions = sum(_play_game(program, reads, seats, seed, settings) for seed in range(games))
    for seed in range(max(1, games // 3)):
        _play_game(program, clock, seats, seed, settings)
    ran = Counter({pc: reads.counts[pc] for pc in sorted(clock.starts) if reads.counts[pc]})
    return Profile(
        games,
        sum(ran.values()) / games,
        questions / games,
        _costs(ran, clock.spent, games, lambda pc: (NAMES[program.code[pc]], "")),
        _costs(ran, clock.spent, games, _rule_namer(program)),
    )


def _play_game(
    program: Program, code: ObservedCode, seats: list[Policy], seed: int, settings: dict[str, int] | None
) -> int:
    """Play a game by this code and return the number of its questions."""
    state, questions = play_one(program, len(seats), seed, settings, seats, code)
    if state[STATUS] != GAME_OVER:
        raise fault_error(program, state, f"this happened in game {seed}")
    return questions


class InstructionClock(ObservedCode):
    """A code array that measures the time `spent` from the start of each instruction to that of the next.

    Reading the clock adds the same cost to all. Long gaps, between games or caused by other processes, are ignored.
    """

    def __init__(self, code: Sequence[int], starts: Collection[int]) -> None:
        super().__init__(code)
        self.spent = Counter[int]()
        self.starts = starts
        self._at, self._since = -1, 0

    def __getitem__(self, place: Any) -> Any:
        if place in self.starts:
            now = time.perf_counter_ns()
            if self._at >= 0 and now - self._since < MAX_DURATION:
                self.spent[self._at] += now - self._since
            self._at, self._since = place, time.perf_counter_ns()
        return self.code[place]


def _rule_namer(program: Program) -> Callable[[int], tuple[str, str]]:
    """Return a function that maps a program counter to its rule's title and `file:line`."""
    starts = [start for start, _ in program.places]

    def rule(pc: int) -> tuple[str, str]:
        """Return the title of the rule that an instruction comes from, and its `file:line`."""
        cause: Cause = program.causes[program.places[bisect_right(starts, pc) - 1][1]]
        return cause.title or cause.name, f"{cause.file}:{cause.line}"

    return rule


def _costs(
    ran: Counter[int], spent: Counter[int], games: int, name_of: Callable[[int], tuple[str, str]]
) -> tuple[Cost, ...]:
    """Add up runs and nanoseconds of instructions by rule; return the cost of each rule, most runs first."""
    counts, durations = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for pc, times in ran.items():
        counts[name_of(pc)] += times
    for pc, nanoseconds in spent.items():
        durations[name_of(pc)] += nanoseconds
    total, duration = sum(ran.values()) or 1, sum(spent.values()) or 1
    return tuple(
        Cost(*name, times / games, times / total, durations[name] / duration) for name, times in counts.most_common()
    )
