"""Thousands of games at once over NumPy, in native code: an environment of Gymnasium's for vectors."""

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

from edict.agents.gym.games_with_bots import games_of
from edict.agents.gym.played_game import check_count, fields, not_an_action
from edict.agents.spaces.game_coding import Reward, coding
from edict.game.table.faults import fault_error
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules
from edict.runtime.program.opcodes import CHANCE, GAME_OVER
from edict.runtime.simulation.game_batch import OBSERVATION_KINDS, GameBatch
from edict.runtime.simulation.stepping import DISABLED, NEXT_STEP, SAME_STEP

MOST = 1_000_000
OWN = None  # in `bots`: a seat whose actions come from outside
MODES = {
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.DISABLED: DISABLED,
}
SEEDS = 1 << 62


class VectorEnv(GymnasiumVectorEnv[Any, Any, Any]):
    """Many games side by side; `step` answers one question of each.

    players, rules, modules, settings, reward: as in `RawEnv`. num_envs: how many games. bots: for each seat a bot, as
    `--bot` takes it, or None for a seat whose actions come from the caller; by default all do. One name alone fills all
    seats but the first. Bots that play in
    native code (`random`, `judge`, `greedy`, `learned`) are fast; others, and those that draw hidden hands, answer as
    at a table. observe: whether observations are wanted; dtype: of their numbers, one of `OBSERVATION_KINDS` (int8 is
    the fastest;
    numbers beyond its range become -128 or 127). autoreset: what becomes of a game that is over, one of
    `AutoresetMode`. max_steps: answers after which a game is truncated; one that does not end by itself is truncated in
    any case, after about 20,000 questions. strict: an illegal action raises `GameError`,
    and nothing is played; otherwise it counts as the first legal one, and `infos["illegal"]` says so. copy: whether
    every step gives arrays of its own; otherwise they are overwritten by the next. threads: None takes one for each
    processor. Raises `GameError` for invalid arguments, `RulesError` for invalid rules.

    Of infos, an array for each game: `seat`, who is asked (-1: the game is over); `rewards` and `scores` by seat;
    `illegal`; and where others have begun in the place of games that ended, `final_obs` as their last player saw them.
    The reward itself is that of the seat that has just answered.
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
        self._made = {
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
        if not 1 <= num_envs <= MOST:
            raise GameError(f"there cannot be {num_envs} games at once", f"choose from 1 to {MOST}")
        check_count("max_steps", max_steps)
        check_count("threads", threads)
        kind, mode = _kind(dtype), _mode(autoreset)
        several = len(bots) if bots and not isinstance(bots, str) and players is None else players
        self.coding = coding(rules, modules, several, settings, reward)
        self.num_envs, self.players = num_envs, len(self.coding.names)
        self.actions, self.observer = self.coding.actions, self.coding.observer
        others = self.players - 1
        seats = [OWN, *[bots] * others] if isinstance(bots, str) else list(bots or [OWN] * self.players)
        if len(seats) != self.players or all(seat is not None for seat in seats):
            raise GameError("the bots do not match the seats", f"name one or None for each of {self.players}, one None")
        self._games = games_of(
            self.coding,
            seats,
            num_envs,
            MODES[mode],
            strict,
            max_steps or 0,
            observe,
            kind,
            threads or os.cpu_count() or 1,
        )
        self._mode, self._strict, self._copy = mode, strict, copy
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.single_observation_space = spaces.Dict(fields(self.coding, kind, observe))
        self.single_action_space = spaces.Discrete(self.actions.count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rewards = np.zeros((num_envs, self.players), dtype=np.float64)
        self._rows = np.arange(num_envs)
        self._everywhere = np.ones(num_envs, dtype=bool)
        self._drawn = 0
        self._begun = False

    # --- playing

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start games anew. Game number i has the luck of seed + i, and those that follow it in its place use later
        seeds; or of the seed given for it. None: of seeds that follow from the one before.

        options: `reset_mask`, booleans, starts only those games.
        """
        which: Any = (options or {}).get("reset_mask", True)
        if which is not True:
            which = np.asarray(which, dtype=bool)
            if which.shape != (self.num_envs,):
                said = f"a `reset_mask` has {self.num_envs} booleans, not {which.size}"
                raise GameError(said, "give one for each game")
        seeds = self._seeds(seed)
        self._games.begin(seeds, which)
        self._drawn, self._begun = seeds[0], True
        self._rewards[which] = 0
        self._check()
        return self._look(), self._infos()

    def _seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        """One for each game."""
        if isinstance(seed, Iterable):
            seeds = [int(one) for one in seed]
            if len(seeds) != self.num_envs:
                said = f"there are {len(seeds)} seeds for {self.num_envs} games"
                raise GameError(said, "give one for each, or one for all")
            return seeds
        super().reset(seed=None if seed is None else int(seed) % SEEDS)
        first = int(self.np_random.integers(SEEDS)) if seed is None else int(seed)
        return [first + game for game in range(self.num_envs)]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take an action for each game: observations, rewards, terminations, truncations and infos, by game."""
        games = self._playing
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,):
            raise GameError(f"there are {chosen.size} actions for {self.num_envs} games", "give one for each")
        if chosen.dtype.kind not in "iub":
            raise not_an_action(chosen.flat[0])
        games.actions[:] = chosen
        if self._strict:
            self._refuse(games.actions)
        games.step()
        self._check()
        played = games.answered != CHANCE
        over, cut = (games.statuses == GAME_OVER) & played, (games.cut != 0) & played
        self._pay(over)
        rewards = self._rewards[self._rows, np.maximum(games.answered, 0)] * played
        return self._look(), rewards, over, cut, self._infos() | self._final(over | cut)

    def sample(self) -> Any:
        """A random legal action for each game, all equally likely."""
        self._drawn += self.num_envs
        return self._playing.draw_actions(self._drawn)

    def action_name(self, action: int) -> str:
        """What an action stands for, such as `answer: bet`."""
        return self.coding.action_name(action)

    def action_masks(self) -> Any:
        """Which actions are legal, as booleans: what `MaskablePPO` of sb3-contrib asks for."""
        return self._games.masks.astype(bool)

    def close_extras(self, **_: Any) -> None:
        """The bots are not asked any more."""
        self._games.close()

    # --- keeping

    def save(self) -> Any:
        """All games as one array of int64, a row each: `restore` plays on from there, here or in another environment
        that was made alike. Raises `GameError` with bots that think as at a table."""
        return self._playing.save()

    def restore(self, saved: Any, which: Any = slice(None)) -> tuple[Any, dict[str, Any]]:
        """Play on from games that were saved, and give what `reset` gives. which: only in these rows, as NumPy picks
        them. One row may stand for all, so a game can be tried in many ways. Raises `GameError` for other games'."""
        saved, width = np.asarray(saved, dtype=np.int64), self._games.saved_width
        if saved.ndim not in (1, 2) or saved.shape[-1] != width:
            raise GameError(
                "these are no games of this environment", "restore them where rules and players are the same"
            )
        rows = len(self._rows[which])
        if saved.ndim == 2 and len(saved) not in (1, rows):
            raise GameError(f"there are {len(saved)} saved games for {rows} rows", "give one for each, or one for all")
        self._games.restore(np.broadcast_to(saved, (rows, width)), which)
        self._begun = True
        self._rewards[which] = 0
        return self._look(), self._infos()

    def clone(self) -> VectorEnv:
        """Another environment with the same games, which go on by themselves from here."""
        return _restored(*self.__reduce__()[1])

    def __reduce__(self) -> tuple[Any, ...]:
        luck = deepcopy(self._np_random), self._np_random_seed
        return _restored, (self._made, self.save() if self._begun else None, self._drawn, luck)

    # --- what came of an answer

    @property
    def _playing(self) -> GameBatch:
        if not self._begun:
            raise GameError("no game has begun", "call `reset` first")
        return self._games

    def _look(self) -> dict[str, Any]:
        games = self._games
        games.look()
        if self._copy:
            return {"observation": games.seen.copy(), "action_mask": games.masks.copy()}
        return {"observation": games.seen, "action_mask": games.masks}

    def _infos(self) -> dict[str, Any]:
        games = self._games
        found = {
            "seat": games.seats,
            "rewards": self._rewards,
            "scores": games.scores,
            "illegal": games.illegal.astype(bool),
        }
        every = dict.fromkeys([f"_{name}" for name in found], self._everywhere)
        return ({name: numbers.copy() for name, numbers in found.items()} if self._copy else found) | every

    def _pay(self, over: Any) -> None:
        """What the games that are over came to, as `coding.payoffs` has it, into the rewards."""
        self._rewards[:] = 0
        if not over.any():
            return
        scores, winners = self._games.scores[over], self._games.winners[over]
        if self.coding.reward == "score":
            self._rewards[over] = scores - scores.mean(axis=1, keepdims=True) * (self.players > 1)
            return
        won = (winners[:, None] >> np.arange(self.players)) & 1
        shares = won / np.maximum(1, won.sum(axis=1, keepdims=True))
        self._rewards[over] = (shares * self.players - 1) / (self.players - 1) if self.players > 1 else shares

    def _final(self, ended: Any) -> dict[str, Any]:
        """How games were seen last that others have taken the place of, as Gymnasium gives it: one by one."""
        if self._mode is not AutoresetMode.SAME_STEP or not ended.any():
            return {}
        games, found = self._games, np.full(self.num_envs, None, dtype=object)
        seen = games.observe_states(games.finals[ended], games.answered[ended])
        nothing = np.zeros(self.actions.count, dtype=np.int8)
        for game, view in zip(np.flatnonzero(ended), seen, strict=True):
            found[game] = {"observation": view, "action_mask": nothing.copy()}
        return {"final_obs": found, "_final_obs": ended}

    def _check(self) -> None:
        """Raises `RulesError` if a game ran into a fault."""
        stopped = self._games.find_failed()
        if len(stopped):
            state = self._games.states[stopped[0]].tolist()
            raise fault_error(self.coding.program, state, "in one of many games at once")

    def _refuse(self, actions: Any) -> None:
        """Raises `GameError` if an action is not offered in a game that asks for one."""
        masks = self._games.masks
        possible = (actions >= 0) & (actions < masks.shape[1])
        possible[possible] &= masks[possible, actions[possible]] != 0
        wrong = np.flatnonzero(~possible & masks.any(axis=1))
        if len(wrong):
            raise GameError(f"game {wrong[0]} does not offer the action {actions[wrong[0]]}", "check the mask")


def _restored(made: dict[str, Any], saved: Any, drawn: int, luck: tuple[Any, Any]) -> VectorEnv:
    found = VectorEnv(**made)
    if saved is not None:
        found.restore(saved)
    found._drawn, (found._np_random, found._np_random_seed) = drawn, luck
    return found


def _mode(autoreset: AutoresetMode | str) -> AutoresetMode:
    """Raises `GameError` for what is none."""
    for mode in AutoresetMode:
        if autoreset in (mode, mode.value):
            return mode
    said = ", ".join(mode.value for mode in AutoresetMode)
    raise GameError(f"there is no autoreset `{autoreset}`", f"choose one of: {said}")


def _kind(dtype: Any) -> Any:
    """A type of numbers that observations can have. Raises `GameError` for any other."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind is None or kind.name not in OBSERVATION_KINDS:
        raise GameError(
            f"observations cannot have the type `{dtype}`", f"choose one of: {', '.join(OBSERVATION_KINDS)}"
        )
    return kind
