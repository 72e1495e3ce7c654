"""The interface to native code for whole games and for searches within them.

It needs llvmlite and NumPy, which are optional. The machine's own functions are compiled once on a computer, in a
second (`compiled`). A program is translated in the background when it is played much (`machine.translation`); until
then the machine's loop plays it. Both are stored in the user's cache folder.
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
from edict.runtime.program import Program, create_state
from edict.runtime.simulation import batches
from edict.runtime.simulation.plans import RANDOM, SCRATCH_ROWS, Policy, build_plan
from edict.runtime.simulation.policies import play

if TYPE_CHECKING:
    from edict.runtime.machine.translation import NativeProgram

REQUIREMENTS = ("llvmlite", "numpy")


def is_available() -> bool:
    """Return True if native code can be used."""
    return all(find_spec(name) is not None for name in REQUIREMENTS) and _can_load()


@cache
def _can_load() -> bool:
    """Return True if what is installed can be loaded; warn once if not."""
    try:
        import numpy  # noqa: F401

        import edict.runtime.native.assembling  # noqa: F401
    except (ImportError, OSError) as problem:
        if parent_process() is None:
            logging.getLogger(__name__).warning(f"Playing without native code, which is slower: {problem}.")
        return False
    return True


def native_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return one of `compiled.EXPORTED_FUNCTIONS` as native code, which takes arrays as rows."""
    from edict.runtime.simulation import compiled

    return compiled.native_function(function)


def load_state_observer() -> Callable[..., Any]:
    """Return `stepping.observe_states` as native code that writes int64."""
    from edict.runtime.simulation import compiled

    return compiled.get_state_observer("int64")


def load_native() -> None:
    """Load the native code in advance, for callers that check `is_loaded`."""
    from edict.runtime.simulation import compiled

    compiled.load_library()


def get_native_program(program: Program) -> NativeProgram:
    """Return a program in native memory, to be played one answer at a time."""
    from edict.runtime.machine import translation

    return translation.get_native_program(program)


def is_loaded() -> bool:
    """Return True if native code is loaded in this process."""
    return f"{__package__}.compiled" in sys.modules


@contextmanager
def use_program(program: Program, *events: bool) -> Iterator[Any]:
    """Provide a program's code as a row for native code within a `with` block.

    Args:
        program: The program.
        *events: Whether events are written; both values where counted games are played by searching policies. Without
            any, no events.
    """
    native_program = get_native_program(program)
    start = time.perf_counter()
    modes = events or (False,)
    for mode in modes:
        native_program.refresh(mode)
    yield native_program.row
    for mode in modes:
        native_program.add_play_time(mode, time.perf_counter() - start)


def start_translation(program: Program, *events: bool) -> None:
    """Start translating a program that will be played much in the background."""
    if is_available():
        for mode in events:
            get_native_program(program).start_translation(mode)


def translate(program: Program, events: bool = False) -> None:
    """Translate a program now, and wait for it."""
    get_native_program(program).refresh(events, wait=True)


def make_integers(values: Any) -> Any:
    """Create an array of int64 of one or two dimensions."""
    import numpy as np

    return np.array(values, dtype=np.int64)


def make_floats(values: Any) -> Any:
    """Create an array of float64."""
    import numpy as np

    return np.array(values, dtype=np.float64)


def make_rows(number: int, width: int) -> Any:
    """Create rows of int64, all 0."""
    import numpy as np

    return np.zeros((number, width), dtype=np.int64)


def make_seeds(seeds: Sequence[int]) -> Any:
    """Convert 64-bit seeds to int64 with the same bits."""
    import numpy as np

    return np.array([seed & MASK for seed in seeds], dtype=np.uint64).view(np.int64)


def play_batch(
    program: Program,
    players: int,
    seeds: Sequence[int],
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
) -> tuple[Any, Any]:
    """Play games in native code, one for each seed.

    Args:
        program: The program.
        players: The number of players.
        seeds: A seed for each game.
        settings: Checked values of settings.
        policies: The policy of each seat; all play at random if None.

    Returns:
        Two arrays of int64: the final states, a row for each game, and the number of questions of each. A game whose
        last status is not GAME_OVER ran into a fault.
    """
    import numpy as np

    initial = make_integers(create_state(program, players, settings or {}, logging=False))
    ends, counts = np.empty((len(seeds), len(initial)), dtype=np.int64), np.empty(len(seeds), dtype=np.int64)
    seed_row = make_seeds(seeds)
    with use_program(program) as code:
        if policies is None or all(policy == RANDOM for policy in policies):
            native_function(batches.random_games)(code, initial, seed_row, ends, counts, make_integers([0]))
        else:
            plan_row = make_integers(build_plan(program, require_seat_policies(players, policies)))
            scratch = np.empty((SCRATCH_ROWS, len(initial)), dtype=np.int64)
            native_function(batches.games)(code, initial, plan_row, seed_row, ends, counts, scratch)
    return ends, counts


def play_one(
    program: Program,
    players: int,
    seed: int,
    settings: Mapping[str, int] | None = None,
    policies: Sequence[Policy] | None = None,
    code: Sequence[int] = (),
) -> tuple[list[int], int]:
    """Play the same game as in a batch, in plain Python.

    Args:
        program: The program.
        players: The number of players.
        seed: Its seed.
        settings: Checked values of settings.
        policies: The policy of each seat; all play at random if None.
        code: The program's code as a sequence that observes reads; see `machine.events`.

    Returns:
        The final state and the number of questions.
    """
    state, log = create_state(program, players, settings or {}, logging=False), [0]
    plan_row = build_plan(program, require_seat_policies(players, policies or [RANDOM] * players))
    scratch = [[0] * len(state) for _ in range(SCRATCH_ROWS)]
    return state, play(code or program.code, state, plan_row, scratch, seed, log)


def require_seat_policies(players: int, policies: Sequence[Policy]) -> Sequence[Policy]:
    """Return the policies if there is one for each seat.

    Raises:
        ValueError: Otherwise.
    """
    if len(policies) != players:
        raise ValueError(f"there are {players} seats and {len(policies)} policies")
    return policies
