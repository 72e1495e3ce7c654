"""Games between bots, without a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edict.agents.bots.bot_protocol import Bot
from edict.agents.bots.guest import GuestBot
from edict.agents.bots.match import Attending, Match
from edict.game.table.belief import History
from edict.runtime.program.opcodes import CHANCE


@dataclass(frozen=True, slots=True)
class ByState:
    """A bot that answers by the state a match stands in."""

    bot: Bot

    @property
    def values(self) -> Sequence[float] | None:
        values: Sequence[float] | None = getattr(self.bot, "values", None)
        return values

    def decide(self, match: Match) -> int:
        return self.bot.pick(match.state)


def attending(bot: Bot) -> Attending:
    """The bot as it answers in matches."""
    return bot if isinstance(bot, GuestBot) else ByState(bot)


def course(match: Match, seats: Sequence[Attending]) -> Iterator[tuple[int, int]]:
    """Who answers what, question by question, chance's included: seat and index. Whoever takes it from here looks at
    the match, and answers it with that."""
    history = followed(match, seats)
    while match.advance():
        if history:
            history.add_question(match.state)
        index = match.drawn() if match.seat == CHANCE else seats[match.seat].decide(match)
        if history:
            history.add_answer(index)
        yield match.seat, index


def followed(match: Match, seats: Sequence[Attending]) -> History | None:
    """What bots that look back are shown during the game; nothing is kept if there are none."""
    bots = [seat.bot for seat in seats if isinstance(seat, ByState)]
    follows = [bot.follow for bot in bots if hasattr(bot, "follow")]
    history = History(match.program) if follows else None
    for follow in follows:
        follow(history)
    return history


def dismissed(seats: Sequence[Attending]) -> Counter[str]:
    """The game is over: what bots did wrong in it, and how often."""
    faults = Counter[str]()
    for seat in seats:
        if isinstance(seat, GuestBot):
            faults.update(seat.faults)
            seat.close()
    return faults
