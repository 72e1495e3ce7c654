"""A program's code that notices how the machine reads it.

The machine reads its code place by place, and takes any sequence for it: so whoever wants to know what runs passes a
sequence that notices. Plain Python only; native code has the numbers themselves.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import SIZE


class ObservedCode(Sequence[int]):
    """The code, for classes that override `__getitem__` to see every place that is read."""

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
    """The code with `times`: how often the machine has read each place of it.

    At the place of an instruction, that is how often it ran.
    """

    def __init__(self, code: Sequence[int]) -> None:
        super().__init__(code)
        self.times = [0] * len(code)

    def __getitem__(self, place: Any) -> Any:
        self.times[place] += 1
        return self.code[place]


def count_jumps(code: Sequence[int], times: Sequence[int], at: int) -> int:
    """Return how often the jump at a place was taken: the machine reads its target only then."""
    return times[at + SIZE[code[at]] - 1]
