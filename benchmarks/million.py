"""What a million games cost with each bot, in hours of one processor: a sample is played, and the rest extrapolated.

    python benchmarks/million.py                                  every bot of the program against itself
    python benchmarks/million.py --rules pig --bots random,greedy --seconds 30

Games are played as a study plays them, in one process, and the processor's time is counted: divide by the number of
workers. `flat` and `search` are measured with so many tries an answer (`@100`); without a number, an answer takes a
second on any machine.
"""

from __future__ import annotations

import argparse
import time
from itertools import accumulate, repeat
from math import sqrt
from statistics import mean, stdev

from machine import machine

from edict.agents.bots import BOTS
from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.game.table.rules import load_rules

PIECES = 4  # the least number of pieces that a sample is made of; its interval comes from their differences
MILLION = 1_000_000
KINDS = ",".join(f"{kind}@100" if kind in ("flat", "search") else kind for kind in BOTS)


def measure_pieces(setup: GameSetup, seconds: float) -> list[float]:
    """Return the seconds of processor time a game in each piece of a sample that takes about as long as asked."""
    play_range(setup, GameRange(0, setup.piece_size))  # compiles
    times, began = list[float](), time.process_time()
    for first in accumulate(repeat(setup.piece_size), initial=setup.piece_size):
        start = time.process_time()
        play_range(setup, GameRange(first, setup.piece_size))
        times.append((time.process_time() - start) / setup.piece_size)
        if len(times) >= PIECES and time.process_time() - began >= seconds:
            return times
    raise AssertionError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--bots", default=KINDS, help="with commas between")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10.0, help="of processor time for the sample of each bot")
    wanted = parser.parse_args()
    program = load_rules(wanted.rules).program
    print(f"A million games of {program.title} with {wanted.players} players, {machine()}\n")
    print("| bot | played natively | sample | ms a game | processor hours for a million | 95 % |")
    print("|---|---|---:|---:|---:|---:|")
    for kind in wanted.bots.split(","):
        setup = GameSetup(program, (kind,) * wanted.players, (), 0)
        times = measure_pieces(setup, wanted.seconds)
        hours, spread = (value * MILLION / 3600 for value in (mean(times), 2 * stdev(times) / sqrt(len(times))))
        native = "yes" if setup.is_native else "no"
        games = len(times) * setup.piece_size
        print(
            f"| `{kind}` | {native} | {games:,} | {1000 * mean(times):.3g} | {hours:,.3g} | ±{spread:,.2g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
