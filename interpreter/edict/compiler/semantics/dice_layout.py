"""Layout of dice in cells: where each kind has a count for each of its faces, and how many bits a count has."""

from __future__ import annotations

from collections.abc import Sequence

from edict.compiler.sources.input_limits import MOST_SIDES
from edict.compiler.syntax import tree as t

SIDES_OF_CELL = 12  # of cells where dice need several; each count then goes to 15


def pack_dice(dice: Sequence[t.Die]) -> list[Sequence[t.Die]]:
    """Return one group of dice kinds per position in a cell; each kind alone if all sides fit into one cell.

    Dice of a group stand at the same place of different cells; the first of a group has the most sides.
    """
    if sum(die.sides for die in dice) <= MOST_SIDES:
        return [[die] for die in dice]
    ordered = sorted(dice, key=lambda die: -die.sides)
    for cells in range(2, len(dice)):
        places = _split_into_groups(ordered, cells)
        if count_cell_sides(places) <= max(SIDES_OF_CELL, ordered[0].sides):
            return places
    return _split_into_groups(ordered, len(dice))


def _split_into_groups(dice: Sequence[t.Die], cells: int) -> list[Sequence[t.Die]]:
    """Split kinds of dice into groups of at most `cells`; a group has one place, in that many different cells."""
    return [dice[i : i + cells] for i in range(0, len(dice), cells)]


def count_cell_sides(places: list[Sequence[t.Die]]) -> int:
    """Return how many counts a cell holds: the most sides of each group."""
    return sum(group[0].sides for group in places)


def compute_count_bits(dice: Sequence[t.Die]) -> int:
    """Return the bits for the count of one face, so that all fit beside twelve bits for combinations of shifts."""
    return min(8, 50 // max(1, count_cell_sides(pack_dice(dice))))
