"""Where everything lies in what games are counted in: a game's row, the sums of a batch, the sums of pairs of games.

Each is a row of integers with named fields, one after the other, which NumPy knows as a structured type. The counting
loop gets their places in its plan; everybody else asks by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
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
        self.shapes = dict(shapes)
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

    @cached_property
    def dtype(self) -> Any:
        """The same as a type of NumPy's, which must be there."""
        import numpy as np

        return np.dtype([(name, np.int64, shape) for name, shape in self.shapes.items()])

    def named(self, rows: Any) -> Any:
        """The rows of an array of NumPy by name: of two dimensions `named(rows)["scores"][:, seat]`."""
        return rows.view(self.dtype)[..., 0]

    def column(self, rows: Any, name: str, *index: int) -> Any:
        """A number in each of these rows, which are lists (it is a list) or the rows of an array (it is one)."""
        if hasattr(rows, "dtype"):
            return self.named(rows)[name][(slice(None), *index)]
        at = self.at(name, *index)
        return [row[at] for row in rows]


def without(values: Any, well: Sequence[bool]) -> Any:
    """A column in which what is not `well` is missing: None in a list, masked in an array."""
    if all(well):
        return values
    if hasattr(values, "dtype"):
        import numpy as np

        return np.ma.array(values, mask=~np.array(well))
    return [value if known else None for value, known in zip(values, well, strict=True)]


def there(columns: Sequence[Any], names: Sequence[str], games: int) -> list[list[str]]:
    """For each game the names of those columns in which it has something. There is at least one column."""
    if hasattr(columns[0], "dtype"):
        import numpy as np

        which, what = np.nonzero(np.stack(columns, axis=1))
        found = np.array(names, dtype=object)[what].tolist()
        ends = np.bincount(which, minlength=games).cumsum().tolist()
        return [found[start:end] for start, end in pairwise([0, *ends])]
    by_game: list[list[str]] = [[] for _ in range(games)]
    for name, column in zip(names, columns, strict=True):
        for game, often in enumerate(column):
            if often:
                by_game[game].append(name)
    return by_game


def row_layout(players: int, features: int, rounds: int) -> Layout:
    """A game: its head; scores, and places in the first order of play, by seat; of each feature how often by seat (the
    last column: by nobody), how often by round, and how often it was offered."""
    return Layout(
        {
            **dict.fromkeys(HEAD, ()),
            "scores": (players,),
            "places": (players,),
            "by_seat": (features, players + 1),
            "by_round": (features, rounds),
            "offered": (features,),
        }
    )


def sums_layout(players: int, features: int, rounds: int) -> Layout:
    """A batch: shares of wins by seat and by first place; of each feature what a row has, and how those fared who had
    it so often."""
    return Layout(
        {
            "wins": (players,),
            "wins_by_place": (players,),
            "by_seat": (features, players + 1),
            "by_round": (features, rounds),
            "offered": (features,),
            "bins": (features, BINS, PER_BIN),
        }
    )


# --- two sets of rules side by side: what is measured of a game, then of a pair of games

MEASURED = ("lead", "best", "together", "choices", "rounds")
(LEAD, BEST, TOGETHER, QUESTIONS_ASKED, ROUNDS_HAD) = range(len(MEASURED))
MEASURES = len(MEASURED)
(ONE, OTHER, DIFFERENCE, SQUARES, DIFFERING) = range(5)


class PairSums(NamedTuple):
    """What a measure sums up to over pairs: in the first games, in the others, their differences, these squared, and
    how many pairs differ."""

    one: int = 0
    other: int = 0
    difference: int = 0
    squares: int = 0
    differing: int = 0


PER_MEASURE = len(PairSums._fields)


def measures_layout(players: int, features: int) -> Layout:
    """A game's measures: those that are single numbers; shares of wins, of each place in the first order of play and of
    each group of seats, of which there are at most as many as seats; of each feature how much of it, and how it went
    with winning. The sums of pairs have a `PairSums` for each."""
    return Layout(
        {
            **dict.fromkeys(MEASURED, ()),
            "places": (players,),
            "groups": (players,),
            "features": (features, 2),
        }
    )


def measured(sums: Sequence[int], number: int) -> PairSums:
    return PairSums(*sums[PER_MEASURE * number : PER_MEASURE * (number + 1)])
