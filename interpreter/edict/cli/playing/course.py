"""The course of a game at the terminal: one answer after another, from people and bots."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from edict.cli.errors import Leave, Saved
from edict.cli.playing.dice import rolled_by_hand
from edict.cli.playing.keyboard import Keyboard
from edict.cli.playing.session import Session
from edict.program.opcodes import CHANCE
from edict.report import RulesError

if TYPE_CHECKING:
    from edict.cli.playing.reloading import Reloading  # which loads what watches files


class Course:
    """Plays a session's game. `reloading` watches the rules, if they may change."""

    def __init__(self, session: Session, reloading: Reloading | None = None) -> None:
        self.session = session
        self.reloading = reloading
        self.keyboard = Keyboard(session)

    def run(self) -> None:
        """Play to the end, and show the result. Raises `Leave` when somebody stops."""
        self.to_the_end()
        self.session.finish()

    def to_the_end(self) -> None:
        """Play until the game is over. Raises `Leave` when somebody stops."""
        try:
            while not self.session.game.over:
                self.watched_step() if self.reloading else self.step()
        except KeyboardInterrupt:
            raise Leave(stopped=True) from None

    def watched_step(self) -> None:
        """One answer under the rules as they are saved now."""
        assert self.reloading is not None
        try:
            self.reloading.take_up(self.session)
            if not self.session.game.over:
                self.step()
        except Saved:
            return  # what was being typed is asked again, under the new rules
        except RulesError as fault:
            self.reloading.after_fault(self.session, fault)

    def step(self) -> None:
        """One answer, from a person or a bot."""
        session, seat = self.session, self.session.game.seat
        if seat == CHANCE:
            rolled_by_hand(session, self.keyboard)
        elif seat in session.bots:
            self.bot_turn(seat)
        else:
            self.person_turn(seat)

    def bot_turn(self, seat: int) -> None:
        """A bot's answer; its outcome is shown when the bot is done."""
        session, game = self.session, self.session.game
        game.answer(session.bots[seat].choose(game.view(seat), game.ask))
        if game.over or game.seat != seat:
            if session.tell() and session.speed > 0:
                time.sleep(session.speed)

    def person_turn(self, seat: int) -> None:
        if self.session.holder != seat:
            self.session.hand_over(seat)
        self.session.present()
        self.keyboard.turn(seat)
