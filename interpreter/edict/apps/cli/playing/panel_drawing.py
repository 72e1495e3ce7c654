"""The drawing of panels in whole words: lists of things in columns or as tables, and players' grids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from rich.text import Text

from edict.apps.cli.playing.screen import (
    Lines,
    Screen,
    fit,
    flow_blocks,
    heading_lines,
    layout_table,
    lines_width,
    min_table_width,
    pack_columns,
    place_side_by_side,
    wrap,
    wrap_hanging,
)
from edict.game.table.panels import GridCell, PanelRow, PanelView, PlayerGrid
from edict.game.table.wording import NONE, is_empty_value
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.translations import gettext
from edict.support.translations.texts import translate, uncapitalize_text

LEAST_WORDS = 24  # least columns for the effect of a thing
GAP = 2


def merge_repeated_words(text: str) -> str:
    """Return `Card 3, 8 and 12` for a list whose items are the same word and a number."""
    first, space, _ = text.partition(" ")
    parts = re.split(rf", | {gettext('and')} ", text)
    is_repeated = space and len(parts) > 1 and all(re.fullmatch(rf"{re.escape(first)} \d+", part) for part in parts)
    return f"{first} {text.replace(f'{first} ', '')}" if is_repeated else text


def is_number(text: str) -> bool:
    """Return True for an integer or the question mark of a hidden one."""
    return bool(re.fullmatch(r"[-+]?\d+|\?", text))


@dataclass(frozen=True)
class Listing:
    """A panel of things, in columns or as a table."""

    screen: Screen
    panel: PanelView
    offered: Collection[str] = ()  # keys of the things that can be chosen now

    @property
    def has_effects(self) -> bool:
        """Return True if any of the things has an effect."""
        return any(row.words for row in self.panel.rows)

    def render(self, width: int, effects: bool = True) -> Lines:
        """Return the list as lines, a heading first; without `effects`, in as few lines as the titles need."""
        if self._is_table:
            rows, numbers = self._table_rows(effects)
            if min_table_width(rows) <= width:
                return layout_table(rows, width, numbers)
        return [*heading_lines(panel_heading(self.panel), width), *self._render_columns(width, effects)]

    def _render_columns(self, width: int, effects: bool) -> Lines:
        """Return the things in columns, each below the other."""
        if not effects or not self.has_effects:
            items = [self._draw_title(row).append_text(self._draw_occupants(row, " ")) for row in self.panel.rows]
            return pack_columns([line for item in items for line in wrap_hanging(item, width)], width, 1)
        title_width = lines_width([self._draw_title(row) for row in self.panel.rows])
        return flow_blocks(
            lambda column_width: [self._draw_block(row, title_width, column_width) for row in self.panel.rows],
            width,
            title_width + 1 + LEAST_WORDS,
            GAP,
        )

    # --- as a table

    @property
    def _is_table(self) -> bool:
        """Return True if the things have values that only make sense below a heading."""
        return len(self._number_widths) > 1 or len(self.panel.header) > 2

    def _table_rows(self, effects: bool) -> tuple[list[list[Text]], list[bool]]:
        """Return the rows of the list as a table, the heading first, and for each column if it is numbers."""
        has_effects = effects and self.has_effects
        head = [self.panel.title, *self.panel.header, *([""] if has_effects else [])]
        rows = [[self.screen.to_text(title, "dim") for title in head]]
        for row in self.panel.rows:
            style = self._style(row)
            mark = f" ({self.panel.mark or translate('marked')})" if row.marked else ""
            cells = ["-" if is_empty_value(cell) else merge_repeated_words(cell) for cell in row.cells]
            words = [row.words] if has_effects else []
            rows.append([self.screen.to_text(text, style) for text in (row.title + mark, *cells, *words)])
        columns = zip(*(row.cells for row in self.panel.rows), strict=True)
        return rows, [False, *(all(map(is_number, cells)) for cells in columns), *([False] if has_effects else [])]

    # --- in columns

    def _style(self, row: PanelRow) -> str:
        """Return the style of a thing: offered things stand out."""
        if row.key in self.offered:
            return "bold"
        return "dim" if row.marked or self.offered else ""

    @cached_property
    def _number_widths(self) -> list[int]:
        """Return the widths of the leading columns, as far as they have only numbers."""
        widths: list[int] = []
        for cells in zip(*(row.cells for row in self.panel.rows), strict=True):
            if not all(map(is_number, cells)):
                break
            widths.append(max(map(len, cells)))
        return widths

    def _draw_title(self, row: PanelRow) -> Text:
        """Return the leading numbers of a thing and its title."""
        style = self._style(row)
        numbers = zip(row.cells, self._number_widths, strict=False)
        parts = [fit(self.screen.to_text(cell, style or "dim"), room, right=True) for cell, room in numbers]
        return Text(" ").join([*parts, self.screen.to_text(row.title, style)])

    def _draw_block(self, row: PanelRow, title_width: int, width: int) -> Lines:
        """Return the lines of a thing: its title beside its effect, with what lies on it at the right of the last."""
        words_width = width - title_width - 1
        effect = wrap(self.screen.to_text(row.words, "" if row.key in self.offered else "dim"), words_width)
        lines = effect or [Text("")]
        occupants = self._draw_occupants(row)
        if occupants.cell_len and lines[-1].cell_len + 1 + occupants.cell_len > words_width:
            lines += wrap(occupants, words_width)
        elif occupants.cell_len:
            lines[-1] = fit(lines[-1], words_width - occupants.cell_len).append_text(occupants)
        heads = [fit(self._draw_title(row), title_width), *(Text(" " * title_width) for _ in lines[1:])]
        return [head.append(" ").append_text(line) for head, line in zip(heads, lines, strict=True)]

    def _draw_occupants(self, row: PanelRow, space: str = "") -> Text:
        """Return the row's cells behind its numbers (players and things on it) and its mark, after `space`."""
        texts = [text for text in row.cells[len(self._number_widths) :] if not is_empty_value(text)]
        cells = [self.screen.to_text(merge_repeated_words(text)) for text in texts]
        if row.marked:
            cells.append(self.screen.to_text(self.panel.mark or translate("marked"), "dim italic"))
        return Text(space).append_text(Text(", ").join(cells)) if cells else Text("")


