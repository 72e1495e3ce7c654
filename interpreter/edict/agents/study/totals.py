"""Totals of games as whole numbers, which can be added in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import field, fields
from typing import Any

from edict.agents.study.bot_games import GameSetup, PlayedGames, get_plan
from edict.game.table.addresses import bits_of
from edict.runtime.program import Program
from edict.runtime.program.opcodes import FAULTS, GAME_OVER
from edict.runtime.simulation.counters import DRAWN, CountingPlan
from edict.runtime.simulation.counting import CountedGames
from edict.runtime.simulation.counting_layout import BINS, SHARE
from edict.support.records import dataclass


class Addable:
    """A dataclass of numbers, counters, sets, and lists and dictionaries of these."""

    __slots__ = ()

    def add(self, other: Any) -> None:
        """Add another of the same class to this one."""
        for item in fields(self):  # type: ignore[arg-type]  # whoever inherits is a dataclass
            setattr(self, item.name, add_up(getattr(self, item.name), getattr(other, item.name)))


def add_up(target: Any, other: Any) -> Any:
    """Return the sum of two counters, sets, dicts, lists or numbers; may change `target`. An empty list is zeros."""
    if isinstance(target, (Counter, set)):
        target.update(other)
    elif isinstance(target, dict):
        for key, value in other.items():
            target[key] = add_up(target[key], value) if key in target else copy(value)
    elif not isinstance(target, list):
        return target + other
    elif not target or not other:
        return target or [copy(value) for value in other]
    else:
        return [add_up(left, right) for left, right in zip(target, other, strict=True)]
    return target


MAX_COUNT = (1 << 63) - 1
LENGTHS = ("choices", "draws", "rounds")


@dataclass(slots=True)
class Totals(Addable):
    """Sums over games; counters tell how often each number occurred."""

    games: int = 0
    shared: int = 0  # games with several winners
    scores: list[Counter[int]] = field(default_factory=list)  # by seat
    winning: Counter[int] = field(default_factory=Counter)  # scores of winners
    together: Counter[int] = field(default_factory=Counter)  # the sum of all scores of a game
    margins: Counter[int] = field(default_factory=Counter)  # see `compute_margin`
    lengths: dict[str, Counter[int]] = field(default_factory=dict)  # see `LENGTHS`
    faults: Counter[str] = field(default_factory=Counter)  # games that broke off, by the fault and its place
    mishaps: Counter[str] = field(default_factory=Counter)  # faults of users' bots
    sums: list[int] = field(default_factory=list)  # see `tallying`
    won: list[int] = field(default_factory=list)  # by seat, games in which it was among the winners

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.scores)

    @property
    def played_games(self) -> int:
        """The number of games, including those that ended in a fault."""
        return self.games + sum(self.faults.values())

    @staticmethod
    def zero(players: int) -> Totals:
        """Return totals of no games."""
        lengths = {name: Counter[int]() for name in LENGTHS}
        return Totals(0, 0, [Counter() for _ in range(players)], lengths=lengths, won=[0] * players)

    def add_counted_games(self, counted: CountedGames, plan: CountingPlan) -> None:
        """Add scores, lengths, winners and features of finished games; count the others by their fault."""
        ended, row = [], plan.row_layout
        for status, place, head in zip(counted.statuses, counted.places, counted.heads, strict=True):
            if status == GAME_OVER:
                ended.append(head)
            else:
                self.faults[describe_fault(plan.program, status, place)] += 1
        self.games += len(ended)
        for seat, counts in enumerate(self.scores):
            counts.update(row.column(ended, "scores", seat))
        for name in LENGTHS:
            self.lengths[name].update(row.column(ended, name))
        for head in ended:
            self._add_game(row.slice_of(head, "scores"), bits_of(head[row.place_of("winners")]))
        self.sums = add_up(self.sums, counted.sums)

    def _add_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Add a finished game's winners, winning scores, sum of scores and margin; `scores` are by seat."""
        self.shared += len(winners) > 1
        for seat in winners:
            self.winning[scores[seat]] += 1
            self.won[seat] += 1
        self.together[sum(scores)] += 1
        self.margins[compute_margin(scores, winners)] += 1

    def to_data(self) -> dict[str, Any]:
        """Return the totals as JSON data."""
        return {
            "games": self.games,
            "shared": self.shared,
            "scores": [_counts_to_data(counts) for counts in self.scores],
            "winning": _counts_to_data(self.winning),
            "together": _counts_to_data(self.together),
            "margins": _counts_to_data(self.margins),
            "won": self.won,
            "faults": dict(self.faults),
            "mishaps": dict(self.mishaps),
            "lengths": {name: _counts_to_data(counts) for name, counts in self.lengths.items()},
            "sums": {str(index): value for index, value in enumerate(self.sums) if value},
            "cells": len(self.sums),
        }

    @staticmethod
    def from_data(players: int, cells: int, data: dict[str, Any]) -> Totals:
        """Read totals from JSON data.

        Raises:
            KeyError, TypeError, AttributeError, ValueError: If the data is malformed.
        """
        sums = [0] * cells
        if data["cells"] != cells:
            raise ValueError
        for index, value in data["sums"].items():
            sums[_parse_integer(index, 0, cells - 1)] = check_integer(value)
        totals = Totals(
            check_integer(data["games"], 0),
            check_integer(data["shared"], 0),
            [_counts_from_data(count_data) for count_data in data["scores"]],
            _counts_from_data(data["winning"]),
            _counts_from_data(data["together"]),
            _counts_from_data(data["margins"]),
            {name: _counts_from_data(data["lengths"][name]) for name in LENGTHS},
            read_faults(data),
            read_faults(data, "mishaps"),
            sums,
            [check_integer(count, 0) for count in data["won"]],
        )
        counted = [*totals.scores, totals.together, totals.margins, *totals.lengths.values()]
        if {len(totals.scores), len(totals.won)} != {players} or any(
            counts.total() != totals.games for counts in counted
        ):
            raise ValueError
        return totals


