"""Code of a program that is played one answer at a time, translated as soon as that pays.

Needs NumPy and llvmlite; import it only where `native.is_available()`.
"""

from __future__ import annotations

from typing import Any

from edict.runtime.machine.translation import get_native_program
from edict.runtime.program import Program

TRANSLATE_AFTER = 4096  # answers after which a program is worth compiling
POLL_AFTER = 64  # answers between two looks for a translation
NEVER = 1 << 62


class AdaptiveCode:
    """A program in native memory that is translated when it is played much.

    `row` is its code, valid as long as this object lives.
    """

    __slots__ = ("_playable", "_played", "_until_poll", "row")

    def __init__(self, program: Program) -> None:
        self._playable = get_native_program(program)
        self.row: Any = self._playable.row
        self._until_poll, self._played = 0, 0

    def count_answers(self, answers: int) -> None:
        """Note that so many answers are about to be played."""
        self._until_poll -= answers
        if self._until_poll < 0:
            self._poll(answers)

    def _poll(self, answers: int) -> None:
        """Count answers; translate the program once enough were played, and stop polling when it is optimized."""
        self._until_poll = POLL_AFTER
        self._played += max(POLL_AFTER, answers)
        if self._played < TRANSLATE_AFTER:
            self._playable.refresh(events=False)
            return
        self._playable.start_translation(events=False)
        if self._playable.is_optimized(events=False):
            self._until_poll = NEVER
