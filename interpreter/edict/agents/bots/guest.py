"""A user's bot in a seat: it is asked within a time limit, and may fail in any way.

An invalid, late or missing answer is a fault: it is counted and reported, and a random option is taken instead.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from edict.agents.bots.agents import Spec
from edict.agents.bots.apart import Apart
from edict.agents.bots.bot_protocol import Bot
from edict.agents.bots.match import Match, laid
from edict.agents.bots.minds import BotInProcess, Fault, Mind
from edict.agents.bots.seen import Seen, seen_from
from edict.game.table.knowledge import mask_state
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import PLAYERS, SEAT

PACKAGE = str(Path(__file__).parents[2])


class GuestBot:
    """The bot in its seat. faults: what it did wrong, and how often; `tell` hears of each at once."""

    def __init__(self, program: Program, seed: int, spec: Spec) -> None:
        self._program = program
        self._spec = spec
        self._luck = Random(seed)
        self._mind: Mind = Apart(spec, seed) if spec.apart else BotInProcess(spec, seed)
        self._match: Match | None = None
        self._lines: list[Entry] = []
        self._read = 0
        self.faults: Counter[str] = Counter()
        self.values: Sequence[float] | None = None
        self.tell: Callable[[str], object] = lambda fault: None

    def choose(self, view: View, ask: Ask) -> int:
        return self.reply(seen_from(view), len(ask.options))

    def pick(self, state: list[int]) -> int:
        """Without a match there is no log to be shown."""
        seen = Seen(laid(self._program, state[PLAYERS]), state[SEAT], mask_state(self._program, state, state[SEAT]))
        return self.reply(seen, len(seen.ask.options))

    def decide(self, match: Match) -> int:
        """See `match.Attending`."""
        if match is not self._match:
            self._match, self._lines, self._read = match, [], 0
        log = match.log
        self._lines += [entry for each in log[self._read :] if (entry := each.seen_by(match.seat)) is not None]
        self._read = len(log)
        cells = mask_state(self._program, match.state, match.seat)
        return self.reply(Seen(match.table, match.seat, cells, self._lines), len(match.ask.options))

    def reply(self, seen: Seen, options: int) -> int:
        """Its answer to the question of what is seen, which has so many options."""
        self.values = None
        try:
            index, self.values = self._mind.reply(seen, self._spec.limit)
            return index
        except Fault as fault:
            what = f"{self._spec.text} {fault}"
            self.faults[what] += 1
            self.tell(what)
            return self._luck.randrange(options)

    def close(self) -> None:
        """It is not asked any more in this game."""
        self._mind.close()

    def end(self) -> None:
        """It is not asked any more in any game: a process of its own ends."""
        self._mind.end()


def warned(bot: Bot) -> Bot:
    """The bot, whose faults are Python warnings if it is a user's own."""
    if isinstance(bot, GuestBot):
        bot.tell = warn
    return bot


def warn(fault: str) -> None:
    """A warning of a fault, at the line outside this package that plays."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(f"the bot {fault}; a random option was chosen instead", RuntimeWarning, level)
