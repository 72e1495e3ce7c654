"""A league: every kind of bot against every other, at mixed tables, each in every seat.

The shape of the data is described in grammar/schema/league.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations
from random import Random
from typing import Any

from edict.agents.bots import BOTS
from edict.agents.bots.kinds import native_policy, thinks
from edict.agents.study.bot_games import GameRange, Setup, game_ranges, plan_of, play_numbers, precompile, stopped
from edict.agents.study.checkpoint import CheckpointFile, StoredForm
from edict.agents.study.rating import Meeting, Rating, crossed, rated
from edict.agents.study.summary import Data, estimated
from edict.agents.study.totals import faults_of, whole
from edict.game.table.addresses import bits_of
from edict.runtime.program import Program
from edict.runtime.program.opcodes import GAME_OVER
from edict.support.processes.distribution import ExecutorStarter, run_distributed

PIECE, PYTHON_PIECE = 200, 20  # games in a piece of work, natively and where bots think in Python; of slow ones, one


@dataclass(frozen=True)
class Entries:
    """Who meets whom: the rules, the kinds of bots, how many sit at a table, and what the luck begins with."""

    program: Program
    kinds: tuple[str, ...]
    players: int
    seed: int

    @property
    def piece(self) -> int:
        if any(thinks(kind) or BOTS.is_code(kind) for kind in self.kinds):
            return 1
        native = all(native_policy(self.program, kind, self.players) for kind in self.kinds)
        return PIECE if native else PYTHON_PIECE

    def table(self, kinds: tuple[str, ...]) -> Setup:
        """Games with these in the seats."""
        return Setup(self.program, kinds, (), self.seed)


@dataclass(frozen=True, slots=True)
class Round:
    """Some games, in order, and what bots of somebody's own did wrong in them."""

    meetings: tuple[Meeting, ...]
    mishaps: Counter[str] = field(default_factory=Counter)


@dataclass
class League:
    """The games of a league so far; it stays whole however the run is broken off."""

    entries: Entries
    games: int
    kept: CheckpointFile[Round] | None = None
    mishaps: Counter[str] = field(default_factory=Counter)
    _rounds: dict[int, Round] = field(default_factory=dict)  # by their first game

    def __post_init__(self) -> None:
        self._seating = Seating(self.entries.kinds, self.entries.players, self.entries.seed)
        for stretch, found in self.kept.results if self.kept else ():
            self._take(stretch, found)

    @property
    def played(self) -> int:
        return sum(len(found.meetings) for found in self._rounds.values())

    @property
    def meetings(self) -> list[Meeting]:
        """In the order of the games, whoever played them first."""
        return [meeting for first in sorted(self._rounds) for meeting in self._rounds[first].meetings]

    def run(self, start: ExecutorStarter, told: Callable[[int], object]) -> None:
        """Play what is missing; `told` is called now and then with the number of games done."""
        done = [stretch for stretch, _ in self.kept.results] if self.kept else []
        pieces = game_ranges(self.games, self.entries.piece, done)
        precompile(self.entries.table(self._seating.at(0)), self.games - self.played)
        for stretch, found in run_distributed(partial(play_round, self.entries), pieces, start):
            self._take(stretch, found)
            told(self.played)
            if self.kept:
                self.kept.add(stretch, found)

    def _take(self, stretch: GameRange, found: Round) -> None:
        self._rounds[stretch.first] = found
        self.mishaps.update(found.mishaps)


def play_round(entries: Entries, stretch: GameRange) -> Round:
    """A piece of work: the games at which the same bots have the same seats are played together, as in a study.

    Raises `RulesError` for a fault in the rules.
    """
    at_tables: dict[tuple[str, ...], list[int]] = {}
    seating = Seating(entries.kinds, entries.players, entries.seed)
    for number in stretch.numbers:
        at_tables.setdefault(seating.at(number), []).append(number)
    mishaps, found = Counter[str](), dict[int, Meeting]()
    for kinds, numbers in at_tables.items():
        found |= zip(numbers, play(entries.table(kinds), numbers, mishaps), strict=True)
    return Round(tuple(found[number] for number in stretch.numbers), mishaps)


def play(setup: Setup, numbers: Sequence[int], mishaps: Counter[str] | None = None) -> list[Meeting]:
    """The games of these numbers; what bots do wrong is added to `mishaps`. Raises `RulesError` for a fault."""
    played, row = play_numbers(setup, numbers), plan_of(setup).row_layout
    if mishaps is not None:
        mishaps.update(played.mishaps)
    for number, status in zip(numbers, played.counted.statuses, strict=True):
        if status != GAME_OVER:
            raise stopped(setup, number)
    return [
        _met(setup.bots, bits_of(head[row.place_of("winners")]), row.slice_of(head, "scores"))
        for head in played.counted.heads
    ]


