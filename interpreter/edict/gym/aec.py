"""A game as a PettingZoo AEC environment: whoever is asked acts, the others wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from random import Random
from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from edict.gym.played_game import Play, check_count, fields, playing, shown
from edict.spaces.game_coding import Coding, Reward, coding
from edict.table.game_errors import GameError
from edict.table.rules import Rules


class RawEnv(AECEnv[str, Any, Any]):
    """The environment itself. An illegal action raises `GameError`; `env` ends the game instead.

    rules, modules, players, settings: as `edict.load` and `Rules.new_game` take them; as many players as possible, if
    none are named. reward: "victory" (1 for the winner, -1 shared by the others) or "score" (less the mean of all).
    max_cycles: answers after which the game is truncated; one that does not end by itself is
    truncated in any case, after about 20,000 questions. render_mode: "ansi" returns the table as text,
    "human" prints it.
    """

    metadata = {"name": "edict_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False, "render_fps": 1}

    def __init__(
        self,
        rules: Rules | str | PathLike[str] = "kingsburg",
        modules: Sequence[str] = (),
        players: int | None = None,
        settings: Mapping[str, object] | None = None,
        reward: Reward = "victory",
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.coding: Coding = coding(rules, modules, players, settings, reward)
        check_count("max_cycles", max_cycles)
        self.max_cycles, self.render_mode = max_cycles, render_mode
        self.possible_agents = list(self.coding.names)
        self.observation_spaces = {agent: spaces.Dict(fields(self.coding)) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.coding.actions.count) for agent in self.possible_agents}
        self._luck = Random()
        self._play = Play(self.coding, [None] * len(self.possible_agents), strict=True, most=max_cycles)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; the same seed gives the same luck."""
        if seed is not None:
            self._luck = Random(seed)
        self._play.begin(self._luck.getrandbits(62))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[max(0, self._play.seat)]

    def action_name(self, action: int) -> str:
        """What an action stands for, such as `answer: bet`."""
        return self.coding.action_name(action)

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent may see; agents that are not asked are offered nothing."""
        return playing(self._play).observed(self._seats[agent])

    def step(self, action: Any) -> None:
        """Answer for the agent that is asked. All rewards are 0 until the game is over."""
        play, agent = playing(self._play), self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not play.answer(action):
            raise GameError(f"the action {action} is not offered to {agent}", "check the action mask")
        if play.over:
            self.rewards = dict(zip(self.possible_agents, play.payoffs(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        else:
            if play.truncated:
                self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[max(0, play.seat)]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The table as whoever is asked sees it, as text."""
        return shown(playing(self._play).text(), self.render_mode)

    def close(self) -> None:
        """Does nothing: there are no resources to release."""


def raw_env(*args: Any, **options: Any) -> RawEnv:
    """`RawEnv`, under its PettingZoo name."""
    return RawEnv(*args, **options)


def env(*args: Any, **options: Any) -> AECEnv[str, Any, Any]:
    """The wrapped environment: an illegal action loses the game at once, as in PettingZoo's own games."""
    found: AECEnv[str, Any, Any] = TerminateIllegalWrapper(raw_env(*args, **options), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(found))
