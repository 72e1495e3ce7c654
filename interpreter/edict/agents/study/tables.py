"""Games and decisions as rows of tables, with names from the rules' declarations.

Seats, places, and options are numbered from 0, as in `Game` and `View`. `compute_fingerprint` hashes such rows into
sixteen digits that identify how games go: a hash of the rules changes with a title, and one of the program with a
better compiler, but these rows change only if the games do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from edict.agents.bots.match import Match
from edict.agents.study.bot_games import GameRange, GameSetup, derive_seeds, get_plan, play_range
from edict.agents.study.totals import LENGTHS, compute_margin, describe_fault
from edict.game.table.addresses import bits_of, unpack_events
from edict.runtime.program.opcodes import EV_ENTER, EV_LEAVE, GAME_OVER, QUESTION
from edict.runtime.simulation.counters import HELD, ROUND, SCORED, CountingPlan
from edict.runtime.simulation.counting import CountedGames
from edict.runtime.simulation.counting_layout import list_nonzero, mask_invalid
from edict.runtime.simulation.plans import WORST
from edict.support.records import dataclass

WHOLE, SEED, REAL, TEXT, TEXTS, REALS, WHOLES = "whole", "seed", "real", "text", "texts", "reals", "wholes"
Columns = dict[str, Any]  # values by column name, one per row: a list or a NumPy array (see `to_list`)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table."""

    name: str
    holds: str  # the type: one of the above (SEED: 64 bits, unsigned; WHOLES: 32 bits); values may be missing
    means: str  # the meaning of its values


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


def create_columns(columns: Sequence[TableColumn]) -> Columns:
    """Return empty columns."""
    return {column.name: [] for column in columns}


class DecisionRecorder:
    """An observer that records every decision, see `bot_games.GameObserver`."""

    def __init__(self, setup: GameSetup) -> None:
        self.columns = create_columns(DECISIONS)
        self._bots = setup.bots
        self._phases = setup.program.phases
        self._round = get_plan(setup).flat[ROUND]
        self._keys: dict[tuple[int, int], str] = {}
        self._game = self._number = self._rounds = 0
        self._phase_stack: list[str] = []

    def begin(self, number: int, match: Match) -> None:
        """Start to record a game."""
        self._game, self._number, self._rounds, self._phase_stack = number, 0, 0, []

    def look(self, match: Match) -> None:
        """Update the current phases from the match's state, for the rows of later decisions."""
        for kind, _, phase, *_ in unpack_events(match.new_events):
            if kind == EV_ENTER:
                self._phase_stack.append(self._phases[phase][0])
                self._rounds += phase == self._round
            elif kind == EV_LEAVE and self._phase_stack:
                self._phase_stack.pop()

    def record_decision(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        """Record a decision."""
        question = int(match.cells[QUESTION])
        asked_question = match.program.questions[question]
        keys = [self._option_key(match, question, value) for value in match.options]
        row = (
            self._game,
            self._number,
            seat,
            self._bots[seat],
            self._rounds,
            self._phase_stack[-1] if self._phase_stack else "",
            asked_question.name,
            match.table.options.prompt(asked_question),
            keys,
            index,
            keys[index],
            None if values is None else [None if value == WORST else float(value) for value in values],
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)
        self._number += 1

    def _option_key(self, match: Match, question: int, value: int) -> str:
        """Return the name in the rules of a question's option with this value; cached."""
        key = self._keys.get((question, value))
        if key is None:
            key = self._keys[question, value] = match.table.options.key(question, value)
        return key


# --- games ------------------------------------------------------------------------------------


def game_columns(setup: GameSetup) -> tuple[TableColumn, ...]:
    """Return the columns of the table of games, which follow from the rules, the seats and the settings."""
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
        *(column for seat in seats for column in _seat_columns(seat)),
        *(
            TableColumn(f"points_{seat}.{name}", WHOLE, f"points from {place or name}")
            for seat in seats
            for name, place, _ in _list_sources(get_plan(setup))
        ),
        *(
            TableColumn(f"held_{seat}.{group}", TEXTS, "what the player holds at the end")
            for seat in seats
            for group in _group_holdings(get_plan(setup))
        ),
    )


def _seat_columns(seat: int) -> tuple[TableColumn, ...]:
    """Return the columns of a seat: its bot, place in the turn order, score and share of the win."""
    return (
        TableColumn(f"bot_{seat}", TEXT, "the bot in the seat"),
        TableColumn(f"place_{seat}", WHOLE, "place in the first order of play"),
        TableColumn(f"score_{seat}", WHOLE, "final score"),
        TableColumn(f"win_{seat}", REAL, "share of the win: 1, a part of it, or 0"),
    )


