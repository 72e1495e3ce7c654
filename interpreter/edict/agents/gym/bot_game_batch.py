"""Batches of games with bots that answer as at a table: bots that look back, search, or are user code.

They are played question by question, with the rules in native code; bots that play entirely in native code do not
need this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from edict.agents.bots import BOTS, find_policy
from edict.agents.bots.guest_bot import warn_on_faults
from edict.agents.bots.match import Match, Participant, create_bot_table
from edict.agents.bots.match_play import release_bots, start_history, to_participant
from edict.agents.bots.policy_bots import DeterminizingBot
from edict.agents.spaces.game_encoding import GameEncoding
from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.machine.mixing import MASK
from edict.runtime.program.opcodes import ASKING, CHANCE, FIRST_OPTION, GAME_OVER, OPTIONS, STATUS, TOO_LONG, WINNERS
from edict.runtime.simulation.game_batch import BatchSettings, GameBatch
from edict.runtime.simulation.plans import Policy
from edict.runtime.simulation.stepping import NEXT_STEP, SAME_STEP, TRIES

NO_OBSERVATION: tuple[Sequence[int], int] = ((), 0)


def create_games(
    coding: GameEncoding,
    bots: Sequence[str | None],
    num_games: int,
    autoreset: int,
    strict: bool,
    max_answers: int = 0,
    observe: bool = True,
    dtype: Any = np.float32,
    threads: int = 1,
) -> GameBatch:
    """Return a `GameBatch` with bots (by name; None for outside actions) in some seats; native if all bots are.

    Bots play in native code if all of them can; they know the same there as at a table.

    Args:
        coding: The game.
        bots: For each seat a bot, as `--bot` takes it, or None if its actions come from outside.
        num_games: The number of games.
        autoreset: What happens to finished games, see `BatchSettings`.
        strict: Do not play illegal actions, see `BatchSettings`.
        max_answers: Answers from outside after which a game is truncated; 0 for no such limit.
        observe: Whether observations are wanted.
        dtype: The NumPy type of the observations.
        threads: The number of threads.

    Raises:
        GameError: If a bot is unknown.
    """
    for spec in bots:
        if spec is not None:
            BOTS.validate(spec)
    policies = [None if spec is None else _find_native_policy(coding, spec) for spec in bots]
    all_native = all(policy is not None or spec is None for policy, spec in zip(policies, bots, strict=True))
    batch_settings = BatchSettings(
        policies if all_native else [None] * len(bots), coding.settings, False, autoreset, strict, max_answers
    )
    observer, actions = coding.observer, coding.actions
    reads, width = (observer.reads(len(coding.names)), observer.size) if observe else NO_OBSERVATION
    shapes = (actions.table, actions.count), (reads, width, dtype)
    if all_native:
        return GameBatch(coding.program, batch_settings, num_games, *shapes, threads)
    return BotGameBatch(coding, bots, batch_settings, num_games, *shapes)


def _find_native_policy(coding: GameEncoding, spec: str) -> Policy | None:
    """Return the policy by which a bot answers natively as it does at a table; None if it cannot."""
    if BOTS.is_user_code(spec) or isinstance(BOTS[spec](coding.program, 0), DeterminizingBot):
        return None
    return find_policy(coding.program, spec, len(coding.names))


class BotGameBatch(GameBatch):
    """A batch of games in which Python bots answer at tables of their own, see `create_games`."""

    def __init__(
        self,
        coding: GameEncoding,
        bots: Sequence[str | None],
        batch_settings: BatchSettings,
        num_games: int,
        *shapes: Any,
    ) -> None:
        super().__init__(coding.program, batch_settings, num_games, *shapes)
        self._coding, self._bots = coding, bots
        self._tables: list[_BotTable | None] = [None] * num_games

    def close(self) -> None:
        """Release the bots of these games."""
        for game in range(len(self._tables)):
            self._end_game(game)

    def save(self) -> Any:
        """Raise `GameError`: games with Python bots cannot be saved."""
        raise GameError("games with bots that think as at a table cannot be saved", "use bots that play in native code")

    def restore(self, rows: Any, which: Any = slice(None)) -> None:
        """Raise `GameError`: games with Python bots cannot be restored."""
        self.save()

    def _begin_marked_games(self) -> None:
        for game in np.flatnonzero(self._which):
            self._steps[game] = self.cut[game] = 0
            self._start_game(int(game))

    def _answer_games(self) -> None:
        for game in range(len(self.states)):
            self._step_game(game)

    def _end_game(self, game: int) -> None:
        """Release the bots of the game with this index in the batch, if it runs, and drop its table."""
        table = self._tables[game]
        if table is not None:
            release_bots([seat for seat in table.seats if seat is not None])
        self._tables[game] = None

    def _start_game(self, game: int) -> None:
        """Start a game and play its bots up to an outside seat's question; try further seeds if it ends before."""
        for _ in range(TRIES):
            self._end_game(game)
            table = _BotTable(self._coding, self._bots, int(self._seeds[game]), self.states[game])
            self._tables[game] = table
            table.advance()
            if table.match.status not in (GAME_OVER, TOO_LONG):
                return
            self._seeds[game] = (int(self._seeds[game]) + self._seed_step) & (MASK >> 1)

    def _step_game(self, game: int) -> None:
        """Apply the row's action to one game and let bots play on, or restart it, as `stepping.step` does."""
        table = self._tables[game]
        assert table is not None
        state, again = self.states[game], self._settings.autoreset
        self.answered[game], self.illegal[game] = CHANCE, 0
        if state[STATUS] != ASKING or (self.cut[game] and again != SAME_STEP):
            if again == NEXT_STEP and (state[STATUS] >= 0 or self.cut[game]):
                self._start_next_game(game)
                self.cut[game] = 0
            self.statuses[game] = state[STATUS]
            return
        option_actions = self._coding.actions.list_option_actions(table.match.state)
        legal = self.actions[game] in option_actions
        self.illegal[game] = not legal
        if not legal and self._settings.strict:
            return
        self.answered[game] = table.match.seat
        if table.answer_partially(option_actions.index(self.actions[game]) if legal else 0, option_actions):
            table.advance()
        self.statuses[game] = state[STATUS]
        self._steps[game] += 1
        over = state[STATUS] == GAME_OVER
        if over:
            self.scores[game], self.winners[game] = table.match.scores(), state[WINNERS]
        self.cut[game] = state[STATUS] == TOO_LONG or (not over and self._steps[game] == self._settings.max_answers)

    def _start_next_game(self, game: int) -> None:
        """Replace a finished game by a new one, whose seed is the old one plus the seed step."""
        self._seeds[game] = (int(self._seeds[game]) + self._seed_step) & (MASK >> 1)
        self._steps[game] = 0
        self._start_game(game)


