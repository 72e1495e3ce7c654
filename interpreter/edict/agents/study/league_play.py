"""A league: every kind of bot against every other, at mixed tables, each in every seat.

The shape of the data is described in grammar/schema/league.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from itertools import combinations, permutations
from random import Random
from typing import Any

from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import is_search, native_policy
from edict.agents.study.bot_games import (
    GameRange,
    GameSetup,
    get_plan,
    make_game_error,
    play_games,
    precompile,
    split_games,
)
from edict.agents.study.checkpoint import CheckpointFile, ResultFormat
from edict.agents.study.rating import Meeting, Rating, compare_kinds, rate_bots
from edict.agents.study.summary import Data, estimate_to_data
from edict.agents.study.totals import check_integer, read_faults
from edict.game.table.addresses import bits_of
from edict.runtime.program import Program
from edict.runtime.program.opcodes import GAME_OVER
from edict.support.processes.distribution import ExecutorStarter, run_in_workers
from edict.support.records import dataclass

PIECE_GAMES, PYTHON_PIECE_GAMES = 200, 20  # in a piece of work, natively and with bots in Python; slow bots have one


@dataclass(frozen=True)
class LeagueSetup:
    """The setup of a league."""

    program: Program
    kinds: tuple[str, ...]  # of bots
    players: int  # at a table
    seed: int

    @property
    def piece_size(self) -> int:
        """The number of games in a piece of work."""
        if any(is_search(kind) or BOTS.is_user_code(kind) for kind in self.kinds):
            return 1
        native = all(native_policy(self.program, kind, self.players) for kind in self.kinds)
        return PIECE_GAMES if native else PYTHON_PIECE_GAMES

    def setup_for(self, kinds: tuple[str, ...]) -> GameSetup:
        """Return the setup of games with these bots in the seats."""
        return GameSetup(self.program, kinds, (), self.seed)


@dataclass(frozen=True, slots=True)
class LeagueGames:
    """Some games in order, and the faults of users' bots in them."""

    meetings: tuple[Meeting, ...]
    mishaps: Counter[str] = field(default_factory=Counter)


@dataclass
class League:
    """The games of a league so far; it stays consistent if the run is interrupted."""

    setup: LeagueSetup
    games: int
    checkpoint: CheckpointFile[LeagueGames] | None = None
    mishaps: Counter[str] = field(default_factory=Counter)
    _results: dict[int, LeagueGames] = field(default_factory=dict)  # by their first game

    def __post_init__(self) -> None:
        self._seating = Seating(self.setup.kinds, self.setup.players, self.setup.seed)
        for game_range, games in self.checkpoint.results if self.checkpoint else ():
            self._add(game_range, games)

    @property
    def played_games(self) -> int:
        """The number of games that were played."""
        return sum(len(games.meetings) for games in self._results.values())

    @property
    def meetings(self) -> list[Meeting]:
        """The games in the order of their numbers."""
        return [meeting for first in sorted(self._results) for meeting in self._results[first].meetings]

    def run(self, start: ExecutorStarter, on_progress: Callable[[int], object]) -> None:
        """Play the missing games; `on_progress` is called with the number of games done."""
        done = [game_range for game_range, _ in self.checkpoint.results] if self.checkpoint else []
        pieces = split_games(self.games, self.setup.piece_size, done)
        precompile(self.setup.setup_for(self._seating.seats_in_game(0)), self.games - self.played_games)
        for game_range, games in run_in_workers(partial(play_piece, self.setup), pieces, start):
            self._add(game_range, games)
            on_progress(self.played_games)
            if self.checkpoint:
                self.checkpoint.add(game_range, games)

    def _add(self, game_range: GameRange, games: LeagueGames) -> None:
        """Store the games of a range under its first number, and count the faults of bots in them."""
        self._results[game_range.first] = games
        self.mishaps.update(games.mishaps)


def play_piece(setup: LeagueSetup, game_range: GameRange) -> LeagueGames:
    """Play a range of league games, and return a `Meeting` for each, in order, and the faults of bots."""
    numbers_by_seating: dict[tuple[str, ...], list[int]] = {}
    seating = Seating(setup.kinds, setup.players, setup.seed)
    for number in game_range.numbers:
        numbers_by_seating.setdefault(seating.seats_in_game(number), []).append(number)
    mishaps, meetings_by_number = Counter[str](), dict[int, Meeting]()
    for kinds, numbers in numbers_by_seating.items():
        meetings_by_number |= zip(numbers, play_meetings(setup.setup_for(kinds), numbers, mishaps), strict=True)
    return LeagueGames(tuple(meetings_by_number[number] for number in game_range.numbers), mishaps)


def play_meetings(setup: GameSetup, numbers: Sequence[int], mishaps: Counter[str] | None = None) -> list[Meeting]:
    """Play the games with these numbers, and return who sat where with scores and shares of victory."""
    played, row = play_games(setup, numbers), get_plan(setup).row_layout
    if mishaps is not None:
        mishaps.update(played.mishaps)
    for number, status in zip(numbers, played.counted.statuses, strict=True):
        if status != GAME_OVER:
            raise make_game_error(setup, number)
    return [
        _create_meeting(setup.bots, bits_of(head[row.place_of("winners")]), row.slice_of(head, "scores"))
        for head in played.counted.heads
    ]


