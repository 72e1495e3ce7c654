"""The functions that Numba compiles. Import this by way of `native.compiled` only: it needs Numba.

They stand at the top of a module, since Numba can keep only such functions in its cache.
"""

from __future__ import annotations

from typing import Any

import numba

from edict.machine import loop
from edict.program.opcodes import ANSWER, ASKING, OPTIONS

run = numba.njit(cache=True)(loop.run)


@numba.njit(cache=True)
def mixed(seed: Any, number: Any) -> Any:
    """splitmix64 over unsigned integers that wrap."""
    x = seed + numba.uint64(number) * numba.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> numba.uint64(30))) * numba.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numba.uint64(27))) * numba.uint64(0x94D049BB133111EB)
    return x ^ (x >> numba.uint64(31))


@numba.njit(cache=True)
def batch(code: Any, initial: Any, seeds: Any, ends: Any, counts: Any, log: Any) -> None:
    """Random games, one for each seed: final states into the rows of `ends`, questions asked into `counts`."""
    for game in range(len(seeds)):
        state = ends[game]
        state[:] = initial
        asked = 0
        status = run(code, state, log)
        while status == ASKING:
            asked += 1
            drawn = numba.int64(mixed(seeds[game], asked) >> numba.uint64(33))
            state[ANSWER] = drawn % state[OPTIONS]
            status = run(code, state, log)
        counts[game] = asked
