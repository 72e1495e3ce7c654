"""What a user's bot is shown: a game from one seat, without anything that the seat may not know.

It can be sent to another process as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameTable
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Option
from edict.game.table.panels import PanelRow, PanelView, PlayerGrid
from edict.game.table.view import Result, View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS, QUESTION, SEAT


@dataclass
class Seen:
    """A game that waits for an answer of `watcher`, as a `View` looks at it. `cells` is the masked state."""

    table: GameTable
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
        return self.table.options.build_question(self.cells[QUESTION], self.seat, values)

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


def seen_from(view: View) -> Seen:
    """Return the game of a view as its seat sees it."""
    return Seen(without_luck(view._game.table), view.seat, view.thinking_state, [*view.log])


def without_luck(table: GameTable) -> GameTable:
    """The table without the seed of its luck, and without the rules' texts."""
    return replace(table, seed=0, bundle="", header=replace(table.header, seed=0))


RECENT = 15  # lines of the log


def as_text(view: View, recent: int = RECENT) -> str:
    """The table as the view's seat sees it, the last `recent` lines of its log, and the question it is asked, if any.

    Options stand under their numbers, which are what a bot may answer.
    """
    parts = ["\n".join(_panel(panel)) for panel in view.panels()]
    log = [entry.text for entry in view.log[-recent:]] if recent > 0 else []
    if log:
        parts.append("\n".join(["What happened last:", *(f"- {line}" for line in log)]))
    if view.ask is not None:
        parts.append("\n".join(_question(view, view.ask)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _panel(panel: PanelView) -> Iterator[str]:
    if panel.title:
        yield f"{panel.title}:"
    for row in panel.rows:
        yield _row(row, panel.header)
    for grid in panel.grids:
        yield f"{grid.player}: {'; '.join(_marked(grid)) or 'none'}"


def _row(row: PanelRow, header: tuple[str, ...]) -> str:
    cells = [cell for cell in row.cells if cell]
    if header:
        cells = [f"{name} {cell}" for name, cell in zip(header, row.cells, strict=True) if cell]
    return ": ".join(part for part in (row.title, ", ".join(cells)) if part)


def _marked(grid: PlayerGrid) -> Iterator[str]:
    """What of a player's grid is set off: what they own, mostly."""
    for line in grid.cells:
        yield from (cell.title for cell_things in line for cell in cell_things if cell.marked)


def _question(view: View, ask: Ask) -> Iterator[str]:
    who = view.players[view.seat]
    yield f"You are {who}. {ask.prompt}"
    yield from (f"{option.index}: {_option(option)}" for option in ask.options)


def _option(option: Option) -> str:
    return " | ".join(part for part in (option.text, option.caption, option.words) if part)
