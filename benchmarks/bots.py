"""How often a bot beats others: one seat is the bot's, going round the table, all others are the opponent's.

python benchmarks/bots.py                              greedy against three random bots, 500 games
python benchmarks/bots.py --bot greedy --against random --players 2 --games 200
python benchmarks/bots.py --bot search@1s --against greedy --games 200
"""

from __future__ import annotations

import argparse
import sys
import time

from machine import machine, spread

from edict.agents.bots import BOTS
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.inference import estimate_share
from edict.agents.study.league_play import play_meetings
from edict.apps.cli.seating import print_speed_notice
from edict.game.table.rules import load_rules


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--with", dest="modules", default="", help="modules laid over it, with commas between")
    parser.add_argument("--bot", default="greedy", help="as `play` takes it: greedy, search@0.5s ...")
    parser.add_argument("--against", default="random")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="what the luck of all games begins with")
    chosen = parser.parse_args()
    for kind in (chosen.bot, chosen.against):
        if BOTS.find_problem(kind):
            parser.error(": ".join(BOTS.find_problem(kind) or ()))
    print_speed_notice()
    program = load_rules(chosen.rules, tuple(m for m in chosen.modules.split(",") if m)).program
    print(f"{program.title}: {chosen.bot} against {chosen.players - 1} {chosen.against}, {machine()}")
    wins, own, others = 0.0, [], []
    start = time.perf_counter()
    for seat in range(chosen.players):
        kinds = tuple(chosen.bot if s == seat else chosen.against for s in range(chosen.players))
        for met in play_meetings(GameSetup(program, kinds, (), chosen.seed), range(seat, chosen.games, chosen.players)):
            wins += met.shares[seat]
            own.append(met.scores[seat])
            others += [score for s, score in enumerate(met.scores) if s != seat]
    taken = time.perf_counter() - start
    rate = estimate_share(wins, chosen.games)
    interval = f"{100 * rate.low:.1f} to {100 * rate.high:.1f}"
    print(f"games {chosen.games}, wins {100 * rate.value:.1f} % ({interval}), a tie counts in parts")
    print("scores: {} {} to {}, mean {:.1f};".format(chosen.bot, *_low_high_mean(own)), end=" ")
    print("{} {} to {}, mean {:.1f}".format(chosen.against, *_low_high_mean(others)))
    pace = chosen.games / taken
    print(f"{pace:.1f} games a second" if pace > 1 else f"{1 / pace:.1f} s a game")
    return 0


def _low_high_mean(values: list[int]) -> tuple[int, int, float]:
    low, mean, high = spread(values)
    return low, high, mean


if __name__ == "__main__":
    sys.exit(main())
