"""What lies on the table, drawn for a terminal: status, lists of things, the players' table, each player's grid.

How much of it is drawn out is said by a `Detail`, so that whoever lays out the screen can take as much as fits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.text import Text

from edict.cli.playing.grids import LEAST_CELL, Grids
from edict.cli.playing.columns import Lines, beside, flowing, heading, least_width, table, width_of
from edict.cli.playing.listing import NOTHING, Listing, heading_of, is_number
from edict.cli.playing.screen import Screen
from edict.table.panels import Grid, PanelView, Row


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of the board is drawn out.

    lists: whether the lists of things are drawn at all. words: the least columns for what things in them do, 0 for
    nothing. own: of one's own grid nothing but numbers, its names in few letters, whole names, or all that is printed.
    effects: lines for what one's own marked things do. others: whether the other players' grids are drawn too.
    headed: whether lists have headings.
    """

    lists: bool = False
    words: int = 0
    own: int = 0
    effects: int = 0
    others: bool = False
    headed: bool = False


GAP = 2
COUNTED, SHORT, NAMED, TOLD = range(4)
WHOLE = Detail(lists=True, words=40, own=TOLD, effects=99, others=True, headed=True)


@dataclass(frozen=True)
class Board:
    """The panels of one view, drawn for a screen.

    seat: whose eyes it is for. offered: the names of the things among which somebody chooses just now.
    """

    screen: Screen
    title: str
    panels: Sequence[PanelView]
    phases: Sequence[str]
    seat: int
    offered: Collection[str] = ()

    def lines(self, detail: Detail = WHOLE) -> Lines:
        width = self.screen.width
        top, below = [*self.status(width), *self.lists(detail, width)], self.below(detail, width)
        side = self._side(detail)
        if side:
            tables = self.players_tables(detail, width - width_of(side) - GAP)
            if tables:
                return [*top, *beside([tables, side], GAP), *below]
        return [*top, *(self.players_tables(detail, width) or self.players_tables(detail, width, cut=True)), *below]

    # --- which panels

    @cached_property
    def listings(self) -> list[Listing]:
        found = [panel for panel in self.panels if panel.shape == "rows" and not _of_players(panel) and panel.rows]
        return [Listing(self.screen, panel, self._offered(panel)) for panel in found]

    def _offered(self, panel: PanelView) -> Collection[str]:
        """Of a list's things those that are offered, if it has them all; else the question is about something else."""
        return self.offered if set(self.offered) <= {row.key for row in panel.rows} else ()

    @property
    def lists_all(self) -> bool:
        """Whether everything that is offered stands in one of the lists."""
        return bool(self.offered) and any(listing.offered for listing in self.listings)

    @property
    def tables(self) -> list[PanelView]:
        return [panel for panel in self.panels if panel.shape == "rows" and _of_players(panel)]

    @cached_property
    def grids(self) -> list[Grids]:
        return [Grids(self.screen, panel) for panel in self.panels if panel.shape == "grid"]

    def _own(self) -> list[tuple[Grids, Grid]]:
        return [(grids, grid) for grids in self.grids for grid in grids.panel.grids if grid.seat == self.seat]

    @property
    def tells(self) -> bool:
        """Whether the screen is wide enough to tell of everything in one's own grid what it does."""
        return any(grids.drawn(grid, self.screen.width) for grids, grid in self._own())

    # --- lines and lists

    def status(self, width: int) -> Lines:
        """The course of the game and every line of the rules, one after the other."""
        items = [self.screen.text(self.title, "bold")] if self.title else []
        if self.phases:
            items.append(self.screen.text(" > ".join(self.phases), "bold"))
        for panel in self.panels:
            items += [self.screen.text(line) for line in panel.above]
            items += [self.screen.text(_line(row)) for row in panel.rows if panel.shape == "lines"]
        return flowing([item for item in items if item.plain], width, "  |  ")

    def lists(self, detail: Detail, width: int) -> Lines:
        lines: Lines = []
        for place, listing in enumerate(self.listings if detail.lists else ()):
            lines += heading(heading_of(listing.panel), width) if detail.headed or place else []
            lines += listing.lines(width, detail.words)
        return lines

    # --- the players

    def players_tables(self, detail: Detail, width: int, cut: bool = False) -> Lines:
        """A row a player; nothing where values or too much of their headings would have to be `cut`."""
        grids = [] if detail.others else self.grids
        found = [self._players_rows(panel, () if place else grids) for place, panel in enumerate(self.tables)]
        if not cut and any(least_width(rows) > width for rows, _ in found):
            return []
        return [line for rows, numbers in found for line in table(rows, width, numbers)]

    def _players_rows(self, panel: PanelView, grids: Sequence[Grids]) -> tuple[list[list[Text]], list[bool]]:
        """The cells of a players' table, `grids` counted in further columns; and which columns are numbers."""
        head = [panel.title, *panel.header, *(one.panel.title for one in grids)]
        rows = [[self.screen.text(title, "dim") for title in head]]
        for row in panel.rows:
            counts = [one.counted(one.panel.grids[row.seat]) for one in grids]
            name = self.screen.text(row.title)
            name.append(" (you)" if row.seat == self.seat else "", style="dim")
            rows.append([name, *(self.value(cell) for cell in (*row.cells, *counts))])
        numbers = [all(is_number(row.cells[i]) for row in panel.rows) for i in range(len(panel.header))]
        return rows, [False, *numbers, *(False for _ in grids)]

    def value(self, words: str) -> Text:
        return Text("-", style="dim") if words in NOTHING else self.screen.text(words)

    # --- grids

    def _side(self, detail: Detail) -> Lines:
        """One's own grid in few letters, to stand beside something else."""
        if detail.own != SHORT:
            return []
        return [line for grids, grid in self._own() for line in grids.short(grid, _narrow(grids, self.screen.width))]

    def below(self, detail: Detail, width: int) -> Lines:
        """What stands under the players' table: grids as far as they are drawn out, and what one's own things do."""
        lines: Lines = []
        drawn: set[int] = set()
        for grids, grid in self._own():
            told = grids.drawn(grid, width) if detail.own == TOLD else []
            if not told:
                named = grids.short(grid, width)[1:] if detail.own >= NAMED else []
                told = [*named, *grids.effects(grid, width, detail.effects)]
            lines += told
            drawn |= {grid.seat} if detail.own >= NAMED else set()
        for grids in self.grids if detail.others else ():
            lines += grids.side_by_side([grid.seat for grid in grids.panel.grids if grid.seat not in drawn], width)
        return lines


