"""Pictures of tables: the data of a view that pages draw.

Seats that know the same see the same panels, so each panel is built once for all of them, and each log line once.
"""

from __future__ import annotations

import marshal
import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from hashlib import blake2b
from itertools import dropwhile, takewhile
from typing import Any, TypeVar

from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import ViewModel, to_cell_data
from edict.game.table.addresses import PLAYER
from edict.game.table.game import Game
from edict.game.table.knowledge import CachedKnowledge, ResultCache
from edict.game.table.log_entries import LOOK, LUCK, PHASE, DisplayLine, Entry, build_lines
from edict.game.table.panels import GridCell, PanelRow, PanelView, PlayerGrid
from edict.runtime.program import StateVariable
from edict.support.records import dataclass

# --- cache -----------------------------------------------------------------------------------------


LOG_ENTRIES, LOG_STEP = 100, 50  # the log is made of at least so many latest entries; older ones leave it together
LOOKS = 2  # the latest `look at` moments that a page contains
MAX_PERSPECTIVES = 6  # usual limit of different views of a table, the onlookers' included
MARSHAL_VERSION = 2  # the last version that writes equal values as equal bytes; later ones encode shared references


VERSIONS_PER_GENERATION = 4  # more of them keep more that no screen shows any more; fewer take more work