def panel_heading(panel: PanelView) -> str:
    """Return the title of a panel with its column headings."""
    return ": ".join(_heading_parts(panel))


def _heading_parts(panel: PanelView) -> Iterator[str]:
    """Yield a panel's title and its column headings as within a sentence, leaving out empty ones."""
    yield from [panel.title] if panel.title else []
    titles = ", ".join(map(uncapitalize_text, panel.header))
    yield from [titles] if titles else []


LEAST_FULL_CELL = 22  # least columns for a cell with its effect
MAX_SHARED_PLAYERS = 6  # players whose marks fit on one grid
GRID_GAP = 2


@dataclass(frozen=True)
class GridPanel:
    """A panel with a grid for each player."""

    screen: Screen
    panel: PanelView

    def render_side_by_side(self, seats: Sequence[int], width: int) -> Lines:
        """Return the grids of these seats, as many beside each other as fit."""
        blocks = [self.render_rows(grid, width) for grid in self.panel.grids if grid.seat in seats and grid.columns]
        if not blocks:
            return []
        widest = max(map(lines_width, blocks))
        per_row = max(1, (width + GRID_GAP) // (widest + GRID_GAP))
        lines = heading_lines(self.legend, width)
        for start in range(0, len(blocks), per_row):
            lines += place_side_by_side(blocks[start : start + per_row], GRID_GAP)
        return lines

    @property
    def legend(self) -> str:
        """Return the title with the sign for marked things."""
        if self.panel.mark:
            return f"{self.panel.title} ({self._mark_sign}: {self.panel.mark})"
        return self.panel.title

    @property
    def _mark_sign(self) -> str:
        """Return how marked things stand out, also without color."""
        return translate("CAPITALS") if self._can_capitalize else "[ ]"

    @cached_property
    def _can_capitalize(self) -> bool:
        """Return True if capitals can mark things: every title in the grids differs in upper and lower case."""
        titles = [thing.title for grid in self.panel.grids for row in grid.cells for place in row for thing in place]
        return all(title.upper() != title.lower() for title in titles)

    # --- one board for all

    @cached_property
    def is_shared_board(self) -> bool:
        """Return True if one grid can show the marks of all players.

        All grids must have the same things and texts, and the players must be few enough for their initials.
        """
        layouts = {
            tuple(tuple(tuple((thing.key, thing.text) for thing in place) for place in row) for row in grid.cells)
            for grid in self.panel.grids
        }
        return len(layouts) == 1 and len(self.panel.grids) <= MAX_SHARED_PLAYERS

    @property
    def unmarked_grid(self) -> PlayerGrid:
        """Return the first player's grid without marks, for viewers who have none."""
        first = self.panel.grids[0]
        cells = tuple(
            tuple(tuple(replace(thing, marked=False) for thing in place) for place in row) for row in first.cells
        )
        return replace(first, seat=-1, cells=cells)

    def render_shared_board(self, grid: PlayerGrid, width: int) -> Lines:
        """Return the board with this player's marks, and the other players' by their initials.

        Returns nothing if the grids differ or the board is too wide.
        """
        others = [other_grid for other_grid in self.panel.grids if other_grid.seat != grid.seat]
        marks = {
            (other_grid.seat, thing.key)
            for other_grid in others
            for row in other_grid.cells
            for place in row
            for thing in place
            if thing.marked
        }
        counts = Counter(key for _, key in marks)
        names = unique_initials([other_grid.player for other_grid in self.panel.grids])
        initials_width = max([*counts.values(), 1]) * len(names[0]) if others else 0
        widths = self._even_widths(
            [
                max((len(self._mark_title(t)) for t in things), default=0) + bool(initials_width) + initials_width
                for things in self._things_by_column()
            ]
        )
        if (
            not self.is_shared_board
            or self._label_width + sum(1 + cell_width for cell_width in widths) + self._row_offset(widths, grid) > width
        ):
            return []
        key_text = ", ".join(f"{names[other_grid.seat]} {other_grid.player}" for other_grid in others)
        if grid.seat >= 0:
            legend = self.legend
        else:
            legend = f"{self.panel.title}: {self.panel.mark}".removesuffix(": ")
        lines = heading_lines(f"{legend}{f', {key_text}' if key_text else ''}", width)
        for number, (name, row) in enumerate(zip(grid.rows, grid.cells, strict=True)):
            line = self._start_row(name, grid, number, widths)
            for place, cell_width in zip(row, widths, strict=True):
                thing = _front_thing(place)
                cell = self._style_mark(thing, grid.seat) if thing else Text("")
                marking_seats = [
                    other_grid.seat for other_grid in others if thing and (other_grid.seat, thing.key) in marks
                ]
                for index, seat in enumerate(marking_seats):
                    cell.append("" if index else " ").append(
                        escape_terminal(names[seat]), style=self.screen.name_style(seat)
                    )
                line.append(" ").append_text(fit(cell, cell_width))
            lines.append(line)
        return lines

    def _mark_title(self, thing: GridCell) -> str:
        """Return a thing's title, in brackets if marked where the script has no capitals."""
        title = _title_and_text(thing)
        if self._can_capitalize:
            return title
        if thing.marked:
            return f"[{title}]"
        return f" {title} "

    @property
    def _label_width(self) -> int:
        """Return the width of the names of rows; 0 for grids of one row."""
        return max((len(name) for grid in self.panel.grids for name in grid.rows if len(grid.rows) > 1), default=0)

    def _things_by_column(self) -> list[list[GridCell]]:
        """Return the things in each column, over all rows of all players' grids."""
        column_count = max((len(grid.columns) for grid in self.panel.grids), default=0)
        rows = [row for grid in self.panel.grids for row in grid.cells]
        return [[thing for row in rows if column < len(row) for thing in row[column]] for column in range(column_count)]

    def render_rows(self, grid: PlayerGrid, width: int) -> Lines:
        """Return the player's name and the rows of a grid; in running text if the columns do not fit the width."""
        widths = self._even_widths(
            [lines_width(list(map(self._style_mark, things))) for things in self._things_by_column()]
        )
        drawn = list(self._draw_rows(grid, widths))
        if lines_width(drawn) > width:
            drawn = [
                line for row in self._run_on_rows(grid) for line in wrap_hanging(row, width, self._label_width + 1)
            ]
        return [self.screen.to_text(grid.player), *drawn]

    def _draw_rows(self, grid: PlayerGrid, widths: Sequence[int]) -> Iterator[Text]:
        """Yield a line for each row of a grid, with one thing per cell."""
        for number, (name, row) in enumerate(zip(grid.rows, grid.cells, strict=True)):
            line = self._start_row(name, grid, number, widths)
            for place, width in zip(row, widths, strict=False):
                thing = _front_thing(place)
                line.append(" ").append_text(fit(self._style_mark(thing, grid.seat) if thing else Text(""), width))
            line.rstrip()
            yield line

    def _run_on_rows(self, grid: PlayerGrid) -> Iterator[Text]:
        """Yield a text for each row of a grid, its things separated by commas."""
        for name, row in zip(grid.rows, grid.cells, strict=True):
            things = [self._style_mark(thing, grid.seat) for place in row if (thing := _front_thing(place))]
            line = self.screen.to_text(name.ljust(self._label_width)[: self._label_width], "dim")
            yield line.append(" " if self._label_width else "").append_text(Text(", ").join(things))

    def _style_mark(self, thing: GridCell, seat: int = -1) -> Text:
        """Return a thing's title, marked if it is the player's."""
        return self._style_thing(self._mark_title(thing), thing, seat)

    # --- rows that begin half a place further on than the row before

    def _even_widths(self, widths: list[int]) -> list[int]:
        """Return the widths of columns.

        On a hexagonal board all are equal and odd, so that half a cell is a whole number of letters.
        """
        if not any(grid.shifts for grid in self.panel.grids):
            return widths
        return [max(widths, default=0) | 1] * len(widths)

    def _row_offset(self, widths: Sequence[int], grid: PlayerGrid, row: int = -1) -> int:
        """Return by how many characters a row is shifted right; for -1, the greatest shift of any row."""
        if row < 0:
            shift = max(grid.shifts, default=0)
        elif grid.shifts:
            shift = grid.shifts[row]
        else:
            shift = 0
        return shift * (max(widths, default=0) + 1) // 2

    def _start_row(self, name: str, grid: PlayerGrid, row: int, widths: Sequence[int]) -> Text:
        """Return the beginning of a row's line: its dimmed name, and the spaces by which the row is shifted."""
        line = self.screen.to_text(name.ljust(self._label_width)[: self._label_width], "dim")
        return line.append(" " * self._row_offset(widths, grid, row))

    def _style_thing(self, text: str, thing: GridCell | None, seat: int) -> Text:
        """Return a title in capitals and the player's reversed color if the thing is marked, else dimmed."""
        marked = thing is not None and thing.marked
        style = f"{self.screen.name_style(seat)} reverse" if marked else "dim"
        return Text(escape_terminal(text.upper() if marked else text.lower()), style=style)

    # --- what things do

    def render_full(self, grid: PlayerGrid, width: int) -> Lines:
        """Return a grid with printed values and effects of everything; nothing if it does not fit."""
        column_count = len(grid.columns)
        if column_count:
            cell_width = (width - self._label_width - 1 - GRID_GAP * (column_count - 1)) // column_count
        else:
            cell_width = 0
        has_texts = any(thing.words or thing.caption for row in grid.cells for place in row for thing in place)
        if cell_width < LEAST_FULL_CELL or not has_texts or grid.shifts:
            return []
        lines = heading_lines(f"{self.legend}: {grid.player}", width)
        for name, row in zip(grid.rows, grid.cells, strict=True):
            blocks = [self._draw_full_cell(_front_thing(place), grid.seat, cell_width) for place in row]
            label = [self.screen.to_text(name.ljust(self._label_width + 1), "dim")]
            lines += place_side_by_side([[label[0]], place_side_by_side(blocks, GRID_GAP)], 0)
        return lines

    def _draw_full_cell(self, thing: GridCell | None, seat: int, width: int) -> Lines:
        """Return a cell's lines of this width: title, caption and effect; a blank line for None."""
        if thing is None:
            return [Text(" " * width)]
        heading_text = self._style_thing(_title_and_text(thing), thing, seat)
        heading_text.append(escape_terminal(f" {thing.caption}" if thing.caption else ""), style="dim")
        effect_lines = wrap(self.screen.to_text(thing.words), width)
        return [fit(line, width) for line in (*wrap(heading_text, width), *effect_lines)]

    def render_effects(self, grid: PlayerGrid, width: int, everything: bool = False) -> Lines:
        """Return the effects of marked things; with `everything`, printed values and effects of all things."""
        things = [t for row in grid.cells for place in row for t in place if t.marked or everything]
        items = [
            self._draw_effect(thing, grid.seat, everything)
            for thing in things
            if thing.words or thing.caption and everything
        ]
        if not items:
            return []
        return flow_blocks(
            lambda column_width: [wrap_hanging(item, column_width) for item in items], width, 2 * LEAST_WORDS, GRID_GAP
        )

    def _draw_effect(self, thing: GridCell, seat: int, with_values: bool) -> Text:
        """Return a text such as `Inn: effect`, or with values `Inn (costs 1 gold, 1 wood): effect`."""
        text = (
            self._style_mark(thing, seat)
            if with_values
            else self.screen.to_text(thing.title, self.screen.name_style(seat))
        )
        text.append(
            escape_terminal(f" ({thing.caption})") if with_values and thing.caption else "", style="not reverse dim"
        )
        return text.append(escape_terminal(f": {thing.words}" if thing.words else ""), style="not bold not reverse")

    def format_counts(self, grid: PlayerGrid) -> str:
        """Return the number of marked things in each row, such as `B2 E1`."""
        marks = [sum(thing.marked for place in row for thing in place) for row in grid.cells]
        gap = ":" if any(name[-1:].isdecimal() for name in grid.rows) else ""
        counts = (f"{name}{gap}{mark_count}" for name, mark_count in zip(grid.rows, marks, strict=True) if mark_count)
        return " ".join(counts) or translate(NONE)


def unique_initials(names: Sequence[str]) -> list[str]:
    """Return each name cut to 1, 2 or 3 letters, the least at which all differ; else `1`, `2` and so on."""
    candidates = ([name[:letters] for name in names] for letters in (1, 2, 3))
    seats = [str(seat) for seat, _ in enumerate(names, 1)]
    return next((short for short in candidates if len(set(short)) == len(names)), seats)


def _front_thing(place: Sequence[GridCell]) -> GridCell | None:
    """Return the thing of a cell to draw: the first marked one, else the first; None for an empty cell."""
    return next((thing for thing in place if thing.marked), place[0] if place else None)


def _title_and_text(thing: GridCell) -> str:
    return f"{thing.title} {thing.text}".strip()
