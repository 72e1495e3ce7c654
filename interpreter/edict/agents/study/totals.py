"""What games come to, as whole numbers that can be added up in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from edict.agents.study.adding import Addable, add_up
from edict.agents.study.bot_games import Played, Setup, plan_of
from edict.game.table.addresses import bits_of
from edict.runtime.program import Program
from edict.runtime.program.opcodes import FAULTS, GAME_OVER
from edict.runtime.simulation.counters import DRAWN, CountingPlan
from edict.runtime.simulation.counting import CountedGames
from edict.runtime.simulation.counting_layout import BINS, SHARE

LARGEST = (1 << 63) - 1  # that games are counted in
LENGTHS = ("choices", "draws", "rounds")


@dataclass(slots=True)
class Totals(Addable):
    """Sums over games, each a count of how often a number was met.

    scores: by seat; winning: scores of winners; together: all scores of a game in one; margins: see `margin_of`;
    lengths: see `LENGTHS`. won: by seat, games in which it was among the winners, alone or with others. faults: games
    that broke off, by what happened and where.
    mishaps: what bots of somebody's own did wrong, and how often. sums: see `tallying`.
    """

    games: int = 0
    shared: int = 0
    scores: list[Counter[int]] = field(default_factory=list)
    winning: Counter[int] = field(default_factory=Counter)
    together: Counter[int] = field(default_factory=Counter)
    margins: Counter[int] = field(default_factory=Counter)
    lengths: dict[str, Counter[int]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    sums: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=list)

    @property
    def players(self) -> int:
        return len(self.scores)

    @property
    def played(self) -> int:
        """Games, those that ended in a fault included."""
        return self.games + sum(self.faults.values())

    @staticmethod
    def none(players: int) -> Totals:
        lengths = {name: Counter[int]() for name in LENGTHS}
        return Totals(0, 0, [Counter() for _ in range(players)], lengths=lengths, won=[0] * players)

    def take(self, counted: CountedGames, plan: CountingPlan) -> None:
        """Add some games counted by this plan."""
        ended, row = [], plan.row_layout
        for status, place, head in zip(counted.statuses, counted.places, counted.heads, strict=True):
            if status == GAME_OVER:
                ended.append(head)
            else:
                self.faults[what_happened(plan.program, status, place)] += 1
        self.games += len(ended)
        for seat, counts in enumerate(self.scores):
            counts.update(row.column(ended, "scores", seat))
        for name in LENGTHS:
            self.lengths[name].update(row.column(ended, name))
        for head in ended:
            self._game(row.slice_of(head, "scores"), bits_of(head[row.place_of("winners")]))
        self.sums = add_up(self.sums, counted.sums)

    def _game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        self.shared += len(winners) > 1
        for seat in winners:
            self.winning[scores[seat]] += 1
            self.won[seat] += 1
        self.together[sum(scores)] += 1
        self.margins[margin_of(scores, winners)] += 1

    def as_data(self) -> dict[str, Any]:
        """For a file of JSON."""
        return {
            "games": self.games,
            "shared": self.shared,
            "scores": [_written(c) for c in self.scores],
            "winning": _written(self.winning),
            "together": _written(self.together),
            "margins": _written(self.margins),
            "won": self.won,
            "faults": dict(self.faults),
            "mishaps": dict(self.mishaps),
            "lengths": {name: _written(c) for name, c in self.lengths.items()},
            "sums": {str(at): value for at, value in enumerate(self.sums) if value},
            "cells": len(self.sums),
        }

    @staticmethod
    def from_data(players: int, cells: int, data: dict[str, Any]) -> Totals:
        """Read them back, as sums of so many cells; raises `KeyError`, `TypeError`, `AttributeError` or `ValueError` if
        they are none."""
        sums = [0] * cells
        if data["cells"] != cells:
            raise ValueError
        for at, value in data["sums"].items():
            sums[_number(at, 0, cells - 1)] = whole(value)
        found = Totals(
            whole(data["games"], 0),
            whole(data["shared"], 0),
            [_read(c) for c in data["scores"]],
            _read(data["winning"]),
            _read(data["together"]),
            _read(data["margins"]),
            {name: _read(data["lengths"][name]) for name in LENGTHS},
            faults_of(data),
            faults_of(data, "mishaps"),
            sums,
            [whole(often, 0) for often in data["won"]],
        )
        counted = [*found.scores, found.together, found.margins, *found.lengths.values()]
        if {len(found.scores), len(found.won)} != {players} or any(counts.total() != found.games for counts in counted):
            raise ValueError
        return found


def faults_of(data: dict[str, Any], name: str = "faults") -> Counter[str]:
    """How many games broke off (or bots did wrong), by what happened; raises as `from_data` does."""
    return Counter({what: whole(often, 1) for what, often in data.get(name, {}).items()})


def _written(counts: Counter[int]) -> dict[str, int]:
    return {str(value): often for value, often in sorted(counts.items())}


def _read(data: dict[str, int]) -> Counter[int]:
    return Counter({_number(value): whole(often, 1) for value, often in data.items()})


def _number(text: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    """A number that is the name of a value; raises `ValueError`."""
    if len(text) > len(str(-LARGEST)):
        raise ValueError
    return whole(int(text), low, high)


def whole(value: object, low: int = -LARGEST, high: int = LARGEST) -> int:
    """A number as it is in a file; raises `ValueError`."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError
    return value


