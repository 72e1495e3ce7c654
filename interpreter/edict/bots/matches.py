"""Games between bots, without a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from edict.bots.bot_protocol import Bot
from edict.bots.guest import GuestBot
from edict.bots.match import Attending, Match, laid
from edict.program import Program
from edict.program.opcodes import CHANCE, GAME_OVER
from edict.table.belief import History
from edict.table.playout import Playout


def play_match(
    program: Program, bots: Sequence[Bot], luck: Random, settings: Mapping[str, object] | None = None,
    natively: bool = False,
) -> Playout:  # fmt: skip
    """A whole game, each seat played by its bot, dice and cards by `luck`. Raises `RulesError` for a fault."""
    table = laid(program, len(bots), settings)
    match = Match(table, chance=lambda number, options: int(luck.random() * options), natively=natively)
    counts = [0, 0]
    seats = [attending(bot) for bot in bots]
    for seat, index in course(match, seats):
        counts[seat == CHANCE] += 1
        match.answer(index)
    dismissed(seats)
    if match.status != GAME_OVER:
        raise match.stopped("this happened in a game between bots")
    return Playout(match.scores(), match.winners, counts[0], counts[1], match.state)


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
            history.asked(match.state)
        index = match.drawn() if match.seat == CHANCE else seats[match.seat].decide(match)
        if history:
            history.answered(index)
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
