"""The encoding of a game for learning programs: its traits, actions, observations and payoffs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from os import PathLike
from typing import Literal

from edict.agents.spaces.action_space import ActionSpace, find_chance_questions, find_player_questions
from edict.agents.spaces.observation_space import ObservationSpace
from edict.agents.spaces.state_wording import StateWording
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
class GameEncoding:
    """A game with its settings, actions and observations."""

    rules: Rules
    names: tuple[str, ...]  # the agents by seat
    settings: dict[str, int]
    actions: ActionSpace
    observer: ObservationSpace
    reward: Reward

    @property
    def program(self) -> Program:
        """The program of the rules."""
        return self.rules.program

    @cached_property
    def wording(self) -> StateWording:
        """The words for what is seen and answered."""
        return StateWording(self.program, self.names)

    def action_name(self, action: int) -> str:
        """Return the name of an action."""
        return self.actions.names[action]


def encode_game(
    rules: Rules | str | PathLike[str],
    modules: Sequence[str],
    players: int | None,
    settings: Mapping[str, object] | None,
    reward: Reward,
) -> GameEncoding:
    """Return the actions, observations and payoff bounds of a game by these rules for a number of players.

    Args:
        rules: Rules, or their name or path, as for `edict.load`.
        modules: The names of the modules.
        players: The number of players; None takes as many as possible.
        settings: The settings.
        reward: The kind of payoffs, see `compute_payoffs`.

    Raises:
        RulesError: If the rules are invalid.
        GameError: If the rules do not allow these players or settings.
    """
    if reward not in REWARDS:
        raise GameError(f"invalid reward {reward!r}", f"it is one of: {', '.join(REWARDS)}")
    loaded_rules = rules if isinstance(rules, Rules) else load_rules(rules, modules)
    program = loaded_rules.program
    names = tuple(f"player_{seat}" for seat in range(program.most_players if players is None else players))
    check_players(program, names)
    return GameEncoding(
        loaded_rules,
        names,
        check_settings(program, settings or {}),
        ActionSpace.from_program(program),
        ObservationSpace.from_program(program),
        reward,
    )


def compute_payoffs(reward: Reward, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """Return the payoff of each seat from final scores and winners; they sum to 0 unless one plays alone.

    Args:
        reward: "victory" gives 1 to the winner and -1 shared by the others, and several winners share; "score" gives
            the score less the mean.
        scores: The scores by seat.
        winners: The seats that won.
    """
    players = len(scores)
    if reward == "score":
        mean = sum(scores) / players if players > 1 else 0.0
        return [score - mean for score in scores]
    shares = [(seat in winners) / max(1, len(winners)) for seat in range(players)]
    if players > 1:
        return [(share * players - 1) / (players - 1) for share in shares]
    return shares


# --- traits of a game -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GameTraits:
    """Traits of a game that follow from its rules."""

    chance: bool  # dice are rolled or cards drawn
    hidden: bool  # something is secret, or chosen or drawn in secret
    simultaneous: bool  # several seats are asked at the same time
    score_bounds: tuple[float, float]  # least and greatest score, infinite where the rules set no bound
    max_chance_options: int  # options of chance at most
    max_actions: int  # actions after which every game is over, as the machine stops endless games

    @staticmethod
    def from_program(program: Program) -> GameTraits:
        """Derive the traits of a program."""
        chance_questions, player_questions = find_chance_questions(program), find_player_questions(program)
        secret = any(program.questions[number].secret for number in chance_questions | player_questions)
        least, greatest = program.scores
        options = [len(program.questions[number].answers) or program.max_options for number in chance_questions]
        return GameTraits(
            bool(chance_questions),
            secret or any(variable.known >= 0 for variable in program.variables),
            _has_simultaneous_questions(program),
            (-inf if least is None else least, inf if greatest is None else greatest),
            max(options, default=0),
            LONGEST // PUTTING * (program.max_options if ActionSpace.from_program(program).has_partial_answers else 1),
        )

    def payoff_bounds(self, reward: Reward, players: int) -> tuple[float, float]:
        """Return the least and the greatest payoff of a seat."""
        if reward == "victory":
            return (-1 / (players - 1), 1) if players > 1 else (0, 1)
        least, greatest = max(self.score_bounds[0], LEAST), min(self.score_bounds[1], MOST)
        if players == 1:
            return least, greatest
        max_lead = (greatest - least) * (players - 1) / players  # all others have the opposite extreme
        return -max_lead, max_lead


def _has_simultaneous_questions(program: Program) -> bool:
    """Return True if the code anywhere asks several seats `together`, without seeing the others' answers."""
    code, initial = program.code, program.initial
    return any(
        code[pc] == opcodes.SET and code[pc + 1] == SCRATCH and initial[code[pc + 2]] == TOGETHER
        for pc in find_instructions(program)[1]
    )
