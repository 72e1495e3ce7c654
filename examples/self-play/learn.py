"""A player that learns by playing against itself, and how it went.

    python examples/self-play/learn.py -o network.json --curve curve.json
    python examples/self-play/learn.py --game pig --games 12000 --units 8 -o pig.json
    kingsburg play --bot learned@network.json

The same as `kingsburg train --bot learned`, except that the network is measured against `greedy`, and written, every
tenth round, and that more can be chosen. It is a small network, trained with nothing but NumPy.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from edict.agents.bots.networks import read_network
from edict.agents.bots.self_play import UNITS, SelfPlayPlan, SelfPlayTraining
from edict.game.table.rules import load_rules

MEASURED = 10  # rounds between two measurements


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="kingsburg", help="a game by name or path")
    parser.add_argument("--with", dest="modules", action="append", default=[], help="a module laid over it")
    parser.add_argument("--games", type=int, default=90_000, help="in all")
    parser.add_argument("--units", type=int, default=UNITS)
    parser.add_argument("--from", dest="start", type=Path, help="a network to learn on from")
    parser.add_argument("--winning", type=float, default=8.0, help="how many points a victory counts beside the lead")
    parser.add_argument("--matches", type=int, default=400, help="games for each measurement, every tenth round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True, help="where to write the network")
    parser.add_argument("--curve", type=Path, help="where to write how it went, as JSON")
    return parser.parse_args()


def measured(course: SelfPlayTraining, matches: int) -> dict[str, Any]:
    """A point of the curve."""
    wins = {str(n): round(share, 4) for n, share in course.measure_win_shares(matches).items()}
    spent = round(time.process_time())
    return {"round": course.rounds, "seconds": spent, "explained": round(course.explained, 4), "wins": wins}


def main() -> int:
    chosen = arguments()
    program = load_rules(chosen.game, chosen.modules).program
    players = tuple(range(max(2, program.least_players), program.most_players + 1))
    start = read_network(chosen.start, program) if chosen.start else None
    course = SelfPlayTraining(
        SelfPlayPlan(program, players, chosen.games, chosen.seed, chosen.units, chosen.winning, start)
    )
    curve: list[dict[str, Any]] = []

    def note() -> None:
        curve.append(measured(course, chosen.matches))
        print(json.dumps(curve[-1]), flush=True)
        wins = {f"wins against {int(n) - 1} greedy": share for n, share in curve[-1]["wins"].items()}
        found = replace(course.network, command=shlex.join(["python", *sys.argv]), measured=wins)  # type: ignore[type-var]
        chosen.output.write_text(found.to_json(), encoding="utf-8")
        if chosen.curve:
            chosen.curve.write_text(json.dumps(curve, indent=1) + "\n", encoding="utf-8")

    for _ in course.train():
        if course.rounds >= MEASURED * (len(curve) + 1):
            note()
    note()
    return 0


if __name__ == "__main__":
    sys.exit(main())
