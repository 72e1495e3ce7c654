"""Games and decisions as rows of tables, under names from the rules' declarations.

Seats, places, and options are numbered from 0, as `Game` and `View` number them. How games go, in sixteen digits
(`fingerprint`), is made of such rows: a hash of the rules changes with a title, and one of the program with a better
compiler; games change only when somebody who counts them would notice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from edict.agents.bots.match import Match
from edict.agents.study.bot_games import GameRange, Setup, plan_of, play, seeds_of
from edict.agents.study.totals import LENGTHS, margin_of, what_happened
from edict.game.table.addresses import bits_of, unpack_events
from edict.runtime.program.opcodes import EV_ENTER, EV_LEAVE, GAME_OVER, QUESTION
from edict.runtime.simulation.counters import HELD, ROUND, SCORED, CountingPlan
from edict.runtime.simulation.counting import CountedGames
from edict.runtime.simulation.counting_layout import list_nonzero, mask_invalid
from edict.runtime.simulation.plans import WORST

WHOLE, SEED, REAL, TEXT, TEXTS, REALS = "whole", "seed", "real", "text", "texts", "reals"
Columns = dict[str, Any]
"""Values by column, each as many as there are rows: a list, or an array of NumPy; see `listed`."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table: its name, what stands in it (a whole number, one of 64 bits without a sign, a real number,
    text, or a list of texts or reals; any may be missing), and what that means."""

    name: str
    holds: str
    means: str


DECISIONS = (
    TableColumn("game", WHOLE, "number of the game, as in the table of games"),
    TableColumn("number", WHOLE, "number of the decision in the game, from 0"),
    TableColumn("seat", WHOLE, "who decided"),
    TableColumn("bot", TEXT, "the bot in that seat"),
    TableColumn("round", WHOLE, "round of the game, from 1; 0 before the first"),
    TableColumn("phase", TEXT, "innermost phase of the rules"),
    TableColumn("question", TEXT, "name of the question in the rules"),
    TableColumn("prompt", TEXT, "the question in words"),
    TableColumn("options", TEXTS, "keys of all options"),
    TableColumn("chosen", WHOLE, "index of the option chosen"),
    TableColumn("answer", TEXT, "its key"),
    TableColumn("values", REALS, "what the bot thought of each option, as far as it says"),
)


def empty(columns: Sequence[TableColumn]) -> Columns:
    return {column.name: [] for column in columns}


class Decisions:
    """Takes down every decision of the games it observes; see `games.Observer`."""

    def __init__(self, setup: Setup) -> None:
        self.columns = empty(DECISIONS)
        self._bots = setup.bots
        self._phases = setup.program.phases
        self._round = plan_of(setup).flat[ROUND]
        self._keys: dict[tuple[int, int], str] = {}
        self._game = self._number = self._rounds = 0
        self._within: list[str] = []

    def begin(self, number: int, match: Match) -> None:
        self._game, self._number, self._rounds, self._within = number, 0, 0, []

    def look(self, match: Match) -> None:
        """Follow the phases."""
        for kind, _, phase, *_ in unpack_events(match.fresh):
            if kind == EV_ENTER:
                self._within.append(self._phases[phase][0])
                self._rounds += phase == self._round
            elif kind == EV_LEAVE and self._within:
                self._within.pop()

    def decided(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        question = int(match.cells[QUESTION])
        asked = match.program.questions[question]
        keys = [self._key(match, question, value) for value in match.options]
        row = (
            self._game,
            self._number,
            seat,
            self._bots[seat],
            self._rounds,
            self._within[-1] if self._within else "",
            asked.name,
            match.table.options.prompt(asked),
            keys,
            index,
            keys[index],
            None if values is None else [None if value == WORST else float(value) for value in values],
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)
        self._number += 1

    def _key(self, match: Match, question: int, value: int) -> str:
        known = self._keys.get((question, value))
        if known is None:
            known = self._keys[question, value] = match.table.options.key(question, value)
        return known


# --- games ------------------------------------------------------------------------------------


def game_columns(setup: Setup) -> tuple[TableColumn, ...]:
    """The columns of the table of games, which follow from the rules, the seats and the settings."""
    seats = range(setup.players)
    settings = (TableColumn(f"set.{name}", WHOLE, f"the setting `{name}`") for name, _ in setup.settings)
    return (
        TableColumn("game", WHOLE, "number of the game"),
        TableColumn("seed", SEED, "seed of its luck"),
        TableColumn("rules", TEXT, "hash of the rules"),
        TableColumn("modules", TEXT, "modules of the rules, joined by +"),
        *settings,
        TableColumn("fault", TEXT, "why the game was aborted; missing for games that ended normally"),
        TableColumn("choices", WHOLE, "questions to players"),
        TableColumn("draws", WHOLE, "questions to chance"),
        TableColumn("rounds", WHOLE, "rounds played"),
        TableColumn("winning_score", WHOLE, "the best score"),
        TableColumn("margin", WHOLE, "how far the winners were ahead of the best of the others"),
        *(column for seat in seats for column in _of_seat(seat)),
        *(
            TableColumn(f"points_{seat}.{name}", WHOLE, f"points from {place or name}")
            for seat in seats
            for name, place, _ in _sources(plan_of(setup))
        ),
        *(
            TableColumn(f"held_{seat}.{group}", TEXTS, "what the player holds at the end")
            for seat in seats
            for group in _holdings(plan_of(setup))
        ),
    )


def _of_seat(seat: int) -> tuple[TableColumn, ...]:
    return (
        TableColumn(f"bot_{seat}", TEXT, "the bot in the seat"),
        TableColumn(f"place_{seat}", WHOLE, "place in the first order of play"),
        TableColumn(f"score_{seat}", WHOLE, "final score"),
        TableColumn(f"win_{seat}", REAL, "share of the win: 1, a part of it, or 0"),
    )


def _sources(plan: CountingPlan) -> list[tuple[str, str, int]]:
    """What brings score: a name of its own, its place in the rules, and its number."""
    found = [(feature, number) for number, feature in enumerate(plan.features) if feature.kind == SCORED]
    names = [feature.option for feature, _ in found]
    return [
        (f.option if names.count(f.option) == 1 else f"{f.option} ({f.of or f.place})", f.place, number)
        for f, number in found
    ]


def _holdings(plan: CountingPlan) -> dict[str, list[tuple[str, int]]]:
    """What can be held: by group, the things with their numbers."""
    groups: dict[str, list[tuple[str, int]]] = {}
    for number, feature in enumerate(plan.features):
        if feature.kind == HELD:
            groups.setdefault(feature.group, []).append((feature.option, number))
    return groups


def game_rows(setup: Setup, stretch: GameRange, counted: CountedGames) -> Columns:
    """The rows of these games, whose own rows must have been kept, column by column."""
    plan, games = plan_of(setup), len(counted.statuses)
    ended = [status == GAME_OVER for status in counted.statuses]
    known: Columns = {
        "game": list(range(stretch.first, stretch.first + games)),
        "seed": seeds_of(setup, stretch)[:games],
        **{name: [value] * games for name, value in _fixed(setup).items()},
        "fault": [
            None if well else what_happened(setup.program, status, place)
            for well, status, place in zip(ended, counted.statuses, counted.places, strict=True)
        ],
    }
    for name, values in _ended(plan, counted.rows):
        known[name] = mask_invalid(values, ended)
    return {column.name: known[column.name] for column in game_columns(setup)}


def _fixed(setup: Setup) -> dict[str, Any]:
    """What is the same in every row."""
    settings = {f"set.{name}": value for name, value in setup.settings}
    bots = {f"bot_{seat}": bot for seat, bot in enumerate(setup.bots)}
    program = setup.program
    return {"rules": program.rules_hash, "modules": "+".join(program.modules), **settings, **bots}


def _ended(plan: CountingPlan, rows: Any) -> Iterator[tuple[str, Any]]:
    """The columns of what only a game that has ended tells; what they hold for others means nothing."""
    row, seats = plan.row_layout, range(plan.players)
    for name in LENGTHS:
        yield name, row.column(rows, name)
    winners = [bits_of(bits) for bits in listed(row.column(rows, "winners"))]
    by_seat = [row.column(rows, "scores", seat) for seat in seats]
    scores = list(zip(*map(listed, by_seat), strict=True))
    yield "winning_score", [max(some) for some in scores]
    yield "margin", [margin_of(*one) for one in zip(scores, winners, strict=True)]
    sources, holdings = _sources(plan), _holdings(plan)
    for seat in seats:
        yield f"place_{seat}", row.column(rows, "places", seat)
        yield f"score_{seat}", by_seat[seat]
        yield f"win_{seat}", [(seat in some) / max(1, len(some)) for some in winners]
        for name, _, number in sources:
            yield f"points_{seat}.{name}", row.column(rows, "by_seat", number, seat)
        for group, things in holdings.items():
            held = [row.column(rows, "by_seat", number, seat) for _, number in things]
            yield f"held_{seat}.{group}", list_nonzero(held, [name for name, _ in things], len(scores))


def listed(column: Any) -> list[Any]:
    """A column's values, of which None are missing."""
    found: list[Any] = column if isinstance(column, list) else column.tolist()
    return found


GAMES = 12  # the first of a study, which stand for all
NAMES = re.compile("rules|modules|bot_[0-9]+")  # columns that say by which rules and who, not how the games went


def fingerprint(setup: Setup, games: int = GAMES) -> str:
    """Of the first games of a setup: their lengths, scores, winners, holdings, and where each point came from.

    Raises `RulesError` for a game that would never end.
    """
    stretch = GameRange(0, games)
    found = game_rows(setup, stretch, play(setup, stretch, keep=True).counted)
    values = [listed(column) for name, column in found.items() if not NAMES.fullmatch(name)]
    return sha256(json.dumps(values).encode()).hexdigest()[:16]
