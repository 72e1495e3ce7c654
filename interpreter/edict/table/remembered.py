"""What was worked out from a state, remembered with the cells it was made of: while these are the same, so is it.

Nobody says on what a value hangs: which cells are read is noted while it is worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, TypeVar

from edict.machine.encoding import secret_cells
from edict.program import Program, Variable
from edict.program.cells import value_at
from edict.table.knowledge import Blind, KnownState, Peeked, attempt

Made = TypeVar("Made")


class Noting(Blind):
    """A state that notes which of its cells are read."""

    def __init__(self, cells: Sequence[int], hidden: Collection[int], noted: set[int]) -> None:
        super().__init__(cells, hidden)
        self.noted = noted

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int):
            self.noted.add(at)
        else:
            self.noted.update(range(*at.indices(len(self))))
        return super().__getitem__(at)

    def copy(self) -> Noting:
        return Noting(self, self.hidden, self.noted)


@dataclass(frozen=True, slots=True)
class _Known:
    """What was made, of which cells: what stood in them, and which of those that may be were hidden."""

    made: Any
    cells: tuple[int, ...]
    stood: tuple[int, ...]
    secret: frozenset[int]
    hidden: frozenset[int]

    def holds(self, known: KnownState) -> bool:
        stand = map(known.state.__getitem__, self.cells)
        return all(map(eq, stand, self.stood)) and self.secret & known.hidden == self.hidden


class Memory:
    """Remembers, of each thing that is worked out again and again, what was found the last `most` times."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, list[_Known]] = {}

    def find(self, key: Hashable, known: KnownState) -> _Known | None:
        return next((one for one in self._kept.get(key, ()) if one.holds(known)), None)

    def keep(self, key: Hashable, known: KnownState, made: Any, noted: set[int], secret: frozenset[int]) -> _Known:
        cells = tuple(sorted(noted))
        stood = tuple(known.state[at] for at in cells)
        looked_for = secret & noted
        one = _Known(made, cells, stood, looked_for, looked_for & known.hidden)
        self._kept[key] = [one, *self._kept.get(key, ())][: self._most]
        return one


class Looking:
    """A state that is looked at with a memory; stands in for what a seat knows (`KnownState`)."""

    def __init__(self, program: Program, known: KnownState, memory: Memory) -> None:
        self.known = known
        self._secret = frozenset(cell for cell, _, _ in secret_cells(program))
        self._memory = memory
        self._noted: list[set[int]] = [set()]

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is made under a key, which names all that it hangs on beside the state; nobody changes it any more."""
        found = self._memory.find(key, self.known)
        if found is None:
            self._noted.append(set())
            try:
                made = make()
            finally:
                noted = self._noted.pop()
            found = self._memory.keep(key, self.known, made, noted, self._secret)
        self._noted[-1].update(found.cells)
        kept: Made = found.made
        return kept

    def blind(self) -> Noting:
        """A copy of the state, to be read or played on."""
        return Noting(self.known.state, self.known.hidden, self._noted[-1])

    def value(self, program: Program, query: int, *args: int) -> int | None:
        """The value of a query; None if it would have to read something hidden."""
        try:
            return attempt(program, self.blind(), query, *args)
        except Peeked:
            return None

    def of(self, variable: Variable, address: int) -> int | None:
        """What stands in a variable's cells from this one on; None if that is hidden."""
        cells = range(address, address + variable.type.cells)
        self._noted[-1].update(cells)
        hidden = not self.known.hidden.isdisjoint(cells)
        return None if hidden else value_at(variable.type, self.known.state, address)
