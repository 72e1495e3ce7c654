"""Trying an answer out on a copy of the state, and judging where it leads by the rules' own judgement."""

from __future__ import annotations

from edict.machine.loop import run
from edict.program import Program
from edict.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, SEAT, STATUS
from edict.table.masking import Secrets
from edict.table.queries import attempt

WORST = -(1 << 60)  # what runs into a fault is worth less than anything


class Lookahead:
    """For one program. States given to it must be masked for the seat that thinks."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.secrets = Secrets.of(program)
        self._judge = program.score if program.judge < 0 else program.judge
        self._log = [0]

    def values(self, state: list[int], seat: int, budget: int) -> list[int]:
        """What each option of the question is worth to the seat, with at most `budget` positions judged."""
        options = state[OPTIONS]
        share = budget // options
        return [self._value(self._after(state, index), seat, share) for index in range(options)]

    def _after(self, state: list[int], index: int) -> list[int]:
        """The state an answer leads to, up to the next question (chance's included), the end, or a fault."""
        following = state.copy()
        following[ANSWER] = index
        run(self.program.code, following, self._log)
        return following

    def _value(self, state: list[int], seat: int, budget: int) -> int:
        """A choice is only complete when somebody else is asked: until then, the best way to go on counts."""
        status = state[STATUS]
        if status == ASKING and state[SEAT] == seat and state[OPTIONS] <= budget:
            return max(self.values(state, seat, budget))
        return self._judged(state, seat) if status in (ASKING, GAME_OVER) else WORST

    def _judged(self, state: list[int], seat: int) -> int:
        found = attempt(self.program, state, self._judge, seat)
        return WORST if found is None else found
