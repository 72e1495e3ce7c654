"""Every subset of the modules and every scenario, played at random: is there a fault anywhere?

    python benchmarks/combinations.py                     200 games of each of the 64 subsets, and of each scenario
    python benchmarks/combinations.py --games 20

Player counts from 2 to 5 take turns. With llvmlite the games are played natively, else in plain Python. A fault ends
with exit code 1 and names the modules, the players and the seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import combinations

from machine import machine

from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.module_set import load_catalogue
from edict.runtime.program import Program
from edict.runtime.program.opcodes import FAULTS, GAME_OVER, STATUS
from edict.runtime.simulation import native

GAME = "kingsburg"
SUBSETS_OF = ("more-buildings", "alternate-rows", "governors", "destiny", "soldier-tokens", "advisor-tiles")


def sets() -> Iterator[tuple[str, ...]]:
    """The 64 subsets, then every scenario and the first edition beside nothing and beside everything."""
    for size in range(len(SUBSETS_OF) + 1):
        yield from combinations(SUBSETS_OF, size)
    for name, (folder, _) in load_catalogue().items():
        if folder.parent.name == "modules" and name not in SUBSETS_OF:
            yield (name,)
            yield (name, *SUBSETS_OF)


def faults(program: Program, games: int) -> Iterator[str]:
    """What went wrong in some games at each player count."""
    for players in range(program.least_players, program.most_players + 1):
        seeds = [players * 1_000_000 + i for i in range(-(-games // 4))]
        for seed, status in zip(seeds, statuses(program, players, seeds), strict=True):
            if status != GAME_OVER:
                yield f"{players} players, seed {seed}: {FAULTS.get(status, status)}"


def statuses(program: Program, players: int, seeds: Sequence[int]) -> list[int]:
    if native.is_available():
        ends, _ = native.play_batch(program, players, seeds)
        return [int(end[STATUS]) for end in ends]
    return [native.play_one(program, players, seed)[0][STATUS] for seed in seeds]


def main() -> int:
    parser = argparse.ArgumentParser(description="Random games of every combination of modules.")
    parser.add_argument("--games", type=int, default=200, help="games of each combination")
    games = parser.parse_args().games
    print(machine())
    print(f"{'native' if native.is_available() else 'plain Python'}; {games} games of each combination")
    began, count, wrong = time.perf_counter(), 0, 0
    for modules in sets():
        program = compile_rules(GAME, modules).unwrap()
        for fault in faults(program, games):
            wrong += 1
            print(f"FAULT in {', '.join(modules) or 'the base game'}: {fault}")
        count += 1
    print(f"{count} combinations, {count * games} games, {wrong} faults, {time.perf_counter() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
