"""What of a program was played: its code, counting how often each place of it was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from edict.program import Program


class Walked(Sequence[int]):
    """The code of a program; `times` says how often the machine has read each place of it."""

    def __init__(self, code: Sequence[int]) -> None:
        self._code = code
        self.times = [0] * len(code)

    def __getitem__(self, place: Any) -> Any:
        self.times[place] += 1
        return self._code[place]

    def __len__(self) -> int:
        return len(self._code)


class Trace:
    """What scenes have played of each program."""

    def __init__(self) -> None:
        self._walked: dict[str, tuple[Program, Walked]] = {}

    def code(self, program: Program) -> Walked:
        """The program's code, to be given to the machine in its stead."""
        key = " ".join([*program.modules, program.rules_hash])
        if key not in self._walked:
            self._walked[key] = (program, Walked(program.code))
        return self._walked[key][1]

    def __iter__(self) -> Iterator[tuple[Program, Walked]]:
        return iter(self._walked.values())