def _met(kinds: tuple[str, ...], winners: Sequence[int], scores: Sequence[int]) -> Meeting:
    part = 1 / max(1, len(winners))
    return Meeting(kinds, tuple(part if seat in winners else 0.0 for seat in range(len(kinds))), tuple(scores))


class Seating:
    """Who sits where in each game. Every group of kinds as large as the table comes equally often, in every order.

    Where there are fewer kinds than seats, the seats left are filled with any of them, at random.
    """

    def __init__(self, kinds: Sequence[str], players: int, seed: int) -> None:
        size = min(players, len(kinds))
        self._players, self._seed = players, seed
        self._groups, self._orders = list(combinations(kinds, size)), list(permutations(range(size)))
        Random(seed).shuffle(self._orders)

    def at(self, number: int) -> tuple[str, ...]:
        """The kinds by seat in game `number`."""
        group = self._groups[number % len(self._groups)]
        seated = [group[i] for i in self._orders[number // len(self._groups) % len(self._orders)]]
        luck = Random(f"{self._seed} {number}")
        while len(seated) < self._players:
            seated.insert(luck.randrange(len(seated) + 1), luck.choice(group))
        return tuple(seated)


def form_of(entries: Entries) -> StoredForm[Round]:
    """How a league is stored."""
    program = entries.program

    def read(games: int, data: dict[str, Any]) -> Round:
        meetings = tuple(_meeting(entries, one) for one in data["games"])
        if len(meetings) != games:
            raise ValueError
        return Round(meetings, faults_of(data, "mishaps"))

    def write(found: Round) -> dict[str, Any]:
        return {"games": [meeting_data(meeting) for meeting in found.meetings], "mishaps": dict(found.mishaps)}

    asked = {
        "rules": program.rules_hash,
        "title": program.title,
        "modules": list(program.modules),
        "bots": list(entries.kinds),
        "players": entries.players,
        "seed": entries.seed,
    }
    return StoredForm("league", asked, write, read)


def meeting_data(meeting: Meeting) -> dict[str, Any]:
    """For a file of JSON."""
    return {"bots": list(meeting.kinds), "wins": list(meeting.shares), "scores": list(meeting.scores)}


def _meeting(entries: Entries, data: dict[str, Any]) -> Meeting:
    """Raises `ValueError` and such for data that is none."""
    shares = tuple(float(share) for share in data["wins"])
    scores = tuple(whole(score) for score in data["scores"])
    kinds = tuple(data["bots"])
    right = len(kinds) == len(shares) == len(scores) == entries.players
    if not right or not set(kinds) <= set(entries.kinds) or not all(0 <= share <= 1 for share in shares):
        raise ValueError
    return Meeting(kinds, shares, scores)


# --- what it came to ------------------------------------------------------------------------------


def league_data(league: League) -> Data:
    """Everything found; there must be a game."""
    entries, meetings = league.entries, league.meetings
    program = entries.program
    table, against = rated(meetings), crossed(meetings)
    return {
        "game": program.name,
        "title": program.title,
        "modules": list(program.modules),
        "rules": program.rules_hash,
        "players": entries.players,
        "seed": entries.seed,
        "asked": league.games,
        "mishaps": dict(league.mishaps),
        "bots": [_rating(one) for one in table],
        "against": [
            {
                "bot": one.kind,
                "other": other.kind,
                "of": against[one.kind, other.kind].of,
                "ahead": estimated(against[one.kind, other.kind]),
            }
            for one in table
            for other in table
            if (one.kind, other.kind) in against
        ],
        "games": [meeting_data(meeting) for meeting in meetings],
    }


def _rating(one: Rating) -> Data:
    return {
        "bot": one.kind,
        "rating": estimated(one.strength),
        "games": one.games,
        "wins": estimated(one.wins),
        "even": one.even,
    }


def cross_table(found: Data) -> tuple[list[str], list[list[float | None]]]:
    """The bots, the strongest first, and in each one's row how often it did better than each other."""
    kinds = [one["bot"] for one in found["bots"]]
    shares = {(one["bot"], one["other"]): one["ahead"]["value"] for one in found["against"]}
    return kinds, [[shares.get((one, other)) for other in kinds] for one in kinds]
