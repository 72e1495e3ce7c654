"""What the log says of sets and bags: what is in them, what has joined and left."""

from __future__ import annotations

from collections.abc import Sequence

from edict.table.addresses import Cell, Layout, seats_in
from edict.table.wording import Wording, listed


def so_many(wording: Wording, cell: Cell, many: int) -> str:
    """A thing in a bag, or several: `Acorn`, `3 Acorn`."""
    return f"{many} " * (many != 1) + wording.title(cell.variable.kinds[-1], cell.of[-1])


def contents(wording: Wording, layout: Layout, cells: Sequence[int], cell: Cell) -> str:
    """The value of a cell; all that is in a bag, whose cells stand side by side."""
    if not cell.variable.counts:
        return wording.value(cell.variable.type, cell.value(cells))
    first = cell.address - cell.of[-1]
    inside = (layout.cells[first + thing] for thing in range(cell.variable.sizes[-1]))
    return listed(so_many(wording, one, many) for one in inside if (many := one.value(cells))) or "none"


def in_one_bag(cell: Cell, other: Cell | None) -> bool:
    """Whether two cells are of one bag."""
    return other is not None and cell.variable.counts and (
        cell.variable is other.variable and cell.of[:-1] == other.of[:-1]
    )


def changed(wording: Wording, cell: Cell, old: int, new: int) -> str:
    """What is new about a value; of a set or a bag, what joined and left."""
    type_ = cell.variable.type
    if cell.variable.counts:
        return f"now {'with' if new > old else 'without'} {so_many(wording, cell, abs(new - old))}"
    if type_.shape != "set" or not old:
        return wording.value(type_, new)
    joined_, left = (seats_in(part) for part in (new & ~old, old & ~new))
    parts = [f"now with {listed(wording.title(type_.kind, i) for i in joined_)}" if joined_ else ""]
    parts.append(f"now without {listed(wording.title(type_.kind, i) for i in left)}" if left else "")
    return ", ".join(part for part in parts if part)
