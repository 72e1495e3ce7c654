"""How every kind of bot does against `random` in every game that ships.

One seat is the bot's, going round the table; all others are `random`. What counts is the bot's share of the victory,
less the mean share of the others, in points of a hundred: 0 is even. Where players win or lose together, or play alone,
whole tables are compared: how many more games a table of bots wins than one of `random`, and how many more points it
makes. Intervals are Student's t, 95 %. A cell that does not beat random has a question mark.

    python benchmarks/against_random.py                                 all games, judge, greedy and learned
    python benchmarks/against_random.py pig kingsburg+governors --bots judge,search@40 --number 400
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from machine import machine

from edict.agents.bots import BOTS
from edict.apps.cli.commands.modules import list_shipped_games
from edict.game.table.rules import load_rules

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / "kit")]

from edge_over_random import EdgeOverRandom, compare_with_random  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="by name or path; a game with modules as GAME+MODULE+MODULE")
    parser.add_argument("--bots", default="judge,greedy,learned", help="kinds of bots, separated by commas")
    parser.add_argument("--number", type=int, default=200, help="of games for each cell of the table")
    parser.add_argument("--players", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    kinds = chosen.bots.split(",")
    for kind in kinds:
        if BOTS.find_problem(kind):
            parser.error(": ".join(BOTS.find_problem(kind) or ()))
    rows = [f"| game (players) | {' | '.join(f'`{kind}`' for kind in kinds)} |", "|---" * (1 + len(kinds)) + "|"]
    print(machine(), *rows, sep="\n", flush=True)
    for name in chosen.games or list_shipped_games():
        game, *modules = name.split("+")
        program = load_rules(game, modules).program
        players = chosen.players or min(program.most_players, max(program.least_players, 2))
        cells = []
        for kind in kinds:
            began = time.process_time()
            cells.append(show(compare_with_random(program, kind, players, chosen.number, chosen.seed)))
            print(f"{name} {kind}: {cells[-1]}, {time.process_time() - began:.1f} s", file=sys.stderr, flush=True)
        rows.append(f"| {' + '.join([program.title, *modules])} ({players}) | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return 0


def show(found: EdgeOverRandom) -> str:
    """Return a cell of the table."""
    low, high = 100 * found.edge.low, 100 * found.edge.high
    cell = f"{100 * found.edge.value:+.0f} ({low:+.0f} to {high:+.0f}) of {found.edge.sample_size}"
    if found.is_cooperative:
        cell += f"; {found.lead.value:+.1f} ({found.lead.low:+.1f} to {found.lead.high:+.1f}) points"
    return cell if found.is_better else f"{cell} ?"


if __name__ == "__main__":
    sys.exit(main())
