"""The splitmix64 random generator over 64-bit integers.

Shifted numbers are masked to the remaining bits. Python's numbers would not need this; native numbers, which may be
negative, do, and both run this source.
"""

from __future__ import annotations

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    """Apply the finishing step of splitmix64, by which every bit of the result depends on every bit of `x`."""
    x = ((x ^ ((x >> 30) & (MASK >> 30))) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ ((x >> 27) & (MASK >> 27))) * 0x94D049BB133111EB) & MASK
    return x ^ ((x >> 31) & (MASK >> 31))


def draw(seed: int, number: int, bound: int) -> int:
    """Return the `number`-th random number of a simulated game, at least 0 and less than `bound`."""
    return ((mix((seed + number * GOLDEN) & MASK) >> 33) & (MASK >> 33)) % bound
