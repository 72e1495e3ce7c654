"""The view of one player: values they know, questions to them, and the log that they may read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from edict.game.table.addresses import VariableCell, cell_of, sizes_at_table
from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameTable
from edict.game.table.knowledge import KnownState, mask_state
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask
from edict.game.table.panels import (
    PanelRenderer,
    PanelView,
    SubstituteFinder,
    Summary,
    build_summary,
    with_current_effects,
)
from edict.game.table.wording import HIDDEN, Wording
from edict.runtime.program import Program, StateVariable
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass
from edict.support.report import suggest_word
from edict.support.translations import N_
from edict.support.translations.texts import join_texts, translate

WINS, WIN_TOGETHER = N_("{players} wins"), N_("{players} win together")


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a game."""

    scores: dict[str, int]  # points by name
    winners: tuple[str, ...]  # names; may be none or several

    def __str__(self) -> str:
        table = ", ".join(f"{name} {score}" for name, score in self.scores.items())
        return f"{table}; {self.verdict}"

    @property
    def verdict(self) -> str:
        """Return a phrase that names the winners."""
        if not self.winners:
            return translate("nobody wins")
        message = WINS if len(self.winners) == 1 else WIN_TOGETHER
        return translate(message, players=join_texts(self.winners))


class ViewableGame(Protocol):
    """A game as far as views read it."""

    @property
    def table(self) -> GameTable:
        """Return what the game shares with its copies."""

    @property
    def program(self) -> Program:
        """Return the compiled rules."""

    @property
    def players(self) -> tuple[str, ...]:
        """Return the players' names by seat."""

    @property
    def state(self) -> list[int]:
        """Return the whole state."""

    @property
    def over(self) -> bool:
        """Return True if the game has ended."""

    @property
    def seat(self) -> int:
        """Return the seat that must answer."""

    @property
    def ask(self) -> Ask:
        """Return the current question."""

    @property
    def result(self) -> Result | None:
        """Return the result, None before the end."""

    @property
    def log(self) -> Sequence[Entry]:
        """Return every log entry."""

    @property
    def answers(self) -> list[int]:
        """Return the option index of every answer so far."""

    def names_unknown(self, seat: int) -> Collection[int]:
        """Return the cells of names in the current rule that stand for things a seat may not know."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat sees it, always in its current state.

    Use it in the thread that plays the game.
    """

    _game: ViewableGame
    seat: int

    @property
    def players(self) -> tuple[str, ...]:
        """Return the players' names by seat."""
        return self._game.players

    @property
    def program(self) -> Program:
        """Return the compiled rules."""
        return self._game.program

    @property
    def over(self) -> bool:
        """Return True if the game has ended."""
        return self._game.over

    @property
    def result(self) -> Result | None:
        """Return the scores and winners once the game is over, None before."""
        return self._game.result

    @property
    def ask(self) -> Ask | None:
        """Return the question if it is for this seat (or dice are to be typed), else None.

        Its options describe their current effects, which may differ from what is printed.
        """
        if self._game.over or self._game.seat not in (self.seat, o.CHANCE):
            return None
        ask, program = self._game.ask, self._game.program
        question = program.questions[self._game.state[o.QUESTION]]
        if question.domain != "thing" or not any(carrier.kind == question.kind for carrier in program.carriers):
            return ask
        return with_current_effects(ask, question.kind, SubstituteFinder(program, self.known_state(), self.seat))

    @property
    def waiting_for(self) -> str:
        """Return the name of the player who must answer, or an empty text when the game is over."""
        return "" if self._game.over else self._game.ask.player

    @property
    def log(self) -> list[Entry]:
        """Return the log as this player may read it."""
        visible = (entry.seen_by(self.seat) for entry in self._game.log)
        return [entry for entry in visible if entry is not None]

    @property
    def wording(self) -> Wording:
        """Return the wording of the game."""
        return self._game.table.wording

    def knows(self, variable: str, *of: int) -> bool:
        """Return True if this player knows the value of a variable, for these things."""
        return self._find_cell(variable, of).is_known(self._game.state, self.seat)

    def value(self, variable: str, *of: int) -> int | None:
        """Return a variable's value as the machine's number, or None if this player may not know it."""
        return self._read(self._find_cell(variable, of), self._game.state)

    def words(self, variable: str, *of: int) -> str:
        """Return a variable's value in words, or `?` if this player may not know it."""
        cell = self._find_cell(variable, of)
        value = self._read(cell, self._game.state)
        if value is None:
            return HIDDEN
        return self.wording.value(cell.variable.type, value)

    def _read(self, cell: VariableCell, state: Sequence[int]) -> int | None:
        """Return a cell's value in a state, or None if this seat may not know it."""
        return cell.value(state) if cell.is_known(state, self.seat) else None

    def _find_cell(self, name: str, of: tuple[int, ...]) -> VariableCell:
        """Return a variable's cell for these things. Raise `GameError` if there is no such variable or cell."""
        known = self._game.program.variable_by_name
        if name not in known:
            remedy = suggest_word(name, known) or f"there are {', '.join(known)}"
            raise GameError(f"there is no variable `{name}`", remedy)
        variable = known[name]
        sizes = sizes_at_table(variable, len(self.players))
        if len(of) != len(sizes) or not all(0 <= i < size for i, size in zip(of, sizes, strict=True)):
            ranges = ", ".join(f"{kind} 0 to {size - 1}" for kind, size in zip(variable.kinds, sizes, strict=True))
            raise GameError(f"`{name}` is not kept for {of}", f"it is kept for {ranges or 'the whole table'}")
        return cell_of(variable, of)

    @property
    def values(self) -> dict[str, Any]:
        """Return every variable by name: a number or nested tuples of numbers by its things; None is hidden."""
        state = self._game.state
        return {variable.name: self._nest_values(variable, state) for variable in self._game.program.variables}

    def _nest_values(self, variable: StateVariable, state: list[int]) -> Any:
        """Return a variable's values as tuples nested by its kinds; a plain value without kinds, None if hidden."""

        def level(depth: int, number: int) -> Any:
            """Return the value of cell `number` at full depth, else a tuple over the next kind's things."""
            if depth == len(variable.sizes):
                return self._read(cells[variable.base + number * variable.type.cells], state)
            step = variable.sizes[depth]
            return tuple(level(depth + 1, number * step + i) for i in range(sizes[depth]))

        cells, sizes = self._game.table.layout.cells, sizes_at_table(variable, len(self.players))
        return level(0, 0)

    @property
    def state(self) -> list[int]:
        """Return a state for queries in which hidden values read as nothing."""
        return self.known_state().state

    def known_state(self) -> KnownState:
        """Return the same state with its hidden cells."""
        return KnownState.from_state(self._game.program, self._game.state, self.seat)

    @property
    def thinking_state(self) -> list[int]:
        """Return the state at the question, to play on from in a search; hidden values read as nothing.

        It also lacks answers given before, names that stand for secrets, and options of others.
        """
        game, seat = self._game, self.seat
        return mask_state(game.program, game.state, seat, game.names_unknown(seat))

    @property
    def answers(self) -> list[int]:
        """Return the option index of every answer so far, for bots that play along; other bots may not see them."""
        return self._game.answers

    @property
    def history(self) -> History:
        """Return the courses of the game that are possible as far as this player knows."""
        return History.from_game(self._game.table, self._game.answers)

    def compute(self, query: int, *args: int) -> int | None:
        """Return the value of a query, or None if it depends on something hidden."""
        return self.known_state().value(self._game.program, query, *args)

    def panels(self, looking: KnownState | None = None) -> list[PanelView]:
        """Return the panels as this player sees them; `looking` is a cached known state."""
        return self._make_renderer(looking or self.known_state()).panels()

    def does(self, kind: str, index: int) -> str:
        """Return the current effect of a thing for this player, in words."""
        return self._make_renderer(self.known_state()).effect_text(kind, index)

    def _make_renderer(self, known: KnownState) -> PanelRenderer:
        """Return a renderer of panels from this known state, with the effects that count now."""
        return PanelRenderer(self._game.table, known, SubstituteFinder(self._game.program, known, self.seat))

    def summary(self, entry: Entry) -> Summary:
        """Return the summary for a log entry that is a moment to look. Raises `GameError` for other entries."""
        looks = (entry_.look for entry_ in self._game.log if entry_.look is not None and entry_.at == entry.at)
        look = next(looks, None)
        if look is None:
            raise GameError(f"`{entry.text}` is not a moment to look", "take an entry whose kind is `look`")
        return build_summary(self._game.table, look, self.seat)
