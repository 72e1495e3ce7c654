"""Decisions a second of many games at once (`edict.gym.VectorEnv`), every answer drawn by lot.

    python benchmarks/side_by_side.py                 the base game, four players, on all processors
    python benchmarks/side_by_side.py --games 1024 --threads 1 --seconds 5
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

from machine import machine

from edict.gym import VectorEnv


def rate(env: VectorEnv, seconds: float, drawing: bool) -> tuple[float, float]:
    """Decisions a second, and games ended a second. Without `drawing` the time to draw the answers is left out."""
    env.reset(seed=1)
    for _ in range(20):
        env.step(env.sample())
    steps = ended = 0
    spent = 0.0
    while spent < seconds:
        start = time.perf_counter()
        actions: Any = env.sample()
        drawn = time.perf_counter()
        ended += int(env.step(actions).over.sum())
        spent += time.perf_counter() - (start if drawing else drawn)
        steps += 1
    return steps * env.games / spent, ended / spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=4.0)
    chosen = parser.parse_args()
    print(f"{chosen.rules}, {chosen.players} players, {chosen.games} games, {chosen.threads} threads, {machine()}")
    for observed in (None, "int8", "float32"):
        env = VectorEnv(
            chosen.rules, players=chosen.players, games=chosen.games, threads=chosen.threads,
            observe=observed is not None, dtype=observed or "int8",
        )  # fmt: skip
        decisions, ended = rate(env, chosen.seconds, drawing=False)
        what = f"observations of {env.observer.size} {observed}" if observed else "no observations"
        print(f"  {what:40} {decisions:12,.0f} decisions/s {ended:8,.0f} games/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
