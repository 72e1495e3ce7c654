"""Decisions a second of many games at once (`edict.gym.VectorEnv`), every answer drawn by lot.

    python benchmarks/side_by_side.py                 the base game, four players, on all processors
    python benchmarks/side_by_side.py --games 4096 --threads 1 --runs 20

What is measured takes turns, in short runs, and the best run counts: the computer may be busy with other work. So it
says not only how many decisions there were in a second, but also how many in a second of one processor's work.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

from machine import machine

from edict.gym import VectorEnv
from edict.runtime.simulation import native

RUN = 0.3  # seconds
OBSERVED = (None, "int8", "float32")


def rate(env: VectorEnv) -> tuple[float, float]:
    """Decisions a second, and decisions a second of one processor. The time to draw the answers is left out."""
    steps = 0
    spent = worked = 0.0
    while spent < RUN:
        actions: Any = env.sample()
        start, before = time.perf_counter(), time.process_time()
        env.step(actions)
        spent, worked = spent + time.perf_counter() - start, worked + time.process_time() - before
        steps += 1
    return steps * env.num_envs / spent, steps * env.num_envs / worked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--runs", type=int, default=10, help="of each, one of which counts")
    chosen = parser.parse_args()
    print(f"{chosen.rules}, {chosen.players} players, {chosen.games} games, {chosen.threads} threads, {machine()}")
    envs = [
        VectorEnv(
            chosen.rules,
            players=chosen.players,
            num_envs=chosen.games,
            threads=chosen.threads,
            strict=True,
            observe=observed is not None,
            dtype=observed or "int8",
            copy=False,
        )
        for observed in OBSERVED
    ]
    native.translate(envs[0].coding.program)
    for env in envs:
        env.reset(seed=1)
    rates = [[rate(env) for env in envs] for _ in range(chosen.runs)]
    for number, (observed, env) in enumerate(zip(OBSERVED, envs, strict=True)):
        best = [max(run[number][i] for run in rates) for i in (0, 1)]
        what = f"observations of {env.observer.size} {observed}" if observed else "no observations"
        print(f"  {what:32} {best[0]:12,.0f} decisions/s {best[1]:12,.0f} in a second of one processor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
