"""The bot that takes any option, all equally likely."""

from __future__ import annotations

from random import Random

from edict.program import Program
from edict.program.opcodes import OPTIONS
from edict.table.options import Ask
from edict.table.view import View


class RandomBot:
    """Has luck of its own, so that the game's luck does not depend on who sits at the table."""

    def __init__(self, program: Program, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, view: View, ask: Ask) -> int:
        return self._random.randrange(len(ask.options))

    def pick(self, state: list[int]) -> int:
        return int(self._random.random() * state[OPTIONS])
