"""A user's bot in a seat: it has a time limit for each answer, and may fail in any way.

An invalid, late or missing answer is a fault: it is counted and reported, and a random option is taken instead.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from edict.agents.bots.bot_runners import BotFault, BotRunner, InProcessBotRunner
from edict.agents.bots.bot_views import BotSnapshot, create_snapshot
from edict.agents.bots.match import Bot, Match, create_bot_table
from edict.agents.bots.process_bot_runner import ProcessBotRunner
from edict.agents.bots.user_bots import BotSpec
from edict.game.table.knowledge import mask_state
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import PLAYERS, SEAT

PACKAGE = str(Path(__file__).parents[2])


class GuestBot:
    """A seat that a user's bot plays.

    Attributes:
        faults: Each fault with its count.
        on_fault: A function that is called with each fault.
    """

    def __init__(self, program: Program, seed: int, spec: BotSpec) -> None:
        self._program = program
        self._spec = spec
        self._rng = Random(seed)
        self._runner: BotRunner = (
            ProcessBotRunner(spec, seed) if spec.separate_process else InProcessBotRunner(spec, seed)
        )
        self._match: Match | None = None
        self._lines: list[Entry] = []
        self._log_position = 0
        self.faults: Counter[str] = Counter()
        self.values: Sequence[float] | None = None
        self.on_fault: Callable[[str], object] = lambda fault: None

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of the option that the bot chooses."""
        return self.answer(create_snapshot(view), len(ask.options))

    def pick(self, state: list[int]) -> int:
        """Return the index of the option that the bot chooses for a state; it sees no log."""
        snapshot = BotSnapshot(
            create_bot_table(self._program, state[PLAYERS]), state[SEAT], mask_state(self._program, state, state[SEAT])
        )
        return self.answer(snapshot, len(snapshot.ask.options))

    def decide(self, match: Match) -> int:
        """Answer the question of a match, see `match.Participant`."""
        if match is not self._match:
            self._match, self._lines, self._log_position = match, [], 0
        log = match.log
        self._lines += [
            entry for entry_list in log[self._log_position :] if (entry := entry_list.seen_by(match.seat)) is not None
        ]
        self._log_position = len(log)
        cells = mask_state(self._program, match.state, match.seat)
        return self.answer(BotSnapshot(match.table, match.seat, cells, self._lines), len(match.ask.options))

    def answer(self, snapshot: BotSnapshot, options: int) -> int:
        """Return the bot's answer to a question with so many options, or a random one after a fault."""
        self.values = None
        try:
            index, self.values = self._runner.answer(snapshot, self._spec.limit)
            return index
        except BotFault as fault:
            message = f"{self._spec.text} {fault}"
            self.faults[message] += 1
            self.on_fault(message)
            return self._rng.randrange(options)

    def close(self) -> None:
        """Release the bot at the end of a game."""
        self._runner.close()

    def terminate(self) -> None:
        """Release the bot for good, with its process."""
        self._runner.terminate()


def warn_on_faults(bot: Bot) -> Bot:
    """Make a user's bot report faults as Python warnings; return the bot."""
    if isinstance(bot, GuestBot):
        bot.on_fault = warn_of_fault
    return bot


def warn_of_fault(fault: str) -> None:
    """Issue a warning at the line outside this package that plays."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(f"the bot {fault}; a random option was chosen instead", RuntimeWarning, level)
