"""Each player's grid of things on the board: in few letters, by full names, or with what everything does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from edict.cli.playing.columns import Lines, beside, columns, fit, heading, wrapped
from edict.cli.playing.screen import Screen
from edict.cli.playing.terse import terse
from edict.rendering import plain
from edict.table.panels import Grid, GridCell, PanelView

LEAST_CELL, MOST_CELL = 3, 12
LEAST_TOLD = 22  # columns in which it can be said what a thing does
MOST_WORDS = 3  # lines of them
GAP = 2


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
            each = (width - GAP * (number - 1)) // number
            if self.cell_in(each) >= LEAST_CELL or number == 1:
                break
        blocks = [self.short(grid, each) for grid in grids]
        shown = heading(self.legend, width)
        for start in range(0, len(blocks), number):
            shown += beside(blocks[start : start + number], GAP)
        return shown

    @property
    def legend(self) -> str:
        return f"{self.panel.title} (CAPITALS: {self.panel.mark})" if self.panel.mark else self.panel.title

    def cell_in(self, width: int) -> int:
        """How wide a cell may be where one grid has so many columns."""
        across = max(len(grid.columns) for grid in self.panel.grids)
        return (width - self._label - across) // across

    @property
    def _label(self) -> int:
        return max(len(name) for grid in self.panel.grids for name in grid.rows)

    def _by_column(self) -> list[list[GridCell]]:
        across = max((len(grid.columns) for grid in self.panel.grids), default=0)
        rows = [row for grid in self.panel.grids for row in grid.cells]
        return [[thing for row in rows if place < len(row) for thing in row[place]] for place in range(across)]

    def short(self, grid: Grid, width: int) -> Lines:
        """A grid in no more columns than this: what is marked stands out in capitals."""
        cell = max(1, self.cell_in(width))
        whole = [max((len(_words(thing)) for thing in things), default=0) for things in self._by_column()]
        fits = self._label + sum(1 + each for each in whole) <= width
        widths = whole if fits else [min(cell, MOST_CELL)] * len(whole)
        titles = [thing.title for row in grid.cells for place in row for thing in place]
        short = {title: title for title in titles} if fits else abbreviations(titles, min(widths))
        return [self.screen.text(grid.player), *self._rows(grid, short, widths)]

    def _rows(self, grid: Grid, short: dict[str, str], widths: Sequence[int]) -> Iterator[Text]:
        for name, row in zip(grid.rows, grid.cells, strict=True):
            line = self.screen.text(name.ljust(self._label), "dim")
            for place, width in zip(row, widths, strict=False):
                thing = _foremost(place)
                words = f"{short[thing.title]} {thing.text}".strip() if thing else ""
                line.append(" ").append_text(fit(self._styled(words, thing, grid.seat), width))
            yield line

    def _styled(self, words: str, thing: GridCell | None, seat: int) -> Text:
        marked = thing is not None and thing.marked
        style = f"{self.screen.hue(seat)} reverse" if marked else "dim"
        return Text(plain(words.upper() if marked else words.lower()), style=style)

    # --- what things do

    def drawn(self, grid: Grid, width: int) -> Lines:
        """A grid with the printed values of everything and what it does; nothing where there is no room for that."""
        across = len(grid.columns)
        each = (width - self._label - 1 - GAP * (across - 1)) // across if across else 0
        if each < LEAST_TOLD:
            return []
        lines = heading(f"{self.legend}: {grid.player}", width)
        for name, row in zip(grid.rows, grid.cells, strict=True):
            blocks = [self._told_cell(_foremost(place), grid.seat, each) for place in row]
            label = [self.screen.text(name.ljust(self._label + 1), "dim")]
            lines += beside([[label[0]], beside(blocks, GAP)], 0)
        return lines

    def _told_cell(self, thing: GridCell | None, seat: int, width: int) -> Lines:
        if thing is None:
            return [Text(" " * width)]
        head = self._styled(_words(thing), thing, seat)
        head.append(plain(f" {thing.caption}" if thing.caption else ""), style="dim")
        words = wrapped(self.screen.text(terse(thing.words, width)), width)[:MOST_WORDS]
        return [fit(line, width) for line in (*wrapped(head, width), *words)]

    def effects(self, grid: Grid, width: int, tall: int) -> Lines:
        """What the marked things do, in no more than `tall` lines; nothing if none does anything."""
        things = [t for row in grid.cells for place in row for t in place if t.marked and t.words]
        if not things or not tall:
            return []
        number = 1 if len(things) <= tall or width < 2 * LEAST_TOLD * 2 - GAP - 20 else 2
        each = (width - GAP * (number - 1)) // number
        items = [self._effect(thing, grid.seat, each) for thing in things]
        more = len(items) - tall * number
        if more > 0:
            left = f"and {more + 1} more (board shows all)"
            items = [*items[: tall * number - 1], self.screen.text(left, "dim")]
        return columns(items, number, width, GAP)

    def _effect(self, thing: GridCell, seat: int, width: int) -> Text:
        line = self.screen.text(thing.title, self.screen.hue(seat)).append(": ")
        return fit(line.append(plain(terse(thing.words, width - line.cell_len))), width)

    def counted(self, grid: Grid) -> str:
        """How much of each row is marked: `B2 E1`."""
        marks = [sum(thing.marked for place in row for thing in place) for row in grid.cells]
        return " ".join(f"{name}{number}" for name, number in zip(grid.rows, marks, strict=True) if number) or "none"


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
