"""What sort of game rules make, as far as their program tells without being played."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from edict.machine.loop import LONGEST, PUTTING
from edict.program import Program, opcodes
from edict.program.listing import instructions
from edict.program.opcodes import LEAST, MOST, SCRATCH, TOGETHER
from edict.table.action_space import Actions, questions_to_chance, questions_to_players
from edict.table.spaces import Reward


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
        options = [len(program.questions[number].answers) or program.room for number in drawn]
        return Nature(
            bool(drawn),
            secret or any(variable.known >= 0 for variable in program.variables),
            _asks_at_once(program),
            (-inf if least is None else least, inf if greatest is None else greatest),
            max(options, default=0),
            LONGEST // PUTTING * (program.room if Actions.of(program).in_parts else 1),
        )

    def payoffs(self, reward: Reward, players: int) -> tuple[float, float]:
        """Between which the payoffs lie, as `table.spaces.payoffs` has them."""
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
        for at in instructions(program)[1]
    )
