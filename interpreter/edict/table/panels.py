"""What lies on the table, as plain data: lines, rows of cells, or a grid for each player. Drawing is for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from edict.program import Panel, PanelLine, Type
from edict.table.current import Instead
from edict.table.addresses import PLAYER
from edict.table.knowledge import Masked, known_value
from edict.table.game_steps import Table
from edict.table.wording import HIDDEN, agreed
from edict.text import run_on


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of what a panel says: plain text (`type` is None), or a value, which is None where it is hidden."""

    text: str
    type: Type | None = None
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row (or line) of a panel; `key` is the thing's name, `seat` the player's seat if it is about one.

    `cells` are its texts, and `pieces` what each of them is put together from. `caption` and `words` are what is
    printed on the thing; `marked` things are to be set off.
    """

    title: str
    cells: tuple[str, ...]
    key: str = ""
    seat: int = -1
    caption: str = ""
    words: str = ""
    marked: bool = False
    pieces: tuple[tuple[Piece, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class GridCell:
    """A thing in a grid; `marked` if this player marks it, `text` what the panel's columns say of it."""

    key: str
    title: str
    caption: str
    words: str
    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """One player's grid: `cells[row][column]` holds the things there, mostly one."""

    seat: int
    player: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[GridCell, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class PanelView:
    """A panel as one player sees it. shape: lines and rows fill `rows`, grid fills `grids`; `above` stands over these.

    `mark` is what the rules say of the things that are marked.
    """

    name: str
    title: str
    shape: str
    header: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    grids: tuple[Grid, ...] = ()
    mark: str = ""
    above: tuple[str, ...] = ()
    kind: str = ""  # of the things in its rows or grids


class Painter:
    """Evaluates panels in the state one player may know."""

    def __init__(self, table: Table, states: Masked, instead: Instead | None = None) -> None:
        self.program = table.program
        self.players = table.players
        self.wording = table.wording
        self.states = states
        self.instead = instead
        self.queries = table.program.queries

    def panels(self) -> list[PanelView]:
        """What lies on the table all the time."""
        return [self.panel(panel) for panel in self.program.panels if not panel.looked]

    def panel(self, panel: Panel) -> PanelView:
        draw = {"rows": self.rows, "grid": self.grid}.get(panel.shape, self.lines)
        above = tuple(self.text(line) for line in panel.above if self.said(line) and self.known(line))
        return replace(draw(panel), above=above, kind=panel.kind)

    def lines(self, panel: Panel) -> PanelView:
        """The lines in which nothing is hidden: `the coming card: ?` would be of no use."""
        known = [(line.title, self.pieces(line)) for line in panel.lines if self.said(line) and self.known(line)]
        rows = tuple(Row(title, (joined(pieces),), pieces=(pieces,)) for title, pieces in known)
        return PanelView(panel.name, panel.title, panel.shape, (), rows)

    def rows(self, panel: Panel) -> PanelView:
        header = tuple(line.title for line in panel.lines)
        rows = []
        for index in self.in_order(panel):
            thing = self.wording.things(panel.kind)[index]
            pieces = tuple(self.pieces(line, index) for line in panel.lines)
            cells = tuple(map(joined, pieces))
            seat = index if panel.kind == PLAYER else -1
            marked = panel.mark >= 0 and bool(self.value(panel.mark, index))
            words = self.does(panel.kind, index)
            rows.append(Row(thing.title or thing.name, cells, thing.name, seat, thing.caption, words, marked, pieces))
        return PanelView(panel.name, panel.title, panel.shape, header, tuple(rows), mark=panel.marked)

    def grid(self, panel: Panel) -> PanelView:
        header = tuple(line.title for line in panel.lines)
        grids = tuple(self.one_grid(panel, seat) for seat in range(len(self.players)))
        return PanelView(panel.name, panel.title, panel.shape, header, (), grids, panel.marked)

    def one_grid(self, panel: Panel, seat: int) -> Grid:
        """The things of a panel's kind in their rows and columns, as one player has them."""
        places: dict[tuple[int, int], list[GridCell]] = {}
        for index in self.shown(panel, seat):
            row, column = (self.value(query, index, seat) for query in (panel.rows, panel.columns))
            if row is not None and column is not None:
                places.setdefault((row, column), []).append(self.grid_cell(panel, index, seat))
        rows = sorted({row for row, _ in places})
        columns = sorted({column for _, column in places})
        cells = tuple(tuple(tuple(places.get((row, column), ())) for column in columns) for row in rows)
        return Grid(
            seat, self.players[seat], self.labels(panel.rows, rows), self.labels(panel.columns, columns), cells
        )

    def grid_cell(self, panel: Panel, index: int, seat: int) -> GridCell:
        thing = self.wording.things(panel.kind)[index]
        text = run_on(self.text(line, index, seat) for line in panel.lines)
        marked = panel.mark >= 0 and bool(self.value(panel.mark, index, seat))
        words = self.does(panel.kind, index)
        return GridCell(thing.name, thing.title or thing.name, thing.caption, words, text, marked)

    def does(self, kind: str, index: int) -> str:
        """What a thing does: what applies now, if something else replaces what is printed."""
        if self.instead is not None and self.instead.replaces(kind):
            return self.instead.words(kind, index)
        return self.wording.things(kind)[index].words

    def in_order(self, panel: Panel) -> list[int]:
        """The things a panel has a row for; as they stand in an order, if they lie in one that may be seen."""
        return sorted(self.shown(panel), key=lambda index: self.value(panel.rows, index) or 0 if panel.rows >= 0 else 0)

    def shown(self, panel: Panel, *seat: int) -> Iterator[int]:
        """The numbers of the things a panel shows."""
        for index in range(len(self.wording.things(panel.kind))):
            if panel.condition < 0 or self.value(panel.condition, index, *seat):
                yield index

    def labels(self, query: int, values: list[int]) -> tuple[str, ...]:
        name: Callable[[Type, int], str] = self.wording.value
        return tuple(name(self.queries[query].type, value) if query >= 0 else "" for value in values)

    def said(self, line: PanelLine, *args: int) -> bool:
        """Whether its condition holds; of what one may not know, it is not said to."""
        return line.condition < 0 or bool(self.value(line.condition, *args))

    def known(self, line: PanelLine) -> bool:
        return all(self.value(part.query) is not None for part in line.parts)

    def text(self, line: PanelLine, *args: int) -> str:
        return joined(self.pieces(line, *args))

    def pieces(self, line: PanelLine, *args: int) -> tuple[Piece, ...]:
        """What a line says, its texts and its values apart."""
        found, number = list[Piece](), None
        for part in line.parts if self.said(line, *args) else ():
            piece = Piece(agreed(part.text, number)) if part.query < 0 else self.part(part.query, *args)
            number = piece.value if piece.type is not None and piece.type.shape == "number" else None
            found.append(piece)
        return tuple(found)

    def part(self, query: int, *args: int) -> Piece:
        value, of = self.value(query, *args), self.queries[query].type
        return Piece(HIDDEN if value is None else self.wording.value(of, value), of, value)

    def value(self, query: int, *args: int) -> int | None:
        return 0 if query < 0 else known_value(self.program, self.states, query, *args)


def joined(pieces: Iterable[Piece]) -> str:
    """The text that pieces are parts of."""
    return run_on(piece.text for piece in pieces)
