"""A league: every kind of bot against every other, at mixed tables, each in every seat.

The shape of the data is described in grammar/schema/league.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations
from random import Random
from typing import Any

from edict.bots import BOTS, play_match
from edict.bots.kinds import thinks
from edict.program import Program
from edict.simulation import native
from edict.study.checkpoint import Form, Kept
from edict.study.summary import Data, estimated
from edict.study.games import GameRange, check_seats, game_ranges
from edict.study.rating import Meeting, Rating, crossed, rated
from edict.study.totals import faults_of, whole
from edict.processes.spreading import Start, spread

PIECE = 20  # games in a piece of work; of bots that think, one


@dataclass(frozen=True)
class Entries:
    """Who meets whom: the rules, the kinds of bots, how many sit at a table, and what the luck begins with."""

    program: Program
    kinds: tuple[str, ...]
    players: int
    seed: int

    @property
    def piece(self) -> int:
        return 1 if any(thinks(kind) or BOTS.is_code(kind) for kind in self.kinds) else PIECE


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
    kept: Kept[Round] | None = None
    mishaps: Counter[str] = field(default_factory=Counter)
    _rounds: dict[int, Round] = field(default_factory=dict)  # by their first game

    def __post_init__(self) -> None:
        for stretch, found in self.kept.results if self.kept else ():
            self._take(stretch, found)

    @property
    def played(self) -> int:
        return sum(len(found.meetings) for found in self._rounds.values())

    @property
    def meetings(self) -> list[Meeting]:
        """In the order of the games, whoever played them first."""
        return [meeting for first in sorted(self._rounds) for meeting in self._rounds[first].meetings]

    def run(self, start: Start, told: Callable[[int], object]) -> None:
        """Play what is missing; `told` is called now and then with the number of games done."""
        done = [stretch for stretch, _ in self.kept.results] if self.kept else []
        pieces = game_ranges(self.games, self.entries.piece, done)
        for stretch, found in spread(partial(play_round, self.entries), pieces, start):
            self._take(stretch, found)
            told(self.played)
            if self.kept:
                self.kept.add(stretch, found)

    def _take(self, stretch: GameRange, found: Round) -> None:
        self._rounds[stretch.first] = found
        self.mishaps.update(found.mishaps)


def play_round(entries: Entries, stretch: GameRange) -> Round:
    """A piece of work."""
    check_seats(entries.kinds)
    mishaps = Counter[str]()
    seating = Seating(entries.kinds, entries.players, entries.seed)
    numbers = range(stretch.first, stretch.first + stretch.games)
    meetings = [play(entries.program, seating.at(n), entries.seed + n, mishaps) for n in numbers]
    return Round(tuple(meetings), mishaps)


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


def tables(kinds: Sequence[str], players: int, games: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Who sits where in each game."""
    return map(Seating(kinds, players, seed).at, range(games))


def play(program: Program, kinds: Sequence[str], seed: int, mishaps: Counter[str] | None = None) -> Meeting:
    """One game; what bots do wrong is added to `mishaps`. Raises `RulesError` for a fault in the rules."""
    bots = [BOTS[kind](program, seed * len(kinds) + seat) for seat, kind in enumerate(kinds)]
    played = play_match(program, bots, Random(seed), natively=native.loaded())
    for bot in bots:
        if mishaps is not None:
            mishaps.update(getattr(bot, "faults", ()))
    part = 1 / max(1, len(played.winners))
    shares = tuple(part if seat in played.winners else 0.0 for seat in range(len(kinds)))
    return Meeting(tuple(kinds), shares, played.scores)


def form_of(entries: Entries) -> Form[Round]:
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
        "rules": program.rules_hash, "title": program.title, "modules": list(program.modules),
        "bots": list(entries.kinds), "players": entries.players, "seed": entries.seed,
    }  # fmt: skip
    return Form("league", asked, write, read)


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
        "game": program.name, "title": program.title, "modules": list(program.modules), "rules": program.rules_hash,
        "players": entries.players, "seed": entries.seed, "asked": league.games, "mishaps": dict(league.mishaps),
        "bots": [_rating(one) for one in table],
        "against": [
            {"bot": one.kind, "other": other.kind, "of": against[one.kind, other.kind].of,
             "ahead": estimated(against[one.kind, other.kind])}
            for one in table for other in table if (one.kind, other.kind) in against
        ],
        "games": [meeting_data(meeting) for meeting in meetings],
    }  # fmt: skip


def _rating(one: Rating) -> Data:
    return {
        "bot": one.kind, "rating": estimated(one.strength), "games": one.games, "wins": estimated(one.wins),
        "even": one.even,
    }  # fmt: skip


def cross_table(found: Data) -> tuple[list[str], list[list[float | None]]]:
    """The bots, the strongest first, and in each one's row how often it did better than each other."""
    kinds = [one["bot"] for one in found["bots"]]
    shares = {(one["bot"], one["other"]): one["ahead"]["value"] for one in found["against"]}
    return kinds, [[shares.get((one, other)) for other in kinds] for one in kinds]
