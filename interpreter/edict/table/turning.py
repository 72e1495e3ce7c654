"""Which loop it is that never ends.

The machine stops wherever its budget ran out: in the loop itself, in one inside it, or in a routine called
there. So the state is played on for a while, and the outermost backward jump that recurs is the loop's. Where it was
the players' answers that led nowhere, answers are made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edict.machine.loop import BUDGET, run
from edict.machine.mixing import draw
from edict.program import Cause, Program
from edict.program.listing import instructions
from edict.program.opcodes import (
    ANSWER, ASKING, CHANCE, JMP, LOGGING, LOOPN, OPTIONS, PC, RUNNING, SEAT, SIZE, SP, SPENT, STATUS, TOO_LONG, TOTAL,
)  # fmt: skip

TRIED = 200  # answers that are made up


def turning(program: Program, state: Sequence[int]) -> Cause:
    """The loop in which the machine ran out of its budget; if none is seen, what it did last."""
    scratch = list(state)
    watched = _Watched(program, scratch)
    asking = state[STATUS] == TOO_LONG
    scratch[STATUS], scratch[LOGGING], scratch[SPENT], scratch[TOTAL] = RUNNING, 0, BUDGET // 2, 0
    given = 0
    while run(watched, scratch, [0]) == ASKING and (scratch[SEAT] == CHANCE or (asking and given < TRIED)):
        scratch[ANSWER] = draw(0, given, scratch[OPTIONS])
        given += 1
    found = watched.outermost()
    return _head(program, *found) if found else program.cause_at(state[PC])


def _head(program: Program, back: int, to: int) -> Cause:
    """Of the two ends of a loop the one that stands first in its rule, for its words begin there."""
    end, start = program.cause_at(back), program.cause_at(to)
    same = (end.file, end.name) == (start.file, start.name)
    return min(end, start, key=lambda cause: (cause.line, cause.column)) if same else end


class _Watched(Sequence[int]):
    """The code, which notes when the machine looks at a backward jump, and how deep in routines it is then."""

    def __init__(self, program: Program, state: list[int]) -> None:
        self._code, self._state = program.code, state
        self._jumps = _jumps_back(program)
        self._seen: dict[int, tuple[int, int]] = {}  # by jump: how often, at which depth at least

    def __getitem__(self, place: Any) -> Any:
        if place in self._jumps:
            often, depth = self._seen.get(place, (0, len(self._state)))
            self._seen[place] = often + 1, min(depth, self._state[SP])
        return self._code[place]

    def __len__(self) -> int:
        return len(self._code)

    def outermost(self) -> tuple[int, int] | None:
        """Of the jumps that came again the one least deep in routines, and of those the farthest; and whereto."""
        again = [(depth, self._jumps[at] - at, at) for at, (often, depth) in self._seen.items() if often > 1]
        return (min(again)[2], self._jumps[min(again)[2]]) if again else None


def _jumps_back(program: Program) -> dict[int, int]:
    """The places of all backward jumps, and their targets."""
    code = program.code
    jumps = (at for at in instructions(program)[1] if JMP <= code[at] <= LOOPN)
    return {at: to for at in jumps if (to := code[at + SIZE[code[at]] - 1]) <= at}
