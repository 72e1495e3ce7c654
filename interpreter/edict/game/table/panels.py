"""What lies on the table, as plain data: lines, rows of cells, or a grid for each player. Drawing is for others.

What is printed on a thing may not be what counts: a tile that lies on an advisor is an exception to the routine that
gives their reward. No list says so: the routine is begun on what the seat may know, and it is seen which thing's effect
it comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from edict.game.table.addresses import PLAYER
from edict.game.table.game_steps import Table
from edict.game.table.knowledge import WORK, KnownState, Made, Peeked, Secrets, blind_value, enter_code, make_blind
from edict.game.table.log_entries import Look, Term, Won
from edict.game.table.options import Ask, Options
from edict.game.table.wording import HIDDEN, agreed
from edict.runtime.machine.loop import BUDGET, run
from edict.runtime.program import Carrier, Panel, PanelLine, PanelPart, Program, Thing, Type
from edict.runtime.program import opcodes as o
from edict.runtime.program.opcodes import QUESTION, SEAT
from edict.runtime.program.same import Same
from edict.support.morphology import run_on


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of what a panel says: plain text (`type` is None), or a value, which is None where it is hidden.

    `count`: how many there are, of a value that is hidden and whose number everybody may know.
    """

    text: str
    type: Type | None = None
    value: int | None = None
    count: int | None = None


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
    """One player's grid: `cells[row][column]` holds the things there, mostly one.

    `shifts`: by how many half places each row lies further on than the first; empty where rows are not staggered.
    """

    seat: int
    player: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[GridCell, ...], ...], ...]
    shifts: tuple[int, ...] = ()


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

    def __init__(self, table: Table, known: KnownState, instead: Substitutes | None = None) -> None:
        self.program = table.program
        self.players = table.players
        self.wording = table.wording
        self.looked = known
        self.instead = instead
        self.queries = table.program.queries

    def panels(self) -> list[PanelView]:
        """What lies on the table all the time."""
        return [self.panel(panel) for panel in self.program.panels if not panel.looked]

    def panel(self, panel: Panel) -> PanelView:
        return self.kept(panel, "whole", lambda: self.drawn(panel))

    def drawn(self, panel: Panel) -> PanelView:
        draw = {"rows": self.rows, "grid": self.grid}.get(panel.shape, self.lines)
        above = tuple(self.text(line) for line in panel.above if self.said(line) and self.known(line))
        return replace(draw(panel), above=above, kind=panel.kind)

    def lines(self, panel: Panel) -> PanelView:
        """The lines in which nothing is hidden: `the coming card: ?` would be of no use, but `4 cards` is."""
        known = [(line.title, self.pieces(line)) for line in panel.lines if self.said(line) and self.known(line)]
        rows = tuple(Row(title, (joined(pieces),), pieces=(pieces,)) for title, pieces in known)
        return PanelView(panel.name, panel.title, panel.shape, (), rows)

    def rows(self, panel: Panel) -> PanelView:
        header = tuple(line.title for line in panel.lines)
        order = self.kept(panel, "order", lambda: self.in_order(panel))
        rows = tuple(self.kept(panel, index, partial(self.row, panel, index)) for index in order)
        return PanelView(panel.name, panel.title, panel.shape, header, rows, mark=panel.marked)

    def row(self, panel: Panel, index: int) -> Row:
        thing = self.wording.things(panel.kind)[index]
        pieces = tuple(self.pieces(line, index) for line in panel.lines)
        seat = index if panel.kind == PLAYER else -1
        marked = panel.mark >= 0 and bool(self.value(panel.mark, index))
        words, cells = self.does(panel.kind, index), tuple(map(joined, pieces))
        return Row(thing.title or thing.name, cells, thing.name, seat, thing.caption, words, marked, pieces)

    def kept(self, panel: Panel, part: Hashable, make: Callable[[], Made]) -> Made:
        """A part of a panel, which hangs on the state, and on who looks where something counts that is not printed."""
        who = self.instead.you if self.instead is not None and self.instead.replaces(panel.kind) else -1
        return self.looked.get((panel.name, part, who), make)

    def grid(self, panel: Panel) -> PanelView:
        header = tuple(line.title for line in panel.lines)
        grids = tuple(self.one_grid(panel, seat) for seat in range(len(self.players)))
        return PanelView(panel.name, panel.title, panel.shape, header, (), grids, panel.marked)

    def one_grid(self, panel: Panel, seat: int) -> Grid:
        """The things of a panel's kind in their rows and columns, as one player has them."""
        places: dict[tuple[int, int], list[GridCell]] = {}
        for index, row, column in self.kept(panel, (seat, "places"), lambda: self.places(panel, seat)):
            cell = self.kept(panel, (seat, index), partial(self.grid_cell, panel, index, seat))
            places.setdefault((row, column), []).append(cell)
        rows = sorted({row for row, _ in places})
        columns = sorted({column for _, column in places})
        cells = tuple(tuple(tuple(places.get((row, column), ())) for column in columns) for row in rows)
        shifts = tuple(row - rows[0] for row in rows) if panel.staggered else ()
        labels = self.labels(panel.rows, rows), self.labels(panel.columns, columns)
        return Grid(seat, self.players[seat], *labels, cells, shifts)

    def places(self, panel: Panel, seat: int) -> list[tuple[int, int, int]]:
        """Each thing of a panel with its row and column, as one player has it."""
        found = list[tuple[int, int, int]]()
        for index in self.shown(panel, seat):
            row, column = (self.value(query, index, seat) for query in (panel.rows, panel.columns))
            if row is not None and column is not None:
                found.append((index, row, column))
        return found

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
        return all(self.value(part.query) is not None or part.count >= 0 for part in line.parts)

    def text(self, line: PanelLine, *args: int) -> str:
        return joined(self.pieces(line, *args))

    def pieces(self, line: PanelLine, *args: int) -> tuple[Piece, ...]:
        """What a line says, its texts and its values apart."""
        if not self.said(line, *args):
            return ()
        return run_of(line, lambda part, number: self.part(part, *args, number=number))

    def part(self, part: PanelPart, *args: int, number: int | None = None) -> Piece:
        value, of = self.value(part.query, *args), self.queries[part.query].type
        if value is not None:
            return Piece(self.wording.value(of, value, number), of, value)
        count = self.value(part.count, *args) if part.count >= 0 else None
        return Piece(HIDDEN if count is None else self.wording.how_many(of, count), of, None, count)

    def value(self, query: int, *args: int) -> int | None:
        return 0 if query < 0 else self.looked.value(self.program, query, *args)


