"""One seat against bots, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import gymnasium
from gymnasium import spaces

from edict.bots import BOTS, Bot
from edict.bots.guest import warned
from edict.bots.matches import attending, dismissed
from edict.gym.playing import Play, fields, shown
from edict.table.spaces import Reward, coding
from edict.table.errors import GameError
from edict.table.rules import Rules

TRIES = 100  # games begun that are over before the seat is asked


class SeatEnv(gymnasium.Env[dict[str, Any], Any]):
    """One learning seat, with bots in all others.

    bots: one for each other seat, from the next one on, as `--bot` takes them; a single name fills as many seats as
    possible. seat: where the learner sits; None draws a seat for each game. The others are as in `RawEnv`. An illegal
    action counts as the first legal one, and `info["illegal"]` says so. Raises `GameError` for an unknown bot.
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
    ) -> None:
        several = None if isinstance(bots, str) else 1 + len(bots)
        self.coding = coding(rules, modules, several, settings, reward)
        players = len(self.coding.names)
        self._bots = [bots] * (players - 1) if isinstance(bots, str) else list(bots)
        for spec in self._bots:
            problem = BOTS.problem(spec)
            if problem:
                raise GameError(*problem)
        if seat is not None and not 0 <= seat < players:
            raise GameError(f"there is no seat {seat}", f"seats are 0 to {players - 1}")
        self._seat, self.render_mode = seat, render_mode
        self.observation_space = spaces.Dict(fields(self.coding))
        self.action_space = spaces.Discrete(self.coding.actions.count)
        self.seat = seat or 0
        self._play: Play | None = None
        self._others: list[Bot | None] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game, played up to the learner's first question; the same seed gives the same luck."""
        super().reset(seed=seed)
        for _ in range(TRIES):
            players = len(self.coding.names)
            self.seat = int(self.np_random.integers(players)) if self._seat is None else self._seat
            self._play = Play.begin(self.coding, int(self.np_random.integers(1 << 62)))
            self.close()
            self._others = [None] * players
            for number, spec in enumerate(self._bots, 1):
                bot = BOTS[spec](self.coding.program, int(self.np_random.integers(1 << 62)))
                self._others[(self.seat + number) % players] = warned(bot)
            self._play_on()
            if not self._play.over:
                return self._play.observed(self.seat), {"illegal": False}
        raise GameError(f"seat {self.seat} is never asked anything", "let somebody else learn")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer for the learner, then let the bots play up to the learner's next question."""
        play = self._playing
        if play.over:
            raise GameError("the game is over", "call `reset` for another")
        index = play.option(int(action))
        play.answer(index or 0)
        self._play_on()
        if self.render_mode == "human":
            self.render()
        return play.observed(self.seat), play.payoffs()[self.seat], play.over, False, {"illegal": index is None}

    def action_masks(self) -> Any:
        """Which actions are legal, as booleans: what `MaskablePPO` of sb3-contrib asks for."""
        return self._playing.observed(self.seat)["action_mask"].astype(bool)

    def render(self) -> Any:
        """The table as whoever is asked sees it, as text."""
        return shown(self._playing.text(), self.render_mode)

    def close(self) -> None:
        """The bots of this game are not asked any more; another may begin."""
        dismissed([attending(bot) for bot in self._others if bot is not None])

    def _play_on(self) -> None:
        play = self._playing
        while not play.over and play.seat != self.seat:
            bot = self._others[play.seat]
            assert bot is not None
            play.answer(bot.choose(play.game.view(play.seat), play.game.ask))

    @property
    def _playing(self) -> Play:
        if self._play is None:
            raise GameError("no game has begun", "call `reset` first")
        return self._play
