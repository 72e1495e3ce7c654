"""A game as a PettingZoo parallel environment: all agents act in every cycle, and one question is answered.

Agents that are not asked have one legal action, the last one: to wait. `env` is the same as an AEC environment, in
which every agent has its turn in each cycle.
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

from edict.agents.gym.played_game import EnvGame, build_space_fields, check_count, emit_text, require_started_game
from edict.agents.spaces.game_encoding import Reward, encode_game
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules


class CycleEnv(ParallelEnv[str, Any, Any]):
    """The parallel environment; its arguments are those of `RawEnv`, with `max_cycles` counting questions.

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
        self.coding = encode_game(rules, modules, players, settings, reward)
        check_count("max_cycles", max_cycles)
        self.max_cycles, self.render_mode = max_cycles, render_mode
        self.wait = self.coding.actions.count
        self.possible_agents = list(self.coding.names)
        parts = build_space_fields(self.coding)
        parts["action_mask"] = spaces.Box(0, 1, (self.wait + 1,), np.int8)
        self.observation_spaces = {agent: spaces.Dict(parts) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.wait + 1) for agent in self.possible_agents}
        self.agents: list[str] = []
        self._rng = Random()
        self._play = EnvGame(self.coding, [None] * len(self.possible_agents), strict=False, max_answers=max_cycles)

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start a new game; the same seed gives the same chance outcomes.

        Returns:
            The agents' observations and infos.
        """
        if seed is not None:
            self._rng = Random(seed)
        self._play.begin(self._rng.getrandbits(62))
        self.agents = list(self.possible_agents)
        return self._observe_all(), {agent: {"illegal": False} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Take an action for each agent; only that of the agent that is asked is carried out.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.
        """
        play, agents = require_started_game(self._play), self.agents
        if not agents:
            raise GameError("the game is over", "call `reset` for another")
        asked_seat = play.seat
        legal = play.answer(_require_action(agents[asked_seat], actions))
        infos = {agent: {"illegal": not legal and seat == asked_seat} for seat, agent in enumerate(agents)}
        truncated = play.is_truncated
        step_result = (
            self._observe_all(),
            dict(zip(agents, play.payoffs(), strict=True)),
            dict.fromkeys(agents, play.is_over),
            dict.fromkeys(agents, truncated),
            infos,
        )
        if play.is_over or truncated:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return step_result

    def action_name(self, action: int) -> str:
        """Return the name of an action, such as `answer: bet`, or `wait`."""
        return "wait" if action == self.wait else self.coding.action_name(action)

    def render(self) -> str | None:
        """Render the table as text, as the seat that is asked sees it."""
        return emit_text(require_started_game(self._play).render_text(), self.render_mode)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def _observe_all(self) -> dict[str, Any]:
        """Return each agent's observation; the last entry of its mask allows `wait`, 1 for all that are not asked."""
        observations = {}
        for seat, agent in enumerate(self.possible_agents):
            observation = self._play.observe(seat)
            waits = np.int8(seat != self._play.seat)
            observations[agent] = {**observation, "action_mask": np.append(observation["action_mask"], waits)}
        return observations


def _require_action(agent: str, actions: Mapping[str, Any]) -> Any:
    """Return the action of an agent. Raises `GameError` if there is none."""
    if not isinstance(actions, Mapping) or agent not in actions:
        raise GameError(f"there is no action of {agent}", "give a mapping with an action for each agent")
    return actions[agent]


def parallel_env(*args: Any, **options: Any) -> CycleEnv:
    """Create a `CycleEnv`, under its PettingZoo name."""
    return CycleEnv(*args, **options)


def env(*args: Any, **options: Any) -> AECEnv[str, Any, Any]:
    """Create the same game as an AEC environment, in which every agent has its turn in each cycle."""
    return parallel_to_aec(CycleEnv(*args, **options))
