"""A single game that an environment plays, in native code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces

from edict.agents.gym.bot_game_batch import create_games
from edict.agents.spaces.game_encoding import GameEncoding, compute_payoffs
from edict.game.table.addresses import bits_of
from edict.game.table.faults import fault_error
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameStep
from edict.game.table.panels import PanelView
from edict.runtime.program.opcodes import ASKING, CHANCE, GAME_OVER, SEAT, STATUS, WINNERS
from edict.runtime.simulation.stepping import DISABLED

NO_VIEWER = -2
NO_ACTION = -1


class EnvGame:
    """One game at a time, answered by actions and observed as numbers.

    Args:
        coding: The game's encoding.
        bots: For each seat a bot, or None where the environment answers.
        strict: An action that is not offered changes nothing, instead of counting as the first that is.
        max_answers: Answers from outside after which the game is truncated, or None.
    """

    def __init__(
        self, coding: GameEncoding, bots: Sequence[str | None], strict: bool, max_answers: int | None = None
    ) -> None:
        self.coding, self._bots, self._strict, self._max_answers = coding, bots, strict, max_answers
        self._games = create_games(coding, bots, 1, DISABLED, strict, max_answers or 0)
        games, part = self._games, self._games._parts[0]
        self._step = games.step
        self._look, self._viewer, self._viewers = part.look.call, part.viewer, part.look.cells
        arrays: list[Any] = [games.states[0], games.actions, games.illegal, games.cut]
        self._state, self._actions, self._illegal, self._cut = (memoryview(numbers) for numbers in arrays)
        self._seen, self._mask = games.seen[0], games.masks[0]
        self._last_viewer = NO_VIEWER
        self._has_game = False

    def begin(self, seed: int) -> None:
        """Start a new game with this seed."""
        self._games.begin([seed])
        self._has_game, self._last_viewer = True, NO_VIEWER
        self._raise_on_fault()

    @property
    def has_game(self) -> bool:
        """Return True if a game has been started."""
        return self._has_game

    @property
    def is_over(self) -> bool:
        """Return True if the game is over."""
        return self._state[STATUS] == GAME_OVER

    @property
    def is_truncated(self) -> bool:
        """Return True if the game was cut off: after the most answers, or because it does not end."""
        return self._cut[0] != 0

    @property
    def seat(self) -> int:
        """The seat that is asked; -1 when the game is over."""
        return self._state[SEAT] if self._state[STATUS] == ASKING else CHANCE

    def answer(self, action: int) -> bool:
        """Carry out an action of the seat that is asked, and return True if it was offered.

        Returns:
            Whether the action was offered.

        Raises:
            GameError: If the action is not a whole number.
        """
        try:
            number = index(action)
        except TypeError:
            raise make_action_error(action) from None
        self._actions[0] = number if 0 <= number < self.coding.actions.count else NO_ACTION
        self._step()
        self._last_viewer = NO_VIEWER
        if self._state[STATUS] < 0:
            self._raise_on_fault()
        return bool(self._illegal[0] == 0)

    def observe(self, seat: int) -> dict[str, Any]:
        """Return a seat's `observation` and `action_mask`; the mask is all zeros if the seat is not asked."""
        if self._last_viewer != seat:
            self._viewers[self._viewer] = seat
            self._look()
            self._last_viewer = seat
        return {"observation": self._seen.copy(), "action_mask": self._mask.copy()}

    def payoffs(self) -> list[float]:
        """Return the rewards by seat; zeros before the game is over."""
        if not self.is_over:
            return [0.0] * len(self.coding.names)
        winners = bits_of(self._state[WINNERS])
        return compute_payoffs(self.coding.reward, self._games.scores[0].tolist(), winners)

    def scores(self) -> list[int]:
        """Return the scores of a finished game by seat."""
        return [int(score) for score in self._games.scores[0]]

    def render_text(self) -> str:
        """Render the table as the seat that is asked sees it (at the end, the first seat), and the question."""
        game = self._to_table_game()
        lines = [line for panel in game.view(max(0, self.seat)).panels() for line in _iter_panel_lines(panel)]
        asked = "The game is over." if self.is_over else f"{game.ask.player}: {game.ask.prompt}"
        return "\n".join([*lines, asked])

    def __deepcopy__(self, memo: Any) -> EnvGame:
        """Return an independent copy. Raises `GameError` with bots that play in Python."""
        return _restore_game(self.coding, *self.__reduce__()[1][1:])

    def __reduce__(self) -> tuple[Any, ...]:
        saved = self._games.save() if self._has_game else None
        return _restore_game, (self.coding, self._bots, self._strict, self._max_answers, saved, self.scores())

    def close(self) -> None:
        """Release the bots of this game; another game may be started."""
        self._games.close()

    def _to_table_game(self) -> Game:
        """Return the current position as a `Game` without earlier steps, so that its table can be drawn."""
        coding, state = self.coding, self._state.tolist()
        table = coding.rules.new_game(coding.names, seed=0, settings=coding.settings).table
        return Game(table, state, 0, GameStep.create_first(state.copy()))

    def _raise_on_fault(self) -> None:
        """Raise `RulesError` if the game ran into a fault of the rules."""
        if len(self._games.find_failed_games()):
            raise fault_error(self.coding.program, self._state.tolist(), "in a game for a learning program")


