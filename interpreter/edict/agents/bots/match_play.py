"""Matches between bots, played to the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from edict.agents.bots.guest_bot import GuestBot
from edict.agents.bots.match import Bot, Match, Participant
from edict.agents.bots.plan_guides import PlannedParticipant
from edict.game.table.belief import History
from edict.runtime.program.opcodes import CHANCE
from edict.support.records import dataclass


@dataclass(frozen=True, slots=True)
class StateParticipant:
    """A bot that answers by the state of a match."""

    bot: Bot

    @property
    def values(self) -> Sequence[float] | None:
        """The bot's evaluations of the options of the last question, if there are any."""
        values: Sequence[float] | None = getattr(self.bot, "values", None)
        return values

    def decide(self, match: Match) -> int:
        """Return the index of the option that the bot picks."""
        return self.bot.pick(match.state)


def to_participant(bot: Bot) -> Participant:
    """Return the bot as a participant of matches."""
    return bot if isinstance(bot, GuestBot) else StateParticipant(bot)


def iter_answers(match: Match, seats: Sequence[Participant]) -> Iterator[tuple[int, int]]:
    """Play a match and yield the seat and option index of each answer, chance's included.

    The caller must pass the index to `match.answer` before it continues the iteration.
    """
    history = start_history(match, seats)
    while match.advance():
        if history:
            history.add_question(match.state)
        index = match.draw_chance() if match.seat == CHANCE else seats[match.seat].decide(match)
        if history:
            history.add_answer(index)
        yield match.seat, index


def start_history(match: Match, seats: Sequence[Participant]) -> History | None:
    """Create a history of the match for bots that use one; None if no bot does."""
    bots = [seat.bot for seat in map(_without_plan, seats) if isinstance(seat, StateParticipant)]
    followers = [bot.follow for bot in bots if hasattr(bot, "follow")]
    history = History(match.program) if followers else None
    for follow in followers:
        follow(history)
    return history


def release_bots(seats: Sequence[Participant]) -> Counter[str]:
    """Release the bots at the end of a game; return their faults with counts."""
    faults = Counter[str]()
    for seat in map(_without_plan, seats):
        if isinstance(seat, GuestBot):
            faults.update(seat.faults)
            seat.close()
    return faults


def _without_plan(seat: Participant) -> Participant:
    """Return the participant that plays behind a plan, or the participant itself."""
    return seat.inner if isinstance(seat, PlannedParticipant) else seat
