"""The log as a ledger: what is there at the start and what the entries tell come to what is there in the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from edict.game.table.addresses import PLAYER, VariableCell
from edict.game.table.game import Game
from edict.game.table.game_steps import list_steps, undo_first_events
from edict.game.table.log_entries import Entry, build_lines
from edict.runtime.program import StateVariable

Spot = tuple[str, tuple[int, ...]]  # a variable's name, and the indices of its things and players


def assert_log_balances(game: Game) -> None:
    """Assert that initial values and the entries of the log come to the state, in the full log and in the brief one."""
    entries = game.log
    first = undo_first_events(list_steps(game.last_step)[0])
    cells = logged_cells(game)
    start = {spot: cell.value(first) for spot, cell in cells.items()}
    now = {spot: cell.value(game.state) for spot, cell in cells.items()}
    brief = list(chain.from_iterable(line.entries for line in build_lines(entries, game.players)))
    for name, told in (("full", entries), ("brief", brief)):
        assert find_difference(start, told, now) == {}, f"the {name} log of {game.program.name} does not balance"


def logged_cells(game: Game) -> dict[Spot, VariableCell]:
    """Return the numbers whose changes are logged: resources and other numbers that are not quiet, of players here."""
    return {
        (cell.variable.name, cell.of): cell
        for cell in game.table.layout.unique_cells
        if is_logged_number(cell.variable)
        and all(i < len(game.players) for kind, i in zip(cell.variable.kinds, cell.of, strict=True) if kind == PLAYER)
    }


def is_logged_number(variable: StateVariable) -> bool:
    """Return True for a number whose every change has an entry."""
    return not variable.quiet and variable.type.shape == "number" and not variable.counts


def find_difference(
    start: Mapping[Spot, int], entries: Sequence[Entry], now: Mapping[Spot, int]
) -> dict[Spot, tuple[int, int]]:
    """Return what the log comes to and what is there, for each value of which these differ."""
    told = dict(start)
    for change in chain.from_iterable(entry.changes for entry in entries):
        spot = (change.name, change.of)
        if spot in told:
            told[spot] = told[spot] + change.number if change.is_difference else change.number
    return {spot: (told[spot], value) for spot, value in now.items() if told[spot] != value}
