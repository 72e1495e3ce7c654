"""A game as a PettingZoo AEC environment, in which one agent acts at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from random import Random
from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from edict.agents.gym.played_game import EnvGame, build_space_fields, check_count, emit_text, require_started_game
from edict.agents.spaces.game_encoding import GameEncoding, Reward, encode_game
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules


class RawEnv(AECEnv[str, Any, Any]):
    """The AEC environment without wrappers: an illegal action raises `GameError`, whereas `env` ends the game."""

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
        """Create an environment; `reset` starts the first game.

        Args:
            rules: Rules, or their name or path, as for `edict.load`.
            modules: The names of the modules.
            players: The number of players; None takes as many as possible.
            settings: The settings, as for `Rules.new_game`.
            reward: "victory" (1 for the winner, -1 shared by the others) or "score" (the score less the mean of all).
            max_cycles: Answers after which the game is truncated. A game that does not end by itself is truncated in
                any case, after about 20,000 questions.
            render_mode: "ansi" returns the table as text, "human" prints it.
        """
        super().__init__()
        self.coding: GameEncoding = encode_game(rules, modules, players, settings, reward)
        check_count("max_cycles", max_cycles)
        self.max_cycles, self.render_mode = max_cycles, render_mode
        self.possible_agents = list(self.coding.names)
        self.observation_spaces = {
            agent: spaces.Dict(build_space_fields(self.coding)) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.coding.actions.count) for agent in self.possible_agents}
        self._rng = Random()
        self._play = EnvGame(self.coding, [None] * len(self.possible_agents), strict=True, max_answers=max_cycles)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; the same seed gives the same chance outcomes."""
        if seed is not None:
            self._rng = Random(seed)
        self._play.begin(self._rng.getrandbits(62))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[max(0, self._play.seat)]

    def action_name(self, action: int) -> str:
        """Return the name of an action, such as `answer: bet`."""
        return self.coding.action_name(action)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may see; the action mask of agents that are not asked is empty."""
        return require_started_game(self._play).observe(self._seats[agent])

    def step(self, action: Any) -> None:
        """Answer for the agent that is asked. All rewards are 0 until the game is over."""
        play, agent = require_started_game(self._play), self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not play.answer(action):
            raise GameError(f"the action {action} is not offered to {agent}", "check the action mask")
        if play.is_over:
            self.rewards = dict(zip(self.possible_agents, play.payoffs(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        else:
            if play.is_truncated:
                self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[max(0, play.seat)]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Render the table as text, as the seat that is asked sees it."""
        return emit_text(require_started_game(self._play).render_text(), self.render_mode)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""


def raw_env(*args: Any, **options: Any) -> RawEnv:
    """Create a `RawEnv`, under its PettingZoo name."""
    return RawEnv(*args, **options)


def env(*args: Any, **options: Any) -> AECEnv[str, Any, Any]:
    """Create the wrapped environment.

    An illegal action loses the game at once, as in PettingZoo's own games.
    """
    wrapped: AECEnv[str, Any, Any] = TerminateIllegalWrapper(raw_env(*args, **options), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped))
