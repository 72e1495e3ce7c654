"""The functions that Numba compiles. Import this by way of `native.compiled` only: it needs Numba."""

from __future__ import annotations

from typing import Any

import numba

from edict.machine import loop
from edict.machine.cells import cells, fixed_cells
from edict.machine.keeping import native
from edict.program.opcodes import ANSWER, ASKING, OPTIONS

run = native(loop.run)


@native
def mixed(seed: Any, number: Any) -> Any:
    """splitmix64 over unsigned integers that wrap."""
    x = seed + numba.uint64(number) * numba.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> numba.uint64(30))) * numba.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numba.uint64(27))) * numba.uint64(0x94D049BB133111EB)
    return x ^ (x >> numba.uint64(31))


@native
def draw(seed: Any, number: Any, below: Any) -> Any:
    """The `number`-th random number of a game: 0 or more, less than `below`."""
    return numba.int64(mixed(seed, number) >> numba.uint64(33)) % below


@native
def step(code: Any, state: Any, log: Any) -> Any:
    """Play on to the next question, the end or a fault; gives the status. The arrays are of int64."""
    return run(fixed_cells(code), cells(state), cells(log))


@native
def batch(code: Any, initial: Any, seeds: Any, ends: Any, counts: Any, log: Any) -> None:
    """Random games, one for each seed: final states into the rows of `ends`, questions asked into `counts`."""
    program, events = fixed_cells(code), cells(log)
    for game in range(len(seeds)):
        ends[game][:] = initial
        state = cells(ends[game])
        asked = 0
        while run(program, state, events) == ASKING:
            asked += 1
            state[ANSWER] = draw(seeds[game], asked, state[OPTIONS])
        counts[game] = asked
