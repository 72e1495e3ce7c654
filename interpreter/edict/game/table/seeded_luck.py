"""Luck as a function: the same seed and the same number of the draw always give the same outcome.

Nothing remembers where a random sequence stands, so taking an answer back, replaying a journal or
copying a game in the middle never changes the luck to come.

There are two sorts of seed. One of up to 64 bits was chosen by somebody and is mixed fast, by splitmix64, as in the
native batches. A longer one nobody chose: it is the key of a cryptographic hash (BLAKE2b), so that no dice seen at
the table, however many, tell anything of those to come.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

from edict.runtime.machine.mixing import GOLDEN, MASK, mixed

SEED_BITS = 128
MOST_SEED = (1 << SEED_BITS) - 1


def draw(seed: int, number: int, options: int) -> int:
    """The option (0 to options - 1) that comes up at chance's question `number` of the game with this seed."""
    if seed > MASK:
        return (_keyed(seed, number, b"table") * options) >> 64
    start = mixed((seed + GOLDEN) & MASK)
    return (mixed((start + (number + 1) * GOLDEN) & MASK) * options) >> 64


def bot_seed(seed: int, seat: int) -> int:
    """The seed of the bot in a seat; nothing a bot does reveals anything about the seed of its game."""
    return _keyed(seed, seat, b"bot") if seed > MASK else seed + seat


def _keyed(seed: int, number: int, purpose: bytes) -> int:
    """64 bits that nobody can tell from chance without knowing the seed."""
    key = seed.to_bytes(SEED_BITS // 8, "big")
    return int.from_bytes(blake2b(number.to_bytes(8, "big"), digest_size=8, key=key, person=purpose).digest(), "big")


def fresh_seed() -> int:
    """A seed nobody chose and nobody can guess."""
    return secrets.randbelow(MOST_SEED - MASK) + MASK + 1
