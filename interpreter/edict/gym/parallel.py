"""A game as a PettingZoo parallel environment: in every cycle one question is answered, and all agents act.

Those who are not asked wait: there is an action for that, the last one, and it is all they are offered. `env` is the
same as an AEC environment, in which every agent has its turn in each cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import parallel_to_aec

from edict.gym.played_game import Play, check_count, fields, playing, shown
from edict.spaces.game_coding import Reward, coding
from edict.table.game_errors import GameError
from edict.table.rules import Rules


class CycleEnv(ParallelEnv[str, Any, Any]):
    """The environment itself; its arguments are those of `RawEnv`. max_cycles: questions before truncation.

    An illegal action counts as the first legal one, and the agent's info says `illegal`.
    """

    metadata = {"name": "edict_cycles_v0", "render_modes": ["ansi", "human"], "render_fps": 1}

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
        self.coding = coding(rules, modules, players, settings, reward)
        check_count("max_cycles", max_cycles)
        self.max_cycles, self.render_mode = max_cycles, render_mode
        self.wait = self.coding.actions.count
        self.possible_agents = list(self.coding.names)
        parts = fields(self.coding)
        parts["action_mask"] = spaces.Box(0, 1, (self.wait + 1,), np.int8)
        self.observation_spaces = {agent: spaces.Dict(parts) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.wait + 1) for agent in self.possible_agents}
        self.agents: list[str] = []
        self._luck = Random()
        self._play = Play(self.coding, [None] * len(self.possible_agents), strict=False, most=max_cycles)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start a new game; the same seed gives the same luck. Returns the agents' observations and infos."""
        if seed is not None:
            self._luck = Random(seed)
        self._play.begin(self._luck.getrandbits(62))
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {"illegal": False} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Take an action for each agent; only that of the agent that is asked is carried out.

        Returns observations, rewards, terminations, truncations and infos by agent.
        """
        play, agents = playing(self._play), self.agents
        if not agents:
            raise GameError("the game is over", "call `reset` for another")
        asked = play.seat
        legal = play.answer(_action_of(agents[asked], actions))
        infos = {agent: {"illegal": not legal and seat == asked} for seat, agent in enumerate(agents)}
        cut = play.truncated
        found = (
            self._observations(), dict(zip(agents, play.payoffs(), strict=True)), dict.fromkeys(agents, play.over),
            dict.fromkeys(agents, cut), infos,
        )  # fmt: skip
        if play.over or cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return found

    def action_name(self, action: int) -> str:
        """What an action stands for, such as `answer: bet`, or `wait`."""
        return "wait" if action == self.wait else self.coding.action_name(action)

    def render(self) -> str | None:
        """The table as whoever is asked sees it, as text."""
        return shown(playing(self._play).text(), self.render_mode)

    def close(self) -> None:
        """Does nothing: there are no resources to release."""

    def _observations(self) -> dict[str, Any]:
        found = {}
        for seat, agent in enumerate(self.possible_agents):
            seen = self._play.observed(seat)
            waits = np.int8(seat != self._play.seat)
            found[agent] = {**seen, "action_mask": np.append(seen["action_mask"], waits)}
        return found


def _action_of(agent: str, actions: Mapping[str, Any]) -> Any:
    """Return the action of an agent. Raises `GameError` if there is none."""
    if not isinstance(actions, Mapping) or agent not in actions:
        raise GameError(f"there is no action of {agent}", "give a mapping with an action for each agent")
    return actions[agent]


def parallel_env(*args: Any, **options: Any) -> CycleEnv:
    """`CycleEnv`, under its PettingZoo name."""
    return CycleEnv(*args, **options)


def env(*args: Any, **options: Any) -> AECEnv[str, Any, Any]:
    """The same as an AEC environment: every agent has its turn in each cycle."""
    return parallel_to_aec(CycleEnv(*args, **options))
