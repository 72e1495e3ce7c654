"""The table that a game is played at, and the chain of its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.game.table.addresses import StateLayout, iter_changes
from edict.game.table.carry_over import CarriedValues
from edict.game.table.faults import fault_error
from edict.game.table.journal import Header, Opening
from edict.game.table.options import Options, is_roll
from edict.game.table.seeded_draws import draw
from edict.game.table.setup import open_state
from edict.game.table.wording import Wording
from edict.runtime.machine.events import make_event_buffer, run_and_collect_events
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
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
from edict.support.records import dataclass

SNAPSHOT_EVERY = 32  # answers between two states that are kept for good; going back replays from the nearest


@dataclass(frozen=True, slots=True)
class GameTable:
    """The parts of a game that never change and are shared by all its copies."""

    program: Program
    layout: StateLayout
    wording: Wording
    options: Options
    players: tuple[str, ...]
    header: Header
    seed: int
    typed: bool
    bundle: str = ""  # the rules, packed

    @staticmethod
    def from_header(program: Program, layout: StateLayout, header: Header, bundle: str = "") -> GameTable:
        """Build the table of a game from its header."""
        wording = Wording(program, header.players)
        options = Options(program, wording)
        return GameTable(
            program, layout, wording, options, header.players, header, header.seed, header.dice == "typed", bundle
        )

    def first_state(self) -> list[int]:
        """Return the state before the first instruction. Raises `GameError` if the rules do not allow its opening."""
        first = create_state(self.program, len(self.players), self.header.settings)
        opening, chapter = self.header.opening, self.header.chapter
        if opening is None and chapter is not None:
            opening = Opening("", self.lasting.to_cells(chapter.values))
        if opening is not None:
            return open_state(self.program, self.layout, opening, first, self.seed)
        return first

    def draw_option(self, state: Sequence[int], draws: int) -> int:
        """Return the option index that chance takes at draw `draws`: as recorded in a branched game, else seeded.

        A branched game takes its first draws from the other game as long as the rules ask the same; otherwise the seed
        draws.
        """
        recorded_draws = self.header.drawn
        if draws < len(recorded_draws) and recorded_draws[draws][0] == self.program.questions[state[QUESTION]].name:
            values = state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]]
            keys = (self.options.key(state[QUESTION], value) for value in values)
            index = next((index_ for index_, key in enumerate(keys) if key == recorded_draws[draws][1]), None)
            if index is not None:
                return index
        return draw(self.seed, draws, state[OPTIONS])

    def asks_dice(self, question: int) -> bool:
        """Return True if people answer a chance question, with a die that they roll on a real table."""
        return self.typed and is_roll(self.program.questions[question])

    @property
    def lasting(self) -> CarriedValues:
        """Return the values that are carried over to the next game of a campaign."""
        return CarriedValues(self.program, self.players)

    @property
    def begins_with_values(self) -> bool:
        """Return True if a game that starts at the beginning is given values there."""
        opening = self.header.opening
        return self.header.chapter is not None if opening is None else not opening.at


@dataclass(slots=True, eq=False, weakref_slot=True)
class GameStep:
    """An answer and what followed up to the next question; a game is a chain of steps, shared by its copies.

    Steps never change except for their state, which most drop after two more answers.
    """

    before: GameStep | None
    question: int
    seat: int
    index: int
    value: int
    draws: int  # draws of chance up to this step, inclusive
    depth: int
    events: tuple[int, ...]
    state: list[int] | None  # the state it led to, if kept; never modified

    @staticmethod
    def create_first(state: list[int], draws: int = 0, events: tuple[int, ...] = ()) -> GameStep:
        """Create the step at the start of a game, without answer, with the state and events up to its question."""
        return GameStep(None, -1, CHANCE, -1, -1, draws, 0, events, state)

    def drop_state(self) -> None:
        """Drop the state unless it is a snapshot from which others are replayed."""
        if self.depth % SNAPSHOT_EVERY:
            self.state = None


def list_steps(last: GameStep) -> tuple[GameStep, ...]:
    """Return the steps up to this one, the start of the game first."""
    steps: list[GameStep] = []
    step: GameStep | None = last
    while step is not None:
        steps.append(step)
        step = step.before
    return tuple(reversed(steps))


# the machine: takes code, state and log, returns the status
MachineLoop = Callable[[Sequence[int], list[int], list[int]], int]


def advance(
    table: GameTable, state: list[int], draws: int, play: MachineLoop = run
) -> tuple[list[int], int, tuple[int, ...]]:
    """Play `state` to the next question for a player or the end; return (state, draws, events).

    Modifies `state` and returns it with the number of draws and the events. Raises `RulesError` for a fault.
    """
    code = table.program.code
    events: list[int] = []
    buffer = make_event_buffer()
    while True:
        status = run_and_collect_events(code, state, buffer, events, play)
        if status == ASKING and state[SEAT] == CHANCE and not table.asks_dice(state[QUESTION]):
            state[ANSWER] = table.draw_option(state, draws)
            draws += 1
        elif status in (ASKING, GAME_OVER):
            return state, draws, tuple(events)
        else:
            raise fault_error(table.program, state)


def rebuild_state(table: GameTable, step: GameStep) -> list[int]:
    """Return the state after a step: copy that of the nearest earlier step with one, and replay the answers."""
    later: list[GameStep] = []
    while (snapshot := step.state) is None:
        later.append(step)
        assert step.before is not None
        step = step.before
    state, draws = snapshot.copy(), step.draws
    logging = state[LOGGING]
    state[LOGGING] = 0
    for following in reversed(later):
        state[ANSWER] = following.index
        state, draws, _ = advance(table, state, draws)
    state[LOGGING] = logging
    return state


def undo_first_events(first: GameStep) -> list[int]:
    """Return the state before the events of a game's first step."""
    assert first.state is not None
    state, events = first.state.copy(), first.events
    for _, cell, old, _ in reversed([*iter_changes(events)]):
        state[cell] = old
    return state
