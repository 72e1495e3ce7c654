"""What a user's bot is shown: a game from one seat, without anything that the seat may not know.

It can be sent to another process as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from edict.program import Program
from edict.program.opcodes import FIRST_OPTION, OPTIONS, QUESTION, SEAT
from edict.table.errors import GameError
from edict.table.belief import History
from edict.table.control_flow import clear_for_seat
from edict.table.log_entries import Entry
from edict.table.knowledge import Secrets
from edict.table.options import Ask
from edict.table.view import Result, View
from edict.table.game_steps import Table


@dataclass
class Seen:
    """A game that waits for an answer of `watcher`, as a `View` looks at it. `cells` is the masked state."""

    table: Table
    watcher: int
    cells: list[int]
    log: Sequence[Entry] = ()

    @property
    def program(self) -> Program:
        return self.table.program

    @property
    def players(self) -> tuple[str, ...]:
        return self.table.players

    @property
    def state(self) -> list[int]:
        return self.cells.copy()

    @property
    def over(self) -> bool:
        return False

    @property
    def seat(self) -> int:
        return self.cells[SEAT]

    @property
    def ask(self) -> Ask:
        values = self.cells[FIRST_OPTION : FIRST_OPTION + self.cells[OPTIONS]]
        return self.table.options.ask(self.cells[QUESTION], self.seat, values)

    @property
    def result(self) -> Result | None:
        return None

    def names_unknown(self, seat: int) -> tuple[int, ...]:
        return ()  # the cells hold nothing that the watcher may not know

    @property
    def answers(self) -> list[int]:
        raise GameError("the answers given so far are hidden from bots", "look at `view.log`, or at `thinking_state`")


class SeenView(View):
    """A view of such a game."""

    @property
    def history(self) -> History:
        raise GameError("how the game got here is hidden from bots", "look at `view.log`, or at `thinking_state`")


def shown(program: Program, state: list[int], seat: int) -> list[int]:
    """The state as it may be shown to a seat: without what it may not know, and without what is left of the answers
    before, which may have been secret. Names in the rule being carried out are shown, whatever they stand for."""
    cells = Secrets.of(program).masked(state, seat)
    clear_for_seat(program, cells, seat)
    return cells


def seen_from(view: View) -> Seen:
    """What the seat of a view is shown of its game."""
    table = view._game.table
    return Seen(without_luck(table), view.seat, shown(table.program, view.thinking_state, view.seat), [*view.log])


def without_luck(table: Table) -> Table:
    """The table without the seed of its luck, and without the rules' texts."""
    return replace(table, seed=0, bundle="", header=replace(table.header, seed=0))
