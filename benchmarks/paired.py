"""What it gains that games of two sets of rules have the same luck: how alike the two games of a pair are, and how many
times as many games would be needed if each had luck of its own.

    python benchmarks/paired.py                                   the base game beside each of a few modules
    python benchmarks/paired.py --modules governors --bots random --games 4000
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from machine import machine

from edict.agents.study.bot_games import GameRange, GameSetup, get_plan, play_range
from edict.game.table.rules import load_rules
from edict.runtime.simulation import native

USUAL = ("steady-king", "soldier-tokens", "more-buildings", "alternate-rows", "governors")


def measures(setup: GameSetup, games: int) -> dict[str, np.ndarray]:
    """By name, a number for each game."""
    row = get_plan(setup).row_layout.as_structured_array(play_range(setup, GameRange(0, games), keep=True).counted.rows)
    won = (row["winners"][:, None] >> np.arange(setup.players)) & 1
    first = np.where(row["places"] == 0, won / np.maximum(1, won.sum(axis=1, keepdims=True)), 0.0)
    return {
        "winning score": row["scores"].max(axis=1),
        "score per player": row["scores"].mean(axis=1),
        "choices": row["choices"],
        "win share of place 1": first.sum(axis=1),
    }


def gained(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The correlation within pairs, and how many times as many games without them tell as much."""
    together = (other - one).var()
    return float(np.corrcoef(one, other)[0, 1]), float((one.var() + other.var()) / together)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--modules", nargs="+", default=USUAL, help="each by itself laid over the game")
    parser.add_argument("--bots", default="greedy", help="the kind of bot in every seat (default: %(default)s)")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=1000, help="pairs (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if not native.is_available():
        parser.error("this needs llvmlite and NumPy")
    print(f"{chosen.games} pairs of games, {chosen.players} {chosen.bots} bots, seed {chosen.seed}, {machine()}\n")

    def setup(*modules: str) -> GameSetup:
        return GameSetup(load_rules(chosen.rules, modules).program, (chosen.bots,) * chosen.players, (), chosen.seed)

    base = measures(setup(), chosen.games)
    print("| beside the base game | " + " | ".join(base) + " |\n|---|" + "---:|" * len(base))
    for module in chosen.modules:
        found = measures(setup(module), chosen.games)
        cells = ("{:.2f}, {:.1f} times".format(*gained(base[name], found[name])) for name in base)
        print(f"| {module} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
