"""What a seat sees, as plain text: for bots that read, and for people in a notebook."""

from __future__ import annotations

from collections.abc import Iterator

from edict.table.options import Ask, Option
from edict.table.panels import Grid, PanelView, Row
from edict.table.view import View

RECENT = 15  # lines of the log


def as_text(view: View, recent: int = RECENT) -> str:
    """The table as the view's seat sees it, the last `recent` lines of its log, and the question it is asked, if any.

    Options stand under their numbers, which are what a bot may answer.
    """
    parts = ["\n".join(_panel(panel)) for panel in view.panels()]
    log = [entry.text for entry in view.log[-recent:]] if recent > 0 else []
    if log:
        parts.append("\n".join(["What happened last:", *(f"- {line}" for line in log)]))
    if view.ask is not None:
        parts.append("\n".join(_question(view, view.ask)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _panel(panel: PanelView) -> Iterator[str]:
    if panel.title:
        yield f"{panel.title}:"
    for row in panel.rows:
        yield _row(row, panel.header)
    for grid in panel.grids:
        yield f"{grid.player}: {'; '.join(_marked(grid)) or 'none'}"


def _row(row: Row, header: tuple[str, ...]) -> str:
    cells = [cell for cell in row.cells if cell]
    if header and len(header) == len(row.cells):
        cells = [f"{name} {cell}" for name, cell in zip(header, row.cells, strict=True) if cell]
    return ": ".join(part for part in (row.title, ", ".join(cells)) if part)


def _marked(grid: Grid) -> Iterator[str]:
    """What of a player's grid is set off: what they own, mostly."""
    for line in grid.cells:
        yield from (cell.title for cell_things in line for cell in cell_things if cell.marked)


def _question(view: View, ask: Ask) -> Iterator[str]:
    who = view.players[view.seat]
    yield f"You are {who}. {ask.prompt}"
    yield from (f"{option.index}: {_option(option)}" for option in ask.options)


def _option(option: Option) -> str:
    return " | ".join(part for part in (option.text, option.caption, option.words) if part)
