"""A policy of the machine as a bot at a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from edict.machine.one_ply import Ahead
from edict.machine.orders import Policy
from edict.program import Program
from edict.program.opcodes import PLAYERS
from edict.table.options import Ask
from edict.table.view import View


class PolicyBot:
    """Answers as the policy does; of options that are equally good it takes any. `policy`: for a number of players."""

    def __init__(self, program: Program, seed: int, policy: Callable[[int], Policy]) -> None:
        self._program = program
        self._policy = policy
        self._random = Random(seed)
        self._ahead: dict[int, Ahead] = {}
        self.values: Sequence[float] | None = None  # of the options of the last question

    def choose(self, view: View, ask: Ask) -> int:
        return self.pick(view.thinking_state)

    def pick(self, state: list[int]) -> int:
        players = state[PLAYERS]
        if players not in self._ahead:
            self._ahead[players] = Ahead(self._program, players, self._policy(players))
        values = self._ahead[players].values(state)
        most = max(values)
        self.values = values
        return self._random.choice([index for index, value in enumerate(values) if value == most])
