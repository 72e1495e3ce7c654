"""Panels, the contents of the table as plain data: lines, rows of cells, or a grid for each player.

The text printed on a thing is not always what it does now: a tile on an advisor may be an exception to the routine
that gives their reward. No table lists such replacements: the routine is started on a copy of what the seat knows,
and the first effect it reaches is the one that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from edict.game.table.addresses import PLAYER
from edict.game.table.game_steps import GameTable
from edict.game.table.knowledge import (
    WORK_PER_TRIAL,
    HiddenReadError,
    KnownState,
    Made,
    Secrets,
    compute_masked_query,
    enter_code,
    make_blind,
)
from edict.game.table.log_entries import AdjustmentTerm, LookSnapshot, ResourceGain
from edict.game.table.options import Ask, Options
from edict.game.table.wording import HIDDEN, inflect_after_number
from edict.runtime.machine.loop import BUDGET, run
from edict.runtime.program import (
    EffectRoutine,
    LinkedPanelPart,
    LinkedThing,
    Panel,
    PanelLine,
    Program,
    ProgramKey,
    ValueType,
)
from edict.runtime.program import opcodes as o
from edict.runtime.program.opcodes import QUESTION, SEAT
from edict.support.morphology import join_line
from edict.support.records import dataclass
from edict.support.translations.texts import join_parts


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a panel's text: plain text (`type` is None), or a value."""

    text: str
    type: ValueType | None = None
    value: int | None = None  # None if hidden
    count: int | None = None  # number of things in a hidden value, if it is public


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A row or line of a panel."""

    title: str
    cells: tuple[str, ...]  # texts
    key: str = ""  # name of the thing
    seat: int = -1  # the player it is about, or -1
    caption: str = ""  # printed values of the thing
    words: str = ""  # effect of the thing
    marked: bool = False  # to be highlighted
    pieces: tuple[tuple[Piece, ...], ...] = ()  # parts of each text


@dataclass(frozen=True, slots=True)
class GridCell:
    """A thing in a grid."""

    key: str
    title: str
    caption: str
    words: str
    text: str  # text of the panel's columns
    marked: bool  # highlighted for this player


@dataclass(frozen=True, slots=True)
class PlayerGrid:
    """The grid of one player."""

    seat: int
    player: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[GridCell, ...], ...], ...]  # things by row and column, mostly one each
    shifts: tuple[int, ...] = ()  # offset of each row in half places, for hexagons; else empty


@dataclass(frozen=True, slots=True)
class PanelView:
    """A panel as one player sees it."""

    name: str
    title: str
    shape: str  # lines and rows fill `rows`, grid fills `grids`
    header: tuple[str, ...]
    rows: tuple[PanelRow, ...] = ()
    grids: tuple[PlayerGrid, ...] = ()
    mark: str = ""  # meaning of highlighted things
    above: tuple[str, ...] = ()  # lines above the rest
    kind: str = ""  # kind of the things in its rows or grids


class PanelRenderer:
    """Renders panels from the state that one player knows."""

    def __init__(self, table: GameTable, known: KnownState, instead: SubstituteFinder | None = None) -> None:
        self.program = table.program
        self.players = table.players
        self.wording = table.wording
        self.looked = known
        self.instead = instead
        self.queries = table.program.queries

    def panels(self) -> list[PanelView]:
        """Render the panels that are always on the table."""
        return [self.panel(panel) for panel in self.program.panels if not panel.looked]

    def panel(self, panel: Panel) -> PanelView:
        """Render a panel."""
        return self.get_cached(panel, "whole", lambda: self.render(panel))

    def render(self, panel: Panel) -> PanelView:
        """Return the `PanelView` of a panel as rows, grids or lines, with the visible lines above it."""
        render_shape = {"rows": self.render_rows, "grid": self.render_grids}.get(panel.shape, self.render_lines)
        above = tuple(self.text(line) for line in panel.above if self.is_shown(line) and self.is_visible(line))
        return replace(render_shape(panel), above=above, kind=panel.kind)

    def render_lines(self, panel: Panel) -> PanelView:
        """Render the lines without hidden values; `4 cards` is shown, `the coming card: ?` is not."""
        visible_lines = [
            (line.title, self.pieces(line)) for line in panel.lines if self.is_shown(line) and self.is_visible(line)
        ]
        rows = tuple(PanelRow(title, (join_pieces(pieces),), pieces=(pieces,)) for title, pieces in visible_lines)
        return PanelView(panel.name, panel.title, panel.shape, (), rows)

    def render_rows(self, panel: Panel) -> PanelView:
        """Render a panel with a row for each thing."""
        header = tuple(line.title for line in panel.lines)
        order = self.get_cached(panel, "order", lambda: self.row_order(panel))
        rows = tuple(self.get_cached(panel, index, partial(self.render_row, panel, index)) for index in order)
        return PanelView(panel.name, panel.title, panel.shape, header, rows, mark=panel.marked)

    def render_row(self, panel: Panel, index: int) -> PanelRow:
        """Render the row of one thing."""
        thing = self.wording.things(panel.kind)[index]
        pieces = tuple(self.pieces(line, index) for line in panel.lines)
        seat = index if panel.kind == PLAYER else -1
        marked = panel.mark >= 0 and bool(self.value(panel.mark, index))
        words, cells = self.effect_text(panel.kind, index), tuple(map(join_pieces, pieces))
        return PanelRow(thing.title or thing.name, cells, thing.name, seat, thing.caption, words, marked, pieces)

    def get_cached(self, panel: Panel, part: Hashable, make: Callable[[], Made]) -> Made:
        """Return a panel's part from the cache, or make it; cached by state and, if need be, by viewer.

        It depends on the state and, where effects are replaced, on the player.
        """
        if self.instead is not None and self.instead.can_replace(panel.kind):
            viewer = self.instead.you
        else:
            viewer = -1
        return self.looked.get((panel.name, part, viewer), make)

    def render_grids(self, panel: Panel) -> PanelView:
        """Render a panel with a grid for each player."""
        header = tuple(line.title for line in panel.lines)
        grids = tuple(self.render_grid(panel, seat) for seat in range(len(self.players)))
        return PanelView(panel.name, panel.title, panel.shape, header, (), grids, panel.marked)

    def render_grid(self, panel: Panel, seat: int) -> PlayerGrid:
        """Render the grid of one player."""
        places: dict[tuple[int, int], list[GridCell]] = {}
        for index, row, column in self.get_cached(panel, (seat, "places"), lambda: self.places(panel, seat)):
            cell = self.get_cached(panel, (seat, index), partial(self.render_cell, panel, index, seat))
            places.setdefault((row, column), []).append(cell)
        rows = sorted({row for row, _ in places})
        columns = sorted({column for _, column in places})
        cells = tuple(tuple(tuple(places.get((row, column), ())) for column in columns) for row in rows)
        shifts = tuple(row - rows[0] for row in rows) if panel.staggered else ()
        labels = self.labels(panel.rows, rows), self.labels(panel.columns, columns)
        return PlayerGrid(seat, self.players[seat], *labels, cells, shifts)

    def places(self, panel: Panel, seat: int) -> list[tuple[int, int, int]]:
        """Return (index, row, column) of each shown thing in a seat's grid, except those whose place is hidden."""
        places = list[tuple[int, int, int]]()
        for index in self.iter_shown_indexes(panel, seat):
            row, column = (self.value(query, index, seat) for query in (panel.rows, panel.columns))
            if row is not None and column is not None:
                places.append((index, row, column))
        return places

    def render_cell(self, panel: Panel, index: int, seat: int) -> GridCell:
        """Render one thing in a player's grid."""
        thing = self.wording.things(panel.kind)[index]
        text = join_line(self.text(line, index, seat) for line in panel.lines)
        marked = panel.mark >= 0 and bool(self.value(panel.mark, index, seat))
        words = self.effect_text(panel.kind, index)
        return GridCell(thing.name, thing.title or thing.name, thing.caption, words, text, marked)

    def effect_text(self, kind: str, index: int) -> str:
        """Return the effect of a thing, as replaced by other rules now."""
        if self.instead is not None and self.instead.can_replace(kind):
            return self.instead.effect_text(kind, index)
        return self.wording.things(kind)[index].words

    def row_order(self, panel: Panel) -> list[int]:
        """Return the indexes of the things with a row, in the order that the panel gives them."""
        return sorted(
            self.iter_shown_indexes(panel),
            key=lambda index: self.value(panel.rows, index) or 0 if panel.rows >= 0 else 0,
        )

    def iter_shown_indexes(self, panel: Panel, *seat: int) -> Iterator[int]:
        """Iterate over the indexes of the things that a panel shows."""
        for index in range(len(self.wording.things(panel.kind))):
            if panel.condition < 0 or self.value(panel.condition, index, *seat):
                yield index

    def labels(self, query: int, values: list[int]) -> tuple[str, ...]:
        """Return the labels of rows or columns."""
        name: Callable[[ValueType, int], str] = self.wording.value
        return tuple(name(self.queries[query].type, value) if query >= 0 else "" for value in values)

    def is_shown(self, line: PanelLine, *args: int) -> bool:
        """Return True if a line's condition holds and is not hidden."""
        return line.condition < 0 or bool(self.value(line.condition, *args))

    def is_visible(self, line: PanelLine) -> bool:
        """Return True if no value of a line is hidden without a public count."""
        return all(self.value(part.query) is not None or part.count >= 0 for part in line.parts)

    def text(self, line: PanelLine, *args: int) -> str:
        """Return the text of a line."""
        return join_pieces(self.pieces(line, *args))

    def pieces(self, line: PanelLine, *args: int) -> tuple[Piece, ...]:
        """Return the parts of a line as texts and values; () if the line's condition hides it."""
        if not self.is_shown(line, *args):
            return ()
        return build_pieces(line, lambda part, number: self.render_part(part, *args, number=number))

    def render_part(self, part: LinkedPanelPart, *args: int, number: int | None = None) -> Piece:
        """Return the value of a part of a line."""
        value, type_ = self.value(part.query, *args), self.queries[part.query].type
        if value is not None:
            return Piece(self.wording.value(type_, value, number), type_, value)
        count = self.value(part.count, *args) if part.count >= 0 else None
        return Piece(HIDDEN if count is None else self.wording.format_hidden_count(type_, count), type_, None, count)

    def value(self, query: int, *args: int) -> int | None:
        """Return the value of a query, 0 without a query, or None if hidden."""
        return 0 if query < 0 else self.looked.value(self.program, query, *args)


