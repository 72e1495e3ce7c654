"""The native door: the same loop compiled by Numba, and whole games played inside it.

Numba is optional. What it compiles is kept in the user's cache folder; other rules are other data for the
same machine, so they never compile anything again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from edict import resources
from edict.machine import loop
from edict.machine.mixing import GOLDEN, MASK, mixed
from edict.program import Program
from edict.program.beginning import first_state
from edict.program.opcodes import ANSWER, ASKING, OPTIONS


def available() -> bool:
    """Whether Numba can be had."""
    return find_spec("numba") is not None


def compiled() -> Any:
    """The module of native functions. Takes half a minute the first time on a machine, a moment later on."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(resources.cache_folder() / "native"))
    from edict.machine import compiled as functions

    return functions


def play_batch(
    program: Program, players: int, seeds: Sequence[int], settings: Mapping[str, int] | None = None
) -> tuple[Any, Any]:
    """Random games, one for each seed, wholly in native code.

    Gives two arrays of int64: the final states (a row a game), and how many questions each game asked. A game
    whose last status is not GAME_OVER ran into a fault. Values of settings must be checked.
    """
    import numpy as np

    initial = np.array(first_state(program, players, settings or {}, logging=False), dtype=np.int64)
    ends = np.empty((len(seeds), len(initial)), dtype=np.int64)
    counts = np.empty(len(seeds), dtype=np.int64)
    code = np.array(program.code, dtype=np.int64)
    wrapped = np.array([s & MASK for s in seeds], dtype=np.uint64)
    compiled().batch(code, initial, wrapped, ends, counts, np.zeros(1, dtype=np.int64))
    return ends, counts


def play_one(
    program: Program, players: int, seed: int, settings: Mapping[str, int] | None = None
) -> tuple[list[int], int]:
    """The same game as in a batch, in plain Python: for comparison, and where there is no Numba."""
    state, log = first_state(program, players, settings or {}, logging=False), [0]
    asked = 0
    while loop.run(program.code, state, log) == ASKING:
        asked += 1
        state[ANSWER] = (mixed((seed + asked * GOLDEN) & MASK) >> 33) % state[OPTIONS]
    return state, asked
