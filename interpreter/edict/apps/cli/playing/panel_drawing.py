"""The drawing of panels: lists of things in columns, and players' grids with names abbreviated to fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from rich.text import Text

from edict.apps.cli.playing.screen import Lines, Screen, arrange_columns, fit, heading_lines, place_side_by_side, wrap
from edict.game.table.panels import GridCell, PanelRow, PanelView, PlayerGrid
from edict.game.table.wording import NONE, is_empty_value
from edict.support.rendering import escape_terminal
from edict.support.translations import gettext
from edict.support.translations.texts import translate, uncapitalize_text

ABBREVIATIONS = (
    (r"\.$", ""),
    (r"^Gain (?=\d)", ""),
    (r"(?<=; )gain (?=\d)", ""),
    (r" of your choice\b", ""),
    (r" and (?=\d)", ", "),
    (r"\bat the (start|end) of (every|the) ", r"\1 of "),
    (r"\byou may (\w)", r"\1"),
)


def shorten(text: str, width: int) -> str:
    """Apply one abbreviation after another until the text fits the width; it can still be too long at the end."""
    for pattern, replacement in ABBREVIATIONS:
        if len(text) <= width:
            break
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE if pattern.startswith(r"\b") else 0)
    return text


MAX_SINGLE_COLUMN = 6  # longer lists without effects have several columns
OCCUPANT_WIDTH = 3  # columns for what lies on a thing
TIGHT_WORDS, LEAST_WORDS, GOOD_WORDS = 12, 18, 40  # columns for the effect of a thing
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
    """A panel of things in columns."""

    screen: Screen
    panel: PanelView
    offered: Collection[str] = ()  # keys of the things that can be chosen now

    def render(self, width: int, words: int) -> Lines:
        """Return the list as lines.

        Args:
            width: The columns of the screen.
            words: The least columns for the effects of things; 0 leaves effects out.
        """
        rows = self.panel.rows
        if not rows:
            return []
        column_count = self._count_columns(width, words if any(row.words for row in rows) else 0)
        height = -(-len(rows) // column_count)
        column_width = (width - GAP * (column_count - 1)) // column_count
        items: Lines = []
        for start in range(0, len(rows), height):
            part_rows = rows[start : start + height]
            title_width = max(self.screen.to_text(row.title).cell_len for row in part_rows)
            items += [self._draw_item(row, title_width, column_width, bool(words)) for row in part_rows]
        return arrange_columns(items, column_count, width, GAP)

    def _count_columns(self, width: int, words: int) -> int:
        """Return how many columns of items fit; without effects, no more than short columns need."""
        rows = self.panel.rows
        fixed = (
            sum(self._number_widths)
            + len(self._number_widths)
            + max(self.screen.to_text(row.title).cell_len for row in rows)
        )
        if words:
            extra = 1 + words
        elif self._has_occupants or self.panel.mark:
            extra = 1 + OCCUPANT_WIDTH
        else:
            extra = 0
        maximum = max(1, min(len(rows), (width + GAP) // (fixed + extra + GAP)))
        if words:
            return maximum
        return next(
            candidate
            for candidate in count(1)
            if -(-len(rows) // candidate) <= MAX_SINGLE_COLUMN or candidate >= maximum
        )

    @cached_property
    def _number_widths(self) -> list[int]:
        """Return the widths of the leading columns, as far as they have only numbers."""
        widths: list[int] = []
        for cells in zip(*(row.cells for row in self.panel.rows), strict=True):
            if not all(map(is_number, cells)):
                break
            widths.append(max(map(len, cells)))
        return widths

    @property
    def _has_occupants(self) -> bool:
        """Return True if the panel has columns after its leading number columns, such as names of players."""
        return len(self.panel.header) > len(self._number_widths)

    def _draw_item(self, row: PanelRow, title_width: int, width: int, with_effects: bool) -> Text:
        """Return a row's line of this width: numbers, title, effect and occupants; offered ones in bold."""
        number_widths = self._number_widths
        is_offered = row.key in self.offered
        line = Text("")
        for cell, room in zip(row.cells, number_widths, strict=False):
            line.append_text(fit(self.screen.to_text(cell, "bold" if is_offered else "dim"), room, right=True)).append(
                " "
            )
        if is_offered:
            style = "bold"
        elif row.marked or self.offered:
            style = "dim"
        else:
            style = ""
        line.append_text(fit(self.screen.to_text(row.title, style), title_width)).append(" ")
        room = width - line.cell_len
        occupants = self._draw_occupants(row, room // 3 if with_effects and row.words else room)
        text_width = room - occupants.cell_len - (1 if occupants.cell_len else 0)
        effect = shorten(row.words, text_width) if with_effects else ""
        return line.append_text(_join_sides(self.screen.to_text(effect, "" if is_offered else "dim"), occupants, room))

    def _draw_occupants(self, row: PanelRow, room: int) -> Text:
        """Return the row's cells behind its numbers (players and things on it) and its mark, cut to `room`."""
        cells = [self.format_cell(cell, room) for cell in row.cells[len(self._number_widths) :]]
        if row.marked:
            mark = self.panel.mark
            cells.append(self.screen.to_text(mark if 0 < len(mark) <= room else "x", "dim italic"))
        shown = Text(" ").join(cell for cell in cells if cell.plain)
        return fit(shown, min(room, shown.cell_len))

    def format_cell(self, text: str, room: int) -> Text:
        """Return a cell's text in color; empty for a value such as `none`; player names are cut to `room`."""
        if is_empty_value(text):
            return Text("")
        seats = self.find_seats(text)
        if not seats:
            return self.screen.to_text(merge_repeated_words(text))
        name_width = max(1, (room + 1) // len(seats) - 1)
        return Text(" " if name_width > 1 else "").join(self.screen.player_name(seat, name_width) for seat in seats)

    def find_seats(self, text: str) -> list[int]:
        """Return the seats of players if the text is a list of their names and nothing else."""
        names = {name: seat for seat, name in enumerate(self.screen.players)}
        if text in names:
            return [names[text]]
        parts = re.split(rf", | {gettext('and')} ", text)
        if all(part in names for part in parts):
            return [names[part] for part in parts]
        return []


def _join_sides(effect: Text, occupants: Text, width: int) -> Text:
    """Return the effect at the left and the occupants at the right; a single one stands at the left."""
    if not occupants.cell_len or not effect.cell_len:
        return fit(effect if effect.cell_len else occupants, width)
    return fit(effect, width - occupants.cell_len - 1).append(" ").append_text(occupants)


def panel_heading(panel: PanelView) -> str:
    """Return the title of a panel with its column headings."""
    return ": ".join(_heading_parts(panel))


def _heading_parts(panel: PanelView) -> Iterator[str]:
    """Yield a panel's title and its column headings as within a sentence, leaving out empty ones."""
    yield from [panel.title] if panel.title else []
    titles = ", ".join(map(uncapitalize_text, panel.header))
    yield from [titles] if titles else []


LEAST_CELL, MAX_CELL = 3, 12
LEAST_FULL_CELL = 22  # least columns for a cell with its effect
MAX_EFFECT_LINES = 3  # lines of an effect in a cell
MAX_SHARED_PLAYERS = 6  # players whose marks fit on one grid
GRID_GAP = 2


@dataclass(frozen=True)
class GridPanel:
    """A panel with a grid for each player."""

    screen: Screen
    panel: PanelView

    def render_side_by_side(self, seats: Sequence[int], width: int) -> Lines:
        """Return the grids of these seats, as many beside each other as fit."""
        grids = [grid for grid in self.panel.grids if grid.seat in seats and grid.columns]
        if not grids:
            return []
        for per_row in range(len(grids), 0, -1):
            grid_width = (width - GRID_GAP * (per_row - 1)) // per_row
            if self.cell_width(grid_width) >= LEAST_CELL or per_row == 1:
                break
        blocks = [self.render_short(grid, grid_width) for grid in grids]
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
                if thing:
                    cell = self._style_thing(self._mark_title(thing), thing, grid.seat)
                else:
                    cell = Text("")
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

    def cell_width(self, width: int) -> int:
        """Return the width of a cell in a grid of some width."""
        column_count = max(len(grid.columns) + (max(grid.shifts, default=0) + 1) // 2 for grid in self.panel.grids)
        return (width - self._label_width - column_count) // column_count

    @property
    def _label_width(self) -> int:
        """Return the width of the names of rows; 0 for grids of one row."""
        return max((len(name) for grid in self.panel.grids for name in grid.rows if len(grid.rows) > 1), default=0)

    def _things_by_column(self) -> list[list[GridCell]]:
        """Return the things in each column, over all rows of all players' grids."""
        column_count = max((len(grid.columns) for grid in self.panel.grids), default=0)
        rows = [row for grid in self.panel.grids for row in grid.cells]
        return [[thing for row in rows if column < len(row) for thing in row[column]] for column in range(column_count)]

    def render_short(self, grid: PlayerGrid, width: int) -> Lines:
        """Return the lines of a grid with titles cut to fit the width; titles of marked things in capitals."""
        available = max(1, self.cell_width(width))
        natural = [
            max((len(self._mark_title(thing)) for thing in things), default=0) for things in self._things_by_column()
        ]
        natural = self._even_widths(natural)
        fits = (
            self._label_width + sum(1 + cell_width for cell_width in natural) + self._row_offset(natural, grid) <= width
        )
        if fits:
            widths = natural
        else:
            widths = self._even_widths(
                [min(available, MAX_CELL) - bool(grid.shifts and not available % 2)] * len(natural)
            )
        titles = [thing.title for row in grid.cells for place in row for thing in place]
        if fits:
            short = {title: title for title in titles}
        else:
            short = abbreviate_titles(titles, min(widths))
        return [self.screen.to_text(grid.player), *self._draw_rows(grid, short, widths)]

    def _draw_rows(self, grid: PlayerGrid, short_titles: dict[str, str], widths: Sequence[int]) -> Iterator[Text]:
        """Yield a line for each row of a grid, with one thing per cell in its short title."""
        for number, (name, row) in enumerate(zip(grid.rows, grid.cells, strict=True)):
            line = self._start_row(name, grid, number, widths)
            for place, width in zip(row, widths, strict=False):
                thing = _front_thing(place)
                if thing:
                    title = self._mark_title(replace(thing, title=short_titles[thing.title]))
                else:
                    title = ""
                line.append(" ").append_text(fit(self._style_thing(title, thing, grid.seat), width))
            yield line

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
        """Return a cell's lines of this width: title, caption and shortened effect; a blank line for None."""
        if thing is None:
            return [Text(" " * width)]
        heading_text = self._style_thing(_title_and_text(thing), thing, seat)
        heading_text.append(escape_terminal(f" {thing.caption}" if thing.caption else ""), style="dim")
        effect_lines = wrap(self.screen.to_text(shorten(thing.words, width)), width)[:MAX_EFFECT_LINES]
        return [fit(line, width) for line in (*wrap(heading_text, width), *effect_lines)]

    def render_effects(self, grid: PlayerGrid, width: int, height: int) -> Lines:
        """Return the effects of marked things in at most `height` lines; nothing if none has an effect."""
        things = [t for row in grid.cells for place in row for t in place if t.marked and t.words]
        if not things or not height:
            return []
        if len(things) <= height or width < 2 * LEAST_FULL_CELL * 2 - GRID_GAP - 20:
            column_count = 1
        else:
            column_count = 2
        column_width = (width - GRID_GAP * (column_count - 1)) // column_count
        items = [self._draw_effect(thing, grid.seat, column_width) for thing in things]
        hidden_count = len(items) - height * column_count
        if hidden_count > 0:
            remark = translate("and {number} more (board shows all)", number=hidden_count + 1)
            items = [*items[: height * column_count - 1], self.screen.to_text(remark, "dim")]
        return arrange_columns(items, column_count, width, GRID_GAP)

    def _draw_effect(self, thing: GridCell, seat: int, width: int) -> Text:
        """Return a line `Title: effect` of exactly this width, shortened to fit."""
        line = self.screen.to_text(thing.title, self.screen.name_style(seat)).append(": ")
        return fit(line.append(escape_terminal(shorten(thing.words, width - line.cell_len))), width)

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


def abbreviate_titles(titles: Sequence[str], width: int) -> dict[str, str]:
    """Return each title cut to a width, or where that is ambiguous, with the initials of its other words."""
    counts = Counter(title[:width].casefold() for title in dict.fromkeys(titles))
    is_unique = {title: counts[title[:width].casefold()] == 1 for title in titles}
    return {title: title[:width] if is_unique[title] else _abbreviate_words(title, width) for title in titles}


def _abbreviate_words(title: str, width: int) -> str:
    """Return a title cut to a width, with the initials of its other words: `Merchant Guild` as `MerchG`."""
    words: list[str] = re.findall(r"\w+", title)
    if len(words) < 2:
        return title[:width]
    tail = "".join(word[:1] for word in words[1:])[: max(1, width // 2)]
    return words[0][: width - len(tail)] + tail
