"""Grids: which cells lie next to each other."""

from __future__ import annotations

from collections.abc import Sequence

BESIDE = ((0, 1), (0, -1), (1, 0), (-1, 0))
STEPS = {"square": BESIDE, "hexagonal": (*BESIDE, (1, -1), (-1, 1))}
"""From a cell to those next to it. Of hexagons each row lies half a step further on than the one before."""


def next_to(shape: str, places: Sequence[tuple[int, int]]) -> list[int]:
    """Of each of these cells, the set of those next to it; several may lie in one place."""
    there: dict[tuple[int, int], int] = {}
    for cell, place in enumerate(places):
        there[place] = there.get(place, 0) | 1 << cell
    around = [[(row + down, file + on) for down, on in STEPS[shape]] for row, file in places]
    return [sum(there.get(place, 0) for place in found) for found in around]
