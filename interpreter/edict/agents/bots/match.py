"""Bots, which answer for a seat by what it may know, and a game between bots, without a table for people.

A game can be viewed from any seat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from edict.game.table.addresses import StateLayout, bits_of
from edict.game.table.game_steps import GameTable
from edict.game.table.journal import Header
from edict.game.table.knowledge import compute_query
from edict.game.table.log import LogNarrator
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask
from edict.game.table.setup import check_settings
from edict.game.table.view import Result, View
from edict.runtime.machine import events
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, ProgramKey, create_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    FIRST_OPTION,
    GAME_OVER,
    OPTIONS,
    QUESTION,
    RUNNING,
    SEAT,
    WINNERS,
)
from edict.runtime.simulation import batches, native
from edict.runtime.simulation.keyed_randomness import KeyedRandom


class Bot(Protocol):
    """A player of one seat: at a table by `choose`, in a simulation (without texts, and so faster) by `pick`."""

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of an option of the question put to the view's seat."""
        ...

    def pick(self, state: list[int]) -> int:
        """Return the index for a state that waits for an answer, using only what the seat may know."""
        ...


# creates a bot from a program and a seed; the same seed yields the same answers
BotFactory = Callable[[Program, int], Bot]


# returns chance's answer, given the question's number in the game (from 1) and its number of options
Chance = Callable[[int, int], int]


def create_bot_table(program: Program, players: int, settings: Mapping[str, object] | None = None) -> GameTable:
    """Create a table for games between bots, which are named by their seats; its header has no seed."""
    return _create_cached_table(ProgramKey(program), players, tuple(check_settings(program, settings or {}).items()))


@lru_cache(maxsize=16)
def _create_cached_table(program_key: ProgramKey, players: int, settings: tuple[tuple[str, int], ...]) -> GameTable:
    """Create a table of `Seat 1`, `Seat 2` ... with seed 0, which games of the same program and settings share."""
    program = program_key.program
    header = Header(
        program.name,
        tuple(program.modules),
        program.rules_hash,
        program.version,
        players=tuple(f"Seat {seat}" for seat in range(1, players + 1)),
        settings=dict(settings),
        seed=0,
        dice="seeded",
        bots=(),
        meaning=program.meaning,
    )
    return GameTable.from_header(program, StateLayout.from_program(program), header)


class Participant(Protocol):
    """A player in a match."""

    @property
    def values(self) -> Sequence[float] | None:
        """The player's evaluations of the options of the last question, if there are any."""

    def decide(self, match: Match) -> int:
        """Return the index of an option of the question being asked."""
        ...


class Match:
    """A game in progress: `advance` plays to the next question, chance's included, and `answer` answers it.

    Attributes:
        cells: The machine's state; a list, or an array if the match is played natively.
        number: The number of the current question, from 1.
        new_events: The events since the previous question, five integers each.
        answers: The option indices so far.
    """

    def __init__(
        self,
        table: GameTable,
        seed: int = 0,
        chance: Chance | None = None,
        natively: bool = False,
        loop: Callable[..., int] = run,
        log_events: int = events.BUFFER_EVENTS,
    ) -> None:
        """Set up a match.

        Args:
            table: The table.
            seed: The seed of chance.
            chance: Answers chance's questions. By default they are drawn as in native studies: the same seed and
                answers
                give the same game.
            natively: Play in native code.
            loop: Plays until a question or a full buffer of events, unless played natively.
            log_events: The size of the buffer, in events.
        """
        self.table = table
        self.seed = seed
        self._chance, self._rng = chance, KeyedRandom(table.program, len(table.players))
        self._rng.begin(seed)
        self.status = RUNNING
        self.number = 0
        self.new_events: list[int] = []
        self.answers: list[int] = []
        initial_state = table.first_state()
        code, log = table.program.code, events.make_event_buffer(log_events)
        self.cells: Any = native.make_integers(initial_state) if natively else initial_state
        self._log: Any = native.make_integers(log) if natively else log
        self._native_program = native.get_native_program(table.program) if natively else None
        self._code: Any = code
        self._run = native.native_function(batches.step) if natively else loop
        self._logged_events = 0
        self._events: list[int] = []
        self._entries: list[Entry] = []
        self._narrator: LogNarrator | None = None

    def advance(self) -> bool:
        """Play to the next question, chance's too; return True if one is asked, else set `status` to the end's."""
        self.new_events = []
        if self._native_program is None:
            code = self._code
        else:
            code = self._native_program.refresh(events=True)
        self.status = events.run_and_collect_events(code, self.cells, self._log, self.new_events, self._run)
        self._events += self.new_events
        if self.status == ASKING:
            self._rng.track_events([len(self.new_events), *self.new_events])
            self._rng.ask(self.cells)
            self.number += 1
        return self.status == ASKING

    def answer(self, index: int) -> None:
        """Answer the question with the option of this index."""
        self.cells[ANSWER] = index
        self.answers.append(index)

    def draw_chance(self) -> int:
        """Return the option index that chance takes now: from `chance` if the match has one, else by the seed."""
        if self._chance is None:
            return self._rng.draw(self.cells)
        return self._chance(self.number, int(self.cells[OPTIONS]))

    def scores(self) -> tuple[int, ...]:
        """Return every seat's score by the rules' own score query, in the order of the seats."""
        program, state = self.program, self.state
        return tuple(compute_query(program, state, program.score, seat) for seat in range(len(self.players)))

    # --- views

    @property
    def key(self) -> int:
        """The key of the current question, from which policies derive random numbers."""
        return self._rng.key

    @property
    def program(self) -> Program:
        """The program of the table."""
        return self.table.program

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players."""
        return self.table.players

    @property
    def state(self) -> list[int]:
        """A copy of the state as a list."""
        cells: list[int] = self.cells.copy() if isinstance(self.cells, list) else self.cells.tolist()
        return cells

    @property
    def over(self) -> bool:
        """Return True if the game is over."""
        return self.status == GAME_OVER

    @property
    def result(self) -> Result | None:
        """The result, or None before the end."""
        names = tuple(self.players[seat] for seat in self.winners) if self.over else ()
        if self.over:
            return Result(dict(zip(self.players, self.scores(), strict=True)), names)
        return None

    @property
    def seat(self) -> int:
        """The seat that is asked, or -1 for chance and at the end."""
        return CHANCE if self.over else int(self.cells[SEAT])

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won."""
        return bits_of(int(self.cells[WINNERS]))

    @property
    def options(self) -> list[int]:
        """The values of the options."""
        values = self.cells[FIRST_OPTION : FIRST_OPTION + int(self.cells[OPTIONS])]
        return values if isinstance(values, list) else list(values.tolist())

    @property
    def ask(self) -> Ask:
        """The current question with its options."""
        return self.table.options.build_question(int(self.cells[QUESTION]), self.seat, self.options)

    def names_unknown(self, seat: int) -> tuple[int, ...]:
        """Return no names: names of hidden things are not tracked between bots, see `mask_state`."""
        return ()

    @property
    def log(self) -> Sequence[Entry]:
        """All log entries, including secret ones."""
        if self._narrator is None:
            table = self.table
            first = create_state(self.program, len(self.players), table.header.settings)
            self._narrator = LogNarrator(self.program, table.layout, table.wording, table.options, first)
        self._entries += self._narrator.narrate(self._events[self._logged_events :], self.number)
        self._logged_events = len(self._events)
        return self._entries
