"""Luck as a function of a seed and the number of the draw.

No position in a random sequence is stored, so undoing an answer, replaying a journal or copying a game never changes
later draws.

There are two sorts of seed. One of up to 64 bits was chosen by somebody and is mixed fast by splitmix64, as in the
native batches. A longer one was chosen by nobody: it is the key of a cryptographic hash (BLAKE2b), so that the dice
seen at a table reveal nothing about those to come.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

from edict.runtime.machine.mixing import GOLDEN, MASK, mix

SEED_BITS = 128
MOST_SEED = (1 << SEED_BITS) - 1


def draw(seed: int, number: int, options: int) -> int:
    """Return the option (0 to options - 1) that comes up at the chance question `number` of a game with this seed."""
    if seed > MASK:
        return (_hash_draw(seed, number, b"table") * options) >> 64
    start = mix((seed + GOLDEN) & MASK)
    return (mix((start + (number + 1) * GOLDEN) & MASK) * options) >> 64


def bot_seed(seed: int, seat: int) -> int:
    """Return the seed of the bot in a seat. Its actions reveal nothing about the seed of the game."""
    return _hash_draw(seed, seat, b"bot") if seed > MASK else seed + seat


def _hash_draw(seed: int, number: int, purpose: bytes) -> int:
    """Return 64 bits that nobody can predict without the seed."""
    key = seed.to_bytes(SEED_BITS // 8, "big")
    return int.from_bytes(blake2b(number.to_bytes(8, "big"), digest_size=8, key=key, person=purpose).digest(), "big")


def create_seed() -> int:
    """Return a new seed that nobody can guess."""
    return secrets.randbelow(MOST_SEED - MASK) + MASK + 1