class RenderCache:
    """A cache of data and HTML of one table, for two generations of its versions.

    Entries that are not requested for a whole generation are dropped, so the cache holds little more than what is on
    somebody's screen. A request for an entry counts as a request for all entries that were used to make it.

    `memory` caches values that depend on nothing but the state, whatever the version.
    """

    def __init__(self) -> None:
        self.memory = ResultCache(MAX_PERSPECTIVES)
        self.log = SeatLogs()
        self._generation = -1
        self._current: dict[Hashable, tuple[Any, list[Hashable]]] = {}
        self._previous: dict[Hashable, tuple[Any, list[Hashable]]] = {}
        self._dependencies: list[list[Hashable]] = []  # for each entry that is being made, the keys used so far
        # by the id of a value, the value, which thereby keeps its id, and its digest
        self._digests: dict[int, tuple[Any, bytes]] = {}
        self._previous_digests: dict[int, tuple[Any, bytes]] = {}

    def switch_version(self, version: int) -> RenderCache:
        """Switch to a version of the table, and return the cache itself.

        If that is of another generation, entries that were not requested for the one before are dropped.
        """
        generation = version // VERSIONS_PER_GENERATION
        if generation != self._generation:
            self._generation, self._previous, self._current = generation, self._current, {}
            self._previous_digests, self._digests = self._digests, {}
        return self

    def get_or_make(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the entry with a key; make it if it is missing.

        Args:
            key: Must name everything that the entry depends on.
            make: Makes the entry. It may call `get_or_make` itself.
        """
        if self._dependencies:
            self._dependencies[-1].append(key)
        entry = self._current.get(key)
        if entry is None and key in self._previous:
            entry = self._keep(key)
        elif entry is None:
            self._dependencies.append([])
            try:
                value = make()
            finally:
                dependencies = self._dependencies.pop()
            self._current[key] = entry = value, dependencies
        return entry[0]

    def get_digest(self, value: Any) -> bytes:
        """Return the digest of a dict, list or tuple of plain data, which nobody changes later."""
        entry = self._digests.get(id(value))
        if entry is None:
            entry = self._previous_digests.get(id(value)) or (value, _digest(self._shorten(value)))
            self._digests[id(value)] = entry
        return entry[1]

    def _shorten(self, value: Any) -> Any:
        """Return a value with digests in place of the dicts in its lists, most of which are as they were."""
        if isinstance(value, dict):
            return {name: self._shorten(item) if type(item) is list else item for name, item in value.items()}
        return [self.get_digest(item) if type(item) is dict else item for item in value]

    def share(self, value: Any) -> Any:
        """Return the first of all values with the same digest, so that what is equal is one object."""
        return self.get_or_make(("equal", self.get_digest(value)), lambda: value)

    def _keep(self, key: Hashable) -> tuple[Any, list[Hashable]]:
        """Copy an entry of the previous generation into the current one, with all it was made from."""
        self._current[key] = entry = self._previous[key]
        for dependency in entry[1]:
            if dependency not in self._current:
                self._keep(dependency)
        return entry


def _digest(value: Any) -> bytes:
    """Return a digest of plain data; translated texts know their English, so `marshal` does not take them."""
    try:
        data = marshal.dumps(value, MARSHAL_VERSION)
    except ValueError:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return blake2b(data, digest_size=16).digest()


# the number of an entry in a seat's own log, the full entry, and the entry as the seat reads it
Triple = tuple[int, Entry, Entry]


@dataclass
class SeatLog:
    """The latest log entries that a seat may read."""

    entries: list[Triple] = field(default_factory=list)
    # the latest `look at` moments, also those that are no longer in `entries`
    looks: list[Triple] = field(default_factory=list)
    count: int = 0  # how many entries of the full log have been processed
    number: int = 0  # how many of these the seat may read


class SeatLogs:
    """The growing log of a game as each seat reads it. Seats that read the same share the same objects."""

    def __init__(self) -> None:
        self._log: Sequence[Entry] = ()
        self._by_seat: dict[int, SeatLog] = {}
        self._partial_entries: dict[int, tuple[Entry, list[Entry]]] = {}

    def get_seat_log(self, log: Sequence[Entry], seat: int) -> SeatLog:
        """Return the log as a seat reads it, after adding the entries since the last call.

        Starts anew if the log is another object, as after an undo.
        """
        if log is not self._log:
            self._log, self._by_seat, self._partial_entries = log, {}, {}
        seat_log = self._by_seat.setdefault(seat, SeatLog())
        for entry in log[seat_log.count :]:
            visible_entry = self._share_entry(entry, entry.seen_by(seat))
            if visible_entry is None:
                continue
            seat_log.entries.append((seat_log.number, entry, visible_entry))
            if entry.kind == LOOK:
                seat_log.looks.append(seat_log.entries[-1])
            seat_log.number += 1
        seat_log.count = len(log)
        first = max(0, seat_log.number - LOG_ENTRIES) // LOG_STEP * LOG_STEP
        del seat_log.entries[: first - seat_log.number + len(seat_log.entries)], seat_log.looks[:-LOOKS]
        return seat_log

    def _share_entry(self, entry: Entry, visible_entry: Entry | None) -> Entry | None:
        """Return an equal reading made for another seat, if there is one, so that both seats share an object."""
        if visible_entry is None or visible_entry is entry:
            return visible_entry
        _, readings = self._partial_entries.setdefault(id(entry), (entry, []))
        for reading in readings:
            if reading == visible_entry and reading.cause is visible_entry.cause:
                return reading
        readings.append(visible_entry)
        return visible_entry


# --- pictures --------------------------------------------------------------------------------------


Data = dict[str, Any]
Made = TypeVar("Made")


def build_picture(game: Game, seat: int | None, cache: RenderCache) -> Data:
    """Return the JSON data from which a page draws a table, as a seat sees it (None: as an onlooker).

    Like the data of a view, but `log` holds the latest lines in groups under headings, the oldest first, and `looks`
    the last `look at` moments; a line's number is that of its first entry in the seat's log. `waiting` has the names
    of all players whose answers the game waits for; `waiting_for` is one of them.
    """
    view_model = ViewModel(game, seat)
    view, question = view_model.view, view_model.question()
    state_cache = CachedKnowledge(game.program, view.known_state(), cache.memory)
    seat_log = cache.log.get_seat_log(game.log, view.seat)

    def compute_score(seat_number: int) -> int | None:
        """Return a seat's current score as the viewer knows it; None if it is hidden."""
        return state_cache.value(game.program, game.program.score, seat_number)

    def number_line(seat_number: int, entry: Entry, visible_entry: Entry) -> tuple[int, Data]:
        """Return the number of a log entry's line with the entry's data."""
        return seat_number, _entry_data(view_model, entry, visible_entry, cache)

    return {
        "title": game.program.title,
        "tries": bool(game.table.header.drawn),  # a trial that continues another game under other rules
        "players": list(game.players),
        "seat": None if seat is None else game.players[seat],
        "phases": list(game.phases),
        "over": game.over,
        "winners": list(view.result.winners) if view.result is not None else [],
        "waiting_for": view.waiting_for,
        "waiting": [view.waiting_for],
        "question": to_json_data(question) if question is not None else None,
        "scores": [
            {"player": player, "score": state_cache.get(("score", seat_number), partial(compute_score, seat_number))}
            for seat_number, player in enumerate(game.players)
        ],
        "round": cache.get_or_make(
            ("round", game.last_step), lambda: [to_json_data(part) for part in view_model.round()]
        ),
        "cards": [to_json_data(part) for part in view_model.cards()],
        "panels": [_panel_data(view_model, part, state_cache, cache) for part in view.panels(state_cache)],
        "log": _log_groups(game, seat_log, number_line, cache),
        "looks": [
            (
                number,
                _add_rolled_dice(game, seat_log, number, entry, number_line(number, entry, visible_entry)[1], cache),
            )
            for number, entry, visible_entry in seat_log.looks
        ],
        "rolled": _list_rolled_dice(game, seat_log),
    }


def _list_rolled_dice(game: Game, log: SeatLog) -> list[Data] | None:
    """Return the dice of the last roll, for a game that does not keep its dice; None for games without such rolls."""
    program = game.program
    if not program.dice.kinds or any(item.type.shape == "dice" for item in program.variables):
        return None
    visible_entries = (entry for _, _, entry in reversed(log.entries))
    before_roll = dropwhile(lambda entry: not entry.rolled, visible_entries)
    return _to_dice(game, takewhile(lambda entry: entry.rolled and entry.words.isdecimal(), before_roll))[::-1]


def _to_dice(game: Game, entries: Iterable[Entry]) -> list[Data]:
    """Return the dice that entries of the log rolled."""
    names = [name for name, *_ in game.program.dice.kinds]
    kinds = ((game.program.questions[entry.question].kind, int(entry.words)) for entry in entries)
    return [{"die": kind if kind in names else names[0], "face": face} for kind, face in kinds]


def _add_rolled_dice(game: Game, log: SeatLog, number: int, look: Entry, line_data: Data, cache: RenderCache) -> Data:
    """Return the data of a moment to look at with the dice of nobody in particular, rolled since its phase began."""
    before = (entry for entry_number, _, entry in reversed(log.entries) if entry_number < number)
    phase = takewhile(lambda entry: not (entry.kind == PHASE and entry.level <= look.level), before)
    dice = _to_dice(game, [entry for entry in phase if entry.kind == LUCK and entry.rolled and entry.words.isdecimal()])
    key = "rolled", id(line_data), *(die["face"] for die in dice)
    return _get_cached(cache, key, lambda: (line_data, line_data | {"rolled": dice[::-1]}))


def _panel_data(view_model: ViewModel, panel: PanelView, state_cache: CachedKnowledge, cache: RenderCache) -> Data:
    """Return the data of a panel, each of its things with the dice on it.

    Unchanged data is the same object as before.
    """
    dice_variables = [item for item in view_model.program.variables if _holds_dice_on(item, panel.kind)]
    numbers = (
        {item.name: index for index, item in enumerate(view_model.wording.things(panel.kind))} if dice_variables else {}
    )

    def get_placed_dice(row: PanelRow) -> list[Data]:
        """Return the cached dice that lie on the thing of a row; empty if no variable holds dice for its kind."""
        make = (
            partial(_list_placed_dice, view_model, dice_variables, numbers[row.key], state_cache)
            if dice_variables
            else list[Data]
        )
        return state_cache.get(("lying", panel.name, row.key), make)

    dice_by_row = [get_placed_dice(row) for row in panel.rows]

    def make_data() -> tuple[Any, Data]:
        """Return a panel's JSON data with rows and grids, and the objects that the cache must keep alive."""
        rows = [_row_data(view_model, *item, cache) for item in zip(panel.rows, dice_by_row, strict=True)]
        grids = [_grid_data(item, cache) for item in panel.grids]
        panel_data = to_json_data(view_model.panel(replace(panel, rows=(), grids=())))
        return (panel, dice_by_row), panel_data | {"rows": rows, "grids": grids}

    return _get_cached(cache, ("panel", id(panel), *map(id, dice_by_row)), make_data)


def _row_data(view_model: ViewModel, row: PanelRow, dice: list[Data], cache: RenderCache) -> Data:
    """Return a row's cached JSON data with the dice that lie on it and that none of its cells shows."""

    def make_data() -> tuple[Any, Data]:
        """Return the row's JSON data, and the objects that the cache must keep alive."""
        row_data = to_json_data(view_model.row(row))
        shown_values = [piece["value"] for cell in row_data["pieces"] for piece in cell]
        return (row, dice), row_data | {
            "lying": [die_pool for die_pool in dice if die_pool["value"] not in shown_values]
        }

    return _get_cached(cache, ("row", id(row), id(dice)), make_data)


def _grid_data(grid: PlayerGrid, cache: RenderCache) -> Data:
    """Return a player's grid as JSON data; unchanged cells come from the cache."""

    def get_cell(grid_cell: GridCell) -> Data:
        """Return a cell's JSON data, from the cache if the cell is the same object."""
        return _get_cached(cache, ("cell", id(grid_cell)), lambda: (grid_cell, to_json_data(to_cell_data(grid_cell))))

    cells = [[[get_cell(grid_cell) for grid_cell in place] for place in line] for line in grid.cells]
    return {
        "player": grid.player,
        "rows": list(grid.rows),
        "columns": list(grid.columns),
        "cells": cells,
        "shifts": list(grid.shifts),
    }


def _get_cached(cache: RenderCache, key: Hashable, make_data: Callable[[], tuple[Any, Made]]) -> Made:
    """Return data that depends on objects whose ids are in the key.

    The cache keeps these objects with the data: no other object can get the same id meanwhile.
    """
    cached: tuple[Any, Made] = cache.get_or_make(key, make_data)
    return cached[1]


def _holds_dice_on(variable: StateVariable, kind: str) -> bool:
    """Return True if a variable holds dice for each thing of a kind, or for each of them by player."""
    return variable.type.shape == "dice" and kind not in ("", PLAYER) and variable.kinds in ((kind,), (kind, PLAYER))


def _list_placed_dice(
    view_model: ViewModel, dice_variables: Sequence[StateVariable], thing: int, state_cache: CachedKnowledge
) -> list[Data]:
    """Return the dice that lie on a thing, by variable and player."""
    pieces = list[Data]()
    for variable in dice_variables:
        step = variable.sizes[1] if PLAYER in variable.kinds else 1
        for seat, player in enumerate(view_model.view.players if PLAYER in variable.kinds else ("",)):
            address = variable.base + (thing * step + seat) * variable.type.cells
            piece = to_json_data(view_model.piece(variable, state_cache.read(variable, address)))
            if piece["shape"] == "dice" and piece["value"]:
                pieces.append(piece | {"player": player})
    return pieces


def _log_groups(game: Game, log: SeatLog, line: Callable[..., tuple[int, Data]], cache: RenderCache) -> list[Data]:
    """Return the latest lines of the log under the phase in which they happened, the oldest first.

    Unchanged groups and lines are the same objects as before, and so are those of seats that read the same.
    """

    def get_group(triples: Sequence[Triple]) -> Data:
        """Return the cached group of a phase; of the same moment to look at, each seat may see something else."""
        looks = [id(line(*triple)[1]) for triple in triples if triple[1].kind == LOOK]
        key = "group", triples[0][0], *[id(visible_entry) for *_, visible_entry in triples], *looks
        return _get_cached(cache, key, lambda: (triples, _build_group(game, triples, line, cache)))

    groups = [get_group(triples) for triples in _split_at_phases(log.entries)]
    return [group for group in groups if group["heading"] or group["lines"]]


def _split_at_phases(triples: Sequence[Triple]) -> Iterator[list[Triple]]:
    """Split log entries in front of each run of headings; a line never combines entries of two such parts."""
    part = list[Triple]()
    for triple in triples:
        if part and triple[2].kind == PHASE and part[-1][2].kind != PHASE:
            yield part
            part = []
        part.append(triple)
    if part:
        yield part


def _build_group(
    game: Game, triples: Sequence[Triple], line: Callable[..., tuple[int, Data]], cache: RenderCache
) -> Data:
    """Return the data of the log lines of one phase: its heading, and its lines, the oldest first."""
    triples_by_id = {id(triple[2]): triple for triple in triples}
    number, heading, lines = triples[0][0], "", list[tuple[int, Data]]()
    for shown_line in build_lines([visible_entry for *_, visible_entry in triples], game.players):
        triple = triples_by_id[id(shown_line.entries[0])]
        if shown_line.heading:
            number, heading = triple[0], shown_line.text
        else:
            lines.append((triple[0], _merge_line_data(shown_line, line(*triple)[1], cache)))
    return {"number": number, "heading": heading, "lines": lines}


def _merge_line_data(shown_line: DisplayLine, first_data: Data, cache: RenderCache) -> Data:
    """Return a shown line's cached data: that of its first log entry, with the line's own text and cause."""
    key = "told", id(first_data), shown_line.text, shown_line.cause
    return _get_cached(cache, key, lambda: (first_data, first_data | {"text": shown_line.text, "by": shown_line.cause}))


def _entry_data(view_model: ViewModel, entry: Entry, visible_entry: Entry, cache: RenderCache) -> Data:
    """Return the data of a log entry. That of a moment to look at depends on what the seat that looks may see."""
    key = "line", id(entry), view_model.seat if entry.kind == LOOK else visible_entry is entry
    return _get_cached(cache, key, lambda: (entry, cache.share(to_json_data(view_model.line(visible_entry)))))