def build_pieces(line: PanelLine, part: Callable[[LinkedPanelPart, int | None], Piece]) -> tuple[Piece, ...]:
    """Return the pieces of a line.

    `render_part` renders a value after the number before it, with which texts and things agree.
    """
    pieces, number = list[Piece](), None
    for line_part in line.parts:
        if line_part.query < 0:
            piece = Piece(inflect_after_number(line_part.text, number))
        else:
            piece = part(line_part, number)
        number = piece.value if piece.type is not None and piece.type.shape == "number" else None
        pieces.append(piece)
    return tuple(pieces)


def join_pieces(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces."""
    return join_line(piece.text for piece in pieces)


# --- a moment to look -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary:
    """The content of a moment to look."""

    title: str
    panel: PanelView
    changes: tuple[ResourceGain, ...]  # gains and losses since the phase (or the game) began
    terms: tuple[AdjustmentTerm, ...]  # adjustments that took part since then


def build_summary(table: GameTable, look: LookSnapshot, seat: int) -> Summary:
    """Return the summary of a moment in the log as one seat may see it."""
    panel = PanelRenderer(table, KnownState.from_state(table.program, look.cells, seat)).panel(
        table.program.panels[look.panel]
    )
    changes = tuple(
        _with_words(table, change) for change in look.changes if change.seats is None or seat in change.seats
    )
    return Summary(panel.title, panel, changes, look.terms)


def _with_words(table: GameTable, change: ResourceGain) -> ResourceGain:
    """Return a gain with its words, such as `+2 chips` or `-1 chip`."""
    variable = table.program.variable_by_name[change.name]
    sign = "+" if change.amount > 0 else "-"
    words = join_parts("", (sign, table.wording.amount(variable, abs(change.amount))))
    return replace(change, words=words)


# --- what counts now in place of what is printed --------------------------------------------------------

MOST_ANSWERS = 4  # offers on the way that are accepted


@dataclass(frozen=True, slots=True)
class Substitute:
    """The effect of another thing that replaces the one printed on a thing."""

    field: str
    thing: LinkedThing

    @property
    def effect_text(self) -> str:
        """Return the English text of the substitute effect, as it is printed on the other thing."""
        return self.thing.words


class SubstituteFinder:
    """Finds the effects that replace printed ones now as seen by one seat."""

    def __init__(self, program: Program, known: KnownState, seat: int) -> None:
        self.program = program
        self.known = known
        self.you = seat if seat < known.state[o.PLAYERS] else 0  # a spectator sees what the first player would

    def can_replace(self, kind: str) -> bool:
        """Return True if anything can replace the effects printed on things of a kind."""
        return any(carrier.kind == kind for carrier in self.program.carriers)

    def find_substitute(self, kind: str, index: int) -> Substitute | None:
        """Return the effect that replaces the one printed on a thing, or None if none does or it is hidden."""
        for carrier in self.program.carriers:
            if carrier.kind == kind:
                name, field = self._first_effect(carrier, index)
                thing = _things_by_name(self.program).get(name)
                if thing is not None and name != self.program.kind_by_name[kind].things[index].name:
                    return Substitute(field, thing)
        return None

    def effect_text(self, kind: str, index: int) -> str:
        """Return the current effect of a thing in words."""
        current = self.find_substitute(kind, index)
        if current is not None:
            return current.effect_text
        return self.program.kind_by_name[kind].things[index].words

    def _first_effect(self, carrier: EffectRoutine, index: int) -> tuple[str, str]:
        """Run a card's routine to the first effect; return its thing and field, or two empty texts."""
        code, effects = _stop_at_effects(ProgramKey(self.program))
        state = self.known.make_masked_copy()
        self._prepare_state(state, carrier, index)
        try:
            status = run(code, state, [0])
            for _ in range(MOST_ANSWERS):
                if status != o.ASKING or state[o.SEAT] != self.you:
                    break
                state[o.ANSWER] = 0
                status = run(code, state, [0])
        except HiddenReadError:
            return "", ""
        return effects.get(state[o.PC], ("", "")) if status == o.GAME_OVER else ("", "")

    def _prepare_state(self, state: list[int], carrier: EffectRoutine, index: int) -> None:
        """Set a state up to run the effects of the thing at `index` for this seat, with a limited budget."""
        enter_code(self.program, state, carrier.entry)
        state[carrier.param], state[o.YOU], state[o.SPENT] = index, self.you, BUDGET - WORK_PER_TRIAL


def with_current_effects(ask: Ask, kind: str, instead: SubstituteFinder) -> Ask:
    """Return the question for a thing with options that describe current effects."""
    options = (
        option if option.value < 0 else replace(option, words=instead.effect_text(kind, option.value))
        for option in ask.options
    )
    return replace(ask, options=tuple(options))


@lru_cache(maxsize=4)
def _stop_at_effects(same: ProgramKey) -> tuple[list[int], dict[int, tuple[str, str]]]:
    """Return the code with a stop at each effect's address, and (thing, field) by that address."""
    effects: dict[int, tuple[str, str]] = {}
    stopping = list(same.program.code)
    for name, address in same.program.entries:
        entry_type, *names = name.split(" ")
        if entry_type == "effect" and len(names) == 2:
            effects[address] = names[0], names[1]
            stopping[address] = o.OVER
    return stopping, effects


def _things_by_name(program: Program) -> dict[str, LinkedThing]:
    """Return the things of all kinds by name."""
    return {thing.name: thing for kind in program.kinds for thing in kind.things}


# --- titles of options that hold values -----------------------------------------------------------------

UNKNOWN = "…"  # as where a title is written outside any game


def fill_titles(options: Options, state: Sequence[int], ask: Ask) -> Ask:
    """Return the question with the values that its options' titles hold, as the asked player may know them."""
    program, wording = options.program, options.wording
    titles = program.questions[state[QUESTION]].titles
    if not titles:
        return ask
    hidden = frozenset(Secrets.from_program(program).iter_hidden_cells(state, state[SEAT]))

    def render_part(render_part: LinkedPanelPart, number: int | None) -> Piece:
        """Return a title's value as a piece; UNKNOWN as its text if the asked player may not know it."""
        (value, _), of = (
            compute_masked_query(program, make_blind(state, hidden), render_part.query),
            program.queries[render_part.query].type,
        )
        return Piece(UNKNOWN if value is None else wording.value(of, value, number), of, value)

    texts = {i: join_pieces(build_pieces(line, render_part)) for i, line in enumerate(titles) if line.parts}
    return replace(
        ask, options=tuple(replace(option, text=texts.get(option.value, option.text)) for option in ask.options)
    )
