"""Panels on the board: lists of things in columns, and each player's grid in as many letters as there is room for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from rich.text import Text

from edict.apps.cli.playing.screen import Lines, Screen, beside, columns, fit, heading, wrapped
from edict.game.table.panels import GridCell, PanelRow, PanelView, PlayerGrid
from edict.game.table.wording import is_empty_value
from edict.support.rendering import escape_terminal

SHORTER = (
    (r"\.$", ""),
    (r"^Gain (?=\d)", ""),
    (r"(?<=; )gain (?=\d)", ""),
    (r" of your choice\b", ""),
    (r" and (?=\d)", ", "),
    (r"\bat the (start|end) of (every|the) ", r"\1 of "),
    (r"\byou may (\w)", r"\1"),
)


def terse(words: str, room: int) -> str:
    """The words if they fit, else shortened step by step; what is still too long is cut where it is drawn."""
    for pattern, instead in SHORTER:
        if len(words) <= room:
            break
        words = re.sub(pattern, instead, words, flags=re.IGNORECASE if pattern.startswith(r"\b") else 0)
    return words


FEW_LINES = 6  # longer lists without words stand in several columns
NARROW = 3  # for what lies on a thing
TIGHT_WORDS, LEAST_WORDS, GOOD_WORDS = 12, 18, 40  # columns for what a thing does
GAP = 2


def said_once(words: str) -> str:
    """`Card 3, 8 and 12`, where all that is listed begins with the same word and goes on with a number."""
    first, blank, _ = words.partition(" ")
    parts = re.split(r", | and ", words)
    alike = blank and len(parts) > 1 and all(re.fullmatch(rf"{re.escape(first)} \d+", part) for part in parts)
    return f"{first} {words.replace(f'{first} ', '')}" if alike else words


def is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[-+]?\d+|\?", text))


@dataclass(frozen=True)
class Listing:
    """A panel of things. `offered` are the names of those among which somebody chooses now."""

    screen: Screen
    panel: PanelView
    offered: Collection[str] = ()

    def lines(self, width: int, words: int) -> Lines:
        """words: the least columns for what things do; 0: nothing is said about that."""
        rows = self.panel.rows
        if not rows:
            return []
        number = self._columns(width, words if any(row.words for row in rows) else 0)
        tall = -(-len(rows) // number)
        each = (width - GAP * (number - 1)) // number
        items: Lines = []
        for start in range(0, len(rows), tall):
            part = rows[start : start + tall]
            titles = max(self.screen.text(row.title).cell_len for row in part)
            items += [self._item(row, titles, each, bool(words)) for row in part]
        return columns(items, number, width, GAP)

    def _columns(self, width: int, words: int) -> int:
        rows = self.panel.rows
        fixed = sum(self._leads) + len(self._leads) + max(self.screen.text(row.title).cell_len for row in rows)
        room = 1 + words if words else 1 + NARROW if self._lies or self.panel.mark else 0
        most = max(1, min(len(rows), (width + GAP) // (fixed + room + GAP)))
        if words:
            return most
        return next(n for n in count(1) if -(-len(rows) // n) <= FEW_LINES or n >= most)

    @cached_property
    def _leads(self) -> list[int]:
        """The widths of the first columns, as far as they hold nothing but numbers."""
        found: list[int] = []
        for cells in zip(*(row.cells for row in self.panel.rows), strict=True):
            if not all(map(is_number, cells)):
                break
            found.append(max(map(len, cells)))
        return found

    @property
    def _lies(self) -> bool:
        return len(self.panel.header) > len(self._leads)

    def _item(self, row: PanelRow, titles: int, width: int, worded: bool) -> Text:
        leads = self._leads
        chosen = row.key in self.offered
        line = Text("")
        for cell, room in zip(row.cells, leads, strict=False):
            line.append_text(fit(self.screen.text(cell, "bold" if chosen else "dim"), room, right=True)).append(" ")
        style = "bold" if chosen else "dim" if row.marked or self.offered else ""
        line.append_text(fit(self.screen.text(row.title, style), titles)).append(" ")
        room = width - line.cell_len
        lying = self._lying(row, room // 3 if worded and row.words else room)
        said = room - lying.cell_len - (1 if lying.cell_len else 0)
        words = terse(row.words, said) if worded else ""
        return line.append_text(_both(self.screen.text(words, "" if chosen else "dim"), lying, room))

    def _lying(self, row: PanelRow, room: int) -> Text:
        """Who and what is on a thing."""
        cells = [self.cell(cell, room) for cell in row.cells[len(self._leads) :]]
        if row.marked:
            mark = self.panel.mark
            cells.append(self.screen.text(mark if 0 < len(mark) <= room else "x", "dim italic"))
        shown = Text(" ").join(cell for cell in cells if cell.plain)
        return fit(shown, min(room, shown.cell_len))

    def cell(self, words: str, room: int) -> Text:
        """A value: nothing where nothing is; players' names as long as there is room for."""
        if is_empty_value(words):
            return Text("")
        seats = self.seats_in(words)
        if not seats:
            return self.screen.text(said_once(words))
        each = max(1, (room + 1) // len(seats) - 1)
        return Text(" " if each > 1 else "").join(self.screen.name(seat, each) for seat in seats)

    def seats_in(self, words: str) -> list[int]:
        """The players, if the words are a list of players and nothing else."""
        names = {name: seat for seat, name in enumerate(self.screen.players)}
        if words in names:
            return [names[words]]
        parts = re.split(r", | and ", words)
        return [names[part] for part in parts] if all(part in names for part in parts) else []


def _both(words: Text, lying: Text, room: int) -> Text:
    """Words at the left, what lies there at the right; alone it stands at the left."""
    if not lying.cell_len or not words.cell_len:
        return fit(words if words.cell_len else lying, room)
    return fit(words, room - lying.cell_len - 1).append(" ").append_text(lying)


def heading_of(panel: PanelView) -> str:
    return ": ".join(_heading(panel))


def _heading(panel: PanelView) -> Iterator[str]:
    yield from [panel.title] if panel.title else []
    titles = ", ".join(title.lower() for title in panel.header)
    yield from [titles] if titles else []


LEAST_CELL, MOST_CELL = 3, 12
LEAST_TOLD = 22  # columns in which it can be said what a thing does
MOST_WORDS = 3  # lines of them
MOST_ON_BOARD = 6  # players whose marks are told apart on one grid
GRID_GAP = 2


@dataclass(frozen=True)
class Grids:
    """A panel with a grid for each player."""

    screen: Screen
    panel: PanelView

    def side_by_side(self, seats: Sequence[int], width: int) -> Lines:
        """These players' grids, as far as they fit next to each other."""
        grids = [grid for grid in self.panel.grids if grid.seat in seats and grid.columns]
        if not grids:
            return []
        for number in range(len(grids), 0, -1):
            each = (width - GRID_GAP * (number - 1)) // number
            if self.cell_in(each) >= LEAST_CELL or number == 1:
                break
        blocks = [self.short(grid, each) for grid in grids]
        shown = heading(self.legend, width)
        for start in range(0, len(blocks), number):
            shown += beside(blocks[start : start + number], GRID_GAP)
        return shown

    @property
    def legend(self) -> str:
        return f"{self.panel.title} ({self._sign}: {self.panel.mark})" if self.panel.mark else self.panel.title

    @property
    def _sign(self) -> str:
        """How what is marked stands out, also where there are no colours."""
        return "CAPITALS" if self._lettered else "[ ]"

    @cached_property
    def _lettered(self) -> bool:
        titles = [thing.title for grid in self.panel.grids for row in grid.cells for place in row for thing in place]
        return all(title.upper() != title.lower() for title in titles)

    # --- one board for all

    @cached_property
    def is_board(self) -> bool:
        """Whether all players have the same things with the same to say of them, so that a grid shows all marks."""
        alike = {
            tuple(tuple(tuple((t.key, t.text) for t in place) for place in row) for row in grid.cells)
            for grid in self.panel.grids
        }
        return len(alike) == 1 and len(self.panel.grids) <= MOST_ON_BOARD

    @property
    def nobodys(self) -> PlayerGrid:
        """The first player's grid without their marks, for those who have none of their own."""
        first = self.panel.grids[0]
        cells = tuple(tuple(tuple(replace(t, marked=False) for t in place) for place in row) for row in first.cells)
        return replace(first, seat=-1, cells=cells)

    def together(self, grid: PlayerGrid, width: int) -> Lines:
        """The board with this player's marks and, by their initials, those of all others; nothing if it is too wide."""
        others = [one for one in self.panel.grids if one.seat != grid.seat]
        marks = {
            (one.seat, thing.key)
            for one in others
            for row in one.cells
            for place in row
            for thing in place
            if thing.marked
        }
        counts = Counter(key for _, key in marks)
        short = initials([one.player for one in self.panel.grids])
        room = max([*counts.values(), 1]) * len(short[0]) if others else 0
        widths = self._even(
            [max((len(self._signed(t)) for t in things), default=0) + bool(room) + room for things in self._by_column()]
        )
        if not self.is_board or self._label + sum(1 + each for each in widths) + self._lead(widths, grid) > width:
            return []
        who = ", ".join(f"{short[one.seat]} {one.player}" for one in others)
        legend = self.legend if grid.seat >= 0 else f"{self.panel.title}: {self.panel.mark}".removesuffix(": ")
        lines = heading(f"{legend}{f', {who}' if who else ''}", width)
        for number, (name, row) in enumerate(zip(grid.rows, grid.cells, strict=True)):
            line = self._begun(name, grid, number, widths)
            for place, each in zip(row, widths, strict=True):
                thing = _foremost(place)
                cell = self._styled(self._signed(thing), thing, grid.seat) if thing else Text("")
                marking = [one.seat for one in others if thing and (one.seat, thing.key) in marks]
                for nth, seat in enumerate(marking):
                    cell.append("" if nth else " ").append(escape_terminal(short[seat]), style=self.screen.hue(seat))
                line.append(" ").append_text(fit(cell, each))
            lines.append(line)
        return lines

    def _signed(self, thing: GridCell) -> str:
        words = _words(thing)
        return words if self._lettered else f"[{words}]" if thing.marked else f" {words} "

    def cell_in(self, width: int) -> int:
        """How wide a cell may be where one grid has so many columns."""
        across = max(len(grid.columns) + (max(grid.shifts, default=0) + 1) // 2 for grid in self.panel.grids)
        return (width - self._label - across) // across

    @property
    def _label(self) -> int:
        """The columns for the names of rows; a single row needs none."""
        return max((len(name) for grid in self.panel.grids for name in grid.rows if len(grid.rows) > 1), default=0)

    def _by_column(self) -> list[list[GridCell]]:
        across = max((len(grid.columns) for grid in self.panel.grids), default=0)
        rows = [row for grid in self.panel.grids for row in grid.cells]
        return [[thing for row in rows if place < len(row) for thing in row[place]] for place in range(across)]

    def short(self, grid: PlayerGrid, width: int) -> Lines:
        """A grid in no more columns than this: what is marked stands out in capitals."""
        cell = max(1, self.cell_in(width))
        whole = [max((len(self._signed(thing)) for thing in things), default=0) for things in self._by_column()]
        whole = self._even(whole)
        fits = self._label + sum(1 + each for each in whole) + self._lead(whole, grid) <= width
        widths = whole if fits else self._even([min(cell, MOST_CELL) - bool(grid.shifts and not cell % 2)] * len(whole))
        titles = [thing.title for row in grid.cells for place in row for thing in place]
        short = {title: title for title in titles} if fits else abbreviations(titles, min(widths))
        return [self.screen.text(grid.player), *self._rows(grid, short, widths)]

    def _rows(self, grid: PlayerGrid, short: dict[str, str], widths: Sequence[int]) -> Iterator[Text]:
        for number, (name, row) in enumerate(zip(grid.rows, grid.cells, strict=True)):
            line = self._begun(name, grid, number, widths)
            for place, width in zip(row, widths, strict=False):
                thing = _foremost(place)
                words = self._signed(replace(thing, title=short[thing.title])) if thing else ""
                line.append(" ").append_text(fit(self._styled(words, thing, grid.seat), width))
            yield line

    # --- rows that begin half a place further on than the row before

    def _even(self, widths: list[int]) -> list[int]:
        """The widths of columns; on a board of hexagons all the same and odd, so that half a place is whole letters."""
        if not any(grid.shifts for grid in self.panel.grids):
            return widths
        return [max(widths, default=0) | 1] * len(widths)

    def _lead(self, widths: Sequence[int], grid: PlayerGrid, row: int = -1) -> int:
        """How many letters stand before a row, by default before the one that begins last."""
        shift = max(grid.shifts, default=0) if row < 0 else grid.shifts[row] if grid.shifts else 0
        return shift * (max(widths, default=0) + 1) // 2

    def _begun(self, name: str, grid: PlayerGrid, row: int, widths: Sequence[int]) -> Text:
        line = self.screen.text(name.ljust(self._label)[: self._label], "dim")
        return line.append(" " * self._lead(widths, grid, row))

    def _styled(self, words: str, thing: GridCell | None, seat: int) -> Text:
        marked = thing is not None and thing.marked
        style = f"{self.screen.hue(seat)} reverse" if marked else "dim"
        return Text(escape_terminal(words.upper() if marked else words.lower()), style=style)

    # --- what things do

    def drawn(self, grid: PlayerGrid, width: int) -> Lines:
        """A grid with the printed values of everything and what it does; nothing where there is no room for that."""
        across = len(grid.columns)
        each = (width - self._label - 1 - GRID_GAP * (across - 1)) // across if across else 0
        told = any(thing.words or thing.caption for row in grid.cells for place in row for thing in place)
        if each < LEAST_TOLD or not told or grid.shifts:
            return []
        lines = heading(f"{self.legend}: {grid.player}", width)
        for name, row in zip(grid.rows, grid.cells, strict=True):
            blocks = [self._told_cell(_foremost(place), grid.seat, each) for place in row]
            label = [self.screen.text(name.ljust(self._label + 1), "dim")]
            lines += beside([[label[0]], beside(blocks, GRID_GAP)], 0)
        return lines

    def _told_cell(self, thing: GridCell | None, seat: int, width: int) -> Lines:
        if thing is None:
            return [Text(" " * width)]
        head = self._styled(_words(thing), thing, seat)
        head.append(escape_terminal(f" {thing.caption}" if thing.caption else ""), style="dim")
        words = wrapped(self.screen.text(terse(thing.words, width)), width)[:MOST_WORDS]
        return [fit(line, width) for line in (*wrapped(head, width), *words)]

    def effects(self, grid: PlayerGrid, width: int, tall: int) -> Lines:
        """What the marked things do, in no more than `tall` lines; nothing if none does anything."""
        things = [t for row in grid.cells for place in row for t in place if t.marked and t.words]
        if not things or not tall:
            return []
        number = 1 if len(things) <= tall or width < 2 * LEAST_TOLD * 2 - GRID_GAP - 20 else 2
        each = (width - GRID_GAP * (number - 1)) // number
        items = [self._effect(thing, grid.seat, each) for thing in things]
        more = len(items) - tall * number
        if more > 0:
            left = f"and {more + 1} more (board shows all)"
            items = [*items[: tall * number - 1], self.screen.text(left, "dim")]
        return columns(items, number, width, GRID_GAP)

    def _effect(self, thing: GridCell, seat: int, width: int) -> Text:
        line = self.screen.text(thing.title, self.screen.hue(seat)).append(": ")
        return fit(line.append(escape_terminal(terse(thing.words, width - line.cell_len))), width)

    def counted(self, grid: PlayerGrid) -> str:
        """How much of each row is marked: `B2 E1`."""
        marks = [sum(thing.marked for place in row for thing in place) for row in grid.cells]
        gap = ":" if any(name[-1:].isdecimal() for name in grid.rows) else ""
        found = (f"{name}{gap}{number}" for name, number in zip(grid.rows, marks, strict=True) if number)
        return " ".join(found) or "none"


def initials(names: Sequence[str]) -> list[str]:
    """As many first letters of each name as it takes to tell them apart, up to three; else their seats."""
    found = ([name[:letters] for name in names] for letters in (1, 2, 3))
    seats = [str(seat) for seat, _ in enumerate(names, 1)]
    return next((short for short in found if len(set(short)) == len(names)), seats)


def _foremost(place: Sequence[GridCell]) -> GridCell | None:
    return next((thing for thing in place if thing.marked), place[0] if place else None)


def _words(thing: GridCell) -> str:
    return f"{thing.title} {thing.text}".strip()


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