def read_faults(data: dict[str, Any], name: str = "faults") -> Counter[str]:
    """Read counts of faults from JSON data; raises as `Totals.from_data` does."""
    return Counter({fault: check_integer(count, 1) for fault, count in data.get(name, {}).items()})


def _counts_to_data(counts: Counter[int]) -> dict[str, int]:
    """Return counts as JSON data, sorted by value, with the values as text keys."""
    return {str(value): count for value, count in sorted(counts.items())}


def _counts_from_data(data: dict[str, int]) -> Counter[int]:
    """Read counts with text keys from JSON data; raise `ValueError` for bad keys or counts below 1."""
    return Counter({_parse_integer(value): check_integer(count, 1) for value, count in data.items()})


def _parse_integer(text: str, low: int = -MAX_COUNT, high: int = MAX_COUNT) -> int:
    """Parse a key that is an integer; raises `ValueError`."""
    if len(text) > len(str(-MAX_COUNT)):
        raise ValueError
    return check_integer(int(text), low, high)


def check_integer(value: object, low: int = -MAX_COUNT, high: int = MAX_COUNT) -> int:
    """Return an integer within bounds; raises `ValueError` for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError
    return value


@dataclass(frozen=True, slots=True)
class SeatBin:
    """Sums over the seats that had something the same number of times."""

    seats: int = 0
    wins: float = 0.0  # shares of wins
    score: int = 0  # sum
    squares: int = 0  # sum of the squared scores

    def __add__(self, other: SeatBin) -> SeatBin:
        return SeatBin(
            self.seats + other.seats, self.wins + other.wins, self.score + other.score, self.squares + other.squares
        )

    def __sub__(self, other: SeatBin) -> SeatBin:
        return SeatBin(
            self.seats - other.seats, self.wins - other.wins, self.score - other.score, self.squares - other.squares
        )


class FeatureSums:
    """The sums of totals by their meaning."""

    def __init__(self, plan: CountingPlan, totals: Totals) -> None:
        self.plan, self.totals = plan, totals

    def _get(self, name: str, *index: int) -> Sequence[int]:
        """Return the sums under a name of the layout, at an index such as the feature's number."""
        return self.plan.sums_layout.slice_of(self.totals.sums, name, *index)

    def wins(self) -> list[float]:
        """Return the games won by each seat; shared ones in parts."""
        return [wins / SHARE for wins in self._get("wins")]

    def wins_by_place(self) -> list[float]:
        """Return the games won by place in the order of play at the first choice."""
        return [wins / SHARE for wins in self._get("wins_by_place")]

    def get_counts_by_seat(self, feature: int) -> Sequence[int]:
        """Return how often each seat had a feature, and last how often nobody did."""
        return self._get("by_seat", feature)

    def get_counts_by_round(self, feature: int) -> Sequence[int]:
        """Return how often a feature occurred in each round."""
        return self._get("by_round", feature)

    def get_round_sums(self, number: int) -> Sequence[int]:
        """Return the sums at the end of a round, by the places that `counting_layout` names."""
        return self._get("course", number)

    def leads(self, number: int) -> list[float]:
        """Return the games in which each seat led at the end of a round; shared leads in parts."""
        return [led / SHARE for led in self._get("led", number)]

    def get_turn_place(self, place: int) -> Sequence[int]:
        """Return the sums of those at a place in the order of turns, by the places that `counting_layout` names."""
        return self._get("turn_places", place)

    def get_offer_count(self, feature: int) -> int:
        """Return how often an option was offered."""
        return self._get("offered", feature)[0]

    def bins(self, feature: int) -> list[SeatBin]:
        """Return five bins of seats: those that had a feature 0, 1, 2, 3 and more times.

        What was drawn for the whole table has games instead of seats, with the sum of all scores.
        """
        bins = [self._get_bin(feature, size) for size in range(1, BINS)]
        if self.plan.features[feature].kind == DRAWN:
            total = self._sum_games()
        else:
            total = self._sum_seats()
        return [total - sum(bins, SeatBin()), *bins]

    def _get_bin(self, feature: int, size: int) -> SeatBin:
        """Return the seats that had a feature `size` times: their number, wins, and scores summed and squared."""
        seats, wins, score, squares = self._get("bins", feature, size)
        return SeatBin(seats, wins / SHARE, score, squares)

    def _sum_seats(self) -> SeatBin:
        """Return one bin with the scores and wins of all seats in all games."""
        counts = [(score, count) for scores in self.totals.scores for score, count in scores.items()]
        return _create_bin(counts, sum(self.wins()))

    def _sum_games(self) -> SeatBin:
        return _create_bin(self.totals.together.items(), 0.0)


