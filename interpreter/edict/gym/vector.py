"""Thousands of games at once over NumPy, in native code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from edict.bots import BOTS, policy_of
from edict.program.opcodes import GAME_OVER
from edict.simulation.side_by_side import KINDS, Games
from edict.table.spaces import Reward, coding
from edict.table.errors import GameError
from edict.table.faults import fault
from edict.table.rules import Rules

NOTHING: tuple[Sequence[int], int] = ((), 0)
MOST = 1_000_000
OWN = None  # in `bots`: a seat whose actions come from outside


@dataclass(frozen=True)
class Step:
    """What the games ask, and the results of those that ended. The arrays are overwritten by the next step.

    observation: numbers, as whoever is asked sees the game, of shape (games, numbers); mask: booleans, which actions
    are legal, of shape (games, actions); seat: who is asked, of shape (games,). over: booleans, which games ended with
    the last actions (others have begun in their place), of shape (games,); reward: zero unless the game is over, of
    shape (games, players); scores: of games that are over, in points, of shape (games, players).
    """

    observation: Any
    mask: Any
    seat: Any
    over: Any
    reward: Any
    scores: Any


class VectorEnv:
    """Many games side by side; `step` answers one question of each.

    bots: for each seat a bot that plays in native code (`random`, `judge`, `greedy`, `learned`), or None for a seat
    whose actions come from the caller; by default all do. observe: whether observations are wanted; dtype: of their
    numbers, one of `KINDS` (int8 is the fastest; numbers beyond its range become -128 or 127). threads: None takes one
    for each processor. The others are as in `RawEnv`. Raises `GameError` for invalid arguments, `RulesError` for
    invalid rules.
    """

    def __init__(
        self,
        rules: Rules | str | PathLike[str] = "kingsburg",
        modules: Sequence[str] = (),
        players: int | None = None,
        games: int = 4096,
        settings: Mapping[str, object] | None = None,
        reward: Reward = "victory",
        bots: Sequence[str | None] | None = None,
        observe: bool = True,
        dtype: Any = np.float32,
        threads: int | None = None,
    ) -> None:
        if not 1 <= games <= MOST:
            raise GameError(f"there cannot be {games} games at once", f"choose from 1 to {MOST}")
        kind = _kind(dtype)
        self.coding = coding(rules, modules, len(bots) if bots and players is None else players, settings, reward)
        self.games, self.players = games, len(self.coding.names)
        self.actions, self.observer = self.coding.actions, self.coding.observer
        seats = [self._policy(spec) for spec in bots or [OWN] * self.players]
        if len(seats) != self.players or all(seats):
            raise GameError("the bots do not match the seats", f"name one or None for each of {self.players}, one None")
        reads, width = (self.observer.reads(self.players), self.observer.size) if observe else NOTHING
        self._side_by_side = Games(
            self.coding.program, seats, games, (self.actions.firsts, self.actions.seated, self.actions.count),
            (reads, width, kind), self.coding.settings, threads or os.cpu_count() or 1,
        )  # fmt: skip
        self._drawn = 0

    def _policy(self, spec: str | None) -> Any:
        if spec is None:
            return None
        problem = BOTS.problem(spec)
        if problem:
            raise GameError(*problem)
        policy = policy_of(self.coding.program, spec, self.players)
        if policy is None:
            raise GameError(f"`{spec}` does not play in native code", "use greedy, judge, learned or random")
        return policy

    def reset(self, seed: int = 0) -> Step:
        """Start all games anew. Game number i has the luck of seed + i, and those that follow it use later seeds."""
        self._side_by_side.begin(seed)
        self._drawn = seed
        return self._step(np.zeros(self.games, dtype=bool))

    def step(self, actions: Any) -> Step:
        """Take an action for each game. Raises `GameError`, and plays nothing, if one is illegal."""
        wrong = self._side_by_side.step(actions)
        if wrong >= 0:
            raise GameError(f"game {wrong} does not offer the action {actions[wrong]}", "check the mask")
        return self._step(self._side_by_side.statuses == GAME_OVER)

    def sample(self) -> Any:
        """A random legal action for each game, all equally likely."""
        self._drawn += self.games
        return self._side_by_side.drawn(self._drawn)

    def _step(self, over: Any) -> Step:
        found = self._side_by_side
        stopped = np.flatnonzero(found.statuses < 0)
        if len(stopped):
            raise fault(self.coding.program, found.states[stopped[0]].tolist(), "in one of many games at once")
        return Step(found.seen, found.masks, found.seats, over, self._rewards(over), found.scores)

    def _rewards(self, over: Any) -> Any:
        """What the games that are over came to, as `coding.payoffs` has it."""
        rewards = np.zeros((self.games, self.players), dtype=np.float32)
        if not over.any():
            return rewards
        scores, winners = self._side_by_side.scores[over], self._side_by_side.winners[over]
        if self.coding.reward == "score":
            rewards[over] = scores - scores.mean(axis=1, keepdims=True) * (self.players > 1)
            return rewards
        won = (winners[:, None] >> np.arange(self.players)) & 1
        shares = won / np.maximum(1, won.sum(axis=1, keepdims=True))
        rewards[over] = (shares * self.players - 1) / (self.players - 1) if self.players > 1 else shares
        return rewards


def _kind(dtype: Any) -> Any:
    """A type of numbers that observations can have. Raises `GameError` for any other."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind is None or kind.name not in KINDS:
        raise GameError(f"observations cannot have the type `{dtype}`", f"choose one of: {', '.join(KINDS)}")
    return kind
