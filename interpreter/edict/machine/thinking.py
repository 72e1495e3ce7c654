"""The policies as native code. Import this by way of `native.thinking` only: it needs Numba.

What is compiled is the source of `policies` itself, with the native `run`, `draw`, `row` and `copied` in the place
of the plain ones; so what a policy answers cannot differ between the two.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numba

from edict.machine import networks, plans, policies, searching, trials
from edict.machine.cells import cells, fixed_cells
from edict.machine.compiled import draw as compiled_draw
from edict.machine.compiled import mixed
from edict.machine.keeping import native
from edict.machine.linked import run


@native
def row(room: Any, number: Any) -> Any:
    """One of the rows to think in."""
    return cells(room[number])


@native
def copied(target: Any, source: Any) -> None:
    """The state of `source` in `target` too."""
    for i in range(len(source)):
        target[i] = source[i]


@native
def draw(seed: Any, number: Any, below: Any) -> Any:
    """The `number`-th random number of a game with any seed."""
    return compiled_draw(numba.uint64(seed), number, below)


@native
def moved(seed: Any, by: Any) -> Any:
    """Another seed, so many further on."""
    return numba.uint64(seed) + numba.uint64(by)


@native
def followed(node: Any, value: Any) -> Any:
    """The name of the node that an answer leads to."""
    return numba.int64(mixed(numba.uint64(node), value) >> numba.uint64(1))


_KNOWN: dict[str, Any] = {
    "run": run, "draw": draw, "row": row, "copied": copied, "moved": moved, "followed": followed,
}  # fmt: skip


def natively(function: Any) -> Any:
    """A function of such a module, compiled; it calls what has been compiled before."""
    source = FunctionType(function.__code__, {**function.__globals__, **_KNOWN}, function.__name__)
    source.__module__ = function.__module__
    _KNOWN[function.__name__] = native(source)
    return _KNOWN[function.__name__]


best = natively(policies.best)
mask = natively(policies.mask)
computed = natively(policies.computed)
read = natively(networks.read)
described = natively(networks.described)
valued = natively(networks.valued)
weighed = natively(policies.weighed)
judged = natively(policies.judged)
look_ahead = natively(policies.look_ahead)
choose = natively(policies.choose)
play = natively(policies.play)


@native
def batch(code: Any, initial: Any, plan: Any, seeds: Any, ends: Any, counts: Any, room: Any) -> None:
    """Games by the plan, one for each seed: final states into the rows of `ends`, questions asked into `counts`."""
    program, orders, log = fixed_cells(code), fixed_cells(plan), row(room, plans.COUNTS)
    for game in range(len(seeds)):
        ends[game][:] = initial
        counts[game] = play(program, cells(ends[game]), orders, room, seeds[game], log)


@native
def think(code: Any, state: Any, plan: Any, room: Any) -> None:
    """The value of every option in one state, by the first seat's policy, into the row of values."""
    orders = fixed_cells(plan)
    look_ahead(fixed_cells(code), cells(state), orders, orders[plans.SEATS], room)

describe = natively(trials.describe)
play_on = natively(trials.play_on)
lead = natively(trials.lead)
try_options = natively(trials.try_options)
sample = natively(trials.sample)


@native
def samples(
    code: Any, initial: Any, plan: Any, seeds: Any, room: Any, found: Any, outcomes: Any, groups: Any, every: Any,
    games: Any,
) -> Any:  # fmt: skip
    """Games by the plan, one for each seed, with choices of each tried out; see `trials.sample`. Gives whether all of
    them ended; if not, the last row of the room is the state of the one that would not.
    """
    program, orders = fixed_cells(code), fixed_cells(plan)
    for game in range(len(seeds)):
        state = cells(room[plans.ROOM])
        copied(state, initial)
        results, group = cells(outcomes[game]), cells(groups[game])
        if sample(program, state, orders, room, seeds[game], found[game], results, group, every, games) < 0:
            return False
    return True


record = natively(trials.record)


@native
def records(
    code: Any, initial: Any, plan: Any, seeds: Any, room: Any, found: Any, whose: Any, rows: Any, leads: Any, ends: Any,
    every: Any,
) -> None:  # fmt: skip
    """Games by the plan, one for each seed, with positions of each described; see `trials.record`.

    rows: how many of a game; leads: by game and seat; ends: the games' final states.
    """
    program, orders = fixed_cells(code), fixed_cells(plan)
    for game in range(len(seeds)):
        ends[game][:] = initial
        state = cells(ends[game])
        rows[game] = record(program, state, orders, room, seeds[game], found[game], cells(whose[game]), every)
        for seat in range(leads.shape[1]):
            leads[game][seat] = lead(program, state, orders, seat, row(room, 0), row(room, plans.COUNTS))


slot_of = natively(searching.slot_of)
select = natively(searching.select)
note = natively(searching.note)
guess = natively(searching.guess)
iterate = natively(searching.iterate)
grow = natively(searching.grow)


@native
def searched(
    code: Any, roots: Any, plan: Any, room: Any, seed: Any, first: Any, count: Any, form: Any, keys: Any, counts: Any,
    sums: Any, path: Any, shares: Any, leads: Any
) -> None:  # fmt: skip
    """So many iterations of a search over what may be the case; see `searching.grow`."""
    grow(
        fixed_cells(code), roots, fixed_cells(plan), room, seed, first, count, cells(form), cells(keys), cells(counts),
        sums, cells(path), shares, leads,
    )  # fmt: skip
