"""The machine's events as changes of values: events of several cells of one value are one event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.program import Program
from edict.program.cells import joined, parts_of
from edict.program.opcodes import EV_SAY, EV_SET, HEARD, SCRATCH
from edict.table.addresses import Cell, Layout
from edict.table.contents import in_one_bag

Event = tuple[int, int, int, int, int]


class Whole:
    """Combines the events of values that take several cells, for one program."""

    def __init__(self, program: Program, layout: Layout) -> None:
        self._layout = layout
        self._said = {i: say.type for i, say in enumerate(program.says) if say.type is not None and say.type.cells > 1}
        self._needed = bool(self._said) or any(variable.type.cells > 1 for variable in program.variables)

    def __call__(self, cells: Sequence[int], events: Sequence[Event]) -> list[Event | None]:
        """The events, each change of a value where its last cell changed, and None for the others.

        Changes of values that take several cells end with one of the cell SCRATCH. `cells`: the state before.
        """
        found: list[Event | None] = list(events)
        if not self._needed:
            return found
        now: dict[int, list[int]] = {}  # by the first cell of a value, what stands in all of them
        before, said = 0, list[int]()
        for place, (kind, pc, at, _, new) in enumerate(events):
            cell = self._layout.cells.get(at) if kind == EV_SET else None
            if kind == EV_SET and at == SCRATCH:
                found[place] = found[place] if new > 1 else None
            elif cell is not None and cell.variable.type.cells > 1:
                of, first = cell.variable.type, cell.address
                parts = now.setdefault(first, parts_of(of, cell.value(cells)))
                before = before if self._goes_on(cell, events, place - 1) else joined(of, parts)
                parts[at - first] = new
                ends = not self._goes_on(cell, events, place + 1)
                found[place] = (kind, pc, first, before, joined(of, parts)) if ends else None
            elif kind == EV_SAY and at in self._said:
                said.append(events[place][3])
                found[place] = None
                if len(said) == self._said[at].cells:
                    found[place] = (kind, pc, at, joined(self._said[at], said), 0)
                    said = []
        return found

    def _goes_on(self, cell: Cell, events: Sequence[Event], place: int) -> bool:
        """Whether this event, before or after the one at hand, is of the same change."""
        there = 0 <= place < len(events) and events[place][0] == EV_SET
        return there and self._layout.cells.get(events[place][2]) is cell


class Marks:
    """Where secrets are written: who does not see what is there is told so once, whether or not it has changed."""

    def __init__(self, layout: Layout, events: list[Event | None]) -> None:
        self._layout = layout
        self.telling: set[int] = set()  # places of the first change after each mark
        for place, event in enumerate(events):
            marked = marked_by(layout, event)
            first = self._change(events, place + 1, marked) if marked is not None else -1
            if first >= 0:
                self.telling.add(first)
                events[place] = None

    def _change(self, events: Sequence[Event | None], place: int, marked: Cell) -> int:
        """Where the marked value changes; -1 if it stays as it was."""
        for at in range(place, len(events)):
            event = events[at]
            if event is None:
                continue
            cell = self._layout.cells.get(event[2]) if event[0] == EV_SET else None
            if cell is not None and (cell is marked or in_one_bag(cell, marked)):
                return at
            if event[0] != EV_SET or event[2] not in self._layout.watched:
                return -1
        return -1


def marked_by(layout: Layout, event: Event | None) -> Cell | None:
    """The secret that is written next, if an event is a mark."""
    if event is None or event[0] != EV_SET or event[2] != SCRATCH or event[4] <= HEARD:
        return None
    return layout.cells[event[4]]


def neighbours(events: Sequence[Event | None]) -> Iterator[tuple[int, Event | None, Event, Event | None]]:
    """Each event that there is, with its place and with those before and after it."""
    there = [(place, event) for place, event in enumerate(events) if event is not None]
    for i, (place, event) in enumerate(there):
        before = there[i - 1][1] if i else None
        after = there[i + 1][1] if i + 1 < len(there) else None
        yield place, before, event, after


def sets(event: Event | None, address: int) -> bool:
    return event is not None and event[0] == EV_SET and event[2] == address


def sets_too(program: Program, pc: int, after: Event | None, address: int) -> bool:
    """Whether the same step sets a cell right after; what another step sets does not say what was shown before."""
    return after is not None and sets(after, address) and program.cause_at(pc) == program.cause_at(after[1])
