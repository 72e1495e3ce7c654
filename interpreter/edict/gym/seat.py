"""One seat against bots, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import gymnasium
from gymnasium import spaces

from edict.gym.played_game import Play, check_count, fields, playing, shown
from edict.spaces.game_coding import Reward, coding
from edict.table.game_errors import GameError
from edict.table.rules import Rules

TRIES = 100  # games begun that are over before the seat is asked


class SeatEnv(gymnasium.Env[dict[str, Any], Any]):
    """One learning seat, with bots in all others.

    bots: one for each other seat, from the next one on, as `--bot` takes them; a single name fills as many seats as
    possible. seat: where the learner sits; None draws a seat for each game. max_steps: the learner's answers after
    which the game is truncated. The others are as in `RawEnv`. An illegal action counts as the first legal one, and
    `info["illegal"]` says so. Raises `GameError` for an unknown bot.
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
        check_count("max_steps", max_steps)
        several = None if isinstance(bots, str) else 1 + len(bots)
        self.coding = coding(rules, modules, several, settings, reward)
        players = len(self.coding.names)
        self._bots = [bots] * (players - 1) if isinstance(bots, str) else list(bots)
        if seat is not None and not 0 <= seat < players:
            raise GameError(f"there is no seat {seat}", f"seats are 0 to {players - 1}")
        self._seat, self.render_mode, self._max_steps = seat, render_mode, max_steps
        self.observation_space = spaces.Dict(fields(self.coding))
        self.action_space = spaces.Discrete(self.coding.actions.count)
        self.seat = seat or 0
        self._plays = {self.seat: self._seated(self.seat)}
        self._play = self._plays[self.seat]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game, played up to the learner's first question; the same seed gives the same luck."""
        super().reset(seed=seed)
        for _ in range(TRIES):
            self.seat = int(self.np_random.integers(len(self.coding.names))) if self._seat is None else self._seat
            if self.seat not in self._plays:
                self._plays[self.seat] = self._seated(self.seat)
            self._play.close()
            self._play = self._plays[self.seat]
            self._play.begin(int(self.np_random.integers(1 << 62)))
            if not self._play.over:
                return self._play.observed(self.seat), {"illegal": False}
        raise GameError(f"seat {self.seat} is never asked anything", "let somebody else learn")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer for the learner; the bots then play up to the learner's next question."""
        play = playing(self._play)
        if play.over or play.truncated:
            raise GameError("the game is over", "call `reset` for another")
        legal = play.answer(action)
        if self.render_mode == "human":
            self.render()
        over = play.over
        reward = play.payoffs()[self.seat] if over else 0.0
        return play.observed(self.seat), reward, over, play.truncated, {"illegal": not legal}

    def action_name(self, action: int) -> str:
        """What an action stands for, such as `answer: bet`."""
        return self.coding.action_name(action)

    def action_masks(self) -> Any:
        """Which actions are legal, as booleans: what `MaskablePPO` of sb3-contrib asks for."""
        return playing(self._play).observed(self.seat)["action_mask"].astype(bool)

    def render(self) -> Any:
        """The table as whoever is asked sees it, as text."""
        return shown(playing(self._play).text(), self.render_mode)

    def close(self) -> None:
        """The bots of this game are not asked any more; another may begin."""
        self._play.close()

    def _seated(self, seat: int) -> Play:
        """Games with the learner in this seat, and the bots from the next one on."""
        players = len(self.coding.names)
        others = dict(zip(((seat + number) % players for number in range(1, players)), self._bots, strict=True))
        return Play(self.coding, [others.get(number) for number in range(players)], strict=False, most=self._max_steps)
