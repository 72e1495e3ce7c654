"""What lies on the table, drawn for a terminal: status, lists of things, the players' table, each player's grid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from rich.text import Text

from edict.cli.playing.layout import Lines, beside, columns, fit, flowing, table, width_of
from edict.cli.playing.screen import Screen
from edict.rendering import plain
from edict.table.panels import Grid, PanelView, Row

NOTHING = ("nobody", "none", "no dice")  # how the table words what is not there
LIST_LINES = 6  # longer lists stand in several columns
LEAST_CELL, MOST_CELL = 3, 12


@dataclass(frozen=True)
class Board:
    """The panels of one view, drawn for a screen. `seat` is whose eyes it is for."""

    screen: Screen
    title: str
    panels: Sequence[PanelView]
    phases: Sequence[str]
    seat: int

    def lines(self, small: bool = False) -> Lines:
        """The whole board; where `small`, only the own grid is drawn out and the others' are counted."""
        width = self.screen.width
        shapes = {shape: [p for p in self.panels if p.shape == shape] for shape in ("lines", "rows", "grid")}
        lists = [p for p in shapes["rows"] if not _of_players(p)]
        tables = [p for p in shapes["rows"] if _of_players(p)]
        side = [self.grid(p, g, LEAST_CELL) for p in shapes["grid"] for g in p.grids if g.seat == self.seat]
        drawn = self.status(shapes["lines"], width)
        if small and side and lists:
            room = width - sum(width_of(block) + 2 for block in side)
            left = [line for panel in lists for line in self.listing(panel, room, headed=panel is not lists[0])]
            drawn += beside([left, *side], 2)
        else:
            drawn += [line for panel in lists for line in self.listing(panel, width, headed=True)]
        counted = shapes["grid"] if small else []
        drawn += [line for panel in tables for line in self.players_table(panel, counted, width)]
        if not small or not lists:
            drawn += [line for panel in shapes["grid"] for line in self.grids(panel, width)]
        return drawn

    # --- lines

    def status(self, panels: Sequence[PanelView], width: int) -> Lines:
        """The course of the game and every line of the rules, one after the other."""
        items = [self.screen.text(self.title, "bold")]
        if self.phases:
            items.append(self.screen.text(" > ".join(self.phases), "bold"))
        items += [self.screen.text(_line(row)) for panel in panels for row in panel.rows]
        return flowing(items, width, "  |  ")

    def heading(self, title: str, width: int) -> Lines:
        return [self.screen.text(f"-- {title} ".ljust(width, "-")[:width], "dim")] if title else []

    # --- lists of things

    def listing(self, panel: PanelView, width: int, headed: bool = False) -> Lines:
        """Things in columns, read from top to bottom: numbers first, then the name, then the rest."""
        if not panel.rows:
            return []
        lead = _leading_numbers(panel)
        titles = max(self.screen.text(row.title).cell_len for row in panel.rows)
        leads = [max(len(row.cells[i]) for row in panel.rows) for i in range(lead)]
        fixed = sum(leads) + lead + titles
        least = fixed + (3 if len(panel.header) > lead or panel.mark else 0)
        most = max(1, (width + 2) // (least + 2))
        number = next(n for n in count(1) if -(-len(panel.rows) // n) <= LIST_LINES or n >= most)
        room = (width - 2 * (number - 1)) // number - fixed - 1
        items = [self.item(panel, row, leads, titles, room) for row in panel.rows]
        head = self.heading(_headed(panel), width) if headed else []
        return head + columns(items, number, width, 2)

    def item(self, panel: PanelView, row: Row, leads: list[int], titles: int, room: int) -> Text:
        rest = [self.cell(cell, room) for cell in row.cells[len(leads) :]]
        if row.marked:
            rest.append(self.screen.text(panel.mark if 0 < len(panel.mark) <= room else "x", "dim italic"))
        shown = Text(" ").join(part for part in rest if part.plain)
        style = "dim" if row.marked else "bold" if shown.plain else ""
        if not shown.plain and row.words and room >= 12:
            shown = self.screen.text(_gist(row.words), "dim")
        line = Text("")
        for cell, width in zip(row.cells, leads, strict=False):
            line.append_text(fit(self.screen.text(cell, "dim"), width, right=True)).append(" ")
        line.append_text(fit(self.screen.text(row.title, style), titles)).append(" ")
        return line.append_text(fit(shown, room))

    def cell(self, words: str, room: int) -> Text:
        """A value: nothing where nothing is; players' names as long as there is room for."""
        if words in NOTHING:
            return Text("")
        seats = self.seats_in(words)
        if not seats:
            return self.screen.text(words)
        each = max(1, (room + 1) // len(seats) - 1)
        return Text(" " if each > 1 else "").join(self.name(seat, each) for seat in seats)

    def seats_in(self, words: str) -> list[int]:
        """The players, if the words are a list of players and nothing else."""
        names = {name: seat for seat, name in enumerate(self.screen.players)}
        if words in names:
            return [names[words]]
        parts = re.split(r", | and ", words)
        return [names[part] for part in parts] if all(part in names for part in parts) else []

    def name(self, seat: int, room: int) -> Text:
        return Text(self.screen.text(self.screen.players[seat]).plain[:room], style=self.screen.hue(seat))

    # --- the players

    def players_table(self, panel: PanelView, grids: Sequence[PanelView], width: int) -> Lines:
        """A row a player; `grids` are counted in further columns."""
        head = ["", *panel.header, *(grid.title for grid in grids)]
        rows = [[self.screen.text(title, "dim") for title in head]]
        for row in panel.rows:
            counts = [_counted(grid.grids[row.seat]) for grid in grids]
            name = self.screen.text(row.title)
            name.append(" (you)" if row.seat == self.seat else "", style="dim")
            rows.append([name, *(self.value(cell) for cell in (*row.cells, *counts))])
        numbers = [all(_is_number(row.cells[i]) for row in panel.rows) for i in range(len(panel.header))]
        rows[0][0] = self.screen.text(panel.title, "dim")
        return table(rows, width, [False, *numbers, *(False for _ in grids)])

    def value(self, words: str) -> Text:
        return Text("-", style="dim") if words in NOTHING else self.screen.text(words)

    # --- grids

    def grids(self, panel: PanelView, width: int) -> Lines:
        """Each player's grid, side by side as far as they fit."""
        across = max((len(grid.columns) for grid in panel.grids), default=0)
        if not across:
            return []
        label = max(len(name) for grid in panel.grids for name in grid.rows) + 1
        for number in range(len(panel.grids), 0, -1):
            each = (width - 2 * (number - 1)) // number - label
            cell = (each - (across - 1)) // across
            if cell >= LEAST_CELL or number == 1:
                break
        blocks = [self.grid(panel, grid, min(max(cell, 1), MOST_CELL)) for grid in panel.grids]
        shown = self.heading(_legend(panel), width)
        for start in range(0, len(blocks), number):
            shown += beside(blocks[start : start + number], 2)
        return shown

    def grid(self, panel: PanelView, grid: Grid, cell: int) -> Lines:
        """One player's things in their places: what is marked stands out in capitals."""
        label = max((len(name) for name in grid.rows), default=0)
        short = abbreviations([c.title for row in grid.cells for place in row for c in place], cell)
        lines = [self.screen.text(grid.player)]
        for name, row in zip(grid.rows, grid.cells, strict=True):
            line = self.screen.text(name.ljust(label), "dim")
            for place in row:
                thing = next((c for c in place if c.marked), place[0] if place else None)
                words = f"{short[thing.title]} {thing.text}".strip() if thing else ""
                marked = thing is not None and thing.marked
                style = f"{self.screen.hue(grid.seat)} reverse" if marked else "dim"
                shown = Text(plain(words.upper() if marked else words.lower()), style=style)
                line.append(" ").append_text(fit(shown, cell))
            lines.append(line)
        return lines


def plain_lines(screen: Screen, panels: Sequence[PanelView], phases: Sequence[str], seat: int) -> list[str]:
    """The board told, not drawn: a line a thing, for screens without places."""
    said = [" > ".join(phases)] if phases else []
    for panel in panels:
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
    return f"{row.title}{' (you)' if own else ''}: {', '.join([*values, *mark])}"


def _marked(grid: Grid) -> str:
    marked = [c.title for row in grid.cells for place in row for c in place if c.marked]
    return ", ".join(marked) or "nothing"


def _of_players(panel: PanelView) -> bool:
    return any(row.seat >= 0 for row in panel.rows)


def _line(row: Row) -> str:
    return " ".join(part for part in (row.title, *row.cells) if part)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[-+]?\d+|\?", text))


def _leading_numbers(panel: PanelView) -> int:
    """How many of the first columns hold nothing but numbers."""
    number = 0
    while number < len(panel.header) and all(_is_number(row.cells[number]) for row in panel.rows):
        number += 1
    return number


def _headed(panel: PanelView) -> str:
    return ": ".join(part for part in (panel.title, ", ".join(title.lower() for title in panel.header)) if part)


def _legend(panel: PanelView) -> str:
    return f"{panel.title} (CAPITALS: {panel.mark})" if panel.mark else panel.title


def _counted(grid: Grid) -> str:
    """How much of each row is marked: `B2 E1`."""
    marks = [sum(c.marked for place in row for c in place) for row in grid.cells]
    return " ".join(f"{name}{number}" for name, number in zip(grid.rows, marks, strict=True) if number) or "none"


def _gist(words: str) -> str:
    """The beginning of what a thing does, without the word every such sentence begins with."""
    return words.removesuffix(".")


def abbreviations(titles: Sequence[str], width: int) -> dict[str, str]:
    """Each title in few letters: its beginning, or where others begin so too, the beginnings of its words."""
    often = Counter(title[:width].casefold() for title in dict.fromkeys(titles))
    alone = {title: often[title[:width].casefold()] == 1 for title in titles}
    return {title: title[:width] if alone[title] else _of_words(title, width) for title in titles}


def _of_words(title: str, width: int) -> str:
    words: list[str] = re.findall(r"\w+", title)
    if len(words) < 2:
        return title[:width]
    tail = "".join(word[:1] for word in words[1:])[: max(1, width // 2)]
    return words[0][: width - len(tail)] + tail
