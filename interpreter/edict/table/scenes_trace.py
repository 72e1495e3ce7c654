"""Which rules were played: a program's code that remembers what of it was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from edict.program import Cause, Program


class Walked(Sequence[int]):
    """The code of a program; `seen` are the places the machine has read."""

    def __init__(self, code: Sequence[int]) -> None:
        self._code = code
        self.seen: set[int] = set()

    def __getitem__(self, place: Any) -> Any:
        self.seen.add(place)
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

    def causes(self) -> Iterator[tuple[Cause, bool]]:
        """Every rule of every program that has code of its own, and whether any of it was played."""
        for program, walked in self._walked.values():
            played: dict[int, bool] = {}
            for (start, cause), end in zip(program.places, _ends(program), strict=True):
                was = played.get(cause, False) or any(place in walked.seen for place in range(start, end))
                played[cause] = was
            yield from ((program.causes[cause], was) for cause, was in played.items())


def _ends(program: Program) -> Iterator[int]:
    yield from (start for start, _ in program.places[1:])
    yield len(program.code)
