"""A moment to look, as one seat sees it: the panel as it stood then, who won and lost what, and from what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from edict.machine.encoding import secret_cells
from edict.program import Program
from edict.program import opcodes as o
from edict.table.panels import Painter, PanelView
from edict.table.queries import Masked
from edict.table.steps import Table
from edict.table.turnover import Change, Look, Term


@dataclass(frozen=True, slots=True)
class Summary:
    """What there is to look at.

    `changes` are what players won and lost, and `terms` the adjustments that took part, since the phase began in
    which the rules look, or since the game began if that is in no phase.
    """

    title: str
    panel: PanelView
    changes: tuple[Change, ...]
    terms: tuple[Term, ...]


def summary(table: Table, look: Look, seat: int) -> Summary:
    """A moment in the log, with nothing in it that the seat may not know."""
    panel = Painter(table, masked(table.program, look.cells, seat)).panel(table.program.panels[look.panel])
    changes = tuple(_worded(table, one) for one in look.changes if one.seats is None or seat in one.seats)
    return Summary(panel.title, panel, changes, look.terms)


def _worded(table: Table, change: Change) -> Change:
    """`+2 chips`, `-1 chip`."""
    variable = table.program.variable_by_name[change.name]
    sign = "+" if change.amount > 0 else "-"
    return replace(change, words=sign + table.wording.amount(variable, abs(change.amount)))


def masked(program: Program, cells: Sequence[int], seat: int) -> Masked:
    """A state in which what the seat may not know reads as nothing, and one masked otherwise, or None.

    What comes out the same in both does not depend on anything hidden; neither holds any of it.
    """
    state = list(program.initial)
    state[program.header : program.working] = cells[program.header : program.working]
    for cell in (o.PLAYERS, o.EVERYONE, o.WINNERS):
        state[cell] = cells[cell]
    hidden = [
        (address, instead) for address, known, instead in secret_cells(program) if not cells[known] >> seat & 1
    ]
    for _, known, _ in secret_cells(program):
        state[known] &= 1 << seat  # whoever else knows it may have come to by something hidden
    for address, value in hidden:
        state[address] = value
    if not hidden:
        return state, None
    other = state.copy()
    for address, value in hidden:
        other[address] = value + 1
    return state, other
