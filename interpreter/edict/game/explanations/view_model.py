"""A game as plain data for one seat, put together of what the table and the files beside say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from edict.game.explanations.board_state import LaidCard, Passing, laid_cards, passing
from edict.game.explanations.prospects import Change, Outlook, Prospect, Use, prospects
from edict.game.explanations.view_data import (
    FORMAT,
    CardData,
    CauseData,
    CellData,
    ChangeData,
    EffectData,
    GameData,
    GridData,
    LineData,
    LookData,
    OptionData,
    OutlookData,
    PanelData,
    PieceData,
    QuestionData,
    RowData,
    ScoreData,
    SourceData,
    StageData,
    StepData,
    TermData,
    UseData,
    Value,
    ViewData,
    WayData,
    WonData,
)
from edict.game.explanations.why_log import Explainer
from edict.game.table.addresses import PLAYER, seats_in, sizes_for
from edict.game.table.game import Game
from edict.game.table.log_entries import LOOK, Entry, Term
from edict.game.table.options import Ask, Option
from edict.game.table.panels import Grid, GridCell, PanelView, Piece, Row
from edict.game.table.view import View
from edict.game.table.wording import HIDDEN as UNKNOWN
from edict.game.table.wording import NUMBER
from edict.runtime.program import Cause, Type, Variable
from edict.runtime.program import opcodes as o
from edict.runtime.program.cells import ordered, parts_of

HIDDEN = {"hidden": True}


def view_data(game: Game, seat: int | None, first: int = 0) -> ViewData:
    """What a seat may see, or (None) what everybody may; of the log, the lines from `first` on.

    Raises `GameError` if there is no such seat.
    """
    return ViewModel(game, seat).data(first)


class ViewModel:
    """A game looked at from a seat, or (None) as everybody may: all of a view, or those parts of it that are wanted.

    Raises `GameError` if there is no such seat.
    """

    def __init__(self, game: Game, seat: int | None) -> None:
        self.game = game
        self.view = View(game, len(game.players)) if seat is None else game.view(seat)
        self.seat = seat
        self.program = game.program
        self.wording = self.view.wording
        self.homes = dict(game.program.reasons.homes)

    def data(self, first: int) -> ViewData:
        """All of it; of the log, the lines from `first` on."""
        view, result = self.view, self.view.result
        return ViewData(
            format=FORMAT,
            game=self._game(),
            players=list(view.players),
            seat=None if self.seat is None else view.players[self.seat],
            phases=list(self.game.phases),
            over=view.over,
            winners=list(result.winners) if result is not None else [],
            waiting_for=view.waiting_for,
            question=self.question(),
            scores=[self._score(seat) for seat in range(len(view.players))],
            round=self.round(),
            cards=self.cards(),
            panels=self.panels(),
            values={variable.name: self._values(variable) for variable in self.program.variables},
            log=[self.line(entry) for entry in view.log[first:]],
        )

    def panels(self) -> list[PanelData]:
        return [self.panel(panel) for panel in self.view.panels()]

    def round(self) -> list[StageData]:
        """The stages of the round, which everybody knows."""
        return [_stage(one) for one in passing(self.program, self.game.state)]

    def cards(self) -> list[CardData]:
        """The cards that lie on the table where not everybody may see them."""
        return [self._card(one) for one in laid_cards(self.view, View(self.game, len(self.game.players)))]

    def _card(self, card: LaidCard) -> CardData:
        known = card.thing
        words = self.view.does(card.kind, card.number) if known is not None else ""
        told = (known.name, known.title or known.name, known.caption, words) if known is not None else ("",) * 4
        return CardData(card.name, card.title, card.kind, card.pile, card.state, card.secret, card.count, *told)

    def piece(self, variable: Variable, value: int | None) -> PieceData:
        """A value of a variable (None: it is hidden), as a part of what a panel says."""
        text = UNKNOWN if value is None else self.wording.value(variable.type, value)
        return self._piece(Piece(text, variable.type, value))

    def _game(self) -> GameData:
        program, state = self.program, self.view.state
        settings = {one.name: bool(state[one.cell]) if one.truth else state[one.cell] for one in program.settings}
        modules = [name for name in program.modules if name != program.name]
        return GameData(program.name, program.title, program.version, modules, settings)

    def _cause(self, cause: Cause) -> CauseData:
        return CauseData(cause.title or cause.name, self.homes.get(cause.file, ""), cause.file, cause.line)

    def _player(self, seat: int) -> str:
        return self.view.players[seat] if 0 <= seat < len(self.view.players) else ""

    # --- the question

    def question(self) -> QuestionData | None:
        """What the seat is asked; None if others decide."""
        ask = self.view.ask
        return self._question(ask) if ask is not None else None

    def _question(self, ask: Ask) -> QuestionData:
        asked = prospects(self.game) or (None,) * len(ask.options)
        question = self.program.questions[self.game.state[o.QUESTION]]
        cause = self.program.causes[question.cause]
        options = [self._option(option, one) for option, one in zip(ask.options, asked, strict=True)]
        return QuestionData(
            ask.question, ask.player, ask.prompt, ask.domain, question.kind, ask.secret, self._cause(cause), options
        )

    def _option(self, option: Option, prospect: Prospect | None) -> OptionData:
        told = OutlookData(**self._outlook(prospect)) if prospect is not None else None
        found, done = (prospect.ways, prospect.effects) if prospect is not None else ((), ())
        ways = [WayData(**self._outlook(way), answers=list(way.answers)) for way in found]
        effects = [EffectData(**self._outlook(one), name=one.name) for one in done]
        return OptionData(option.key, option.text, option.caption, option.words, told, ways, effects)

    def _outlook(self, one: Outlook) -> dict[str, Any]:
        changes = [self._change(change) for change in one.changes]
        return {
            "text": one.text,
            "costs": list(one.costs),
            "by": list(one.by),
            "gains": list(one.gains),
            "quantities": list(one.shifts),
            "changes": changes,
            "uses": [self._use(use) for use in one.uses],
            "ends": one.ends,
        }

    def _change(self, one: Change) -> ChangeData:
        variable = self.program.variable_by_name.get(one.name)
        before, after = (
            value if variable is None else self._value(variable, value) for value in (one.before, one.after)
        )
        return ChangeData(
            one.sort,
            one.name,
            one.title,
            self._player(one.seat),
            list(one.of),
            before,
            after,
            one.amount,
            one.text,
            one.loss,
            [self._cause(cause) for cause in one.causes],
        )

    def _use(self, use: Use) -> UseData:
        return UseData(use.sort, use.title, use.text, self._cause(use.cause))

    # --- the table

    def _score(self, seat: int) -> ScoreData:
        terms = Explainer(self.game, self.view.seat).scored(seat)
        sources = [SourceData(one.amount, one.label, self._cause(one.cause)) for one in terms if one.cause]
        return ScoreData(self.view.players[seat], self.view.compute(self.program.score, seat), sources)

    def panel(self, panel: PanelView) -> PanelData:
        """A panel as data."""
        rows = [self.row(row) for row in panel.rows]
        grids = [self._grid(grid) for grid in panel.grids]
        above, header = list(panel.above), list(panel.header)
        return PanelData(panel.name, panel.title, panel.shape, panel.kind, above, header, rows, grids, panel.mark)

    def row(self, row: Row) -> RowData:
        """A row of a panel as data."""
        pieces = [[self._piece(piece) for piece in cell] for cell in row.pieces]
        player, cells = self._player(row.seat), list(row.cells)
        return RowData(row.key, row.title, player, cells, pieces, row.caption, row.words, row.marked)

    def _piece(self, piece: Piece) -> PieceData:
        of, value = piece.type, piece.value
        if of is None:
            return PieceData("words", "", piece.text, None, [])
        if value is None:
            counted = {} if piece.count is None else {"count": piece.count}
            return PieceData("hidden", of.kind, piece.text, HIDDEN | counted, [])
        return PieceData(of.shape, of.kind, piece.text, self._shape(of, value), self._titles(of, value))

    def _titles(self, of: Type, value: int) -> list[str]:
        """The names that people read of the things in a value."""
        if of.shape == "thing":
            return [self.wording.title(of.kind, value)] if self.wording.thing(of.kind, value) else []
        return [self.wording.title(of.kind, i) for i in _members(of, value)]

    def _grid(self, grid: Grid) -> GridData:
        cells = [[[cell_data(one) for one in place] for place in line] for line in grid.cells]
        return GridData(grid.player, list(grid.rows), list(grid.columns), cells, list(grid.shifts))

    # --- values

    def _values(self, variable: Variable) -> Value:
        """A variable, in objects by the names of what it is of."""
        sizes = sizes_for(variable, len(self.view.players))

        def level(of: tuple[int, ...]) -> Value:
            if len(of) == len(sizes):
                value = self.view.value(variable.name, *of)
                return HIDDEN if value is None else self._value(variable, value)
            kind = variable.kinds[len(of)]
            return {str(self._name(kind, i)): level((*of, i)) for i in range(sizes[len(of)])}

        return level(())

    def _value(self, variable: Variable, value: int) -> Value:
        return self._shape(variable.type, value)

    def _shape(self, of: Type, value: int) -> Value:
        if of.shape == "thing":
            return self._name(of.kind, value)
        if of.shape in ("set", "order"):
            return [self._name(of.kind, i) for i in _members(of, value)]
        if of.shape == "bag":
            return {str(self._name(of.kind, i)): many for i, many in enumerate(parts_of(of, value)) if many}
        if of.shape == "dice":
            shown = self.wording.faces(value)
            return [{"die": name, "face": face} for name, _, faces in shown for face in faces]
        if of.shape == "text":
            return self.wording.value(of, value)
        return bool(value) if of.shape == "truth" else value

    def _name(self, kind: str, index: int) -> str | int | None:
        """The name of a thing in the rules, or of a player."""
        if kind == NUMBER:
            return index
        if kind == PLAYER:
            return self._player(index) or None
        thing = self.wording.thing(kind, index)
        return thing.name if thing is not None else None

    # --- the log

    def line(self, entry: Entry) -> LineData:
        """A line of the log as the seat may read it."""
        return LineData(
            entry.kind,
            entry.text,
            self._player(entry.seat),
            entry.phase,
            entry.level,
            self._cause(entry.cause),
            self._terms(entry.terms),
            self._look(entry) if entry.kind == LOOK else None,
        )

    def _terms(self, terms: Sequence[Term]) -> list[TermData]:
        return [TermData(one.quantity, self._player(one.seat), one.amount, self._cause(one.cause)) for one in terms]

    def _look(self, entry: Entry) -> LookData:
        summary = self.view.summary(entry)
        won = [
            WonData(self._player(one.seat), one.name, one.amount, one.words, self._cause(one.cause))
            for one in summary.changes
        ]
        return LookData(summary.title, self.panel(summary.panel), won, self._terms(summary.terms))


def _members(of: Type, value: int) -> tuple[int, ...]:
    """The numbers of the things in a set or an order; none in other values."""
    if of.shape == "set":
        return seats_in(value)
    if of.shape == "bag":
        return tuple(i for i, many in enumerate(parts_of(of, value)) if many)
    return tuple(ordered(value)) if of.shape == "order" else ()


def _stage(one: Passing) -> StageData:
    within = [StepData(step.stage.name, step.stage.title, step.stage.words, step.when) for step in one.within]
    stage = one.stage
    return StageData(stage.name, stage.title, stage.words, one.when, stage.sometimes, within)


def cell_data(one: GridCell) -> CellData:
    """A thing in a grid as data."""
    return CellData(**{field.name: getattr(one, field.name) for field in fields(CellData)})
