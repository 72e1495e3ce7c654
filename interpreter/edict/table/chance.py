"""Luck as a function: the same seed and the same number of the draw always give the same outcome.

Nothing remembers where a random sequence stands, so taking an answer back, replaying a journal or
copying a game in the middle never changes the luck to come.
"""

from __future__ import annotations

import os

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(x: int) -> int:
    """The finishing step of splitmix64: every bit of the result depends on every bit of `x`."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def draw(seed: int, number: int, options: int) -> int:
    """The option (0 to options - 1) that comes up at chance's question `number` of the game with this seed."""
    start = mixed((seed + GOLDEN) & MASK)
    return (mixed((start + (number + 1) * GOLDEN) & MASK) * options) >> 64


def fresh_seed() -> int:
    """A seed nobody chose, short enough to be read out and typed in again."""
    return int.from_bytes(os.urandom(4), "big")
