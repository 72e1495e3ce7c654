"""Snapshots of a game for a user's bot, without anything that its seat may not know.

They can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameTable
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Option
from edict.game.table.panels import PanelRow, PanelView, PlayerGrid
from edict.game.table.view import Result, View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS, QUESTION, SEAT
from edict.support.records import dataclass


@dataclass
class BotSnapshot:
    """A game that waits for an answer of `watcher`; it can be viewed like any game."""

    table: GameTable
    watcher: int
    cells: list[int]  # the masked state
    log: Sequence[Entry] = ()

    @property
    def program(self) -> Program:
        """The program of the table."""
        return self.table.program

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players."""
        return self.table.players

    @property
    def state(self) -> list[int]:
        """A copy of the masked state."""
        return self.cells.copy()

    @property
    def over(self) -> bool:
        """Return False; the game waits for an answer."""
        return False

    @property
    def seat(self) -> int:
        """The seat that is asked."""
        return self.cells[SEAT]

    @property
    def ask(self) -> Ask:
        """The current question with its options."""
        values = self.cells[FIRST_OPTION : FIRST_OPTION + self.cells[OPTIONS]]
        return self.table.options.build_question(self.cells[QUESTION], self.seat, values)

    @property
    def result(self) -> Result | None:
        """Return None; the game waits for an answer."""
        return None

    def names_unknown(self, seat: int) -> tuple[int, ...]:
        """Return no names; the cells contain nothing that is hidden from the watcher."""
        return ()  # the cells hold nothing that the watcher may not know

    @property
    def answers(self) -> list[int]:
        """Raise `GameError`: the answers are hidden from bots."""
        raise GameError("the answers given so far are hidden from bots", "look at `view.log`, or at `thinking_state`")


class BotView(View):
    """A view of a bot's snapshot."""

    @property
    def history(self) -> History:
        """Raise `GameError`: the history is hidden from bots."""
        raise GameError("how the game got here is hidden from bots", "look at `view.log`, or at `thinking_state`")


def create_snapshot(view: View) -> BotSnapshot:
    """Return the snapshot of a view's game for its seat."""
    return BotSnapshot(strip_secrets(view._game.table), view.seat, view.thinking_state, [*view.log])


def strip_secrets(table: GameTable) -> GameTable:
    """Return the table without its seed and the texts of the rules."""
    return replace(table, seed=0, bundle="", header=replace(table.header, seed=0))


RECENT_LINES = 15


def as_text(view: View, recent: int = RECENT_LINES) -> str:
    """Return a view as text: the table, the last lines of the log, and the question that is asked, if any.

    Options are numbered, and a bot may answer with these numbers.

    Args:
        view: The view.
        recent: The number of log lines.
    """
    parts = ["\n".join(_iter_panel_lines(panel)) for panel in view.panels()]
    log = [entry.text for entry in view.log[-recent:]] if recent > 0 else []
    if log:
        parts.append("\n".join(["What happened last:", *(f"- {line}" for line in log)]))
    if view.ask is not None:
        parts.append("\n".join(_iter_question_lines(view, view.ask)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _iter_panel_lines(panel: PanelView) -> Iterator[str]:
    """Yield a panel as text for a bot: its title, its rows, and for each player the marked cells of the grid."""
    if panel.title:
        yield f"{panel.title}:"
    for row in panel.rows:
        yield _format_row(row, panel.header)
    for grid in panel.grids:
        yield f"{grid.player}: {'; '.join(_iter_marked_titles(grid)) or 'none'}"


def _format_row(row: PanelRow, header: tuple[str, ...]) -> str:
    """Return a panel row as `title: cell, cell`; with a header, each cell follows its column's name."""
    cells = [cell for cell in row.cells if cell]
    if header:
        cells = [f"{name} {cell}" for name, cell in zip(header, row.cells, strict=True) if cell]
    return ": ".join(part for part in (row.title, ", ".join(cells)) if part)


def _iter_marked_titles(grid: PlayerGrid) -> Iterator[str]:
    """Yield the titles of a grid's marked cells (mostly things that the player owns), row by row."""
    for line in grid.cells:
        yield from (cell.title for cell_things in line for cell in cell_things if cell.marked)


def _iter_question_lines(view: View, ask: Ask) -> Iterator[str]:
    """Yield `You are NAME.` with the prompt, then one line `index: text` for each option."""
    player = view.players[view.seat]
    yield f"You are {player}. {ask.prompt}"
    yield from (f"{option.index}: {_format_option(option)}" for option in ask.options)


def _format_option(option: Option) -> str:
    """Join the text, caption and explanation of an option with ` | `, leaving out empty ones."""
    return " | ".join(part for part in (option.text, option.caption, option.words) if part)