@dataclass(frozen=True, slots=True)
class Bin:
    """Seats that had something so often: how many, their shares of wins, the sums of their scores and squares."""

    seats: int = 0
    wins: float = 0.0
    score: int = 0
    squares: int = 0

    def __add__(self, other: Bin) -> Bin:
        return Bin(
            self.seats + other.seats, self.wins + other.wins, self.score + other.score, self.squares + other.squares
        )

    def __sub__(self, other: Bin) -> Bin:
        return Bin(
            self.seats - other.seats, self.wins - other.wins, self.score - other.score, self.squares - other.squares
        )


class Sums:
    """The sums of a batch by what they mean."""

    def __init__(self, plan: CountingPlan, totals: Totals) -> None:
        self.plan, self.totals = plan, totals

    def _of(self, name: str, *index: int) -> Sequence[int]:
        return self.plan.sums_layout.slice_of(self.totals.sums, name, *index)

    def wins(self) -> list[float]:
        """Games won by each seat; a shared one in parts."""
        return [wins / SHARE for wins in self._of("wins")]

    def wins_by_place(self) -> list[float]:
        """Likewise by the place in the order of play at the first choice."""
        return [wins / SHARE for wins in self._of("wins_by_place")]

    def by_seat(self, feature: int) -> Sequence[int]:
        """How often in each seat, and last by nobody."""
        return self._of("by_seat", feature)

    def by_round(self, feature: int) -> Sequence[int]:
        return self._of("by_round", feature)

    def offered(self, feature: int) -> int:
        return self._of("offered", feature)[0]

    def bins(self, feature: int) -> list[Bin]:
        """Seats by how often they had it: not at all, once, twice, three times, more often. Of what was drawn for the
        whole table: games, with all scores together."""
        found = [self._bin(feature, size) for size in range(1, BINS)]
        everyone = self._games() if self.plan.features[feature].kind == DRAWN else self._all_seats()
        return [everyone - sum(found, Bin()), *found]

    def _bin(self, feature: int, size: int) -> Bin:
        seats, wins, score, squares = self._of("bins", feature, size)
        return Bin(seats, wins / SHARE, score, squares)

    def _all_seats(self) -> Bin:
        counts = [(score, often) for scores in self.totals.scores for score, often in scores.items()]
        return _bin_of(counts, sum(self.wins()))

    def _games(self) -> Bin:
        return _bin_of(self.totals.together.items(), 0.0)


def _bin_of(counts: Iterable[tuple[int, int]], wins: float) -> Bin:
    """Of scores and how often each was met."""
    known = list(counts)
    return Bin(
        sum(often for _, often in known),
        wins,
        sum(score * often for score, often in known),
        sum(score * score * often for score, often in known),
    )


def totalled(setup: Setup, played: Played) -> Totals:
    totals = Totals.none(setup.players)
    totals.take(played.counted, plan_of(setup))
    totals.mishaps.update(played.mishaps)
    return totals


def margin_of(scores: Sequence[int], winners: Sequence[int]) -> int:
    """How far the best winner was ahead of the best of the others, by score and seat; 0 if all have won, or nobody.

    Whoever wins together is no rival, partners above all.
    """
    others = [score for seat, score in enumerate(scores) if seat not in winners]
    return max(0, max(scores[seat] for seat in winners) - max(others)) if winners and others else 0


def what_happened(program: Program, status: int, place: int) -> str:
    """A fault, and where in the rules it happened, to be said after "the rules"."""
    cause = program.cause_at(place)
    return f"{FAULTS.get(status, f'fault {status}')} at {cause.file}:{cause.line}:{cause.column}"
