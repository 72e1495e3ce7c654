"""splitmix64 over whole numbers of 64 bits. What is shifted is cut to the bits that are left, which Python's numbers
have anyway; so native code, whose numbers may be negative, does the same by the same source."""

from __future__ import annotations

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(x: int) -> int:
    """The finishing step of splitmix64: every bit of the result depends on every bit of `x`."""
    x = ((x ^ ((x >> 30) & (MASK >> 30))) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ ((x >> 27) & (MASK >> 27))) * 0x94D049BB133111EB) & MASK
    return x ^ ((x >> 31) & (MASK >> 31))


def draw(seed: int, number: int, below: int) -> int:
    """The `number`-th random number of a simulated game: 0 or more, less than `below`."""
    return ((mixed((seed + number * GOLDEN) & MASK) >> 33) & (MASK >> 33)) % below
