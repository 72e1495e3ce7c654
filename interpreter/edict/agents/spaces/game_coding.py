"""A game as learning programs meet it: which sort it is, its actions, what is observed, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from os import PathLike
from typing import Literal

from edict.agents.spaces.action_space import Actions, questions_to_chance, questions_to_players
from edict.agents.spaces.observation_space import Observer
from edict.agents.spaces.worded_states import StateWording
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules, load_rules
from edict.game.table.setup import check_players, check_settings
from edict.runtime.machine.loop import LONGEST, PUTTING
from edict.runtime.program import Program, opcodes
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import LEAST, MOST, SCRATCH, TOGETHER

Reward = Literal["victory", "score"]
REWARDS = ("victory", "score")


@dataclass(frozen=True)
class Coding:
    """A game as learning programs meet it. `names` are the agents by seat."""

    rules: Rules
    names: tuple[str, ...]
    settings: dict[str, int]
    actions: Actions
    observer: Observer
    reward: Reward

    @property
    def program(self) -> Program:
        return self.rules.program

    @cached_property
    def sights(self) -> StateWording:
        """What is seen and answered, in words."""
        return StateWording(self.program, self.names)

    def action_name(self, action: int) -> str:
        """What an action stands for."""
        return self.actions.names[action]


def coding(
    rules: Rules | str | PathLike[str],
    modules: Sequence[str],
    players: int | None,
    settings: Mapping[str, object] | None,
    reward: Reward,
) -> Coding:
    """Rules by name, path or as `edict.load` gives them. players: as many as can play, if it is None.

    Raises `RulesError` for rules that are wrong, `GameError` for players or settings they do not have.
    """
    if reward not in REWARDS:
        raise GameError(f"invalid reward {reward!r}", f"it is one of: {', '.join(REWARDS)}")
    found = rules if isinstance(rules, Rules) else load_rules(rules, modules)
    program = found.program
    names = tuple(f"player_{seat}" for seat in range(program.most_players if players is None else players))
    check_players(program, names)
    return Coding(
        found, names, check_settings(program, settings or {}), Actions.of(program), Observer.of(program), reward
    )


def payoffs(reward: Reward, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """What a game came to by seat; the sum is zero, unless somebody plays alone.

    victory: 1 for the winner and -1 shared by the others; several winners share. score: one's score less the mean.
    """
    players = len(scores)
    if reward == "score":
        mean = sum(scores) / players if players > 1 else 0.0
        return [score - mean for score in scores]
    shares = [(seat in winners) / max(1, len(winners)) for seat in range(players)]
    return [(share * players - 1) / (players - 1) for share in shares] if players > 1 else shares


# --- which sort of game it is ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Nature:
    """chance: dice are rolled, or cards drawn. hidden: something is a secret, or chosen or drawn in secret. at_once:
    some are asked at the same time. scores: between which they lie; infinite where the rules set no bound. draws:
    options of chance at most. longest: actions after which every game is over, as the machine stops one that goes on
    and on.
    """

    chance: bool
    hidden: bool
    at_once: bool
    scores: tuple[float, float]
    draws: int
    longest: int

    @staticmethod
    def of(program: Program) -> Nature:
        drawn, asked = questions_to_chance(program), questions_to_players(program)
        secret = any(program.questions[number].secret for number in drawn | asked)
        least, greatest = program.scores
        options = [len(program.questions[number].answers) or program.max_options for number in drawn]
        return Nature(
            bool(drawn),
            secret or any(variable.known >= 0 for variable in program.variables),
            _asks_at_once(program),
            (-inf if least is None else least, inf if greatest is None else greatest),
            max(options, default=0),
            LONGEST // PUTTING * (program.max_options if Actions.of(program).in_parts else 1),
        )

    def payoffs(self, reward: Reward, players: int) -> tuple[float, float]:
        """Between which the payoffs lie, as `payoffs` has them."""
        if reward == "victory":
            return (-1 / (players - 1), 1) if players > 1 else (0, 1)
        least, greatest = max(self.scores[0], LEAST), min(self.scores[1], MOST)
        if players == 1:
            return least, greatest
        far = (greatest - least) * (players - 1) / players  # all others are at the other end
        return -far, far


def _asks_at_once(program: Program) -> bool:
    code, initial = program.code, program.initial
    return any(
        code[at] == opcodes.SET and code[at + 1] == SCRATCH and initial[code[at + 2]] == TOGETHER
        for at in find_instructions(program)[1]
    )
