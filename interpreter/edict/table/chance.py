"""Luck as a function: the same seed and the same number of the draw always give the same outcome.

Nothing remembers where a random sequence stands, so taking an answer back, replaying a journal or
copying a game in the middle never changes the luck to come.
"""

from __future__ import annotations

import os

from edict.machine.mixing import GOLDEN, MASK, mixed


def draw(seed: int, number: int, options: int) -> int:
    """The option (0 to options - 1) that comes up at chance's question `number` of the game with this seed."""
    start = mixed((seed + GOLDEN) & MASK)
    return (mixed((start + (number + 1) * GOLDEN) & MASK) * options) >> 64


def fresh_seed() -> int:
    """A seed nobody chose, short enough to be read out and typed in again."""
    return int.from_bytes(os.urandom(4), "big")
