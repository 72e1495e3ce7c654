"""What a page shows of a table: a view without what no page draws.

Those who know the same see the same panels, so these are put together once for all of them; lines of the log, once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from edict.program import Variable
from edict.table.addresses import PLAYER
from edict.table.game import Game
from edict.table.log_entries import LOOK, Entry, Line, news_lines
from edict.table.view import View
from edict.table.view_data import as_json, PanelData, ViewModel

# --- what pages still show -------------------------------------------------------------------------


class Recent:
    """Remembers what was made for the present version of a table, and for the last one at which anybody looked.

    What is not asked for again in between is forgotten, so no more is kept than is on somebody's screen.
    """

    def __init__(self) -> None:
        self._version = -1
        self._now: dict[Hashable, Any] = {}
        self._before: dict[Hashable, Any] = {}

    def at(self, version: int) -> Recent:
        """The same, for a version of the table."""
        if version != self._version:
            self._version, self._before, self._now = version, self._now, {}
        return self

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made under a key, which must say all that it depends on."""
        found = self._now.get(key)
        if found is None:
            found = self._before.get(key)
            self._now[key] = found = make() if found is None else found
        return found


# --- pictures --------------------------------------------------------------------------------------


LOG_ENTRIES = 100  # the last ones, of which the lines of the log are made
LOOKS = 2  # the moments to look at that a page brings

Data = dict[str, Any]


def picture(game: Game, seat: int | None, recent: Recent) -> Data:
    """A table as a seat may see it (None: as everybody may).

    As in a view, but `log` is what happened of late, in groups under headings, the latest first, and `looks` are the
    last moments to look at; lines are numbered by the first entry of the log that they tell. `waiting` are the names of
    all whose answers are waited for, of whom `waiting_for` is one.
    """
    viewing = ViewModel(game, seat)
    view, question = viewing.view, viewing.question()
    log = [(entry, read) for entry in game.log if (read := entry.seen_by(view.seat)) is not None]
    looks = [number for number, (entry, _) in enumerate(log) if entry.kind == LOOK][-LOOKS:]

    def line(number: int) -> tuple[int, Data]:
        return number, _line(viewing, *log[number], recent)

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
        "question": as_json(question) if question is not None else None,
        "scores": [
            {"player": player, "score": view.compute(game.program.score, number)}
            for number, player in enumerate(game.players)
        ],
        **_laid(viewing, recent),
        "log": _groups(game, log, line),
        "looks": [line(number) for number in looks],
    }  # fmt: skip


def _laid(viewing: ViewModel, recent: Recent) -> Data:
    """The round, the cards and the panels: all that lies on the table."""

    def made() -> Data:
        return {
            "round": [as_json(one) for one in viewing.round()],
            "cards": [as_json(one) for one in viewing.cards()],
            "panels": [_panel(viewing, one) for one in viewing.panels()],
        }

    found: Data = recent.get(_known(viewing.view), made)
    return found


def _panel(viewing: ViewModel, panel: PanelData) -> Data:
    """A panel; each of its things with the dice that lie on it, by whose they are."""
    shown = as_json(panel)
    placed = [one for one in viewing.program.variables if _lies_on(one, panel.kind)]
    numbers = {one.name: at for at, one in enumerate(viewing.wording.things(panel.kind))} if placed else {}
    for row in shown["rows"]:
        told = [piece["value"] for cell in row["pieces"] for piece in cell]
        found = [one for variable in placed for one in _lying(viewing, variable, numbers[row["key"]])]
        row["lying"] = [one for one in found if one["value"] not in told]
    return shown


def _lies_on(variable: Variable, kind: str) -> bool:
    """Whether a variable holds dice of each thing of a kind, or of each by each player."""
    return variable.type.shape == "dice" and kind not in ("", PLAYER) and variable.kinds in ((kind,), (kind, PLAYER))


def _lying(viewing: ViewModel, variable: Variable, thing: int) -> Iterator[Data]:
    players = viewing.view.players if PLAYER in variable.kinds else ("",)
    for seat, player in enumerate(players):
        piece = as_json(viewing.piece(variable, thing, *([seat] if player else [])))
        if piece["shape"] == "dice" and piece["value"]:
            yield piece | {"player": player}


def _known(view: View) -> tuple[object, ...]:
    """All that panels hang on: what the seat knows; and who looks, where rules can replace what is printed."""
    known = view.known_state()
    return "panels", tuple(known.state), known.hidden, view.seat if view.program.carriers else None


def _groups(game: Game, log: Sequence[tuple[Entry, Entry]], line: Callable[[int], tuple[int, Data]]) -> list[Data]:
    """The last lines, each thing said once, under the phase in which it happened."""
    since = max(0, len(log) - LOG_ENTRIES)
    numbers = {id(read): number for number, (_, read) in enumerate(log[since:], since)}
    groups: list[Data] = [{"number": since, "heading": "", "lines": []}]
    for told in news_lines([read for _, read in log[since:]], game.players):
        number = numbers[id(told.entries[0])]
        if told.heading:
            groups.append({"number": number, "heading": told.text, "lines": []})
        else:
            groups[-1]["lines"].insert(0, _told(told, *line(number)))
    return [group for group in reversed(groups) if group["heading"] or group["lines"]]


def _told(told: Line, number: int, first: Data) -> tuple[int, Data]:
    return number, first | {"text": told.text, "by": told.cause}


def _line(viewing: ViewModel, entry: Entry, read: Entry, recent: Recent) -> Data:
    """A line of the log; what there is to look at hangs on who looks."""
    key = "line", id(entry), viewing.seat if entry.kind == LOOK else read is entry
    kept: tuple[Entry, Data] = recent.get(key, lambda: (entry, as_json(viewing.line(read))))
    return kept[1]  # the entry is kept with it, so that its id is no other's