class _BotTable:
    """One game of a batch, with its bots; the state of its match is a row of the batch."""

    def __init__(self, coding: GameEncoding, bots: Sequence[str | None], seed: int, row: Any) -> None:
        rng, program = Random(seed), coding.program
        self.match = Match(create_bot_table(program, len(bots), coding.settings), seed, natively=True)
        row[:] = self.match.cells
        self.match.cells = row
        bot_instances = [
            None if spec is None else warn_on_faults(BOTS[spec](program, rng.getrandbits(62))) for spec in bots
        ]
        self.seats: list[Participant | None] = [None if bot is None else to_participant(bot) for bot in bot_instances]
        self._full_options: tuple[int, ...] = ()  # the options of the question, while it is answered in parts
        self._history: History | None = start_history(self.match, [seat for seat in self.seats if seat is not None])

    def advance(self) -> None:
        """Play to the next question for a seat whose actions come from outside, or to the end."""
        while self.match.advance():
            if self._history:
                self._history.add_question(self.match.state)
            seat = None if self.match.seat == CHANCE else self.seats[self.match.seat]
            if self.match.seat == CHANCE:
                self.answer(self.match.draw_chance())
            elif seat is not None:
                self.answer(seat.decide(self.match))
            else:
                return

    def answer_partially(self, index: int, actions: Sequence[int]) -> bool:
        """Narrow the options by an option's action; return True if that leaves one answer, and pass it on.

        Bots that follow the game do not see that an answer is given in parts.

        Args:
            index: The index of the option.
            actions: The actions of all options.
        """
        state = self.match.cells
        if not self._full_options:
            self._full_options = tuple(state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]])
        if narrow_options(state, index, actions):
            return False
        value, full_options = state[FIRST_OPTION + index], self._full_options
        state[FIRST_OPTION : FIRST_OPTION + len(full_options)], state[OPTIONS], self._full_options = (
            full_options,
            len(full_options),
            (),
        )
        self.answer(full_options.index(value))
        return True

    def answer(self, index: int) -> None:
        """Answer with the option of this index."""
        if self._history:
            self._history.add_answer(index)
        self.match.answer(index)
