"""What a page shows of a table: a view without what no page draws.

Those who know the same see the same panels, so these are put together once for all of them; lines of the log, once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import ViewModel, to_cell_data
from edict.game.table.addresses import PLAYER
from edict.game.table.game import Game
from edict.game.table.knowledge import CachedKnowledge, ResultCache
from edict.game.table.log_entries import LOOK, DisplayLine, Entry, build_lines
from edict.game.table.panels import GridCell, PanelRow, PanelView, PlayerGrid
from edict.runtime.program import StateVariable

# --- what pages still show -------------------------------------------------------------------------


LOG_ENTRIES = 100  # the last ones, of which the lines of the log are made
LOOKS = 2  # the moments to look at that a page brings
SEATS = 6  # at most, as a rule, that know different things of a table, onlookers among them


class Recent:
    """Remembers what was made for the present version of a table, and for the last one at which anybody looked.

    What is not asked for again in between is forgotten, so no more is kept than is on somebody's screen. What is in
    something that is asked for again counts as asked for. `memory` has what hangs on nothing but the state.
    """

    def __init__(self) -> None:
        self.memory = ResultCache(SEATS)
        self.log = Readers()
        self._version = -1
        self._now: dict[Hashable, tuple[Any, list[Hashable]]] = {}
        self._before: dict[Hashable, tuple[Any, list[Hashable]]] = {}
        self._making: list[list[Hashable]] = []  # the keys of what is in what is being made

    def at(self, version: int) -> Recent:
        """The same, for a version of the table."""
        if version != self._version:
            self._version, self._before, self._now = version, self._now, {}
        return self

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made under a key, which must say all that it depends on."""
        if self._making:
            self._making[-1].append(key)
        if key not in self._now and key not in self._before:
            self._making.append([])
            try:
                made = make()
            finally:
                within = self._making.pop()
            self._now[key] = made, within
        elif key not in self._now:
            self._keep(key)
        return self._now[key][0]

    def _keep(self, key: Hashable) -> None:
        """It is asked for, and so is all that is in it."""
        self._now[key] = made = self._before[key]
        for one in made[1]:
            if one not in self._now:
                self._keep(one)


@dataclass
class ReadLog:
    """The last of the log as a seat may read it: each entry with its number there, and with what of it is read.

    looks: those of them, and of earlier ones, that are the last moments to look at. count: how many of the entries of
    the log were gone through, `number` of which may be read.
    """

    entries: list[tuple[int, Entry, Entry]] = field(default_factory=list)
    looks: list[tuple[int, Entry, Entry]] = field(default_factory=list)
    count: int = 0
    number: int = 0


class Readers:
    """The log as seats read it, which grows at its end; what is the same for several is one for all of them."""

    def __init__(self) -> None:
        self._log: Sequence[Entry] = ()
        self._by_seat: dict[int, ReadLog] = {}
        self._veiled: dict[int, tuple[Entry, list[Entry]]] = {}

    def read_by(self, log: Sequence[Entry], seat: int) -> ReadLog:
        """The log of a game, up to its end; another is begun when something was taken back."""
        if log is not self._log:
            self._log, self._by_seat, self._veiled = log, {}, {}
        found = self._by_seat.setdefault(seat, ReadLog())
        for entry in log[found.count :]:
            read = self._same(entry, entry.seen_by(seat))
            if read is None:
                continue
            found.entries.append((found.number, entry, read))
            if entry.kind == LOOK:
                found.looks.append(found.entries[-1])
            found.number += 1
        found.count = len(log)
        del found.entries[:-LOG_ENTRIES], found.looks[:-LOOKS]
        return found

    def _same(self, entry: Entry, read: Entry | None) -> Entry | None:
        """The same for all who read the same of an entry."""
        if read is None or read is entry:
            return read
        _, known = self._veiled.setdefault(id(entry), (entry, []))
        for one in known:
            if one == read and one.cause is read.cause:
                return one
        known.append(read)
        return read


# --- pictures --------------------------------------------------------------------------------------


Data = dict[str, Any]


def picture(game: Game, seat: int | None, recent: Recent) -> Data:
    """A table as a seat may see it (None: as everybody may).

    As in a view, but `log` is what happened of late, in groups under headings, the latest first, and `looks` are the
    last moments to look at; lines are numbered by the first entry of the log that they tell. `waiting` are the names of
    all whose answers are waited for, of whom `waiting_for` is one.
    """
    viewing = ViewModel(game, seat)
    view, question = viewing.view, viewing.question()
    looking = CachedKnowledge(game.program, view.known_state(), recent.memory)
    log = recent.log.read_by(game.log, view.seat)

    def score(number: int) -> int | None:
        return looking.value(game.program, game.program.score, number)

    def line(number: int, entry: Entry, read: Entry) -> tuple[int, Data]:
        return number, _line(viewing, entry, read, recent)

    return {
        "title": game.program.title,
        "tries": bool(game.table.header.drawn),  # it goes on from another game, under other rules
        "players": list(game.players),
        "seat": None if seat is None else game.players[seat],
        "phases": list(game.phases),
        "over": game.over,
        "winners": list(view.result.winners) if view.result is not None else [],
        "waiting_for": view.waiting_for,
        "waiting": [view.waiting_for],
        "question": to_json_data(question) if question is not None else None,
        "scores": [
            {"player": player, "score": looking.get(("score", number), partial(score, number))}
            for number, player in enumerate(game.players)
        ],
        "round": recent.get(("round", game.last_step), lambda: [to_json_data(one) for one in viewing.round()]),
        "cards": [to_json_data(one) for one in viewing.cards()],
        "panels": [_panel(viewing, one, looking, recent) for one in view.panels(looking)],
        "log": _groups(game, log, line, recent),
        "looks": [line(*one) for one in log.looks],
    }


