"""A program's code that is played an answer at a time: translated as soon as that pays, and looked after meanwhile.

Needs NumPy and llvmlite; import it only where `native.available()`.
"""

from __future__ import annotations

from typing import Any

from edict.runtime.machine.translation import playable
from edict.runtime.program import Program

WORTH = 4096  # answers after which a program is worth translating
LOOK = 64  # answers between two looks at what has been translated
NEVER = 1 << 62


class PlayedCode:
    """A program in native memory. `row` is its code, as long as this lives."""

    __slots__ = ("_left", "_playable", "_played", "row")

    def __init__(self, program: Program) -> None:
        self._playable = playable(program)
        self.row: Any = self._playable.row
        self._left, self._played = 0, 0

    def plays(self, answers: int) -> None:
        """So many are about to be answered."""
        self._left -= answers
        if self._left < 0:
            self._look(answers)

    def _look(self, answers: int) -> None:
        self._left = LOOK
        self._played += max(LOOK, answers)
        if self._played < WORTH:
            self._playable.ready(events=False)
            return
        self._playable.prepare(events=False)
        if self._playable.settled(events=False):
            self._left = NEVER