def run_of(line: PanelLine, part: Callable[[PanelPart, int | None], Piece]) -> tuple[Piece, ...]:
    """The pieces of a line, its values as `part` has them after a number or none; texts and things agree with it."""
    found, number = list[Piece](), None
    for one in line.parts:
        piece = Piece(agreed(one.text, number)) if one.query < 0 else part(one, number)
        number = piece.value if piece.type is not None and piece.type.shape == "number" else None
        found.append(piece)
    return tuple(found)


def joined(pieces: Iterable[Piece]) -> str:
    """The text that pieces are parts of."""
    return run_on(piece.text for piece in pieces)


# --- a moment to look -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary:
    """What there is to look at.

    `changes` are what players won and lost, and `terms` the adjustments that took part, since the phase began in
    which the rules look, or since the game began if that is in no phase.
    """

    title: str
    panel: PanelView
    changes: tuple[Won, ...]
    terms: tuple[Term, ...]


def summary(table: Table, look: Look, seat: int) -> Summary:
    """A moment in the log, with nothing in it that the seat may not know."""
    panel = Painter(table, KnownState.of(table.program, look.cells, seat)).panel(table.program.panels[look.panel])
    changes = tuple(_worded(table, one) for one in look.changes if one.seats is None or seat in one.seats)
    return Summary(panel.title, panel, changes, look.terms)


def _worded(table: Table, change: Won) -> Won:
    """`+2 chips`, `-1 chip`."""
    variable = table.program.variable_by_name[change.name]
    sign = "+" if change.amount > 0 else "-"
    return replace(change, words=sign + table.wording.amount(variable, abs(change.amount)))


