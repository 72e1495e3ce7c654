"""Simultaneous questions: in `each player at once` everybody may answer before their turn comes.

The machine asks one player after the other. A player's question does not depend on the others' answers (checked as
E0538), so the question of a later seat is found by playing on with arbitrary answers of the seats before it. An early
answer is held until its turn comes and is not part of the game before that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property

from edict.game.table.addresses import iter_changes
from edict.game.table.game import Game
from edict.game.table.game_steps import GameStep
from edict.game.table.journal import Answer
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Option
from edict.runtime.program.opcodes import APART, DECLINE, QUESTION, SCRATCH, TOGETHER
from edict.support.records import dataclass
from edict.support.report import RulesError

MOST_AHEAD = 200  # answers that are played on; further seats wait for their turn


@dataclass(frozen=True, slots=True)
class EarlyAnswer:
    """An early answer in words: the question and the chosen option."""

    prompt: str
    text: str


class LookaheadGame(Game):
    """A copy of a game played on to the question of one seat; it hides what others might answer until then."""

    __slots__ = ("_asked_seat", "_depth")

    def __init__(self, game: Game, seat: int) -> None:
        super().__init__(game.table, game.state, game.draws, game.last_step)
        self._asked_seat, self._depth = seat, game.last_step.depth

    @property
    def log(self) -> Sequence[Entry]:
        """Return the log up to the copy and the entries of the seat's own answers since."""
        own, step = set[int](), self.last_step
        while step.depth > self._depth and step.before is not None:
            own |= {step.depth} if step.seat == self._asked_seat else set()
            step = step.before
        return [entry for entry in super().log if entry.at is None or entry.at[0] <= self._depth or entry.at[0] in own]


@dataclass(frozen=True)
class _SeatProgress:
    """The next question of a seat and its early answers."""

    asked: Game | None  # the game at the next question; None if there is none
    answers: tuple[EarlyAnswer, ...]


class SimultaneousQuestions:
    """The simultaneous questions of a game in its current state.

    `held` are the early answers of each seat, in order; invalid ones are ignored.
    """

    def __init__(self, game: Game, held: Mapping[int, Sequence[Answer]]) -> None:
        self.game = game
        self.held = held
        self._progress: dict[int, _SeatProgress] = {}

    @cached_property
    def start_depth(self) -> int | None:
        """Return the number of answers before the simultaneous questions began, or None if there are none."""
        game = self.game
        if game.over or game.seat < 0 or not game.program.questions[game.state[QUESTION]].secret:
            return None
        step: GameStep | None = game.last_step
        while step is not None:
            last_mark = _last_mark(step)
            if last_mark:
                return step.depth if last_mark == TOGETHER else None
            step = step.before
        return None

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """Return the seats that are asked, beginning with the current one; empty if only one is asked."""
        if self.start_depth is None:
            return ()
        seats, lookahead = [self.game.seat], LookaheadGame(self.game, self.game.seat)
        for _ in range(MOST_AHEAD):
            if not _answer_within(lookahead, _shortest_option(lookahead.ask)):
                break
            if lookahead.seat != seats[-1]:
                seats.append(lookahead.seat)
        return tuple(seats)

    @property
    def pending_seats(self) -> tuple[int, ...]:
        """Return the seats that have not answered all of their questions."""
        return tuple(seat for seat in self.seats if self.game_at_question(seat) is not None)

    def game_at_question(self, seat: int) -> Game | None:
        """Return the game at a seat's next unanswered question, or None if there is none."""
        return self._progress_of(seat).asked

    def early_answers(self, seat: int) -> tuple[EarlyAnswer, ...]:
        """Return the early answers of a seat."""
        return self._progress_of(seat).answers

    def _progress_of(self, seat: int) -> _SeatProgress:
        """Return a seat's cached progress; neither a question nor answers for a seat that is not asked."""
        if seat not in self._progress:
            if seat in self.seats:
                self._progress[seat] = self._find_progress(seat)
            else:
                self._progress[seat] = _SeatProgress(None, ())
        return self._progress[seat]

    def _find_progress(self, seat: int) -> _SeatProgress:
        """Play ahead with the seat's held answers to its first open question; None as game if all are answered."""
        held, answers = deque(self.held.get(seat, ())), list[EarlyAnswer]()
        if not held and self.game.seat == seat:
            return _SeatProgress(self.game, ())
        lookahead = LookaheadGame(self.game, seat)
        for _ in range(MOST_AHEAD):
            is_own = lookahead.seat == seat
            if is_own:
                option = _next_held_option(held, lookahead.ask)
            else:
                option = _shortest_option(lookahead.ask)
            if option is None:
                return _SeatProgress(lookahead, tuple(answers))
            if is_own:
                answers.append(EarlyAnswer(lookahead.ask.prompt, option.text))
            if not _answer_within(lookahead, option) or is_own and lookahead.seat != seat:
                break
        return _SeatProgress(None, tuple(answers))


def _next_held_option(held: deque[Answer], ask: Ask) -> Option | None:
    """Remove the first held answer if it is for this question, and return its option; else None."""
    if not held or held[0].question != ask.question:
        return None
    return ask.find(held.popleft().key)


def _shortest_option(ask: Ask) -> Option:
    """Return the option that ends the questions soonest: to decline, else the first."""
    return next((option for option in ask.options if option.value == DECLINE), ask.options[0])


def _answer_within(game: Game, option: Option) -> bool:
    """Give an answer; return True if the game and the simultaneous questions go on, False also on a fault."""
    try:
        game.answer(option)
    except RulesError:
        return False
    return not game.over and not _last_mark(game.last_step)


def _last_mark(step: GameStep) -> int:
    """Return the last mark in a step, TOGETHER (begins) or APART (ends); 0 if there is none."""
    marks = [new for _, cell, _, new in iter_changes(step.events) if cell == SCRATCH and new in (TOGETHER, APART)]
    return marks[-1] if marks else 0
