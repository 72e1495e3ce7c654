"""The bot that takes what looks best at once."""

from __future__ import annotations

from random import Random

from edict.bots.lookahead import Lookahead
from edict.program import Program
from edict.program.opcodes import SEAT
from edict.table.options import Ask
from edict.table.view import View

BUDGET = 300  # positions judged for one answer


class GreedyBot:
    """Tries every option on a copy of what it may know, up to the next question to somebody else or to chance.

    It judges what it finds by the quantity the rules name for it (`judge by`), or else by the score. Of
    options that are equally good it takes any.
    """

    def __init__(self, program: Program, seed: int, budget: int = BUDGET) -> None:
        self._lookahead = Lookahead(program)
        self._random = Random(seed)
        self._budget = budget

    def choose(self, view: View, ask: Ask) -> int:
        return self._best(view.thinking_state, view.seat)

    def pick(self, state: list[int]) -> int:
        return self._best(self._lookahead.secrets.masked(state, state[SEAT]), state[SEAT])

    def _best(self, known: list[int], seat: int) -> int:
        values = self._lookahead.values(known, seat, self._budget)
        best = max(values)
        return self._random.choice([index for index, value in enumerate(values) if value == best])
