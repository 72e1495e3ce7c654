"""A view model that builds the view data of one seat from a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from edict.game.explanations.board_state import LaidCard, StageProgress, iter_laid_cards, stage_progress
from edict.game.explanations.log_explanations import LogExplainer
from edict.game.explanations.option_previews import (
    OptionOutcome,
    OptionPreview,
    PreviewedChange,
    RuleUse,
    preview_options,
)
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
from edict.game.table.addresses import PLAYER, bits_of, sizes_at_table
from edict.game.table.game import Game
from edict.game.table.log_entries import LOOK, AdjustmentTerm, Entry
from edict.game.table.options import Ask, Option
from edict.game.table.panels import GridCell, PanelRow, PanelView, Piece, PlayerGrid
from edict.game.table.view import View
from edict.game.table.wording import HIDDEN as UNKNOWN
from edict.game.table.wording import NUMBER
from edict.runtime.program import Cause, StateVariable, ValueType
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import decode_order, split_value

HIDDEN_VALUE = {"hidden": True}


def build_view_data(game: Game, seat: int | None, first: int = 0) -> ViewData:
    """Return the view of a seat, or the public view for None, with the log from line `first` on.

    Raises `GameError` if there is no such seat.
    """
    return ViewModel(game, seat).data(first)


class ViewModel:
    """A builder of the view data of one seat (None: the public view), whole or in parts.

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
        """Return the whole view, with the log from line `first` on."""
        view, result = self.view, self.view.result
        return ViewData(
            format=FORMAT,
            game=self._game_data(),
            players=list(view.players),
            seat=None if self.seat is None else view.players[self.seat],
            phases=list(self.game.phases),
            over=view.over,
            winners=list(result.winners) if result is not None else [],
            waiting_for=view.waiting_for,
            question=self.question(),
            scores=[self._score_data(seat) for seat in range(len(view.players))],
            round=self.round(),
            cards=self.cards(),
            panels=self.panels(),
            values={variable.name: self._nest_values(variable) for variable in self.program.variables},
            log=[self.line(entry) for entry in view.log[first:]],
        )

    def panels(self) -> list[PanelData]:
        """Return the panels as data."""
        return [self.panel(panel) for panel in self.view.panels()]

    def round(self) -> list[StageData]:
        """Return the stages of the round, which are public."""
        return [_stage_data(stage) for stage in stage_progress(self.program, self.game.state)]

    def cards(self) -> list[CardData]:
        """Return the cards on the table that not everybody may see."""
        return [self._card_data(card) for card in iter_laid_cards(self.view, View(self.game, len(self.game.players)))]

    def _card_data(self, card: LaidCard) -> CardData:
        """Return a place for cards as data, with the thing's texts and effect; empty texts if none is seen."""
        thing = card.thing
        words = self.view.does(card.kind, card.number) if thing is not None else ""
        if thing is not None:
            texts = (thing.name, thing.title or thing.name, thing.caption, words)
        else:
            texts = ("",) * 4
        return CardData(card.name, card.title, card.kind, card.pile, card.state, card.secret, card.count, *texts)

    def piece(self, variable: StateVariable, value: int | None) -> PieceData:
        """Return a value of a variable (None: hidden) as a part of a panel's text."""
        text = UNKNOWN if value is None else self.wording.value(variable.type, value)
        return self._piece_data(Piece(text, variable.type, value))

    def _game_data(self) -> GameData:
        """Return name, title and version of the rules, the modules over the game and the settings' values."""
        program, state = self.program, self.view.state
        settings = {
            setting.name: bool(state[setting.cell]) if setting.truth else state[setting.cell]
            for setting in program.settings
        }
        modules = [name for name in program.modules if name != program.name]
        return GameData(program.name, program.title, program.version, modules, settings)

    def _cause_data(self, cause: Cause) -> CauseData:
        """Return a rule's title or name, its module (empty for the game itself), file and line."""
        return CauseData(cause.title or cause.name, self.homes.get(cause.file, ""), cause.file, cause.line)

    def _player_name(self, seat: int) -> str:
        """Return the name of the player in a seat; an empty text for no seat, such as -1."""
        return self.view.players[seat] if 0 <= seat < len(self.view.players) else ""

    # --- the question

    def question(self) -> QuestionData | None:
        """Return the question to the seat, or None if others decide."""
        ask = self.view.ask
        return self._question_data(ask) if ask is not None else None

    def _question_data(self, ask: Ask) -> QuestionData:
        """Return a question as data, with the rule that asks it and its options with their previews."""
        previews = preview_options(self.game) or (None,) * len(ask.options)
        question = self.program.questions[self.game.state[o.QUESTION]]
        cause = self.program.causes[question.cause]
        options = [self._option_data(option, preview) for option, preview in zip(ask.options, previews, strict=True)]
        return QuestionData(
            ask.question,
            ask.player,
            ask.prompt,
            ask.domain,
            question.kind,
            ask.secret,
            self._cause_data(cause),
            options,
        )

    def _option_data(self, option: Option, prospect: OptionPreview | None) -> OptionData:
        """Return an option with its outlook (None without a preview), continuations and effects."""
        outlook = OutlookData(**self._outlook_fields(prospect)) if prospect is not None else None
        if prospect is not None:
            continuations, previews = (prospect.continuations, prospect.effects)
        else:
            continuations, previews = ((), ())
        ways = [WayData(**self._outlook_fields(way), answers=list(way.answers)) for way in continuations]
        effects = [EffectData(**self._outlook_fields(effect), name=effect.name) for effect in previews]
        return OptionData(option.key, option.text, option.caption, option.words, outlook, ways, effects)

    def _outlook_fields(self, outlook: OptionOutcome) -> dict[str, Any]:
        """Return the fields that `OutlookData`, `WayData` and `EffectData` share, by their names."""
        changes = [self._change_data(change) for change in outlook.changes]
        return {
            "text": outlook.text,
            "costs": list(outlook.costs),
            "by": list(outlook.exceptions),
            "gains": list(outlook.gains),
            "quantities": list(outlook.quantity_changes),
            "changes": changes,
            "uses": [self._use_data(use) for use in outlook.uses],
            "ends": outlook.ends,
        }

    def _change_data(self, change: PreviewedChange) -> ChangeData:
        """Return a previewed change as data; values of variables by names, of quantities as numbers."""
        variable = self.program.variable_by_name.get(change.name)
        before, after = (
            value if variable is None else self._variable_value(variable, value)
            for value in (change.before, change.after)
        )
        return ChangeData(
            change.sort,
            change.name,
            change.title,
            self._player_name(change.seat),
            list(change.of),
            before,
            after,
            change.amount,
            change.text,
            change.loss,
            [self._cause_data(cause) for cause in change.causes],
        )

    def _use_data(self, use: RuleUse) -> UseData:
        """Return a rule that an answer needs or uses up as data, with its place."""
        return UseData(use.sort, use.title, use.text, self._cause_data(use.cause))

    # --- the table

    def _score_data(self, seat: int) -> ScoreData:
        """Return a seat's name and current score (None if hidden), with the rules it came from."""
        terms = LogExplainer(self.game, self.view.seat).score_sources(seat)
        sources = [SourceData(term.amount, term.label, self._cause_data(term.cause)) for term in terms if term.cause]
        return ScoreData(self.view.players[seat], self.view.compute(self.program.score, seat), sources)

    def panel(self, panel: PanelView) -> PanelData:
        """Return a panel as data."""
        rows = [self.row(row) for row in panel.rows]
        grids = [self._grid_data(grid) for grid in panel.grids]
        above, header = list(panel.above), list(panel.header)
        return PanelData(panel.name, panel.title, panel.shape, panel.kind, above, header, rows, grids, panel.mark)

    def row(self, row: PanelRow) -> RowData:
        """Return a row of a panel as data."""
        pieces = [[self._piece_data(piece) for piece in cell] for cell in row.pieces]
        player, cells = self._player_name(row.seat), list(row.cells)
        return RowData(row.key, row.title, player, cells, pieces, row.caption, row.words, row.marked)

    def _piece_data(self, piece: Piece) -> PieceData:
        """Return a piece of a panel's text as data: words, a hidden value (with a known count) or a value."""
        type_, value = piece.type, piece.value
        if type_ is None:
            return PieceData("words", "", piece.text, None, [])
        if value is None:
            count = {} if piece.count is None else {"count": piece.count}
            return PieceData("hidden", type_.kind, piece.text, HIDDEN_VALUE | count, [])
        return PieceData(type_.shape, type_.kind, piece.text, self._to_data(type_, value), self._titles(type_, value))

    def _titles(self, type_: ValueType, value: int) -> list[str]:
        """Return the titles of the things in a value."""
        if type_.shape == "thing":
            if self.wording.thing(type_.kind, value):
                return [self.wording.title(type_.kind, value)]
            return []
        return [self.wording.title(type_.kind, i) for i in _member_indexes(type_, value)]

    def _grid_data(self, grid: PlayerGrid) -> GridData:
        """Return a player's grid as data: rows, columns, and the things in each place."""
        cells = [[[to_cell_data(cell) for cell in place] for place in row] for row in grid.cells]
        return GridData(grid.player, list(grid.rows), list(grid.columns), cells, list(grid.shifts))

    # --- values

    def _nest_values(self, variable: StateVariable) -> Value:
        """Return a variable's values in objects by the names of its things."""
        sizes = sizes_at_table(variable, len(self.view.players))

        def level(of: tuple[int, ...]) -> Value:
            """Return the value for these things, or an object by the names of the variable's next kind."""
            if len(of) == len(sizes):
                value = self.view.value(variable.name, *of)
                if value is None:
                    return HIDDEN_VALUE
                return self._variable_value(variable, value)
            kind = variable.kinds[len(of)]
            return {str(self._name(kind, i)): level((*of, i)) for i in range(sizes[len(of)])}

        return level(())

    def _variable_value(self, variable: StateVariable, value: int) -> Value:
        return self._to_data(variable.type, value)

    def _to_data(self, type_: ValueType, value: int) -> Value:
        """Return the machine's number as data: names for things, a list for sets and dice, an object for bags."""
        if type_.shape == "thing":
            return self._name(type_.kind, value)
        if type_.shape in ("set", "order"):
            return [self._name(type_.kind, i) for i in _member_indexes(type_, value)]
        if type_.shape == "bag":
            return {str(self._name(type_.kind, i)): count for i, count in enumerate(split_value(type_, value)) if count}
        if type_.shape == "dice":
            shown = self.wording.faces(value)
            return [{"die": name, "face": face} for name, _, faces in shown for face in faces]
        if type_.shape == "text":
            return self.wording.value(type_, value)
        return bool(value) if type_.shape == "truth" else value

    def _name(self, kind: str, index: int) -> str | int | None:
        """Return the name of a thing in the rules, or of a player."""
        if kind == NUMBER:
            return index
        if kind == PLAYER:
            return self._player_name(index) or None
        thing = self.wording.thing(kind, index)
        return thing.name if thing is not None else None

    # --- the log

    def line(self, entry: Entry) -> LineData:
        """Return a line of the log as data."""
        return LineData(
            entry.kind,
            entry.text,
            self._player_name(entry.seat),
            entry.phase,
            entry.level,
            self._cause_data(entry.cause),
            self._terms_data(entry.terms),
            self._look_data(entry) if entry.kind == LOOK else None,
        )

    def _terms_data(self, terms: Sequence[AdjustmentTerm]) -> list[TermData]:
        """Return adjustments as data, with their quantity, player, amount and rule."""
        return [
            TermData(term.quantity, self._player_name(term.seat), term.amount, self._cause_data(term.cause))
            for term in terms
        ]

    def _look_data(self, entry: Entry) -> LookData:
        """Return the summary of a moment to look as data: its panel, and gains and terms since the phase began."""
        summary = self.view.summary(entry)
        won = [
            WonData(self._player_name(gain.seat), gain.name, gain.amount, gain.words, self._cause_data(gain.cause))
            for gain in summary.changes
        ]
        return LookData(summary.title, self.panel(summary.panel), won, self._terms_data(summary.terms))


def _member_indexes(type_: ValueType, value: int) -> tuple[int, ...]:
    """Return the indexes of the things in a set, bag or order; none in other values."""
    if type_.shape == "set":
        return bits_of(value)
    if type_.shape == "bag":
        return tuple(i for i, count in enumerate(split_value(type_, value)) if count)
    return tuple(decode_order(value)) if type_.shape == "order" else ()


def _stage_data(progress: StageProgress) -> StageData:
    """Return a stage of the round as data, with its phases as steps."""
    within = [StepData(step.stage.name, step.stage.title, step.stage.words, step.when) for step in progress.within]
    stage = progress.stage
    return StageData(stage.name, stage.title, stage.words, progress.when, stage.sometimes, within)


def to_cell_data(cell: GridCell) -> CellData:
    """Return a thing in a grid as data."""
    return CellData(**{field.name: getattr(cell, field.name) for field in fields(CellData)})