def _create_bin(counts: Iterable[tuple[int, int]], wins: float) -> SeatBin:
    """Return a `SeatBin` with number, wins, and sums of scores and squares, from (score, count) pairs."""
    pairs = list(counts)
    return SeatBin(
        sum(count for _, count in pairs),
        wins,
        sum(score * count for score, count in pairs),
        sum(score * score * count for score, count in pairs),
    )


def sum_games(setup: GameSetup, played: PlayedGames) -> Totals:
    """Return the totals of games that were played."""
    totals = Totals.zero(setup.players)
    totals.add_counted_games(played.counted, get_plan(setup))
    totals.mishaps.update(played.mishaps)
    return totals


def compute_margin(scores: Sequence[int], winners: Sequence[int]) -> int:
    """Return how far the best winner is ahead of the best of the others; 0 if all have won, or nobody.

    Other winners are no rivals, since they may be partners.
    """
    others = [score for seat, score in enumerate(scores) if seat not in winners]
    if winners and others:
        return max(0, max(scores[seat] for seat in winners) - max(others))
    return 0


def describe_fault(program: Program, status: int, place: int) -> str:
    """Return `[fault] at file:line:column`, a phrase to follow `the rules`."""
    cause = program.cause_at(place)
    return f"{FAULTS.get(status, f'fault {status}')} at {cause.file}:{cause.line}:{cause.column}"
