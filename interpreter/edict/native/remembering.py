"""What instructions came to before, for the same numbers: looked up, it is much cheaper in plain Python."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

from edict.program import Program
from edict.program import opcodes as o

REMEMBERED = {o.REACH: (2, 3, 5), o.WAYS: (1, 2, 3, 5), o.OFFERS: (1,)}  # operands on which all depends
REMEMBER = 1 << 14  # results, of each
Run = Callable[[Sequence[int], MutableSequence[int], MutableSequence[int]], int]


class Known(dict[int, "_Remembered"]):
    """By the place of an instruction: what it came to."""

    def __init__(self, program: Program, run: Run) -> None:
        self._program, self._run = program, run

    def __missing__(self, at: int) -> _Remembered:
        self[at] = _Remembered(self._program, self._run, at)
        return self[at]


class _Remembered(dict[Any, tuple[Any, int]]):
    """What one instruction gives and charges for the numbers it looks at; the loop itself works it out."""

    def __init__(self, program: Program, run: Run, at: int) -> None:
        op = program.code[at]
        self._program, self._run, self._at = program, run, at
        self._operands = [program.code[at + operand] for operand in REMEMBERED[op]]
        self._code = (*program.code[: at + o.SIZE[op]], o.OVER, *program.code[at + o.SIZE[op] + 1 :])

    def __missing__(self, key: Any) -> tuple[Any, int]:
        if len(self) >= REMEMBER:
            self.clear()
        s = list(self._program.initial)
        for cell, value in zip(self._operands, key if isinstance(key, tuple) else (key,), strict=True):
            s[cell] = value
        s[o.PC] = self._at
        good = self._run(self._code, s, [0]) == o.GAME_OVER
        given = s[o.FIRST_OPTION : o.FIRST_OPTION + s[o.OPTIONS]] if good else [0] * (self._program.room + 1)
        reached = self._program.code[self._at] == o.REACH
        self[key] = found = s[self._program.code[self._at + 1]] if reached else given, s[o.SPENT]
        return found
