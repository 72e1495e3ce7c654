"""A state to think in: the current state, without what one seat may not know."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsIndex, overload

from edict.machine.encoding import secret_cells
from edict.program import Program
from edict.program.opcodes import LOGGING


@dataclass(frozen=True, slots=True)
class Secrets:
    """The cells that may be hidden: (cell, cell of who knows it, what is put there instead)."""

    cells: tuple[tuple[int, int, int], ...]

    @staticmethod
    def of(program: Program) -> Secrets:
        return Secrets(secret_cells(program))

    def masked(self, state: list[int], seat: int) -> list[int]:
        """A copy of a state in mid-choice in which what the seat may not know reads as nothing, who knows it included.

        The machine can play on from it; it writes no events.
        """
        copy = state.copy()
        copy[LOGGING] = 0
        for address, known, instead in self.cells:
            if not copy[known] >> seat & 1:
                copy[address], copy[known] = instead, 0
        return copy

    def hidden(self, state: list[int], seat: int) -> Iterable[int]:
        """The cells that the seat may not know."""
        return (address for address, known, _ in self.cells if not state[known] >> seat & 1)


class Watched(list[int]):
    """A state in which it is noted whether anything hidden was read: one of these cells that is hidden just then."""

    def __init__(self, cells: Sequence[int], hidden: Container[int]) -> None:
        super().__init__(cells)
        self.hidden = hidden
        self.seen = False

    def hides(self, at: int) -> bool:
        """Whether one of the cells is hidden now."""
        return True

    @overload
    def __getitem__(self, at: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> int | list[int]:
        if isinstance(at, int) and at in self.hidden:
            self.seen |= self.hides(at)
        return super().__getitem__(at)
