"""Who is asked at the same time: in `each player at once` everybody may answer before their turn has come.

The machine asks one after the other. What somebody is asked there does not depend on what others answer; checks make
sure of it (E0538). So what a later seat will be asked is found by playing on with any answers of those before it. What
is answered early is held until its turn comes, and is no part of the game before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from edict.game.table.addresses import changes_in
from edict.game.table.game import Game
from edict.game.table.game_steps import Step
from edict.game.table.journal import Answer
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Option
from edict.runtime.program.opcodes import APART, DECLINE, QUESTION, SCRATCH, TOGETHER
from edict.support.report import RulesError

MOST_AHEAD = 200  # answers that are played on; who is asked only after as many waits for their turn


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it is read: what was asked, and the option that was taken."""

    prompt: str
    text: str


class PlayedAhead(Game):
    """A copy of a game, to be played on to the question of a seat. What others might answer until then is not told."""

    __slots__ = ("_asked_seat", "_depth")

    def __init__(self, game: Game, seat: int) -> None:
        super().__init__(game.table, game.state, game.draws, game.last_step)
        self._asked_seat, self._depth = seat, game.last_step.depth

    @property
    def log(self) -> Sequence[Entry]:
        """What had happened before, and what the seat has done since."""
        own, step = set[int](), self.last_step
        while step.depth > self._depth and step.before is not None:
            own |= {step.depth} if step.seat == self._asked_seat else set()
            step = step.before
        return [entry for entry in super().log if entry.at is None or entry.at[0] <= self._depth or entry.at[0] in own]


@dataclass(frozen=True)
class _Walk:
    """What was found on the way: what the seat is asked next (None: nothing more), and what it has answered early."""

    asked: Game | None
    given: tuple[Given, ...]


class AskedAtOnce:
    """Those who are asked at the same time, as a game stands now.

    held: what each seat has answered before its turn, in order; what is no answer there does not count.
    """

    def __init__(self, game: Game, held: Mapping[int, Sequence[Answer]]) -> None:
        self.game = game
        self.held = held
        self._walks: dict[int, _Walk] = {}

    @cached_property
    def began(self) -> int | None:
        """After how many answers of the game they began to be asked; None if whoever is asked is asked alone."""
        game = self.game
        if game.over or game.seat < 0 or not game.program.questions[game.state[QUESTION]].secret:
            return None
        step: Step | None = game.last_step
        while step is not None:
            mark = _last_mark(step)
            if mark:
                return step.depth if mark == TOGETHER else None
            step = step.before
        return None

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """Who is asked there, from whoever's turn it is; nobody, if whoever is asked is asked alone."""
        if self.began is None:
            return ()
        found, ahead = [self.game.seat], PlayedAhead(self.game, self.game.seat)
        for _ in range(MOST_AHEAD):
            if not _played_on(ahead, _any_option(ahead.ask)):
                break
            if ahead.seat != found[-1]:
                found.append(ahead.seat)
        return tuple(found)

    @property
    def waiting(self) -> tuple[int, ...]:
        """Those of them who have not answered all that they are asked."""
        return tuple(seat for seat in self.seats if self.asked(seat) is not None)

    def asked(self, seat: int) -> Game | None:
        """The game at the question that a seat has not answered yet; None if there is none."""
        return self._walk(seat).asked

    def given(self, seat: int) -> tuple[Given, ...]:
        """What a seat has answered before its turn."""
        return self._walk(seat).given

    def _walk(self, seat: int) -> _Walk:
        if seat not in self._walks:
            self._walks[seat] = self._found(seat) if seat in self.seats else _Walk(None, ())
        return self._walks[seat]

    def _found(self, seat: int) -> _Walk:
        held, given = deque(self.held.get(seat, ())), list[Given]()
        if not held and self.game.seat == seat:
            return _Walk(self.game, ())
        ahead = PlayedAhead(self.game, seat)
        for _ in range(MOST_AHEAD):
            own = ahead.seat == seat
            option = _held_option(held, ahead.ask) if own else _any_option(ahead.ask)
            if option is None:
                return _Walk(ahead, tuple(given))
            if own:
                given.append(Given(ahead.ask.prompt, option.text))
            if not _played_on(ahead, option) or own and ahead.seat != seat:
                break
        return _Walk(None, tuple(given))


def _held_option(held: deque[Answer], ask: Ask) -> Option | None:
    """What a seat has answered to a question; None if that is still to come."""
    if not held or held[0].question != ask.question:
        return None
    return ask.find(held.popleft().key)


def _any_option(ask: Ask) -> Option:
    """The option that ends asking soonest: to decline, or else the first."""
    return next((option for option in ask.options if option.value == DECLINE), ask.options[0])


def _played_on(game: Game, option: Option) -> bool:
    """Give an answer; whether they are still being asked then."""
    try:
        game.answer(option)
    except RulesError:
        return False
    return not game.over and not _last_mark(game.last_step)


def _last_mark(step: Step) -> int:
    """Whether those who are asked at once began (TOGETHER) or ended (APART) in a step, last of all; 0: neither."""
    marks = [new for _, cell, _, new in changes_in(step.events) if cell == SCRATCH and new in (TOGETHER, APART)]
    return marks[-1] if marks else 0
