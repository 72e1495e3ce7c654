"""Games in which bots answer as at a table: those that look back, take their time, or are somebody's own.

They are played question by question, natively as far as rules go; bots that play in native code throughout need none
of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from edict.agents.bots import BOTS, policy_of
from edict.agents.bots.guest import warned
from edict.agents.bots.match import Attending, Match, laid
from edict.agents.bots.matches import attending, dismissed, followed
from edict.agents.bots.policy import GuessingBot
from edict.agents.spaces.game_coding import Coding
from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.machine.mixing import MASK
from edict.runtime.program.opcodes import ASKING, CHANCE, FIRST_OPTION, GAME_OVER, OPTIONS, STATUS, TOO_LONG, WINNERS
from edict.runtime.simulation import native
from edict.runtime.simulation.game_batch import BatchSettings, GameBatch
from edict.runtime.simulation.plans import Policy
from edict.runtime.simulation.stepping import NEXT_STEP, SAME_STEP, TRIES

NOTHING: tuple[Sequence[int], int] = ((), 0)


def games_of(
    coding: Coding,
    bots: Sequence[str | None],
    games: int,
    again: int,
    strict: bool,
    most: int = 0,
    observe: bool = True,
    kind: Any = np.float32,
    threads: int = 1,
) -> GameBatch:
    """Games with a bot, as `--bot` takes it, or None for each seat, which is played from outside.

    Bots play natively if all of them can, and know as much there as at a table. The rest is as in `BatchSettings` and
    `GameBatch`. Raises `GameError` for an unknown bot.
    """
    for spec in bots:
        problem = BOTS.problem(spec) if spec is not None else None
        if problem:
            raise GameError(*problem)
    policies = [None if spec is None else _policy(coding, spec) for spec in bots]
    natively = all(policy is not None or spec is None for policy, spec in zip(policies, bots, strict=True))
    manner = BatchSettings(policies if natively else [None] * len(bots), coding.settings, False, again, strict, most)
    observer, actions = coding.observer, coding.actions
    reads, width = (observer.reads(len(coding.names)), observer.size) if observe else NOTHING
    shapes = (actions.coded, actions.count), (reads, width, kind)
    if natively:
        return GameBatch(coding.program, manner, games, *shapes, threads)
    return GamesWithBots(coding, bots, manner, games, *shapes)


def _policy(coding: Coding, spec: str) -> Policy | None:
    """By which a bot plays natively as it does at a table; None if it has to be asked there."""
    if BOTS.is_code(spec) or isinstance(BOTS[spec](coding.program, 0), GuessingBot):
        return None
    return policy_of(coding.program, spec, len(coding.names))


class GamesWithBots(GameBatch):
    """Such games. bots: by seat, None for those played from outside."""

    def __init__(
        self, coding: Coding, bots: Sequence[str | None], manner: BatchSettings, games: int, *shapes: Any
    ) -> None:
        super().__init__(coding.program, manner, games, *shapes)
        self._coding, self._bots = coding, bots
        self._tables: list[_Table | None] = [None] * games

    def begin(self, seeds: Sequence[int], which: Any = True) -> None:
        self._which[:] = which
        self._seeds[:] = np.where(self._which, native.make_seeds(seeds), self._seeds)
        for game in np.flatnonzero(self._which):
            self._steps[game] = self.cut[game] = 0
            self._begin(int(game))

    def step(self) -> None:
        for game in range(len(self.states)):
            self._step(game)

    def close(self) -> None:
        """The bots of these games are not asked any more."""
        for game in range(len(self._tables)):
            self._end(game)

    def save(self) -> Any:
        raise GameError("games with bots that think as at a table cannot be saved", "use bots that play in native code")

    def restore(self, rows: Any, which: Any = slice(None)) -> None:
        self.save()

    def _end(self, game: int) -> None:
        table = self._tables[game]
        if table is not None:
            dismissed([seat for seat in table.seats if seat is not None])
        self._tables[game] = None

    def _begin(self, game: int) -> None:
        for _ in range(TRIES):
            self._end(game)
            table = _Table(self._coding, self._bots, int(self._seeds[game]), self.states[game])
            self._tables[game] = table
            table.play_on()
            if table.match.status not in (GAME_OVER, TOO_LONG):
                return
            self._seeds[game] = (int(self._seeds[game]) + self._seed_step) & (MASK >> 1)

    def _step(self, game: int) -> None:
        """As `stepping.step` has it."""
        table = self._tables[game]
        assert table is not None
        state, again = self.states[game], self._settings.autoreset
        self.answered[game], self.illegal[game] = CHANCE, 0
        if state[STATUS] != ASKING or (self.cut[game] and again != SAME_STEP):
            if again == NEXT_STEP and (state[STATUS] >= 0 or self.cut[game]):
                self._follow(game)
                self.cut[game] = 0
            self.statuses[game] = state[STATUS]
            return
        offered = self._coding.actions.offered(table.match.state)
        legal = self.actions[game] in offered
        self.illegal[game] = not legal
        if not legal and self._settings.strict:
            return
        self.answered[game] = table.match.seat
        if table.answered_in_full(offered.index(self.actions[game]) if legal else 0, offered):
            table.play_on()
        self.statuses[game] = state[STATUS]
        self._steps[game] += 1
        over = state[STATUS] == GAME_OVER
        if over:
            self.scores[game], self.winners[game] = table.match.scores(), state[WINNERS]
        self.cut[game] = state[STATUS] == TOO_LONG or (not over and self._steps[game] == self._settings.max_answers)
        if again == SAME_STEP and (over or self.cut[game]):
            self.finals[game] = state
            self._follow(game)

    def _follow(self, game: int) -> None:
        self._seeds[game] = (int(self._seeds[game]) + self._seed_step) & (MASK >> 1)
        self._steps[game] = 0
        self._begin(game)


class _Table:
    """One of the games: its match, whose state is a row of the games', and the bots in their seats."""

    def __init__(self, coding: Coding, bots: Sequence[str | None], seed: int, row: Any) -> None:
        luck, program = Random(seed), coding.program
        self.match = Match(laid(program, len(bots), coding.settings), seed, natively=True)
        row[:] = self.match.cells
        self.match.cells = row
        made = [None if spec is None else warned(BOTS[spec](program, luck.getrandbits(62))) for spec in bots]
        self.seats: list[Attending | None] = [None if bot is None else attending(bot) for bot in made]
        self._whole: tuple[int, ...] = ()  # the options of the question, while it is answered in parts
        self._history: History | None = followed(self.match, [seat for seat in self.seats if seat is not None])

    def play_on(self) -> None:
        """To the next question for a seat that is played from outside, or the end."""
        while self.match.advance():
            if self._history:
                self._history.add_question(self.match.state)
            seat = None if self.match.seat == CHANCE else self.seats[self.match.seat]
            if self.match.seat == CHANCE:
                self.answer(self.match.drawn())
            elif seat is not None:
                self.answer(seat.decide(self.match))
            else:
                return

    def answered_in_full(self, index: int, actions: Sequence[int]) -> bool:
        """The action of an option is taken; whether that leaves no other, so that the option is the answer.

        actions: of the options. Who thinks along does not see that an answer is given in parts.
        """
        state = self.match.cells
        if not self._whole:
            self._whole = tuple(state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]])
        if narrow_options(state, index, actions):
            return False
        value, whole = state[FIRST_OPTION + index], self._whole
        state[FIRST_OPTION : FIRST_OPTION + len(whole)], state[OPTIONS], self._whole = whole, len(whole), ()
        self.answer(whole.index(value))
        return True

    def answer(self, index: int) -> None:
        """The option of this index is taken."""
        if self._history:
            self._history.add_answer(index)
        self.match.answer(index)
