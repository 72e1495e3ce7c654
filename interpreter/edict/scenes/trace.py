"""Which rules were played: a program's code that remembers what of it was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from edict.program import Cause, Program


Line = tuple[str, int, str]  # file, line, and the title of the rule


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

    def lines(self) -> dict[Line, bool]:
        """Every line of rules that has code of its own, and whether any of that code was played."""
        played: dict[Line, bool] = {}
        for program, walked in self._walked.values():
            for (start, cause), end in zip(program.places, _ends(program), strict=True):
                line = _line(program.causes[cause])
                played[line] = played.get(line, False) or any(place in walked.seen for place in range(start, end))
        return played


def _line(cause: Cause) -> Line:
    return cause.file, cause.line, cause.title or cause.name


def _ends(program: Program) -> Iterator[int]:
    yield from (start for start, _ in program.places[1:])
    yield len(program.code)