def _create_meeting(kinds: tuple[str, ...], winners: Sequence[int], scores: Sequence[int]) -> Meeting:
    """Return a game's record; the winning seats share the victory equally, all others get 0."""
    win_share = 1 / max(1, len(winners))
    return Meeting(kinds, tuple(win_share if seat in winners else 0.0 for seat in range(len(kinds))), tuple(scores))


class Seating:
    """The assignment of bots to seats in each game.

    Every group of kinds as large as the table comes equally often, in every order. If there are fewer kinds than
    seats, the other seats are filled at random.
    """

    def __init__(self, kinds: Sequence[str], players: int, seed: int) -> None:
        size = min(players, len(kinds))
        self._players, self._seed = players, seed
        self._groups, self._orders = list(combinations(kinds, size)), list(permutations(range(size)))
        Random(seed).shuffle(self._orders)

    def seats_in_game(self, number: int) -> tuple[str, ...]:
        """Return the bot kind at each seat in game `number`: groups and orders in turn, spare seats at random."""
        group = self._groups[number % len(self._groups)]
        seated = [group[i] for i in self._orders[number // len(self._groups) % len(self._orders)]]
        rng = Random(f"{self._seed} {number}")
        while len(seated) < self._players:
            seated.insert(rng.randrange(len(seated) + 1), rng.choice(group))
        return tuple(seated)


def make_league_format(setup: LeagueSetup) -> ResultFormat[LeagueGames]:
    """Return the stored form of a league."""
    program = setup.program

    def read(games: int, data: dict[str, Any]) -> LeagueGames:
        """Read the games of a range from JSON data; raise `ValueError` unless there are `games` of them."""
        meetings = tuple(_meeting_from_data(setup, meeting_row) for meeting_row in data["games"])
        if len(meetings) != games:
            raise ValueError
        return LeagueGames(meetings, read_faults(data, "mishaps"))

    def write(league_games: LeagueGames) -> dict[str, Any]:
        """Return the games of a range as JSON data, with counts of the bots' faults."""
        return {
            "games": [meeting_to_data(meeting) for meeting in league_games.meetings],
            "mishaps": dict(league_games.mishaps),
        }

    identity = {
        "rules": program.rules_hash,
        "title": program.title,
        "modules": list(program.modules),
        "bots": list(setup.kinds),
        "players": setup.players,
        "seed": setup.seed,
    }
    return ResultFormat("league", identity, write, read)


def meeting_to_data(meeting: Meeting) -> dict[str, Any]:
    """Return a meeting as JSON data."""
    return {"bots": list(meeting.kinds), "wins": list(meeting.shares), "scores": list(meeting.scores)}


def _meeting_from_data(setup: LeagueSetup, data: dict[str, Any]) -> Meeting:
    """Read a meeting from JSON data; raise `ValueError` and the like if it is malformed."""
    shares = tuple(float(share) for share in data["wins"])
    scores = tuple(check_integer(score) for score in data["scores"])
    kinds = tuple(data["bots"])
    is_consistent = len(kinds) == len(shares) == len(scores) == setup.players
    if not is_consistent or not set(kinds) <= set(setup.kinds) or not all(0 <= share <= 1 for share in shares):
        raise ValueError
    return Meeting(kinds, shares, scores)


# --- results --------------------------------------------------------------------------------------


def league_data(league: League) -> Data:
    """Return all results as data; there must be a game."""
    setup, meetings = league.setup, league.meetings
    program = setup.program
    ratings, head_to_head = rate_bots(meetings), compare_kinds(meetings)
    return {
        "format": "edict league 1",
        "game": program.name,
        "title": program.title,
        "modules": list(program.modules),
        "rules": program.rules_hash,
        "players": setup.players,
        "seed": setup.seed,
        "asked": league.games,
        "mishaps": dict(league.mishaps),
        "bots": [_rating_to_data(rating) for rating in ratings],
        "against": [
            {
                "bot": rating.kind,
                "other": rival.kind,
                "of": head_to_head[rating.kind, rival.kind].sample_size,
                "ahead": estimate_to_data(head_to_head[rating.kind, rival.kind]),
            }
            for rating in ratings
            for rival in ratings
            if (rating.kind, rival.kind) in head_to_head
        ],
        "games": [meeting_to_data(meeting) for meeting in meetings],
    }


def _rating_to_data(rating: Rating) -> Data:
    """Return a bot's rating as JSON data: strength and win share with intervals, games, and the even share."""
    return {
        "bot": rating.kind,
        "rating": estimate_to_data(rating.strength),
        "games": rating.games,
        "wins": estimate_to_data(rating.wins),
        "even": rating.even,
    }


def build_cross_table(data: Data) -> tuple[list[str], list[list[float | None]]]:
    """Return the bots, strongest first, and a matrix of how often one finished ahead of another (None: unknown)."""
    kinds = [one["bot"] for one in data["bots"]]
    shares = {(one["bot"], one["other"]): one["ahead"]["value"] for one in data["against"]}
    return kinds, [[shares.get((one, other)) for other in kinds] for one in kinds]
