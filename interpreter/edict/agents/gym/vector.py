"""A Gymnasium vector environment with thousands of games over NumPy, in native code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from os import PathLike
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from edict.agents.gym.bot_game_batch import create_games
from edict.agents.gym.played_game import build_space_fields, check_count, make_action_error
from edict.agents.spaces.game_encoding import Reward, encode_game
from edict.game.table.faults import fault_error
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules
from edict.runtime.program.opcodes import CHANCE, GAME_OVER
from edict.runtime.simulation.game_batch import OBSERVATION_KINDS, GameBatch
from edict.runtime.simulation.stepping import DISABLED, NEXT_STEP, SAME_STEP

MAX_ENVS = 1_000_000
OUTSIDE = None
AUTORESET_MODES = {
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.DISABLED: DISABLED,
}
SEED_RANGE = 1 << 62


class VectorEnv(GymnasiumVectorEnv[Any, Any, Any]):
    """Many games in parallel; `step` answers one question of each.

    Each info is an array with a row for each game: `seat`, the seat that is asked (-1: the game is over); `rewards`
    and `scores` by seat; `illegal`; and where a new game has replaced one that ended, `final_obs`, the last
    observation of the ended game. The reward itself is that of the seat that has just answered.
    """

    def __init__(
        self,
        rules: Rules | str | PathLike[str] = "kingsburg",
        modules: Sequence[str] = (),
        players: int | None = None,
        num_envs: int = 4096,
        settings: Mapping[str, object] | None = None,
        reward: Reward = "victory",
        bots: Sequence[str | None] | str | None = None,
        observe: bool = True,
        dtype: Any = np.float32,
        autoreset: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_steps: int | None = None,
        strict: bool = False,
        copy: bool = True,
        threads: int | None = None,
    ) -> None:
        """Create an environment; `reset` starts the games.

        Args:
            rules: As for `RawEnv`.
            modules: As for `RawEnv`.
            players: As for `RawEnv`.
            num_envs: The number of games.
            settings: As for `RawEnv`.
            reward: As for `RawEnv`.
            bots: For each seat a bot, as `--bot` takes it, or None for a seat whose actions come from the caller (the
                default for all). A single name fills all seats but the first. Bots that play in native code (`random`,
                `judge`, `greedy`, `learned`) are fast; others, and those that draw hidden hands, answer as at a table.
            observe: Whether observations are wanted.
            dtype: The type of the observations, one of `OBSERVATION_KINDS`. int8 is the fastest; numbers beyond its
                range become -128 or 127.
            autoreset: What happens to finished games, one of `AutoresetMode`.
            max_steps: Answers after which a game is truncated. A game that does not end by itself is truncated in any
                case, after about 20,000 questions.
            strict: An illegal action raises `GameError`, and nothing is played; otherwise it counts as the first legal
                one, and `infos["illegal"]` says so.
            copy: Return new arrays in every step; otherwise the next step overwrites them.
            threads: The number of threads; None takes one for each processor.

        Raises:
            GameError: If the arguments are invalid.
            RulesError: If the rules are invalid.
        """
        self._arguments = {
            "rules": rules,
            "modules": modules,
            "players": players,
            "num_envs": num_envs,
            "settings": settings,
            "reward": reward,
            "bots": bots,
            "observe": observe,
            "dtype": dtype,
            "autoreset": autoreset,
            "max_steps": max_steps,
            "strict": strict,
            "copy": copy,
            "threads": threads,
        }
        if not 1 <= num_envs <= MAX_ENVS:
            raise GameError(f"there cannot be {num_envs} games at once", f"choose from 1 to {MAX_ENVS}")
        check_count("max_steps", max_steps)
        check_count("threads", threads)
        kind, mode = _parse_dtype(dtype), _parse_autoreset(autoreset)
        num_players = len(bots) if bots and not isinstance(bots, str) and players is None else players
        self.coding = encode_game(rules, modules, num_players, settings, reward)
        self.num_envs, self.players = num_envs, len(self.coding.names)
        self.actions, self.observer = self.coding.actions, self.coding.observer
        others = self.players - 1
        seats = [OUTSIDE, *[bots] * others] if isinstance(bots, str) else list(bots or [OUTSIDE] * self.players)
        if len(seats) != self.players or all(seat is not None for seat in seats):
            raise GameError("the bots do not match the seats", f"name one or None for each of {self.players}, one None")
        self._games = create_games(
            self.coding,
            seats,
            num_envs,
            AUTORESET_MODES[mode],
            strict,
            max_steps or 0,
            observe,
            kind,
            threads or os.cpu_count() or 1,
        )
        self._mode, self._strict, self._copy = mode, strict, copy
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.single_observation_space = spaces.Dict(build_space_fields(self.coding, kind, observe))
        self.single_action_space = spaces.Discrete(self.actions.count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rewards = np.zeros((num_envs, self.players), dtype=np.float64)
        self._rows = np.arange(num_envs)
        self._everywhere = np.ones(num_envs, dtype=bool)
        self._sample_seed = 0
        self._has_games = False

    # --- playing

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Restart the games.

        Args:
            seed: Game number i has the seed `seed + i`, and games that replace it use later seeds. A sequence gives one
                seed for each game. None continues the seeds from the one before.
            options: `reset_mask`, booleans, restarts only those games.
        """
        which: Any = (options or {}).get("reset_mask", True)
        if which is not True:
            which = np.asarray(which, dtype=bool)
            if which.shape != (self.num_envs,):
                reason = f"a `reset_mask` has {self.num_envs} booleans, not {which.size}"
                raise GameError(reason, "give one for each game")
        seeds = self._make_seeds(seed)
        self._games.begin(seeds, which)
        self._sample_seed, self._has_games = seeds[0], True
        self._rewards[which] = 0
        self._raise_on_fault()
        return self._observe(), self._build_infos()

    def _make_seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        """Return a seed for each game."""
        if isinstance(seed, Iterable):
            seeds = [int(number) for number in seed]
            if len(seeds) != self.num_envs:
                reason = f"there are {len(seeds)} seeds for {self.num_envs} games"
                raise GameError(reason, "give one for each, or one for all")
            return seeds
        super().reset(seed=None if seed is None else int(seed) % SEED_RANGE)
        first = int(self.np_random.integers(SEED_RANGE)) if seed is None else int(seed)
        return [first + game for game in range(self.num_envs)]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take an action for each game.

        Returns:
            Observations, rewards, terminations, truncations and infos, by game.
        """
        games = self._started_games
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,):
            raise GameError(f"there are {chosen.size} actions for {self.num_envs} games", "give one for each")
        if chosen.dtype.kind not in "iub":
            raise make_action_error(chosen.flat[0])
        games.actions[:] = chosen
        if self._strict:
            self._require_legal(games.actions)
        games.step()
        self._raise_on_fault()
        played = games.answered != CHANCE
        over, truncated = (games.statuses == GAME_OVER) & played, (games.cut != 0) & played
        self._update_rewards(over)
        rewards = self._rewards[self._rows, np.maximum(games.answered, 0)] * played
        return (
            self._observe(),
            rewards,
            over,
            truncated,
            self._build_infos() | self._build_final_observations(),
        )

    def sample(self) -> Any:
        """Draw a legal action for each game, all equally likely."""
        self._sample_seed += self.num_envs
        return self._started_games.draw_actions(self._sample_seed)

    def action_name(self, action: int) -> str:
        """Return the name of an action, such as `answer: bet`."""
        return self.coding.action_name(action)

    def action_masks(self) -> Any:
        """Return the legal actions as booleans, as `MaskablePPO` of sb3-contrib expects."""
        return self._games.masks.astype(bool)

    def close_extras(self, **_: Any) -> None:
        """Release the bots."""
        self._games.close()

    # --- saving and restoring

    def save(self) -> Any:
        """Return all games as one array of int64, a row for each.

        `restore` continues from it, here or in another environment with the same arguments.

        Raises:
            GameError: If bots play in Python.
        """
        return self._started_games.save()

    def restore(self, saved: Any, which: Any = slice(None)) -> tuple[Any, dict[str, Any]]:
        """Replace games by saved ones, and return the observations and infos as `reset` does.

        Args:
            saved: Rows of `save`; a single row may be repeated for all games, so that one game can be tried in many
                ways.
            which: The rows of this environment to replace, as a NumPy index.

        Returns:
            Observations and infos, as `reset` does.

        Raises:
            GameError: If the rows are of other games.
        """
        saved, width = np.asarray(saved, dtype=np.int64), self._games.saved_width
        if saved.ndim not in (1, 2) or saved.shape[-1] != width:
            raise GameError(
                "these are no games of this environment", "restore them where rules and players are the same"
            )
        rows = len(self._rows[which])
        if saved.ndim == 2 and len(saved) not in (1, rows):
            raise GameError(f"there are {len(saved)} saved games for {rows} rows", "give one for each, or one for all")
        self._games.restore(np.broadcast_to(saved, (rows, width)), which)
        self._has_games = True
        self._rewards[which] = 0
        return self._observe(), self._build_infos()

    def clone(self) -> VectorEnv:
        """Return an independent environment with the same games."""
        return _restore_env(*self.__reduce__()[1])

    def __reduce__(self) -> tuple[Any, ...]:
        rng_state = deepcopy(self._np_random), self._np_random_seed
        return _restore_env, (self._arguments, self.save() if self._has_games else None, self._sample_seed, rng_state)

    # --- results of a step

    @property
    def _started_games(self) -> GameBatch:
        if not self._has_games:
            raise GameError("no game has begun", "call `reset` first")
        return self._games

    def _observe(self) -> dict[str, Any]:
        """Return the observations and action masks of all games, as copies unless the user wants shared arrays."""
        games = self._games
        games.look()
        if self._copy:
            return {"observation": games.seen.copy(), "action_mask": games.masks.copy()}
        return {"observation": games.seen, "action_mask": games.masks}

    def _build_infos(self) -> dict[str, Any]:
        """Return Gymnasium's infos: seat, rewards, scores and illegal answers by game, each with its `_name` mask."""
        games = self._games
        infos = {
            "seat": games.seats,
            "rewards": self._rewards,
            "scores": games.scores,
            "illegal": games.illegal.astype(bool),
        }
        presence = dict.fromkeys([f"_{name}" for name in infos], self._everywhere)
        return ({name: numbers.copy() for name, numbers in infos.items()} if self._copy else infos) | presence

    def _update_rewards(self, finished: Any) -> None:
        """Write the payoffs of finished games, as of `compute_payoffs`, into the rewards."""
        self._rewards[:] = 0
        if not finished.any():
            return
        scores, winners = self._games.scores[finished], self._games.winners[finished]
        if self.coding.reward == "score":
            self._rewards[finished] = scores - scores.mean(axis=1, keepdims=True) * (self.players > 1)
            return
        won = (winners[:, None] >> np.arange(self.players)) & 1
        shares = won / np.maximum(1, won.sum(axis=1, keepdims=True))
        self._rewards[finished] = (shares * self.players - 1) / (self.players - 1) if self.players > 1 else shares

    def _build_final_observations(self) -> dict[str, Any]:
        """Return infos `final_obs` and `_final_obs` of games replaced in the same step; {} if there are none."""
        ended = self._games.ended
        if self._mode is not AutoresetMode.SAME_STEP or not ended.any():
            return {}
        observations = np.full(self.num_envs, None, dtype=object)
        empty_mask = np.zeros(self.actions.count, dtype=np.int8)
        if self._games.final_observations.shape[1]:
            views = self._games.final_observations[ended]
            observations[ended] = [{"observation": view, "action_mask": empty_mask} for view in views]
        else:
            observations[ended] = {"observation": self._games.final_observations[0], "action_mask": empty_mask}
        return {"final_obs": observations, "_final_obs": ended}

    def _raise_on_fault(self) -> None:
        """Raise `RulesError` if a game ran into a fault."""
        failed = self._games.find_failed_games()
        if len(failed):
            state = self._games.states[failed[0]].tolist()
            raise fault_error(self.coding.program, state, "in one of many games at once")

    def _require_legal(self, actions: Any) -> None:
        """Raise `GameError` if an action is not offered in a game that asks for one."""
        masks = self._games.masks
        possible = (actions >= 0) & (actions < masks.shape[1])
        possible[possible] &= masks[possible, actions[possible]] != 0
        wrong = np.flatnonzero(~possible & masks.any(axis=1))
        if len(wrong):
            raise GameError(f"game {wrong[0]} does not offer the action {actions[wrong[0]]}", "check the mask")


def _restore_env(arguments: dict[str, Any], saved: Any, sample_seed: int, rng_state: tuple[Any, Any]) -> VectorEnv:
    """Create an environment from a pickle: its arguments, its games if any have begun, and its random sources."""
    env = VectorEnv(**arguments)
    if saved is not None:
        env.restore(saved)
    env._sample_seed, (env._np_random, env._np_random_seed) = sample_seed, rng_state
    return env


def _parse_autoreset(autoreset: AutoresetMode | str) -> AutoresetMode:
    """Return the autoreset mode of this name; raise `GameError` if it is unknown."""
    for mode in AutoresetMode:
        if autoreset in (mode, mode.value):
            return mode
    names = ", ".join(mode.value for mode in AutoresetMode)
    raise GameError(f"there is no autoreset `{autoreset}`", f"choose one of: {names}")


def _parse_dtype(dtype: Any) -> Any:
    """Return the NumPy type of observations; raise `GameError` if it is not supported."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind is None or kind.name not in OBSERVATION_KINDS:
        raise GameError(
            f"observations cannot have the type `{dtype}`", f"choose one of: {', '.join(OBSERVATION_KINDS)}"
        )
    return kind
