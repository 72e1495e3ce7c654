"""Random games at each player count: faults, invariants, scores, decisions; and how fast games are played.

    python benchmarks/playouts.py                         10,000 games at each player count of the base game
    python benchmarks/playouts.py --games 500 --players 4 --with more-buildings
    python benchmarks/playouts.py --rules pig --processes 2
    python benchmarks/playouts.py --speed                 only the speed: native, CPython, copies, growth, modules

Speed is of one core: all processes' own seconds together. A fault or a broken invariant ends with exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import speed
from machine import machine, spread

from edict.game.table.rules import load_rules
from edict.runtime.program import Program
from edict.support.report import RulesError

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / "kit")]

from playout import Playout, play_random  # noqa: E402


@dataclass
class Tally:
    """What some games at one player count came to."""

    games: int = 0
    choices: int = 0
    draws: int = 0
    seconds: float = 0.0
    scores: list[int] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    shared: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.choices += other.choices
        self.draws += other.draws
        self.seconds += other.seconds
        self.scores += other.scores
        self.winners += other.winners
        self.shared += other.shared
        self.problems += other.problems


def broken(program: Program, played: Playout) -> str:
    """The first invariant that does not hold at the end of a game; nothing if all do.

    What the score counts may fall below nothing, other resources may not.
    """
    for variable in program.variables:
        if variable.resource:
            had = tuple(played.state[variable.base : variable.base + len(played.scores)])
            if min(had) < 0 and had != played.scores:
                return f"somebody has less than no {variable.plural}"
    if not played.winners:
        return "nobody wins"
    best = max(played.scores)
    if any(played.scores[seat] != best for seat in played.winners):
        return "a winner has not the best score"
    return ""


def play(program: Program, players: int, seeds: range) -> Tally:
    """Games with these seeds; each has its own luck, so they can be split among processes at will."""
    tally = Tally()
    for seed in seeds:
        start = time.process_time()
        try:
            played = play_random(program, players, Random(seed * 8 + players))
        except RulesError as fault:
            tally.problems.append(f"{players} players, seed {seed}: {fault.diagnostics[0].title}")
            continue
        tally.seconds += time.process_time() - start
        tally.games += 1
        tally.choices += played.choices
        tally.draws += played.draws
        tally.scores += played.scores
        tally.winners.append(max(played.scores))
        tally.shared += len(played.winners) > 1
        problem = broken(program, played)
        if problem:
            tally.problems.append(f"{players} players, seed {seed}: {problem}")
    return tally


def at(program: Program, players: int, games: int, processes: int) -> Tally:
    """So many games at one player count."""
    if processes == 1:
        return play(program, players, range(games))
    total = Tally()
    size = -(-games // (processes * 8))
    parts = [range(first, min(first + size, games)) for first in range(0, games, size)]
    with ProcessPoolExecutor(processes) as pool:
        for part in pool.map(play, [program] * len(parts), [players] * len(parts), parts):
            total.add(part)
    return total


def told(players: int, tally: Tally) -> str:
    games, asked = max(1, tally.games), tally.choices + tally.draws
    seconds = tally.seconds or 1e-9
    low, mean, high = spread(tally.scores)
    return (
        f"{players:>7} {tally.games:>7} {len(tally.problems):>6} {low:>6} {mean:>6.1f} {high:>5} "
        f"{sum(tally.winners) / games:>7.1f} {100 * tally.shared / games:>6.1f} {tally.choices / games:>8.1f} "
        f"{tally.draws / games:>6.1f} {tally.games / seconds:>8.1f} {asked / seconds:>9,.0f} "
        f"{tally.choices / seconds:>9,.0f}"
    )


HEAD = (
    "players   games faults    low   mean  high  winner tied % choices/  draws/   games/    asked/  choices/\n"
    "                                                             game    game        s         s         s"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--with", dest="modules", default="", help="modules laid over it, with commas between")
    parser.add_argument("--games", type=int, default=10_000, help="games at each player count (default: %(default)s)")
    parser.add_argument("--players", type=int, nargs="*", help="player counts (default: all the rules allow)")
    parser.add_argument("--processes", type=int, default=1, help="how many to play in (default: %(default)s)")
    parser.add_argument("--speed", action="store_true", help="measure only how fast games are played")
    parser.add_argument("--runs", type=int, default=5, help="how often to measure speed (default: %(default)s)")
    chosen = parser.parse_args()
    if chosen.speed:
        return speed.told(chosen.rules, tuple(m for m in chosen.modules.split(",") if m), chosen.players, chosen.runs)
    rules = load_rules(chosen.rules, tuple(m for m in chosen.modules.split(",") if m))
    program = rules.program
    counts = chosen.players or range(program.least_players, program.most_players + 1)
    print(f"{program.title} {program.version}, random players, {machine()}")
    print("asked: choices of players and draws of chance together, as both are questions to the machine\n")
    print(HEAD)
    problems: list[str] = []
    for players in counts:
        tally = at(program, players, chosen.games, chosen.processes)
        print(told(players, tally), flush=True)
        problems += tally.problems
    print(f"\n{len(problems)} faults and broken invariants")
    print("\n".join(problems[:20]))
    modules = tuple(m for m in chosen.modules.split(",") if m)
    speed.told(chosen.rules, modules, chosen.players, chosen.runs)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
