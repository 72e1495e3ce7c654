"""How dice are counted: where in a cell each kind has a count for each of its numbers, and how far it goes."""

from __future__ import annotations

from collections.abc import Sequence

from edict.compiler.sources.input_limits import MOST_SIDES
from edict.compiler.syntax import tree as t

SIDES_OF_CELL = 12  # where dice take several, so that 15 may show the same


def side_by_side(dice: Sequence[t.Die]) -> list[Sequence[t.Die]]:
    """The kinds of dice, those that stand at the same place of each cell together: the first has the most sides."""
    if sum(die.sides for die in dice) <= MOST_SIDES:
        return [[die] for die in dice]
    ordered = sorted(dice, key=lambda die: -die.sides)
    for cells in range(2, len(dice)):
        places = _dealt(ordered, cells)
        if sides_of_cell(places) <= max(SIDES_OF_CELL, ordered[0].sides):
            return places
    return _dealt(ordered, len(dice))


def _dealt(dice: Sequence[t.Die], cells: int) -> list[Sequence[t.Die]]:
    return [dice[i : i + cells] for i in range(0, len(dice), cells)]


def sides_of_cell(places: list[Sequence[t.Die]]) -> int:
    return sum(beside[0].sides for beside in places)


def bits_of_count(dice: Sequence[t.Die]) -> int:
    """As many for each number as fit beside twelve bits for combinations of shifts."""
    return min(8, 50 // max(1, sides_of_cell(side_by_side(dice))))
