"""The native door: whole games, and all that thinks about them, in native code.

That needs llvmlite and NumPy, which are optional. The machine's own functions are compiled once on a computer, in a
second (`compiled`). A program is translated besides, in the background, when it is played much
(`machine.translation`); until then the machine's loop plays it. Both are kept in the user's cache folder.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.simulation import batches
from edict.runtime.simulation.plans import RANDOM, ROOM, Policy, plan
from edict.runtime.simulation.policies import play

if TYPE_CHECKING:
    from edict.runtime.machine.translation import Playable

NEEDED = ("llvmlite", "numpy")


def available() -> bool:
    """Whether there is what native code needs."""
    return all(find_spec(name) is not None for name in NEEDED) and _loads()


@cache
def _loads() -> bool:
    """Whether what is installed can be loaded, too; if not, that is said once."""
    try:
        import numpy  # noqa: F401

        import edict.runtime.native.assembling  # noqa: F401
    except (ImportError, OSError) as found:
        if parent_process() is None:
            logging.getLogger(__name__).warning(f"Playing without native code, which is slower: {found}.")
        return False
    return True


def faster(function: Callable[..., Any]) -> Callable[..., Any]:
    """One of the functions in `compiled.OFFERED`, as native code; it takes arrays in the place of rows."""
    from edict.runtime.simulation import compiled

    return compiled.faster(function)


def load() -> None:
    """Have native code at hand, for those who ask whether it is `loaded`."""
    from edict.runtime.simulation import compiled

    compiled.compiled()


def playable(program: Program) -> Playable:
    """A program in native memory, for those who play it on an answer at a time."""
    from edict.runtime.machine import translation

    return translation.playable(program)


def loaded() -> bool:
    """Whether native code is at hand in this process."""
    return f"{__package__}.compiled" in sys.modules


@contextmanager
def playing(program: Program, *events: bool) -> Iterator[Any]:
    """The program's code as a row for native code, to be played by meanwhile. `events`: whether they are written;
    both ways, if games are counted that somebody thinks about. Nothing said: they are not."""
    one = playable(program)
    began = time.perf_counter()
    ways = events or (False,)
    for way in ways:
        one.ready(way)
    yield one.row
    for way in ways:
        one.spent(way, time.perf_counter() - began)


def prepare(program: Program, *events: bool) -> None:
    """Begin to translate a program that will be played much, in the background."""
    if available():
        for way in events:
            playable(program).prepare(way)


def translate(program: Program, events: bool = False) -> None:
    """Have a program translated now, and wait for it."""
    playable(program).ready(events, wanted=True)


def integers(values: Any) -> Any:
    """An array of int64, of one dimension or two."""
    import numpy as np

    return np.array(values, dtype=np.int64)


def floats(values: Any) -> Any:
    """An array of float64."""
    import numpy as np

    return np.array(values, dtype=np.float64)


def rows(number: int, width: int) -> Any:
    """So many rows of int64, all 0."""
    import numpy as np

    return np.zeros((number, width), dtype=np.int64)


def unsigned(seeds: Sequence[int]) -> Any:
    """Seeds as native code takes them: the same 64 bits."""
    import numpy as np

    return np.array([seed & MASK for seed in seeds], dtype=np.uint64).view(np.int64)


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

    initial = integers(first_state(program, players, settings or {}, logging=False))
    ends, counts = np.empty((len(seeds), len(initial)), dtype=np.int64), np.empty(len(seeds), dtype=np.int64)
    wrapped = unsigned(seeds)
    with playing(program) as code:
        if policies is None or all(policy == RANDOM for policy in policies):
            faster(batches.random_games)(code, initial, wrapped, ends, counts, integers([0]))
        else:
            orders = integers(plan(program, seated(players, policies)))
            room = np.empty((ROOM, len(initial)), dtype=np.int64)
            faster(batches.games)(code, initial, orders, wrapped, ends, counts, room)
    return ends, counts


def play_one(
    program: Program,
    players: int,
    seed: int,
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
    code: Sequence[int] = (),
) -> tuple[list[int], int]:
    """Play the same game as in a batch, in plain Python; return the final state and the number of questions.

    code: The program's code as a sequence that notices how it is read; see `machine.observed_code`.
    """
    state, log = first_state(program, players, settings or {}, logging=False), [0]
    orders = plan(program, seated(players, policies or [RANDOM] * players))
    room = [[0] * len(state) for _ in range(ROOM)]
    return state, play(code or program.code, state, orders, room, seed, log)


def seated(players: int, policies: Sequence[Policy]) -> Sequence[Policy]:
    """The policies, if there is one for each seat; raises `ValueError` otherwise."""
    if len(policies) != players:
        raise ValueError(f"there are {players} seats and {len(policies)} policies")
    return policies
