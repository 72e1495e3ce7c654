"""The native door: the same loop compiled by Numba, and whole games played inside it.

Numba is optional. What it compiles is kept in the user's cache folder; other rules are other data for the
same machine, so they never compile anything again.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from edict import kept_files
from edict.machine.mixing import MASK
from edict.machine.orders import RANDOM, Policy, plan
from edict.machine.plans import ROOM
from edict.machine.policies import play
from edict.machine.source import code_folder
from edict.program import Program
from edict.program.beginning import first_state


def available() -> bool:
    """Whether Numba can be had."""
    return find_spec("numba") is not None


def kept(function: str) -> bool:
    """Whether a native function, named after its module as in `thinking.searched`, has been compiled before."""
    return any(kept_files.read(name) is not None for name in kept_files.names(code_folder(), f"{function}-"))


def compiled() -> Any:
    """The module of native functions. Takes half a minute the first time on a machine, a moment later on."""
    from edict.machine import compiled as functions

    return functions


def counted() -> Any:
    """The native functions that count what happens; compiled apart, for those who ask for it."""
    from edict.machine import counted as functions

    return functions


def thinking() -> Any:
    """The module of native policies and of the search; the same holds for it."""
    from edict.machine import thinking as functions

    return functions


def stepped() -> Any:
    """The native functions that play games side by side, an answer at a time."""
    from edict.machine import stepped as functions

    return functions


def thinking_loaded() -> bool:
    """Whether native policies are at hand in this process."""
    return f"{__package__}.thinking" in sys.modules


def warm() -> None:
    """Compile the policies and the search, or load what was compiled before."""
    row, rows, seeds = integers([0]), integers([[0]]), integers([]).astype("uint64")
    reals, functions = floats([0.0]), thinking()
    functions.searched(row, rows, row, rows, unsigned(0), 0, 0, row, row, row, reals, row, reals, reals)
    functions.batch(row, row, row, seeds, rows, row, rows)
    functions.think.compile("(int64[::1], int64[::1], int64[::1], int64[:, ::1])")


def integers(values: Any) -> Any:
    """An array of int64, of one dimension or two."""
    import numpy as np

    return np.array(values, dtype=np.int64)


def floats(values: Any) -> Any:
    """An array of float64."""
    import numpy as np

    return np.array(values, dtype=np.float64)


def unsigned(value: int) -> Any:
    """A seed as native code takes it."""
    import numpy as np

    return np.uint64(value & MASK)


def play_batch(
    program: Program,
    players: int,
    seeds: Sequence[int],
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
) -> tuple[Any, Any]:
    """Games, one for each seed, wholly in native code; each seat answers by its policy (None: all at random).

    Gives two arrays of int64: the final states (a row a game), and how many questions each game asked. A game
    whose last status is not GAME_OVER ran into a fault. Values of settings must be checked.
    """
    import numpy as np

    initial = np.array(first_state(program, players, settings or {}, logging=False), dtype=np.int64)
    ends = np.empty((len(seeds), len(initial)), dtype=np.int64)
    counts = np.empty(len(seeds), dtype=np.int64)
    code = np.array(program.code, dtype=np.int64)
    wrapped = np.array([s & MASK for s in seeds], dtype=np.uint64)
    if policies is None or all(policy == RANDOM for policy in policies):
        compiled().batch(code, initial, wrapped, ends, counts, np.zeros(1, dtype=np.int64))
    else:
        orders = np.array(plan(program, seated(players, policies)), dtype=np.int64)
        room = np.empty((ROOM, len(initial)), dtype=np.int64)
        thinking().batch(code, initial, orders, wrapped, ends, counts, room)
    return ends, counts


def play_one(
    program: Program,
    players: int,
    seed: int,
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
) -> tuple[list[int], int]:
    """The same game as in a batch, in plain Python: for comparison, and where there is no Numba."""
    state, log = first_state(program, players, settings or {}, logging=False), [0]
    orders = plan(program, seated(players, policies or [RANDOM] * players))
    room = [[0] * len(state) for _ in range(ROOM)]
    return state, play(program.code, state, orders, room, seed, log)


def seated(players: int, policies: Sequence[Policy]) -> Sequence[Policy]:
    """The policies, if there is one for each seat; raises `ValueError` otherwise."""
    if len(policies) != players:
        raise ValueError(f"there are {players} seats and {len(policies)} policies")
    return policies