def _list_sources(plan: CountingPlan) -> list[tuple[str, str, int]]:
    """Return (unique name, place in the rules, feature number) of each source of score."""
    features = [(feature, number) for number, feature in enumerate(plan.features) if feature.kind == SCORED]
    names = [feature.option for feature, _ in features]
    return [
        (f.option if names.count(f.option) == 1 else f"{f.option} ({f.of or f.place})", f.place, number)
        for f, number in features
    ]


def _group_holdings(plan: CountingPlan) -> dict[str, list[tuple[str, int]]]:
    """Return by group, such as a keep's title, the (name, feature number) of what players can hold."""
    groups: dict[str, list[tuple[str, int]]] = {}
    for number, feature in enumerate(plan.features):
        if feature.kind == HELD:
            groups.setdefault(feature.group, []).append((feature.option, number))
    return groups


def build_game_rows(setup: GameSetup, game_range: GameRange, counted: CountedGames) -> Columns:
    """Return columns with one value for each counted game; results of aborted games are missing."""
    plan, games = get_plan(setup), len(counted.statuses)
    sound = [status == GAME_OVER for status in counted.statuses]
    columns: Columns = {
        "game": list(range(game_range.first, game_range.first + games)),
        "seed": derive_seeds(setup, game_range)[:games],
        **{name: [value] * games for name, value in _constant_columns(setup).items()},
        "fault": [
            None if is_sound else describe_fault(setup.program, status, place)
            for is_sound, status, place in zip(sound, counted.statuses, counted.places, strict=True)
        ],
    }
    for name, values in _iter_result_columns(plan, counted.rows):
        columns[name] = mask_invalid(values, sound)
    return {column.name: columns[column.name] for column in game_columns(setup)}


def _constant_columns(setup: GameSetup) -> dict[str, Any]:
    """Return the values that are the same in every row."""
    settings = {f"set.{name}": value for name, value in setup.settings}
    bots = {f"bot_{seat}": bot for seat, bot in enumerate(setup.bots)}
    program = setup.program
    return {"rules": program.rules_hash, "modules": "+".join(program.modules), **settings, **bots}


def _iter_result_columns(plan: CountingPlan, rows: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, values) of lengths, scores, winners, sources and holdings; aborted games have junk."""
    row, seats = plan.row_layout, range(plan.players)
    for name in LENGTHS:
        yield name, row.column(rows, name)
    winners = [bits_of(bits) for bits in to_list(row.column(rows, "winners"))]
    by_seat = [row.column(rows, "scores", seat) for seat in seats]
    scores = list(zip(*map(to_list, by_seat), strict=True))
    yield "winning_score", [max(some) for some in scores]
    yield "margin", [compute_margin(*one) for one in zip(scores, winners, strict=True)]
    sources, holdings = _list_sources(plan), _group_holdings(plan)
    for seat in seats:
        yield f"place_{seat}", row.column(rows, "places", seat)
        yield f"score_{seat}", by_seat[seat]
        yield f"win_{seat}", [(seat in some) / max(1, len(some)) for some in winners]
        for name, _, number in sources:
            yield f"points_{seat}.{name}", row.column(rows, "by_seat", number, seat)
        for group, things in holdings.items():
            held = [row.column(rows, "by_seat", number, seat) for _, number in things]
            yield f"held_{seat}.{group}", list_nonzero(held, [name for name, _ in things], len(scores))


def to_list(column: Any) -> list[Any]:
    """Return the values of a complete column as a list."""
    values: list[Any] = column if isinstance(column, list) else column.tolist()
    return values


FINGERPRINT_GAMES = 12
# columns that identify rules and bots, not how the games went
IDENTITY_COLUMNS = re.compile("rules|modules|bot_[0-9]+")


def compute_fingerprint(setup: GameSetup, games: int = FINGERPRINT_GAMES) -> str:
    """Compute a hash of a setup's first games: their lengths, scores, winners, holdings, and sources of score.

    Raises:
        RulesError: If a game would never end.
    """
    game_range = GameRange(0, games)
    rows = build_game_rows(setup, game_range, play_range(setup, game_range, keep=True).counted)
    values = [to_list(column) for name, column in rows.items() if not IDENTITY_COLUMNS.fullmatch(name)]
    return sha256(json.dumps(values).encode()).hexdigest()[:16]
