"""What a game is built on: the table it is played at, and the chain of its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edict.game.table.addresses import Layout, changes_in
from edict.game.table.carry_over import Lasting
from edict.game.table.faults import fault
from edict.game.table.journal import Header, Opening
from edict.game.table.options import Options, is_roll
from edict.game.table.seeded_luck import draw
from edict.game.table.setup import opened
from edict.game.table.wording import Wording
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    FIRST_OPTION,
    GAME_OVER,
    LOGGING,
    OPTIONS,
    QUESTION,
    SEAT,
)

SNAPSHOT_EVERY = 32  # answers between two states kept for good; going back plays on from the nearest


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same throughout a game and is shared by all its copies."""

    program: Program
    layout: Layout
    wording: Wording
    options: Options
    players: tuple[str, ...]
    header: Header
    seed: int
    typed: bool
    bundle: str = ""  # the rules, packed

    @staticmethod
    def laid(program: Program, layout: Layout, header: Header, bundle: str = "") -> Table:
        wording = Wording(program, header.players)
        options = Options(program, wording)
        return Table(
            program, layout, wording, options, header.players, header, header.seed, header.dice == "typed", bundle
        )

    def first_state(self) -> list[int]:
        """The state before the first instruction. Raises `GameError` if its opening is none of these rules."""
        first = first_state(self.program, len(self.players), self.header.settings)
        opening, chapter = self.header.opening, self.header.chapter
        if opening is None and chapter is not None:
            opening = Opening("", self.lasting.cells(chapter.values))
        return opened(self.program, self.layout, opening, first, self.seed) if opening is not None else first

    def drawn(self, state: Sequence[int], draws: int) -> int:
        """The index of the option that comes up where chance is asked, after so many draws.

        A game that goes on from another one has its first draws from there, as long as its rules ask the same; where
        they do not, the seed draws.
        """
        known = self.header.drawn
        if draws < len(known) and known[draws][0] == self.program.questions[state[QUESTION]].name:
            values = state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]]
            keys = (self.options.key(state[QUESTION], value) for value in values)
            found = next((at for at, key in enumerate(keys) if key == known[draws][1]), None)
            if found is not None:
                return found
        return draw(self.seed, draws, state[OPTIONS])

    def asks_dice(self, question: int) -> bool:
        """Whether a question to chance is put to people: a die that they roll on a real table."""
        return self.typed and is_roll(self.program.questions[question])

    @property
    def lasting(self) -> Lasting:
        """What is carried over from this game to the next of a campaign."""
        return Lasting(self.program, self.players)

    @property
    def begins_with_values(self) -> bool:
        """Whether a game that begins at the beginning is given values there."""
        opening = self.header.opening
        return self.header.chapter is not None if opening is None else not opening.at


@dataclass(slots=True, eq=False, weakref_slot=True)
class Step:
    """An answer and what followed, up to the next question; a game is a chain of them, shared by its copies.

    All of it stays as it is, but for the state: most are let go of when two more answers were given.
    """

    before: Step | None
    question: int
    seat: int
    index: int
    value: int
    draws: int  # of chance, up to and with this step
    depth: int
    events: tuple[int, ...]
    state: list[int] | None  # what it led to, if it is kept; never written on

    @staticmethod
    def beginning(state: list[int], draws: int = 0, events: tuple[int, ...] = ()) -> Step:
        """What nobody answered anything for: the first of a chain."""
        return Step(None, -1, CHANCE, -1, -1, draws, 0, events, state)

    def let_go(self) -> None:
        """Its state is not kept any more, unless it is one of those from which others are played again."""
        if self.depth % SNAPSHOT_EVERY:
            self.state = None


def chain_of(last: Step) -> tuple[Step, ...]:
    """The answers up to this one, the beginning of the game first."""
    found: list[Step] = []
    step: Step | None = last
    while step is not None:
        found.append(step)
        step = step.before
    return tuple(reversed(found))


Play = Callable[[Sequence[int], list[int], list[int]], int]
"""The machine: takes code, state and log, gives the status."""


def advance(table: Table, state: list[int], draws: int, play: Play = run) -> tuple[list[int], int, tuple[int, ...]]:
    """Play on until a player must answer or the game is over; chance answers from the seed.

    Writes on `state`. Raises `RulesError` for a fault.
    """
    code = table.program.code
    events: list[int] = []
    buffer = make_event_buffer()
    while True:
        status = run_logged(code, state, buffer, events, play)
        if status == ASKING and state[SEAT] == CHANCE and not table.asks_dice(state[QUESTION]):
            state[ANSWER] = table.drawn(state, draws)
            draws += 1
        elif status in (ASKING, GAME_OVER):
            return state, draws, tuple(events)
        else:
            raise fault(table.program, state)


def rebuilt(table: Table, step: Step) -> list[int]:
    """The state a step led to, played again from the nearest kept one."""
    later: list[Step] = []
    while (kept := step.state) is None:
        later.append(step)
        assert step.before is not None
        step = step.before
    state, draws = kept.copy(), step.draws
    logging = state[LOGGING]
    state[LOGGING] = 0
    for following in reversed(later):
        state[ANSWER] = following.index
        state, draws, _ = advance(table, state, draws)
    state[LOGGING] = logging
    return state


def before_events(first: Step) -> list[int]:
    """The state before the events of a game's first step: what they changed, put back."""
    assert first.state is not None
    state, events = first.state.copy(), first.events
    for _, cell, old, _ in reversed([*changes_in(events)]):
        state[cell] = old
    return state
