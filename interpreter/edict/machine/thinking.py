"""The policies as native code. Import this by way of `native.thinking` only: it needs Numba.

What is compiled is the source of `policies` itself, with the native `run`, `draw`, `row` and `copied` in the place
of the plain ones; so what a policy answers cannot differ between the two.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from edict.machine import policies
from edict.machine.cells import cells, fixed_cells
from edict.machine.compiled import draw, native, run


@native
def row(room: Any, number: Any) -> Any:
    """One of the rows to think in."""
    return cells(room[number])


@native
def copied(target: Any, source: Any) -> None:
    """The state of `source` in `target` too."""
    for i in range(len(source)):
        target[i] = source[i]


_KNOWN: dict[str, Any] = {"run": run, "draw": draw, "row": row, "copied": copied}


def _natively(function: Any) -> Any:
    """A function of `policies`, compiled; it calls what has been compiled before."""
    source = FunctionType(function.__code__, {**function.__globals__, **_KNOWN}, function.__name__)
    source.__module__ = function.__module__
    _KNOWN[function.__name__] = native(source)
    return _KNOWN[function.__name__]


best = _natively(policies.best)
mask = _natively(policies.mask)
computed = _natively(policies.computed)
weighed = _natively(policies.weighed)
judged = _natively(policies.judged)
look_ahead = _natively(policies.look_ahead)
choose = _natively(policies.choose)
play = _natively(policies.play)


@native
def batch(code: Any, initial: Any, plan: Any, seeds: Any, ends: Any, counts: Any, room: Any) -> None:
    """Games by the plan, one for each seed: final states into the rows of `ends`, questions asked into `counts`."""
    program, orders, log = fixed_cells(code), fixed_cells(plan), row(room, policies.COUNTS)
    for game in range(len(seeds)):
        ends[game][:] = initial
        counts[game] = play(program, cells(ends[game]), orders, room, seeds[game], log)


@native
def think(code: Any, state: Any, plan: Any, room: Any, seed: Any, number: Any) -> Any:
    """The option taken in one state; the value of each stands in the row of values."""
    return choose(fixed_cells(code), cells(state), fixed_cells(plan), room, seed, number)
