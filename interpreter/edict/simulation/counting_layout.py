"""Where everything lies in what games are counted in: a game's row, the sums of a batch, the sums of pairs of games.

Each is a row of integers with named fields, one after the other. The counting loop gets their places in its plan;
everybody else asks by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

SHARE = 360360  # a win, divided evenly by any number of winners up to 15
BINS = 5  # had not at all, once, twice, three times, more often
PER_BIN = 4  # how many seats (or games, of what is nobody's), their shares of wins, their scores, these squared
(BIN_SEATS, BIN_WINS, BIN_SCORE, BIN_SQUARES) = range(PER_BIN)

# --- a game's row begins with these, each a single number; the counting loop uses them by these numbers
HEAD = ("winners", "choices", "draws", "rounds", "phases", "whom", "begun")
(WINNING, CHOICES, DRAWS, ROUNDS_PLAYED, PHASES, WHOM, BEGUN) = range(len(HEAD))


class Layout:
    """Fields by name, each a number or an array of numbers, of a row as long as `length`."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.length = 0
        self._fields: dict[str, tuple[int, tuple[int, ...]]] = {}
        for name, shape in shapes.items():
            self._fields[name] = self.length, shape
            self.length += prod(shape)

    def at(self, name: str, *index: int) -> int:
        """The place of a number, or where an array begins."""
        start, shape = self._fields[name]
        for number, size in enumerate(index):
            start += size * prod(shape[number + 1 :])
        return start

    def of(self, row: Sequence[int], name: str, *index: int) -> Sequence[int]:
        """The numbers of an array in a row, or of the part of it under these indices."""
        start = self.at(name, *index)
        return row[start : start + prod(self._fields[name][1][len(index) :])]

    def column(self, rows: Any, name: str, *index: int) -> list[int]:
        """A number in each of these rows, which are lists or the rows of an array of NumPy."""
        at = self.at(name, *index)
        found: list[int] = rows[:, at].tolist() if hasattr(rows, "dtype") else [row[at] for row in rows]
        return found


def row_layout(players: int, features: int, rounds: int) -> Layout:
    """A game: its head; scores, and places in the first order of play, by seat; of each feature how often by seat (the
    last column: by nobody), how often by round, and how often it was offered."""
    return Layout({
        **dict.fromkeys(HEAD, ()), "scores": (players,), "places": (players,),
        "by_seat": (features, players + 1), "by_round": (features, rounds), "offered": (features,),
    })  # fmt: skip


def sums_layout(players: int, features: int, rounds: int) -> Layout:
    """A batch: shares of wins by seat and by first place; of each feature what a row has, and how those fared who had
    it so often."""
    return Layout({
        "wins": (players,), "wins_by_place": (players,), "by_seat": (features, players + 1),
        "by_round": (features, rounds), "offered": (features,), "bins": (features, BINS, PER_BIN),
    })  # fmt: skip


# --- two sets of rules side by side: what is measured of a game, then of a pair of games

(LEAD, BEST, TOGETHER, QUESTIONS_ASKED, ROUNDS_HAD) = range(5)
MEASURES = 5  # then shares of wins: of each place in the first order of play, and of each group of seats, which are at
# most as many as seats; then of each feature how much of it, and how it went with winning
(ONE, OTHER, DIFFERENCE, SQUARES, DIFFERING) = range(5)


class Measured(NamedTuple):
    """What a measure sums up to over pairs: in the first games, in the others, their differences, these squared, and
    how many pairs differ."""

    one: int = 0
    other: int = 0
    difference: int = 0
    squares: int = 0
    differing: int = 0


PER_MEASURE = len(Measured._fields)


def measures(players: int, features: int) -> int:
    """How many there are."""
    return MEASURES + 2 * players + 2 * features


def measured(sums: Sequence[int], number: int) -> Measured:
    return Measured(*sums[PER_MEASURE * number : PER_MEASURE * (number + 1)])