def _panel(viewing: ViewModel, panel: PanelView, looking: CachedKnowledge, recent: Recent) -> Data:
    """A panel; each of its things with the dice that lie on it, by whose they are. What is as it was is the same."""
    placed = [one for one in viewing.program.variables if _lies_on(one, panel.kind)]
    numbers = {one.name: at for at, one in enumerate(viewing.wording.things(panel.kind))} if placed else {}

    def lying(row: PanelRow) -> list[Data]:
        found = partial(_lying, viewing, placed, numbers[row.key], looking) if placed else list[Data]
        return looking.get(("lying", panel.name, row.key), found)

    lies = [lying(row) for row in panel.rows]

    def drawn() -> tuple[Any, Data]:
        rows = [_row(viewing, *one, recent) for one in zip(panel.rows, lies, strict=True)]
        grids = [_grid(one, recent) for one in panel.grids]
        head = to_json_data(viewing.panel(replace(panel, rows=(), grids=())))
        return (panel, lies), head | {"rows": rows, "grids": grids}

    return _kept(recent, ("panel", id(panel), *map(id, lies)), drawn)


def _row(viewing: ViewModel, row: PanelRow, lies: list[Data], recent: Recent) -> Data:
    def drawn() -> tuple[Any, Data]:
        shown = to_json_data(viewing.row(row))
        told = [piece["value"] for cell in shown["pieces"] for piece in cell]
        return (row, lies), shown | {"lying": [one for one in lies if one["value"] not in told]}

    return _kept(recent, ("row", id(row), id(lies)), drawn)


def _grid(grid: PlayerGrid, recent: Recent) -> Data:
    def cell(one: GridCell) -> Data:
        return _kept(recent, ("cell", id(one)), lambda: (one, to_json_data(to_cell_data(one))))

    cells = [[[cell(one) for one in place] for place in line] for line in grid.cells]
    return {
        "player": grid.player,
        "rows": list(grid.rows),
        "columns": list(grid.columns),
        "cells": cells,
        "shifts": list(grid.shifts),
    }


def _kept(recent: Recent, key: Hashable, drawn: Callable[[], tuple[Any, Data]]) -> Data:
    """What is drawn of things whose ids are the key: these are kept with it, so that their ids are no others'."""
    kept: tuple[Any, Data] = recent.get(key, drawn)
    return kept[1]


def _lies_on(variable: StateVariable, kind: str) -> bool:
    """Whether a variable holds dice of each thing of a kind, or of each by each player."""
    return variable.type.shape == "dice" and kind not in ("", PLAYER) and variable.kinds in ((kind,), (kind, PLAYER))


def _lying(viewing: ViewModel, placed: Sequence[StateVariable], thing: int, looking: CachedKnowledge) -> list[Data]:
    """The dice that lie on a thing."""
    found = list[Data]()
    for variable in placed:
        step = variable.sizes[1] if PLAYER in variable.kinds else 1
        for seat, player in enumerate(viewing.view.players if PLAYER in variable.kinds else ("",)):
            address = variable.base + (thing * step + seat) * variable.type.cells
            piece = to_json_data(viewing.piece(variable, looking.read(variable, address)))
            if piece["shape"] == "dice" and piece["value"]:
                found.append(piece | {"player": player})
    return found


def _groups(game: Game, log: ReadLog, line: Callable[..., tuple[int, Data]], recent: Recent) -> list[Data]:
    """The last lines, each thing said once, under the phase in which it happened. What is as it was is the same."""
    last = [read for _, _, read in log.entries]
    known = {id(one[2]): one for one in log.entries}
    key = "news", *map(id, last)
    _, news = recent.get(key, lambda: (last, build_lines(last, game.players)))  # with what has the ids in the key
    groups: list[tuple[int, str, list[tuple[int, Data]]]] = [(log.number - len(last), "", [])]
    for told in news:
        first = known[id(told.entries[0])]
        if told.heading:
            groups.append((first[0], told.text, []))
        else:
            groups[-1][2].append((first[0], _told(told, line(*first)[1], recent)))
    return [_group(*group, recent) for group in reversed(groups) if group[1] or group[2]]


def _group(number: int, heading: str, lines: list[tuple[int, Data]], recent: Recent) -> Data:
    def drawn() -> tuple[Any, Data]:
        return lines, {"number": number, "heading": heading, "lines": lines[::-1]}

    return _kept(recent, ("group", number, heading, *((at, id(line)) for at, line in lines)), drawn)


def _told(told: DisplayLine, first: Data, recent: Recent) -> Data:
    key = "told", id(first), told.text, told.cause
    return _kept(recent, key, lambda: (first, first | {"text": told.text, "by": told.cause}))


def _line(viewing: ViewModel, entry: Entry, read: Entry, recent: Recent) -> Data:
    """A line of the log; what there is to look at hangs on who looks."""
    key = "line", id(entry), viewing.seat if entry.kind == LOOK else read is entry
    kept: tuple[Entry, Data] = recent.get(key, lambda: (entry, to_json_data(viewing.line(read))))
    return kept[1]  # the entry is kept with it, so that its id is no other's
