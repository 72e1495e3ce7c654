"""Programs as cache keys, and comparison of programs by play."""

from __future__ import annotations

from dataclasses import replace

from edict.runtime.program import Program
from edict.runtime.program.reasons import Reasons


class ProgramKey:
    """A cache key that compares programs by identity, because comparing their code number by number is slow."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __hash__(self) -> int:
        return id(self.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProgramKey) and other.program is self.program


def plays_alike(first: Program, second: Program) -> bool:
    """Return True if two programs do and say the same, however and wherever their rules are written."""
    return _strip_source_details(first) == _strip_source_details(second)


def _strip_source_details(program: Program) -> Program:
    """Return the program without places, reasons, hash, version and former names, to compare meanings."""
    causes = tuple(replace(cause, file="", line=0, column=0) for cause in program.causes)
    return replace(program, causes=causes, reasons=Reasons(), rules_hash="", version="", renamed=())
