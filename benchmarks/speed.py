"""How fast games are played: translated, by the native loop, and in CPython; what translation, copies and growth cost.

    python benchmarks/speed.py                  every figure is the median of several runs, with the least and greatest

Times are the process's own, so that what else the machine does costs nothing but its cache.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from statistics import median

import growth
import numpy as np
from machine import machine

from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.module_set import load_catalogue
from edict.runtime.machine.translation import HEAD, PLAY, RUN, TIERS, compile_program
from edict.runtime.native.assembling import LoadedCode
from edict.runtime.program import Program, create_state
from edict.runtime.simulation import batches, native

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


def natively(program: Program, players: int, tier: str | None = None) -> Work:
    """Games in batches of the size in which a study plays them, by the program's own code of a tier, or by the loop."""
    initial = native.make_integers(create_state(program, players, {}, logging=False))
    ends, counts = np.empty((BATCH, len(initial)), dtype=np.int64), np.empty(BATCH, dtype=np.int64)
    memory = native.make_integers([0] * HEAD + [*program.code])
    code, loaded = memory[HEAD:], LoadedCode(compile_program(program, events=False, tier=tier)) if tier else None
    if loaded:
        memory[HEAD + RUN], memory[HEAD + PLAY] = loaded.address("run"), loaded.address("play")
    play, log = native.native_function(batches.random_games), native.make_integers([0])

    def work(games: int) -> None:
        for first in range(0, games, BATCH):
            seeds = native.make_seeds(range(first, min(first + BATCH, games)))
            play(code, initial, seeds, ends, counts, log)

    work.loaded = loaded  # type: ignore[attr-defined]  # code lives as long as this
    return work


def in_turn(works: Sequence[Work], size: int, runs: int) -> list[list[float]]:
    """Rates of several works, run after run by turns, so that a slow moment slows all of them."""
    for work in works:
        work(max(1, size // 10))
    rounds = [[size / max(seconds(work, size), 1e-9) for work in works] for _ in range(runs)]
    return [sorted(rates) for rates in zip(*rounds, strict=True)]


def translating(program: Program) -> None:
    """How long the processor works on a translation, and how long until kept code can be called."""
    for tier in TIERS:
        began = time.process_time()
        code = compile_program(program, events=False, tier=tier)
        made = time.process_time()
        LoadedCode(code)
        loaded = 1000 * (time.process_time() - made)
        print(f"  translation   {made - began:.2f} s {tier}, {len(code) // 1000} kB, loaded in {loaded:.0f} ms")


def in_python(program: Program, players: int) -> Work:
    def work(games: int) -> None:
        for seed in range(games):
            native.play_one(program, players, seed)

    return work


def copying(program: Program, players: int) -> Work:
    """Copies of a state within one native call, as a batch makes them; each is looked at, so that none is left out."""
    state = native.make_integers(create_state(program, players, {}))
    target = np.empty_like(state)
    return lambda times: native.native_function(batches.benchmark_copies)(state, target, times)


def all_modules(name: str) -> list[Program]:
    """The game with each module that ships."""
    return [
        compile_rules(name, (m,)).unwrap() for m, (_, manifest) in load_catalogue().items() if name in manifest.requires
    ]


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
    if not native.is_available():
        print("  native        llvmlite is not installed")
        return
    works = [natively(program, players, tier) for tier in (None, *TIERS)]
    loop, quick, fast = in_turn(works, NATIVE_GAMES, runs)
    print(f"  native loop   {spread(loop)} games a second")
    for tier, rate in zip(TIERS, (quick, fast), strict=True):
        times = f"{median(rate) / median(loop):.2f} times the loop"
        print(f"  translated    {spread(rate)} games a second, {times}, {tier}")
    translating(program)
    more = rates(works[-1], GROWTH * NATIVE_GAMES, max(1, runs // 2))
    print(f"  growth        {GROWTH} times the games take {GROWTH * median(fast) / median(more):.2f} times as long")
    others = all_modules(program.name)
    for other in others:
        native.play_batch(other, max(players, other.least_players), range(50))
    again = rates(works[-1], NATIVE_GAMES, runs)
    print(f"  modules       after {len(others)} other sets of rules: {median(again) / median(fast):.2f} of that speed")
    each = sorted(1e9 / rate for rate in rates(copying(program, players), COPIES, runs))
    print(f"  a copy        {spread(each)} nanoseconds, {len(create_state(program, players, {}))} cells")


if __name__ == "__main__":
    SIX = ("advisor-tiles", "alternate-rows", "destiny", "governors", "more-buildings", "soldier-tokens")
    sys.exit(told("kingsburg", (), None, RUNS) or told("kingsburg", SIX, None, RUNS) or growth.told("kingsburg", SIX))
