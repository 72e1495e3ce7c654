"""One game being played for an environment, in native code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces

from edict.agents.gym.games_with_bots import games_of
from edict.agents.spaces.game_coding import Coding, payoffs
from edict.game.table.addresses import bits_of
from edict.game.table.faults import fault_error
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameStep
from edict.game.table.panels import PanelView
from edict.runtime.program.opcodes import ASKING, CHANCE, GAME_OVER, SEAT, STATUS, WINNERS
from edict.runtime.simulation.stepping import DISABLED

NOBODY = -2  # has looked since the last answer
NO_ACTION = -1  # a number that no question offers


class Play:
    """A game and its coding. bots: for each seat a bot, or None where the environment answers.

    strict: an action that is not offered changes nothing, and does not count as the first that is. most: answers from
    outside after which the game is truncated, or None.
    """

    def __init__(self, coding: Coding, bots: Sequence[str | None], strict: bool, most: int | None = None) -> None:
        self.coding, self._bots, self._strict, self._most = coding, bots, strict, most
        self._games = games_of(coding, bots, 1, DISABLED, strict, most or 0)
        games, one = self._games, self._games._parts[0]
        self._step = games.step
        self._look, self._viewer, self._viewers = one.look.call, one.viewer, one.look.cells
        looked_at: list[Any] = [games.states[0], games.actions, games.illegal, games.cut]
        self._state, self._actions, self._illegal, self._cut = (memoryview(numbers) for numbers in looked_at)
        self._seen, self._mask = games.seen[0], games.masks[0]
        self._looked = NOBODY
        self._begun = False

    def begin(self, seed: int) -> None:
        """A new game with this seed."""
        self._games.begin([seed])
        self._begun, self._looked = True, NOBODY
        self._check()

    @property
    def begun(self) -> bool:
        """Whether there is a game."""
        return self._begun

    @property
    def over(self) -> bool:
        return self._state[STATUS] == GAME_OVER

    @property
    def truncated(self) -> bool:
        """Whether the game was cut off before it was over: after `most` answers, or because it does not end."""
        return self._cut[0] != 0

    @property
    def seat(self) -> int:
        """Who is asked; -1 when the game is over."""
        return self._state[SEAT] if self._state[STATUS] == ASKING else CHANCE

    def answer(self, action: int) -> bool:
        """Answer by an action; whether it was offered. Raises `GameError` for what is no whole number."""
        try:
            number = index(action)
        except TypeError:
            raise not_an_action(action) from None
        self._actions[0] = number if 0 <= number < self.coding.actions.count else NO_ACTION
        self._step()
        self._looked = NOBODY
        if self._state[STATUS] < 0:
            self._check()
        return bool(self._illegal[0] == 0)

    def observed(self, seat: int) -> dict[str, Any]:
        """What a seat may see, and which actions it is offered: none unless it is asked."""
        if self._looked != seat:
            self._viewers[self._viewer] = seat
            self._look()
            self._looked = seat
        return {"observation": self._seen.copy(), "action_mask": self._mask.copy()}

    def payoffs(self) -> list[float]:
        """The rewards by seat; zeros before the game is over."""
        if not self.over:
            return [0.0] * len(self.coding.names)
        winners = bits_of(self._state[WINNERS])
        return payoffs(self.coding.reward, self._games.scores[0].tolist(), winners)

    def scores(self) -> list[int]:
        """By seat; of a game that is over."""
        return [int(score) for score in self._games.scores[0]]

    def text(self) -> str:
        """The table as whoever is asked sees it (at the end, the first seat), and what is asked."""
        game = self._game()
        lines = [line for panel in game.view(max(0, self.seat)).panels() for line in _lines(panel)]
        asked = "The game is over." if self.over else f"{game.ask.player}: {game.ask.prompt}"
        return "\n".join([*lines, asked])

    def __deepcopy__(self, memo: Any) -> Play:
        """Another game that goes on by itself from here. Raises `GameError` with bots that think as at a table."""
        return _restored(self.coding, *self.__reduce__()[1][1:])

    def __reduce__(self) -> tuple[Any, ...]:
        kept = self._games.save() if self._begun else None
        return _restored, (self.coding, self._bots, self._strict, self._most, kept, self.scores())

    def close(self) -> None:
        """The bots of this game are not asked any more; another may begin."""
        self._games.close()

    def _game(self) -> Game:
        """The game as people look at it, as it stands."""
        coding, state = self.coding, self._state.tolist()
        table = coding.rules.new_game(coding.names, seed=0, settings=coding.settings).table
        return Game(table, state, 0, GameStep.create_first(state.copy()))

    def _check(self) -> None:
        if len(self._games.find_failed()):
            raise fault_error(self.coding.program, self._state.tolist(), "in a game for a learning program")


def _restored(
    coding: Coding, bots: Sequence[str | None], strict: bool, most: int | None, kept: Any, scores: Sequence[int]
) -> Play:
    play = Play(coding, bots, strict, most)
    if kept is not None:
        play._games.restore(kept)
        play._games.scores[0] = scores
        play._begun = True
    return play


def playing(play: Play) -> Play:
    """The same, if a game has begun. Raises `GameError` otherwise."""
    if not play.begun:
        raise GameError("no game has begun", "call `reset` first")
    return play


def _lines(panel: PanelView) -> Iterator[str]:
    """A panel, line by line; of a grid the things that a player marks."""
    for row in panel.rows:
        cells = [f"{head} {cell}" for head, cell in zip_longest(panel.header, row.cells, fillvalue="")]
        yield " ".join([f"{row.title}:" if row.title else "", *cells]).strip()
    for grid in panel.grids:
        things = [cell.title for line in grid.cells for place in line for cell in place if cell.marked]
        yield f"{panel.title} of {grid.player}: {', '.join(things) or '-'}"


def fields(coding: Coding, kind: Any = np.float32, observe: bool = True) -> dict[str, Any]:
    """The parts of a space for the observations of a game, in numbers of a type. Raises `GameError` if nobody is ever
    asked anything."""
    if not coding.actions.count:
        raise GameError(f"nobody is asked anything in {coding.program.title}", "let somebody choose")
    ranges = coding.observer.ranges if observe else ()
    low, high = (np.array([_fitted(bounds[end], kind) for bounds in ranges], dtype=kind) for end in (0, 1))
    numbers = spaces.Box(low, high, (len(ranges),), kind)
    return {"observation": numbers, "action_mask": spaces.Box(0, 1, (coding.actions.count,), np.int8)}


def _fitted(bound: float, kind: Any) -> float:
    """Return the bound of a number, or the least or greatest that its type can hold."""
    if not np.issubdtype(kind, np.integer):
        return bound
    limits = np.iinfo(kind)  # compared as whole numbers: as floats, the greatest int64 would be beyond its type
    return limits.min if bound <= limits.min else limits.max if bound >= limits.max else int(bound)


def check_count(name: str, number: int | None) -> None:
    """Raise `GameError` for an argument that is neither None nor a number from 1 on."""
    if number is not None and number < 1:
        raise GameError(f"`{name}` cannot be {number}", "it is a number from 1 on, or None")


def not_an_action(action: object) -> GameError:
    """Return the error for an action that is no whole number."""
    said = "None" if action is None else "one so large" if isinstance(action, int) else f"a {type(action).__name__}"
    return GameError(f"an action is a whole number, not {said}", "give the number of one that the action mask offers")


def shown(text: str, mode: str | None) -> str | None:
    """Text for a render mode: "ansi" returns it, "human" prints it."""
    if mode == "human":
        print(text)
        return None
    return text