def _restore_game(
    coding: GameEncoding,
    bots: Sequence[str | None],
    strict: bool,
    max_answers: int | None,
    saved: Any,
    scores: Sequence[int],
) -> EnvGame:
    """Create a game from a pickle: a new one without a position if `saved` is None, else with these scores."""
    play = EnvGame(coding, bots, strict, max_answers)
    if saved is not None:
        play._games.restore(saved)
        play._games.scores[0] = scores
        play._has_game = True
    return play


def require_started_game(play: EnvGame) -> EnvGame:
    """Return the game if it has been started; raise `GameError` otherwise."""
    if not play.has_game:
        raise GameError("no game has begun", "call `reset` first")
    return play


def _iter_panel_lines(panel: PanelView) -> Iterator[str]:
    """Yield the lines of a panel; a grid is given as the things that a player has marked."""
    for row in panel.rows:
        cells = [f"{head} {cell}" for head, cell in zip_longest(panel.header, row.cells, fillvalue="")]
        yield " ".join([f"{row.title}:" if row.title else "", *cells]).strip()
    for grid in panel.grids:
        things = [cell.title for line in grid.cells for place in line for cell in place if cell.marked]
        yield f"{panel.title} of {grid.player}: {', '.join(things) or '-'}"


def build_space_fields(coding: GameEncoding, dtype: Any = np.float32, observe: bool = True) -> dict[str, Any]:
    """Build the fields of an observation space, with numbers of a NumPy type.

    Raises:
        GameError: If no player is ever asked anything.
    """
    if not coding.actions.count:
        raise GameError(f"nobody is asked anything in {coding.program.title}", "let somebody choose")
    ranges = coding.observer.ranges if observe else ()
    low, high = (np.array([_clamp_bound(bounds[end], dtype) for bounds in ranges], dtype=dtype) for end in (0, 1))
    numbers = spaces.Box(low, high, (len(ranges),), dtype)
    return {"observation": numbers, "action_mask": spaces.Box(0, 1, (coding.actions.count,), np.int8)}


def _clamp_bound(bound: float, dtype: Any) -> float:
    """Return a bound, or the nearest number that the type can hold."""
    if not np.issubdtype(dtype, np.integer):
        return bound
    limits = np.iinfo(dtype)  # compared as integers: as a float, the greatest int64 would be out of range
    if bound <= limits.min:
        return limits.min
    if bound >= limits.max:
        return limits.max
    return int(bound)


def check_count(name: str, number: int | None) -> None:
    """Raise `GameError` unless the argument is None or at least 1."""
    if number is not None and number < 1:
        raise GameError(f"`{name}` cannot be {number}", "it is a number from 1 on, or None")


def make_action_error(action: object) -> GameError:
    """Return the error for an action that is not a whole number."""
    if action is None:
        description = "None"
    elif isinstance(action, int):
        description = "one so large"
    else:
        description = f"a {type(action).__name__}"
    return GameError(
        f"an action is a whole number, not {description}", "give the number of one that the action mask offers"
    )


def emit_text(text: str, mode: str | None) -> str | None:
    """Print text in the render mode "human", and return it in any other."""
    if mode == "human":
        print(text)
        return None
    return text
