"""Puts together what a seat may see of a game as data; the format is in `viewdata`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from edict.program import Cause, Type, Variable
from edict.program import opcodes as o
from edict.program.cells import ordered, parts_of
from edict.table import viewdata as d
from edict.table.changes import Change
from edict.table.provenance import Explainer
from edict.table.game import Game
from edict.table.addresses import PLAYER, seats_in, sizes_for
from edict.table.log import LOOK, Entry
from edict.table.options import Ask, Option
from edict.table.panels import Grid, GridCell, PanelView, Piece, Row
from edict.table.prospects import Outlook, Prospect, Use, prospects
from edict.table.turnover import Term
from edict.table.view import View
from edict.table.wording import NUMBER

HIDDEN = {"hidden": True}


def view_data(game: Game, seat: int | None, first: int = 0) -> d.ViewData:
    """What a seat may see, or (None) what everybody may; of the log, the lines from `first` on.

    Raises `GameError` if there is no such seat.
    """
    return Viewing(game, seat).data(first)


class Viewing:
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

    def data(self, first: int) -> d.ViewData:
        """All of it; of the log, the lines from `first` on."""
        view, result = self.view, self.view.result
        return d.ViewData(
            format=d.FORMAT,
            game=self._game(),
            players=list(view.players),
            seat=None if self.seat is None else view.players[self.seat],
            phases=list(self.game.phases),
            over=view.over,
            winners=list(result.winners) if result is not None else [],
            waiting_for=view.waiting_for,
            question=self.question(),
            scores=[self._score(seat) for seat in range(len(view.players))],
            panels=self.panels(),
            values={variable.name: self._values(variable) for variable in self.program.variables},
            log=[self.line(entry) for entry in view.log[first:]],
        )

    def panels(self) -> list[d.PanelData]:
        return [self._panel(panel) for panel in self.view.panels()]

    def _game(self) -> d.GameData:
        program, state = self.program, self.view.state
        settings = {
            one.name: bool(state[one.cell]) if one.truth else state[one.cell] for one in program.settings
        }  # fmt: skip
        modules = [name for name in program.modules if name != program.name]
        return d.GameData(program.name, program.title, program.version, modules, settings)

    def _cause(self, cause: Cause) -> d.CauseData:
        return d.CauseData(cause.title or cause.name, self.homes.get(cause.file, ""), cause.file, cause.line)

    def _player(self, seat: int) -> str:
        return self.view.players[seat] if 0 <= seat < len(self.view.players) else ""

    # --- the question

    def question(self) -> d.QuestionData | None:
        """What the seat is asked; None if others decide."""
        ask = self.view.ask
        return self._question(ask) if ask is not None else None

    def _question(self, ask: Ask) -> d.QuestionData:
        asked = prospects(self.game) or (None,) * len(ask.options)
        question = self.program.questions[self.game.state[o.QUESTION]]
        cause = self.program.causes[question.cause]
        options = [self._option(option, one) for option, one in zip(ask.options, asked, strict=True)]
        return d.QuestionData(
            ask.question, ask.player, ask.prompt, ask.domain, question.kind, ask.secret, self._cause(cause), options
        )  # fmt: skip

    def _option(self, option: Option, prospect: Prospect | None) -> d.OptionData:
        told = d.OutlookData(**self._outlook(prospect)) if prospect is not None else None
        found, done = (prospect.ways, prospect.effects) if prospect is not None else ((), ())
        ways = [d.WayData(**self._outlook(way), answers=list(way.answers)) for way in found]
        effects = [d.EffectData(**self._outlook(one), name=one.name) for one in done]
        return d.OptionData(option.key, option.text, option.caption, option.words, told, ways, effects)

    def _outlook(self, one: Outlook) -> dict[str, Any]:
        changes = [self._change(change) for change in one.changes]
        return {
            "text": one.text, "costs": list(one.costs), "by": list(one.by), "gains": list(one.gains),
            "quantities": list(one.shifts), "changes": changes, "uses": [self._use(use) for use in one.uses],
            "ends": one.ends,
        }  # fmt: skip

    def _change(self, one: Change) -> d.ChangeData:
        variable = self.program.variable_by_name.get(one.name)
        before, after = (
            value if variable is None else self._value(variable, value) for value in (one.before, one.after)
        )  # fmt: skip
        return d.ChangeData(
            one.sort, one.name, one.title, self._player(one.seat), list(one.of), before, after, one.amount, one.text,
            one.loss, [self._cause(cause) for cause in one.causes],
        )  # fmt: skip

    def _use(self, use: Use) -> d.UseData:
        return d.UseData(use.sort, use.title, use.text, self._cause(use.cause))

    # --- the table

    def _score(self, seat: int) -> d.ScoreData:
        terms = Explainer(self.game, self.view.seat).scored(seat)
        sources = [d.SourceData(one.amount, one.label, self._cause(one.cause)) for one in terms if one.cause]
        return d.ScoreData(self.view.players[seat], self.view.compute(self.program.score, seat), sources)

    def _panel(self, panel: PanelView) -> d.PanelData:
        rows = [self._row(row) for row in panel.rows]
        grids = [self._grid(grid) for grid in panel.grids]
        above, header = list(panel.above), list(panel.header)
        return d.PanelData(panel.name, panel.title, panel.shape, panel.kind, above, header, rows, grids, panel.mark)

    def _row(self, row: Row) -> d.RowData:
        pieces = [[self._piece(piece) for piece in cell] for cell in row.pieces]
        player, cells = self._player(row.seat), list(row.cells)
        return d.RowData(row.key, row.title, player, cells, pieces, row.caption, row.words, row.marked)

    def _piece(self, piece: Piece) -> d.PieceData:
        of, value = piece.type, piece.value
        if of is None:
            return d.PieceData("words", "", piece.text, None, [])
        if value is None:
            return d.PieceData("hidden", of.kind, piece.text, HIDDEN, [])
        return d.PieceData(of.shape, of.kind, piece.text, self._shape(of, value), self._titles(of, value))

    def _titles(self, of: Type, value: int) -> list[str]:
        """The names that people read of the things in a value."""
        if of.shape == "thing":
            return [self.wording.title(of.kind, value)] if self.wording.thing(of.kind, value) else []
        return [self.wording.title(of.kind, i) for i in _members(of, value)]

    def _grid(self, grid: Grid) -> d.GridData:
        cells = [[[_cell(one) for one in place] for place in line] for line in grid.cells]
        return d.GridData(grid.player, list(grid.rows), list(grid.columns), cells)

    # --- values

    def _values(self, variable: Variable) -> d.Value:
        """A variable, in objects by the names of what it is of."""
        sizes = sizes_for(variable, len(self.view.players))

        def level(of: tuple[int, ...]) -> d.Value:
            if len(of) == len(sizes):
                value = self.view.value(variable.name, *of)
                return HIDDEN if value is None else self._value(variable, value)
            kind = variable.kinds[len(of)]
            return {str(self._name(kind, i)): level((*of, i)) for i in range(sizes[len(of)])}

        return level(())

    def _value(self, variable: Variable, value: int) -> d.Value:
        return self._shape(variable.type, value)

    def _shape(self, of: Type, value: int) -> d.Value:
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

    def line(self, entry: Entry) -> d.LineData:
        """A line of the log as the seat may read it."""
        return d.LineData(
            entry.kind, entry.text, self._player(entry.seat), entry.phase, entry.level, self._cause(entry.cause),
            self._terms(entry.terms), self._look(entry) if entry.kind == LOOK else None,
        )  # fmt: skip

    def _terms(self, terms: Sequence[Term]) -> list[d.TermData]:
        return [d.TermData(one.quantity, self._player(one.seat), one.amount, self._cause(one.cause)) for one in terms]

    def _look(self, entry: Entry) -> d.LookData:
        summary = self.view.summary(entry)
        won = [
            d.WonData(self._player(one.seat), one.name, one.amount, one.words, self._cause(one.cause))
            for one in summary.changes
        ]
        return d.LookData(summary.title, self._panel(summary.panel), won, self._terms(summary.terms))


def _members(of: Type, value: int) -> tuple[int, ...]:
    """The numbers of the things in a set or an order; none in other values."""
    if of.shape == "set":
        return seats_in(value)
    if of.shape == "bag":
        return tuple(i for i, many in enumerate(parts_of(of, value)) if many)
    return tuple(ordered(value)) if of.shape == "order" else ()


def _cell(one: GridCell) -> d.CellData:
    return d.CellData(**{field.name: getattr(one, field.name) for field in fields(d.CellData)})


__all__ = ["Viewing", "view_data"]