def _narrow(grids: Grids, width: int) -> int:
    """The columns for one's own grid beside other things: as few letters as still can be read."""
    across = max((len(grid.columns) for grid in grids.panel.grids), default=0)
    return (LEAST_CELL + 1 + (width >= 80) + 4 * (width >= 120)) * across + 1


def plain_lines(screen: Screen, panels: Sequence[PanelView], phases: Sequence[str], seat: int) -> list[str]:
    """The board told, not drawn: a line a thing, for screens without places."""
    said = [" > ".join(phases)] if phases else []
    for panel in panels:
        said += panel.above
        if panel.shape == "lines":
            said += [_line(row) for row in panel.rows]
        elif panel.shape == "rows":
            said += [_told(panel, row, row.seat == seat) for row in panel.rows]
        else:
            said += [f"{panel.title}, {grid.player}: {_marked(grid)}" for grid in panel.grids]
    return said


def _told(panel: PanelView, row: Row, own: bool) -> str:
    pairs = zip(panel.header, row.cells, strict=True)
    values = [f"{title} {cell}".strip() for title, cell in pairs if cell not in NOTHING]
    mark = [panel.mark or "marked"] if row.marked else []
    words = f". {row.words}" if row.words else ""
    return f"{row.title}{' (you)' if own else ''}: {', '.join([*values, *mark])}{words}"


def _marked(grid: Grid) -> str:
    marked = [c.title for row in grid.cells for place in row for c in place if c.marked]
    return ", ".join(marked) or "nothing"


def _of_players(panel: PanelView) -> bool:
    return any(row.seat >= 0 for row in panel.rows)


def _line(row: Row) -> str:
    return " ".join(part for part in (row.title, *row.cells) if part)