# --- what counts now in place of what is printed --------------------------------------------------------

MOST_ANSWERS = 4  # offers on the way that are taken


@dataclass(frozen=True, slots=True)
class Substitute:
    """What is carried out in place of an effect printed on a thing: that of another thing."""

    field: str
    thing: Thing

    @property
    def words(self) -> str:
        return self.thing.words


class Substitutes:
    """Looks for what counts now, as seen by one seat."""

    def __init__(self, program: Program, known: KnownState, seat: int) -> None:
        self.program = program
        self.known = known
        self.you = max(seat, 0)  # whoever only looks on sees what the first player would

    def replaces(self, kind: str) -> bool:
        """Whether anything could ever count in place of what is printed on things of a kind."""
        return any(carrier.kind == kind for carrier in self.program.carriers)

    def of(self, kind: str, index: int) -> Substitute | None:
        """What counts in place of what is printed on a thing; None if that counts, or cannot be known."""
        for carrier in self.program.carriers:
            if carrier.kind == kind:
                name, field = self._met(carrier, index)
                thing = _things(self.program).get(name)
                if thing is not None and name != self.program.kind_by_name[kind].things[index].name:
                    return Substitute(field, thing)
        return None

    def words(self, kind: str, index: int) -> str:
        """What a thing does, as it counts now."""
        current = self.of(kind, index)
        return current.words if current is not None else self.program.kind_by_name[kind].things[index].words

    def _met(self, carrier: Carrier, index: int) -> tuple[str, str]:
        """The first effect that is come to: the thing's name and the field's; empty if there is none."""
        code, effects = _stopping(Same(self.program))
        state = self.known.blind()
        self._begin(state, carrier, index)
        try:
            status = run(code, state, [0])
            for _ in range(MOST_ANSWERS):
                if status != o.ASKING or state[o.SEAT] != self.you:
                    break
                state[o.ANSWER] = 0
                status = run(code, state, [0])
        except Peeked:
            return "", ""
        return effects.get(state[o.PC], ("", "")) if status == o.GAME_OVER else ("", "")

    def _begin(self, state: list[int], carrier: Carrier, index: int) -> None:
        enter_code(self.program, state, carrier.entry)
        state[carrier.param], state[o.YOU], state[o.SPENT] = index, self.you, BUDGET - WORK


def with_words(ask: Ask, kind: str, instead: Substitutes) -> Ask:
    """The question for a thing of a kind with options that say what counts now."""
    options = (
        option if option.value < 0 else replace(option, words=instead.words(kind, option.value))
        for option in ask.options
    )
    return replace(ask, options=tuple(options))


@lru_cache(maxsize=4)
def _stopping(same: Same) -> tuple[list[int], dict[int, tuple[str, str]]]:
    """The code with a stop where each effect begins, and which it is."""
    effects: dict[int, tuple[str, str]] = {}
    stopping = list(same.program.code)
    for name, at in same.program.entries:
        sort, *words = name.split(" ")
        if sort == "effect" and len(words) == 2:
            effects[at] = words[0], words[1]
            stopping[at] = o.OVER
    return stopping, effects


def _things(program: Program) -> dict[str, Thing]:
    return {thing.name: thing for kind in program.kinds for thing in kind.things}


# --- titles of options that hold values -----------------------------------------------------------------

UNKNOWN = "…"  # as where a title is written outside any game


def titled(options: Options, state: Sequence[int], ask: Ask) -> Ask:
    """The question with the values that titles of its options hold, as the one who is asked may know them."""
    program, wording = options.program, options.wording
    titles = program.questions[state[QUESTION]].titles
    if not titles:
        return ask
    hidden = frozenset(Secrets.of(program).hidden(state, state[SEAT]))

    def part(part: PanelPart, number: int | None) -> Piece:
        (value, _), of = blind_value(program, make_blind(state, hidden), part.query), program.queries[part.query].type
        return Piece(UNKNOWN if value is None else wording.value(of, value, number), of, value)

    texts = {i: joined(run_of(line, part)) for i, line in enumerate(titles) if line.parts}
    return replace(ask, options=tuple(replace(one, text=texts.get(one.value, one.text)) for one in ask.options))
