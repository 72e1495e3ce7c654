"""A moment to look, as one seat sees it: the panel as it stood then, who won and lost what, and from what."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edict.table.game_steps import Table
from edict.table.knowledge import masked
from edict.table.panels import Painter, PanelView
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
