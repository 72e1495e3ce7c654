"""What one player may know of a game: the values they have seen, their own questions, their lines of the log."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from edict.game.table.addresses import Cell, cell_of, sizes_for
from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import Table
from edict.game.table.knowledge import KnownState, mask_state
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask
from edict.game.table.panels import Painter, PanelView, Substitutes, Summary, summary, with_words
from edict.game.table.wording import HIDDEN, Wording
from edict.runtime.program import Program, Variable
from edict.runtime.program import opcodes as o
from edict.support.morphology import inflect, join_words
from edict.support.report import did_you_mean


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: each player's score in points, and the names of the winners, none or several."""

    scores: dict[str, int]
    winners: tuple[str, ...]

    def __str__(self) -> str:
        table = ", ".join(f"{name} {score}" for name, score in self.scores.items())
        return f"{table}; {self.verdict}"

    @property
    def verdict(self) -> str:
        if not self.winners:
            return "nobody wins"
        return f"{join_words(self.winners)} {inflect(len(self.winners), 'wins', 'win together')}"


class Position(Protocol):
    """A game as it is: what there is to look at."""

    @property
    def table(self) -> Table: ...
    @property
    def program(self) -> Program: ...
    @property
    def players(self) -> tuple[str, ...]: ...
    @property
    def state(self) -> list[int]: ...
    @property
    def over(self) -> bool: ...
    @property
    def seat(self) -> int: ...
    @property
    def ask(self) -> Ask: ...
    @property
    def result(self) -> Result | None: ...
    @property
    def log(self) -> Sequence[Entry]: ...
    @property
    def answers(self) -> list[int]: ...

    def names_unknown(self, seat: int) -> Collection[int]:
        """The cells of names, in the rule being carried out, that stand for what a seat may not know."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat sees it; it always shows the current state.

    It is used by the thread that plays the game.
    """

    _game: Position
    seat: int

    @property
    def players(self) -> tuple[str, ...]:
        return self._game.players

    @property
    def program(self) -> Program:
        """The rules that are played, as the machine has them."""
        return self._game.program

    @property
    def over(self) -> bool:
        return self._game.over

    @property
    def result(self) -> Result | None:
        return self._game.result

    @property
    def ask(self) -> Ask | None:
        """The question, if it is put to this seat (or dice are to be typed); None if others decide.

        Its options say what counts now, also where that is not what is printed on them.
        """
        if self._game.over or self._game.seat not in (self.seat, o.CHANCE):
            return None
        ask, program = self._game.ask, self._game.program
        question = program.questions[self._game.state[o.QUESTION]]
        if question.domain != "thing" or not any(carrier.kind == question.kind for carrier in program.carriers):
            return ask
        return with_words(ask, question.kind, Substitutes(program, self.known_state(), self.seat))

    @property
    def waiting_for(self) -> str:
        """The name of the player who must answer; empty when the game is over."""
        return "" if self._game.over else self._game.ask.player

    @property
    def log(self) -> list[Entry]:
        """The log as this player may read it."""
        seen = (entry.seen_by(self.seat) for entry in self._game.log)
        return [entry for entry in seen if entry is not None]

    @property
    def wording(self) -> Wording:
        return self._game.table.wording

    def knows(self, variable: str, *of: int) -> bool:
        """Whether this player knows the value of a variable (of these things)."""
        return self._find(variable, of).is_known(self._game.state, self.seat)

    def value(self, variable: str, *of: int) -> int | None:
        """A variable's value as the machine's number, or None if this player may not know it."""
        return self._read(self._find(variable, of), self._game.state)

    def words(self, variable: str, *of: int) -> str:
        """A variable's value in words; `?` if this player may not know it."""
        cell = self._find(variable, of)
        value = self._read(cell, self._game.state)
        return HIDDEN if value is None else self.wording.value(cell.variable.type, value)

    def _read(self, cell: Cell, state: Sequence[int]) -> int | None:
        return cell.value(state) if cell.is_known(state, self.seat) else None

    def _find(self, name: str, of: tuple[int, ...]) -> Cell:
        """Return a cell of a variable. Raises `GameError` if there is no such thing."""
        known = self._game.program.variable_by_name
        if name not in known:
            remedy = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise GameError(f"there is no variable `{name}`", remedy)
        variable = known[name]
        sizes = sizes_for(variable, len(self.players))
        if len(of) != len(sizes) or not all(0 <= i < size for i, size in zip(of, sizes, strict=True)):
            ranges = ", ".join(f"{kind} 0 to {size - 1}" for kind, size in zip(variable.kinds, sizes, strict=True))
            raise GameError(f"`{name}` is not kept for {of}", f"it is kept for {ranges or 'the whole table'}")
        return cell_of(variable, of)

    @property
    def values(self) -> dict[str, Any]:
        """Every variable by name: a number, or nested tuples of them by the things it is of; None is hidden."""
        state = self._game.state
        return {variable.name: self._nested(variable, state) for variable in self._game.program.variables}

    def _nested(self, variable: Variable, state: list[int]) -> Any:
        def level(depth: int, number: int) -> Any:
            if depth == len(variable.sizes):
                return self._read(cells[variable.base + number * variable.type.cells], state)
            step = variable.sizes[depth]
            return tuple(level(depth + 1, number * step + i) for i in range(sizes[depth]))

        cells, sizes = self._game.table.layout.cells, sizes_for(variable, len(self.players))
        return level(0, 0)

    @property
    def state(self) -> list[int]:
        """A state for queries in which what this player may not know reads as nothing."""
        return self.known_state().state

    def known_state(self) -> KnownState:
        """The same, with the cells that are hidden."""
        return KnownState.of(self._game.program, self._game.state, self.seat)

    @property
    def thinking_state(self) -> list[int]:
        """The state in mid-choice, to play on from in thought; what this player may not know reads as nothing.

        Nor does it hold answers given before, names that stand for secrets, or what others may choose from.
        """
        game, seat = self._game, self.seat
        return mask_state(game.program, game.state, seat, game.names_unknown(seat))

    @property
    def history(self) -> History:
        """All courses the game may have taken, for all this player knows."""
        return History.of(self._game.table, self._game.answers)

    def compute(self, query: int, *args: int) -> int | None:
        """The value of a query as far as this player can know it; None if it depends on something hidden."""
        return self.known_state().value(self._game.program, query, *args)

    def panels(self, looking: KnownState | None = None) -> list[PanelView]:
        """What lies on the table, as this player sees it. looking: what they know, where that is remembered."""
        return self._painter(looking or self.known_state()).panels()

    def does(self, kind: str, index: int) -> str:
        """What a thing does, as it counts now for this player."""
        return self._painter(self.known_state()).does(kind, index)

    def _painter(self, known: KnownState) -> Painter:
        return Painter(self._game.table, known, Substitutes(self._game.program, known, self.seat))

    def summary(self, entry: Entry) -> Summary:
        """What there is to look at in an entry of the log that is a moment to look.

        Raises `GameError` for any other entry.
        """
        found = (one.look for one in self._game.log if one.look is not None and one.at == entry.at)
        look = next(found, None)
        if look is None:
            raise GameError(f"`{entry.text}` is not a moment to look", "take an entry whose kind is `look`")
        return summary(self._game.table, look, self.seat)
