"""Layouts of the rows that games are counted in, a game's row, the sums of a batch, and the sums of pairs of games.

Each is a row of integers with consecutive named fields, which NumPy knows as a structured type. The counting loop gets
their places in its plan; all other code asks by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

SHARE = 360360  # a win, which any number of winners up to 15 divides evenly
BINS = 5  # had it never, once, twice, three times, more often
PER_BIN = 4  # seats (or games, for what belongs to nobody), their shares of wins, their scores, these squared
(BIN_SEATS, BIN_WINS, BIN_SCORE, BIN_SQUARES) = range(PER_BIN)

# --- the single numbers at the head of a game's row; the counting loop uses them by these places
HEAD = ("winners", "choices", "draws", "rounds", "phases", "whom", "begun", "turn", "turn_order")
(WINNING, CHOICES, DRAWS, ROUNDS_PLAYED, PHASES, WHOM, BEGUN, TURN, TURN_ORDER) = range(len(HEAD))
NO_TURN, TURN_BEGUN, TURN_ASKED = range(3)  # values of `turn`

# --- sums over games by round, and by place in the order of a turn
PER_ROUND = 5  # games that reached it; sum of all scores at its end, squared; shares of wins times scores, of leaders
(ROUND_GAMES, ROUND_SCORE, ROUND_SQUARES, ROUND_WINNERS, ROUND_LEADERS) = range(PER_ROUND)
PER_TURN_PLACE = 3  # games with such a place; mean shares of wins of those who were there, squared
(PLACE_GAMES, PLACE_WINS, PLACE_SQUARES) = range(PER_TURN_PLACE)


class RowLayout:
    """The named fields of a row, each a number or an array of numbers."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.length = 0
        self.shapes = dict(shapes)
        self._fields: dict[str, tuple[int, tuple[int, ...]]] = {}
        for name, shape in shapes.items():
            self._fields[name] = self.length, shape
            self.length += prod(shape)

    def place_of(self, name: str, *index: int) -> int:
        """Return the place of a number, or the start of an array."""
        start, shape = self._fields[name]
        for number, size in enumerate(index):
            start += size * prod(shape[number + 1 :])
        return start

    def slice_of(self, row: Sequence[int], name: str, *index: int) -> Sequence[int]:
        """Return the numbers of the array `name` in a row, or of its part under the leading indices."""
        start = self.place_of(name, *index)
        return row[start : start + prod(self._fields[name][1][len(index) :])]

    @cached_property
    def dtype(self) -> Any:
        """Return the layout as a structured type of NumPy, which must be installed."""
        import numpy as np

        return np.dtype([(name, np.int64, shape) for name, shape in self.shapes.items()])

    def as_structured_array(self, rows: Any) -> Any:
        """View the rows of a NumPy array by field, as in `as_structured_array(rows)["scores"][:, seat]`."""
        return rows.view(self.dtype)[..., 0]

    def column(self, rows: Any, name: str, *index: int) -> Any:
        """Return one number of each row, as a list for lists, as an array for arrays."""
        if hasattr(rows, "dtype"):
            return self.as_structured_array(rows)[name][(slice(None), *index)]
        at = self.place_of(name, *index)
        return [row[at] for row in rows]


def mask_invalid(values: Any, valid: Sequence[bool]) -> Any:
    """Return a column without values where `valid` is False, as None in a list, masked in an array."""
    if all(valid):
        return values
    if hasattr(values, "dtype"):
        import numpy as np

        return np.ma.array(values, mask=~np.array(valid))
    return [value if is_valid else None for value, is_valid in zip(values, valid, strict=True)]


def list_nonzero(columns: Sequence[Any], names: Sequence[str], games: int) -> list[list[str]]:
    """Return for each game the names of the columns in which its number is not 0."""
    if hasattr(columns[0], "dtype"):
        import numpy as np

        game_numbers, column_numbers = np.nonzero(np.stack(columns, axis=1))
        found_names = np.array(names, dtype=object)[column_numbers].tolist()
        ends = np.bincount(game_numbers, minlength=games).cumsum().tolist()
        return [found_names[start:end] for start, end in pairwise([0, *ends])]
    by_game: list[list[str]] = [[] for _ in range(games)]
    for name, column in zip(names, columns, strict=True):
        for game, amount in enumerate(column):
            if amount:
                by_game[game].append(name)
    return by_game


def row_layout(players: int, features: int, rounds: int) -> RowLayout:
    """Return the layout of a game's row.

    Its head; scores and places in the first turn order by seat; for each feature the amounts by seat (last column:
    nobody) and by round, and how often it was offered; by seat, points by round and turns by place in their order.
    """
    return RowLayout(
        {
            **dict.fromkeys(HEAD, ()),
            "scores": (players,),
            "places": (players,),
            "by_seat": (features, players + 1),
            "by_round": (features, rounds),
            "offered": (features,),
            "scored": (players, rounds),
            "turns": (players, players),
        }
    )


def sums_layout(players: int, features: int, rounds: int) -> RowLayout:
    """Return the layout of the row that sums up a batch of games.

    Shares of wins by seat and by first place; the sums of rows; for each feature the results of those who had it so
    often; scores and leads by round, and results by place in the order of turns.
    """
    return RowLayout(
        {
            "wins": (players,),
            "wins_by_place": (players,),
            "by_seat": (features, players + 1),
            "by_round": (features, rounds),
            "offered": (features,),
            "scored": (players, rounds),
            "turns": (players, players),
            "bins": (features, BINS, PER_BIN),
            "course": (rounds, PER_ROUND),
            "led": (rounds, players),
            "turn_places": (players, PER_TURN_PLACE),
        }
    )


# --- comparison of two rule sets: measures of a game, then of a pair of games

MEASURED = ("lead", "best", "together", "choices", "rounds")
(LEAD, BEST, TOGETHER, QUESTIONS_ASKED, ROUNDS_HAD) = range(len(MEASURED))
MEASURES = len(MEASURED)
(ONE, OTHER, DIFFERENCE, SQUARES, DIFFERING) = range(5)


class PairSums(NamedTuple):
    """The sums of a measure over pairs of games."""

    one: int = 0  # in the first games
    other: int = 0  # in the second games
    difference: int = 0  # second minus first
    squares: int = 0  # of the differences
    differing: int = 0  # pairs that differ


PER_MEASURE = len(PairSums._fields)


def measures_layout(players: int, features: int) -> RowLayout:
    """Return the layout of the row of measures by which two games of a pair are compared.

    Single numbers; shares of wins of each place in the first turn order and of each group of seats (at most as many
    as seats); for each feature its amount, and how it went with winning.
    """
    return RowLayout(
        {
            **dict.fromkeys(MEASURED, ()),
            "places": (players,),
            "groups": (players,),
            "features": (features, 2),
        }
    )


def read_pair_sums(sums: Sequence[int], number: int) -> PairSums:
    """Return the sums of a measure by its number."""
    return PairSums(*sums[PER_MEASURE * number : PER_MEASURE * (number + 1)])
