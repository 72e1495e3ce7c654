"""Lists of things on the board: in columns, each with its numbers, its name, what it does and what lies on it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from rich.text import Text

from edict.cli.playing.columns import Lines, columns, fit
from edict.cli.playing.screen import Screen
from edict.cli.playing.terse import terse
from edict.table.panels import PanelView, Row

NOTHING = ("nobody", "none", "no dice")  # how the table words what is not there
FEW_LINES = 6  # longer lists without words stand in several columns
NARROW = 3  # for what lies on a thing
TIGHT_WORDS, LEAST_WORDS, GOOD_WORDS = 12, 18, 40  # columns for what a thing does
GAP = 2


def is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[-+]?\d+|\?", text))


@dataclass(frozen=True)
class Listing:
    """A panel of things. `offered` are the names of those among which somebody chooses now."""

    screen: Screen
    panel: PanelView
    offered: Collection[str] = ()

    def lines(self, width: int, words: int) -> Lines:
        """words: the least columns for what things do; 0: nothing is said of that."""
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

    def _item(self, row: Row, titles: int, width: int, worded: bool) -> Text:
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

    def _lying(self, row: Row, room: int) -> Text:
        """Who and what is on a thing."""
        cells = [self.cell(cell, room) for cell in row.cells[len(self._leads) :]]
        if row.marked:
            mark = self.panel.mark
            cells.append(self.screen.text(mark if 0 < len(mark) <= room else "x", "dim italic"))
        shown = Text(" ").join(cell for cell in cells if cell.plain)
        return fit(shown, min(room, shown.cell_len))

    def cell(self, words: str, room: int) -> Text:
        """A value: nothing where nothing is; players' names as long as there is room for."""
        if words in NOTHING:
            return Text("")
        seats = self.seats_in(words)
        if not seats:
            return self.screen.text(words)
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
