"""How fast games are played: natively and in CPython, how long a copy takes, how cost grows, what modules cost.

    python benchmarks/speed.py                  every figure is the median of several runs, with the least and greatest

Times are the process's own, so that what else the machine does costs nothing but its cache.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from statistics import median

from machine import machine

from edict.front.compile import compile_rules
from edict.sources.modules import catalogue
from edict.machine import native
from edict.program import Program
from edict.program.beginning import first_state

PLAYERS = 4
NATIVE_GAMES = 2_000
PYTHON_GAMES = 40
BATCH = 500
GROWTH = 10
COPIES = 200_000
RUNS = 5

Work = Callable[[int], object]


def seconds(work: Work, size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began


def rates(work: Work, size: int, runs: int) -> list[float]:
    """How many of `size` things a second, run after run; the first run only warms up."""
    work(max(1, size // 10))
    return sorted(size / max(seconds(work, size), 1e-9) for _ in range(runs))


def spread(values: Sequence[float], digits: int = 0) -> str:
    return f"{median(values):,.{digits}f} (from {values[0]:,.{digits}f} to {values[-1]:,.{digits}f})"


def natively(program: Program, players: int) -> Work:
    """Games in batches of the size in which a study plays them."""

    def work(games: int) -> None:
        for first in range(0, games, BATCH):
            native.play_batch(program, players, range(first, min(first + BATCH, games)))

    return work


def in_python(program: Program, players: int) -> Work:
    def work(games: int) -> None:
        for seed in range(games):
            native.play_one(program, players, seed)

    return work


def copying(program: Program, players: int) -> Work:
    """Copies of a state within one native call, as a batch makes them; each is looked at, so that none is left out."""
    import numba
    import numpy as np

    @numba.njit
    def copies(state, target, times):  # type: ignore[no-untyped-def]
        seen = 0
        for number in range(times):
            state[0] = number
            target[:] = state
            seen += target[number % len(target)]
        return seen

    state = np.array(first_state(program, players, {}), dtype=np.int64)
    target = np.empty_like(state)
    return lambda times: copies(state, target, times)


def all_modules(name: str) -> list[Program]:
    """The game with each module that ships."""
    return [compile_rules(name, (m,)).unwrap() for m, (_, manifest) in catalogue().items() if name in manifest.requires]


def told(name: str, modules: tuple[str, ...], players: Sequence[int] | None, runs: int) -> int:
    """Measure and print."""
    program = compile_rules(name, modules).unwrap()
    counts = players or [min(PLAYERS, program.most_players)]
    print(f"\n{program.title} {program.version}, random policies, one core, {machine()}")
    print(f"median of {runs} runs (least to greatest)\n")
    for count in counts:
        _at(program, count, runs)
    return 0


def _at(program: Program, players: int, runs: int) -> None:
    print(f"{players} players")
    print(f"  CPython       {spread(rates(in_python(program, players), PYTHON_GAMES, runs), 1)} games a second")
    if not native.available():
        print("  native        Numba is not installed")
        return
    fast = rates(natively(program, players), NATIVE_GAMES, runs)
    print(f"  native        {spread(fast)} games a second")
    more = rates(natively(program, players), GROWTH * NATIVE_GAMES, max(1, runs // 2))
    print(f"  growth        {GROWTH} times the games take {GROWTH * median(fast) / median(more):.2f} times as long")
    others = all_modules(program.name)
    for other in others:
        native.play_batch(other, max(players, other.least_players), range(50))
    again = rates(natively(program, players), NATIVE_GAMES, runs)
    print(f"  modules       after {len(others)} other sets of rules: {median(again) / median(fast):.2f} of that speed")
    each = sorted(1e9 / rate for rate in rates(copying(program, players), COPIES, runs))
    print(f"  a copy        {spread(each)} nanoseconds, {len(first_state(program, players, {}))} cells")


if __name__ == "__main__":
    sys.exit(told("kingsburg", (), None, RUNS))
