"""A played game run once more, to note what was asked in it and where each of its phases began and ended."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from edict.game.table.game import Game
from edict.game.table.game_steps import Step
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.machine.observed_code import ObservedCode
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import instructions


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and what was answered (-1: nothing yet).

    `answer` counts the journal's answers from 1; luck from a seed is 0.
    """

    question: int
    seat: int
    values: tuple[int, ...]
    index: int
    answer: int
    events: int  # how many numbers of events stood before it

    @property
    def by_player(self) -> bool:
        return self.seat != o.CHANCE

    def is_waiting(self, state: list[int]) -> bool:
        """Whether a state waits for an answer to the same question."""
        values = tuple(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        asked = (state[o.QUESTION], state[o.SEAT], values)
        return state[o.STATUS] == o.ASKING and asked == (self.question, self.seat, self.values)


@dataclass
class PhaseSpan:
    """A phase being played: the state in which it began, and which questions and events lie within."""

    name: str
    state: list[int]
    first: int  # of the questions
    events: int  # where its events begin
    level: int = 0
    last: int | None = None  # behind its last question; None: it has not ended
    until: int | None = None  # behind its last event


@dataclass
class Timeline:
    """All of a game, up to the question it waits for, if there is one."""

    game: Game
    asked: list[AskedQuestion] = field(default_factory=list)
    phases: list[PhaseSpan] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    waiting: AskedQuestion | None = None

    @staticmethod
    def of(game: Game) -> Timeline:
        timeline = Timeline(game)
        timeline._play()
        timeline._close()
        return timeline

    @property
    def answers(self) -> int:
        """How many answers the journal holds."""
        return max((asked.answer for asked in self.asked), default=0)

    def _play(self) -> None:
        table = self.game.table
        state, given, draws = table.first_state(), _given(self.game), 0
        code, buffer = _PhaseStarts(self, state), make_event_buffer()
        code.buffer = buffer
        count = 0
        while run_logged(code, state, buffer, self.events) == o.ASKING:
            lucky = state[o.SEAT] == o.CHANCE and not table.asks_dice(state[o.QUESTION])
            index = table.drawn(state, draws) if lucky else next(given, None)
            if index is None:
                self.waiting = self._asked(state, -1, count + 1)
                return
            draws, count = draws + lucky, count + (not lucky)
            self.asked.append(self._asked(state, index, 0 if lucky else count))
            state[o.ANSWER] = index

    def _asked(self, state: list[int], index: int, answer: int) -> AskedQuestion:
        values = tuple(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        return AskedQuestion(state[o.QUESTION], state[o.SEAT], values, index, answer, len(self.events))

    def _close(self) -> None:
        """Find where each phase ended, from the events of beginning and ending."""
        starts = [asked.events for asked in self.asked]
        following, going = iter(self.phases), list[PhaseSpan]()
        for at in range(0, len(self.events), o.EVENT_SIZE):
            if self.events[at] == o.EV_ENTER:
                phase = next(following)
                phase.level = len(going)
                going.append(phase)
            elif self.events[at] == o.EV_LEAVE and going:  # a game may begin in the middle of phases
                phase = going.pop()
                phase.until = at + o.EVENT_SIZE
                phase.last = bisect_right(starts, at)


class _PhaseStarts(ObservedCode):
    """The code, which notes the state whenever a phase begins."""

    def __init__(self, timeline: Timeline, state: list[int]) -> None:
        program = timeline.game.program
        super().__init__(program.code)
        self.timeline = timeline
        self.state = state
        self.buffer = [0]
        begins = (at for at in instructions(program)[1] if program.code[at] == o.ENTER)  # some stand where it is played
        self.phases = {at: program.phases[program.code[at + 2]][0] for at in begins}

    def __getitem__(self, place: Any) -> Any:
        if place in self.phases:
            self.begins(self.phases[place])
        return self.code[place]

    def begins(self, phase: str) -> None:
        """The step that says so may be read twice, if the log was full the first time."""
        timeline = self.timeline
        events = len(timeline.events) + self.buffer[0]
        if not timeline.phases or timeline.phases[-1].events != events:
            timeline.phases.append(PhaseSpan(phase, self.state.copy(), len(timeline.asked), events))


def _given(game: Game) -> Iterator[int]:
    """The number of the option of every answer."""
    steps: list[Step] = []
    step: Step | None = game.last_step
    while step is not None and step.before is not None:
        steps.append(step)
        step = step.before
    return (step.index for step in reversed(steps))
