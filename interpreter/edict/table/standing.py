"""The current state of something with a name, as far as a seat may know, in lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from edict.program import Variable
from edict.program.reasons import Measure
from edict.table.current import Instead
from edict.table.addresses import PLAYER, seats_in, sizes_for
from edict.table.panels import Grid, PanelView, Row
from edict.table.view import View
from edict.table.wording import HIDDEN, listed

MOST = 12  # values of one thing
RESOURCE = "resource"  # the kind of all resources, which are described as what players have
EMPTY = ("", "none", "nobody")


def standing(name: str, view: View) -> Iterator[str]:
    """The lines for what has this name in the rules."""
    program = view.program
    for kind in program.kinds:
        for index, thing in enumerate(kind.things):
            if thing.name == name and kind.name != RESOURCE:
                yield from _thing(kind.name, index, view)
    variable = program.variable_by_name.get(name)
    if variable is not None:
        yield from _variable(variable, view)
    yield from (line for one in program.reasons.measures if one.name == name for line in _measure(one, view))
    for setting in program.settings:
        if setting.name == name:
            value = view.state[setting.cell]
            yield f"In this game: {('on' if value else 'off') if setting.truth else value}."


# --- variables and quantities --------------------------------------------------------------------------


def _variable(variable: Variable, view: View) -> Iterator[str]:
    """What is there, of each player or of the table; what is kept for more things is listed for each of them."""
    sizes = sizes_for(variable, len(view.players))
    cells = list(product(*(range(size) for size in sizes)))
    if len(cells) > MOST:
        return
    told = [(cell, view.value(variable.name, *cell)) for cell in cells]
    words = [(_of(variable.kinds, cell, view), _said(variable, value, view)) for cell, value in told]
    if any(said != HIDDEN for _, said in words):
        yield "Now: " + "; ".join(f"{of} {said}" if of else said for of, said in words) + "."


def _said(variable: Variable, value: int | None, view: View) -> str:
    if value is None:
        return HIDDEN
    return str(value) if variable.resource else view.wording.value(variable.type, value)


def _of(kinds: tuple[str, ...], cell: tuple[int, ...], view: View) -> str:
    return ", ".join(view.wording.title(kind, i) for kind, i in zip(kinds, cell, strict=True))


def _measure(one: Measure, view: View) -> Iterator[str]:
    """A quantity of nothing or of each player."""
    if one.kinds not in ((), (PLAYER,)):
        return
    if one.query < 0:
        yield f"Always {one.value}."
        return
    cells = [()] if not one.kinds else [(seat,) for seat in range(len(view.players))]
    values = [(_of(one.kinds, cell, view), view.compute(one.query, *cell)) for cell in cells]
    if any(value is not None for _, value in values):
        yield "Now: " + "; ".join(f"{of} {HIDDEN if value is None else value}".strip() for of, value in values) + "."


# --- things --------------------------------------------------------------------------------------------


def _thing(kind: str, index: int, view: View) -> Iterator[str]:
    """What counts in its place, where it lies, and what the panels say of it."""
    program = view.program
    current = Instead(program, view.state, view.seat).of(kind, index)
    if current is not None:
        yield f"Now what counts is {current.thing.title or current.thing.name}: {current.words}"
    yield from _holders(kind, index, view)
    name = program.kind_by_name[kind].things[index].name
    yield from (line for panel in view.panels() for line in _on_panel(panel, name))


def _holders(kind: str, index: int, view: View) -> Iterator[str]:
    """The titled places it is in: `Ann's governor`, `the destiny`; of sets, those that are logged for everybody."""
    for variable in view.program.variables:
        told = variable.type.shape == "thing" or variable.type.shape == "set" and not variable.quiet
        if variable.type.kind != kind or not told or variable.title in ("", variable.name):
            continue
        for cell in product(*(range(size) for size in sizes_for(variable, len(view.players)))):
            value = view.value(variable.name, *cell)
            there = value == index if variable.type.shape == "thing" else value is not None and index in seats_in(value)
            if there:
                of = _of(variable.kinds, cell, view)
                yield f"Now: {of}'s {variable.title}." if of else f"Now: the {variable.title}."


def _on_panel(panel: PanelView, name: str) -> Iterator[str]:
    for row in panel.rows:
        told = columns(panel, row) if row.key == name else ""
        yield from [told] if told else []
    marked = [grid.player for grid in panel.grids if _marked(grid, name)]
    if marked and panel.mark:
        yield f"{panel.mark[:1].upper()}{panel.mark[1:]}: {listed(marked)}."


def columns(panel: PanelView, row: Row) -> str:
    """A row of a panel in one sentence: `Gold: 3; Dice: 2 4`; nothing of what is empty."""
    told = [f"{head}: {text}" for head, text in zip(panel.header, row.cells, strict=True) if text not in EMPTY]
    told += [panel.mark] if row.marked and panel.mark else []
    return f"{'; '.join(told)}." if told else ""


def _marked(grid: Grid, name: str) -> bool:
    return any(one.key == name and one.marked for line in grid.cells for place in line for one in place)


__all__ = ["columns", "standing"]
