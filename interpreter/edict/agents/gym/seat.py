"""A Gymnasium environment for one seat against bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import gymnasium
from gymnasium import spaces

from edict.agents.gym.played_game import EnvGame, build_space_fields, check_count, emit_text, require_started_game
from edict.agents.spaces.game_encoding import Reward, encode_game
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules

MAX_STARTS = 100


class SeatEnv(gymnasium.Env[dict[str, Any], Any]):
    """One learning seat, with bots in all others.

    An illegal action counts as the first legal one, and `info["illegal"]` says so.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 1}

    def __init__(
        self,
        rules: Rules | str | PathLike[str] = "kingsburg",
        bots: Sequence[str] | str = "random",
        modules: Sequence[str] = (),
        seat: int | None = None,
        settings: Mapping[str, object] | None = None,
        reward: Reward = "victory",
        render_mode: str | None = None,
        max_steps: int | None = None,
    ) -> None:
        """Create an environment; `reset` starts the first game.

        Args:
            rules: As for `RawEnv`.
            bots: One for each other seat, starting with the next one, as `--bot` takes them; a single name fills as
                many
                seats as possible.
            modules: As for `RawEnv`.
            seat: The learner's seat; None draws a seat for each game.
            settings: As for `RawEnv`.
            reward: As for `RawEnv`.
            render_mode: As for `RawEnv`.
            max_steps: The learner's answers after which the game is truncated.

        Raises:
            GameError: If a bot is unknown, or the arguments do not fit the game.
        """
        check_count("max_steps", max_steps)
        num_players = None if isinstance(bots, str) else 1 + len(bots)
        self.coding = encode_game(rules, modules, num_players, settings, reward)
        players = len(self.coding.names)
        self._bots = [bots] * (players - 1) if isinstance(bots, str) else list(bots)
        if seat is not None and not 0 <= seat < players:
            raise GameError(f"there is no seat {seat}", f"seats are 0 to {players - 1}")
        self._fixed_seat, self.render_mode, self._max_steps = seat, render_mode, max_steps
        self.observation_space = spaces.Dict(build_space_fields(self.coding))
        self.action_space = spaces.Discrete(self.coding.actions.count)
        self.seat = seat or 0
        self._games_by_seat = {self.seat: self._create_game(self.seat)}
        self._game = self._games_by_seat[self.seat]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game, played up to the learner's first question; the same seed gives the same game."""
        super().reset(seed=seed)
        for _ in range(MAX_STARTS):
            if self._fixed_seat is None:
                self.seat = int(self.np_random.integers(len(self.coding.names)))
            else:
                self.seat = self._fixed_seat
            if self.seat not in self._games_by_seat:
                self._games_by_seat[self.seat] = self._create_game(self.seat)
            self._game.close()
            self._game = self._games_by_seat[self.seat]
            self._game.begin(int(self.np_random.integers(1 << 62)))
            if not self._game.is_over:
                return self._game.observe(self.seat), {"illegal": False}
        raise GameError(f"seat {self.seat} is never asked anything", "let somebody else learn")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer for the learner; the bots then play up to the learner's next question."""
        play = require_started_game(self._game)
        if play.is_over or play.is_truncated:
            raise GameError("the game is over", "call `reset` for another")
        legal = play.answer(action)
        if self.render_mode == "human":
            self.render()
        over = play.is_over
        reward = play.payoffs()[self.seat] if over else 0.0
        return play.observe(self.seat), reward, over, play.is_truncated, {"illegal": not legal}

    def action_name(self, action: int) -> str:
        """Return the name of an action, such as `answer: bet`."""
        return self.coding.action_name(action)

    def action_masks(self) -> Any:
        """Return the legal actions as booleans, as `MaskablePPO` of sb3-contrib expects."""
        return require_started_game(self._game).observe(self.seat)["action_mask"].astype(bool)

    def render(self) -> Any:
        """Render the table as text, as the seat that is asked sees it."""
        return emit_text(require_started_game(self._game).render_text(), self.render_mode)

    def close(self) -> None:
        """Release the bots of this game; another game may be started."""
        self._game.close()

    def _create_game(self, seat: int) -> EnvGame:
        """Create a game with the learner in this seat, and the bots in the seats after it."""
        players = len(self.coding.names)
        others = dict(zip(((seat + number) % players for number in range(1, players)), self._bots, strict=True))
        return EnvGame(
            self.coding, [others.get(number) for number in range(players)], strict=False, max_answers=self._max_steps
        )
