"""The timeline of a played game: its questions, and the start and end of each of its phases."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from edict.game.table.game import Game
from edict.game.table.game_steps import GameStep
from edict.runtime.machine.events import ObservedCode, make_event_buffer, run_and_collect_events
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
from edict.support.records import dataclass


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with its answer."""

    question: int
    seat: int
    values: tuple[int, ...]
    index: int  # index of the option taken, -1 if unanswered
    answer: int  # number of the answer in the journal from 1, 0 for a draw from the seed
    events: int  # length of the event list before it

    @property
    def is_for_player(self) -> bool:
        """Return True if a player is asked, False for chance."""
        return self.seat != o.CHANCE

    def is_pending_in(self, state: list[int]) -> bool:
        """Return True if a state waits for the answer to this question."""
        values = tuple(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        pending = (state[o.QUESTION], state[o.SEAT], values)
        return state[o.STATUS] == o.ASKING and pending == (self.question, self.seat, self.values)


@dataclass
class PhaseSpan:
    """A phase of a game with the state in which it began, its questions and its events."""

    name: str
    state: list[int]
    first: int  # index of its first question
    events: int  # offset of its first event
    level: int = 0  # number of phases around it
    last: int | None = None  # index after its last question; None if it has not ended
    until: int | None = None  # offset after its last event


@dataclass
class Timeline:
    """The questions, phases and events of a whole game, up to the question it waits for."""

    game: Game
    asked: list[AskedQuestion] = field(default_factory=list)
    phases: list[PhaseSpan] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    waiting: AskedQuestion | None = None

    @staticmethod
    def from_game(game: Game) -> Timeline:
        """Build the timeline of a game by replaying it."""
        timeline = Timeline(game)
        timeline._replay()
        timeline._end_phases()
        return timeline

    @property
    def answer_count(self) -> int:
        """Return the number of answers in the journal."""
        return max((asked.answer for asked in self.asked), default=0)

    def _replay(self) -> None:
        """Replay the game from its first state; record phases, events and questions, the pending one as `waiting`."""
        table = self.game.table
        state, answers, draws = table.first_state(), _iter_answers(self.game), 0
        code, buffer = _PhaseStartRecorder(self, state), make_event_buffer()
        code.buffer = buffer
        count = 0
        while run_and_collect_events(code, state, buffer, self.events) == o.ASKING:
            by_seed = state[o.SEAT] == o.CHANCE and not table.asks_dice(state[o.QUESTION])
            index = table.draw_option(state, draws) if by_seed else next(answers, None)
            if index is None:
                self.waiting = self._make_question(state, -1, count + 1)
                return
            draws, count = draws + by_seed, count + (not by_seed)
            self.asked.append(self._make_question(state, index, 0 if by_seed else count))
            state[o.ANSWER] = index

    def _make_question(self, state: list[int], index: int, answer: int) -> AskedQuestion:
        """Build the question of a state; `index` is the chosen option (-1: pending), `answer` its number or 0."""
        values = tuple(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        return AskedQuestion(state[o.QUESTION], state[o.SEAT], values, index, answer, len(self.events))

    def _end_phases(self) -> None:
        """Set nesting level, last event and last question of each phase from the events of start and end."""
        starts = [asked.events for asked in self.asked]
        phases, open_phases = iter(self.phases), list[PhaseSpan]()
        for offset in range(0, len(self.events), o.EVENT_SIZE):
            if self.events[offset] == o.EV_ENTER:
                phase = next(phases)
                phase.level = len(open_phases)
                open_phases.append(phase)
            elif self.events[offset] == o.EV_LEAVE and open_phases:  # a game may begin in the middle of phases
                phase = open_phases.pop()
                phase.until = offset + o.EVENT_SIZE
                phase.last = bisect_right(starts, offset)


class _PhaseStartRecorder(ObservedCode):
    """Code that records the state whenever a phase begins."""

    def __init__(self, timeline: Timeline, state: list[int]) -> None:
        program = timeline.game.program
        super().__init__(program.code)
        self.timeline = timeline
        self.state = state
        self.buffer = [0]
        # some phases are inlined where they are played
        starts = (address for address in find_instructions(program)[1] if program.code[address] == o.ENTER)
        self.phases = {address: program.phases[program.code[address + 2]][0] for address in starts}

    def __getitem__(self, place: Any) -> Any:
        if place in self.phases:
            self.record_start(self.phases[place])
        return self.code[place]

    def record_start(self, phase: str) -> None:
        """Record a phase; the instruction may be read twice if the event buffer was full the first time."""
        timeline = self.timeline
        events = len(timeline.events) + self.buffer[0]
        if not timeline.phases or timeline.phases[-1].events != events:
            timeline.phases.append(PhaseSpan(phase, self.state.copy(), len(timeline.asked), events))


def _iter_answers(game: Game) -> Iterator[int]:
    """Iterate over the option indexes of all answers."""
    steps: list[GameStep] = []
    step: GameStep | None = game.last_step
    while step is not None and step.before is not None:
        steps.append(step)
        step = step.before
    return (step.index for step in reversed(steps))
