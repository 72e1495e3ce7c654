"""A game between bots in progress: there is no table for people, but it can be viewed from any seat."""

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
from edict.game.table.view import Result
from edict.runtime.machine import events
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program.initial_state import create_state
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
from edict.runtime.program.program_identity import ProgramKey
from edict.runtime.simulation import batches, native
from edict.runtime.simulation.keyed_randomness import KeyedRandom

Chance = Callable[[int, int], int]
"""What chance answers: takes the number of the question in the game, from 1, and how many options it has."""


def laid(program: Program, players: int, settings: Mapping[str, object] | None = None) -> GameTable:
    """Return a table for games between bots, who are named by their seats; its header keeps no seed."""
    return _bot_table(ProgramKey(program), players, tuple(check_settings(program, settings or {}).items()))


@lru_cache(maxsize=16)
def _bot_table(same: ProgramKey, players: int, settings: tuple[tuple[str, int], ...]) -> GameTable:
    program = same.program
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


class Attending(Protocol):
    """Who answers in a match. values: what they thought of each option of their last question, if they say."""

    @property
    def values(self) -> Sequence[float] | None: ...

    def decide(self, match: Match) -> int:
        """The index of an option of the question being asked."""
        ...


class Match:
    """The game; `advance` plays to the next question, chance's included, `answer` answers it.

    cells: the state as the machine has it, a list, or an array where it plays `natively`. number: of the question
    being asked, from 1. fresh: the events since the question before, five integers each. answers: all so far.
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
        """Without `chance` the luck is that of games that are counted: the same seed and answers give the same game.
        Where it is not played `natively`, `loop` plays until something is asked, or there are so many events."""
        self.table = table
        self.seed = seed
        self._chance, self._luck = chance, KeyedRandom(table.program, len(table.players))
        self._luck.begin(seed)
        self.status = RUNNING
        self.number = 0
        self.fresh: list[int] = []
        self.answers: list[int] = []
        first = table.first_state()
        code, log = table.program.code, events.make_event_buffer(log_events)
        self.cells: Any = native.make_integers(first) if natively else first
        self._log: Any = native.make_integers(log) if natively else log
        self._playable = native.get_native_program(table.program) if natively else None
        self._code: Any = code
        self._run = native.native_function(batches.step) if natively else loop
        self._told = 0
        self._events: list[int] = []
        self._entries: list[Entry] = []
        self._teller: LogNarrator | None = None

    def advance(self) -> bool:
        """Play on; whether something is asked. Afterwards `status` says how the game ended."""
        self.fresh = []
        code = self._code if self._playable is None else self._playable.refresh(events=True)
        self.status = events.run_logged(code, self.cells, self._log, self.fresh, self._run)
        self._events += self.fresh
        if self.status == ASKING:
            self._luck.track_events([len(self.fresh), *self.fresh])
            self._luck.ask(self.cells)
            self.number += 1
        return self.status == ASKING

    def answer(self, index: int) -> None:
        """Answer the question by the option of this index."""
        self.cells[ANSWER] = index
        self.answers.append(index)

    def drawn(self) -> int:
        """What chance answers to the question being asked."""
        if self._chance is None:
            return self._luck.draw(self.cells)
        return self._chance(self.number, int(self.cells[OPTIONS]))

    def scores(self) -> tuple[int, ...]:
        """By seat; of a finished game."""
        program, state = self.program, self.state
        return tuple(compute_query(program, state, program.score, seat) for seat in range(len(self.players)))

    # --- what there is to look at

    @property
    def key(self) -> int:
        """Of the question being asked: what a policy's draws are numbered by."""
        return self._luck.key

    @property
    def program(self) -> Program:
        return self.table.program

    @property
    def players(self) -> tuple[str, ...]:
        return self.table.players

    @property
    def state(self) -> list[int]:
        cells: list[int] = self.cells.copy() if isinstance(self.cells, list) else self.cells.tolist()
        return cells

    @property
    def over(self) -> bool:
        return self.status == GAME_OVER

    @property
    def result(self) -> Result | None:
        names = tuple(self.players[seat] for seat in self.winners) if self.over else ()
        return Result(dict(zip(self.players, self.scores(), strict=True)), names) if self.over else None

    @property
    def seat(self) -> int:
        return CHANCE if self.over else int(self.cells[SEAT])

    @property
    def winners(self) -> tuple[int, ...]:
        return bits_of(int(self.cells[WINNERS]))

    @property
    def options(self) -> list[int]:
        """The values to choose from."""
        values = self.cells[FIRST_OPTION : FIRST_OPTION + int(self.cells[OPTIONS])]
        return values if isinstance(values, list) else list(values.tolist())

    @property
    def ask(self) -> Ask:
        return self.table.options.build_question(int(self.cells[QUESTION]), self.seat, self.options)

    def names_unknown(self, seat: int) -> tuple[int, ...]:
        """Return nothing: games between bots do not follow names, so bots see the names of the rule at work."""
        return ()

    @property
    def log(self) -> Sequence[Entry]:
        """Everything that has happened, secrets included."""
        if self._teller is None:
            table = self.table
            first = create_state(self.program, len(self.players), table.header.settings)
            self._teller = LogNarrator(self.program, table.layout, table.wording, table.options, first)
        self._entries += self._teller.narrate(self._events[self._told :], self.number)
        self._told = len(self._events)
        return self._entries
