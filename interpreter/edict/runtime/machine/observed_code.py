"""Program code that observes how the machine reads it.

The machine reads its code place by place and accepts any sequence, so an observer passes a sequence that takes note.
Works in plain Python only; native code has the numbers themselves.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import SIZE


class ObservedCode(Sequence[int]):
    """A code sequence whose subclasses override `__getitem__` to observe every place that is read."""

    def __init__(self, code: Sequence[int]) -> None:
        self.code = code

    def __getitem__(self, place: Any) -> Any:
        return self.code[place]

    def __len__(self) -> int:
        return len(self.code)

    def run(self, code: Sequence[int], state: MutableSequence[int], log: MutableSequence[int]) -> int:
        """Run the machine on this code instead of `code`, and return its status."""
        return run(self, state, log)


class ReadCounts(ObservedCode):
    """A code sequence that counts in `counts` how often each place was read.

    At the place of an instruction, this is how often it ran.
    """

    def __init__(self, code: Sequence[int]) -> None:
        super().__init__(code)
        self.counts = [0] * len(code)

    def __getitem__(self, place: Any) -> Any:
        self.counts[place] += 1
        return self.code[place]


def count_jumps(code: Sequence[int], counts: Sequence[int], place: int) -> int:
    """Return how often the jump at a place was taken: how often its target was read, which only a taken jump reads."""
    return counts[place + SIZE[code[place]] - 1]
