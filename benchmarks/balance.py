"""What every card, strip and scenario of the modules is worth, between bots of one kind: the tables of docs/balance.md.

    python benchmarks/balance.py --games 20000 --bots greedy
    python benchmarks/balance.py --only governors --games 40000

Governors: the share of wins of whoever holds one, dealt at random (25 % is even). Destiny cards: what a year with the
card does to a player's score, by games in which it was drawn and others. Strips: the share of wins of whoever uses
one, and how often its buildings are constructed. Scenarios: what one changes, in pairs of games with the same seeds.
Everything with its 95 % interval; far out is marked with !.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from machine import machine

from edict.program import Program
from edict.study.comparing import Comparison
from edict.study.findings import Data, findings
from edict.study.games import Setup
from edict.study.studying import Study
from edict.study.workers import alone, processes, usable
from edict.table.rules import load_rules
from edict.table.start import checked_settings

GAME = "kingsburg"
PLAYERS = 4
LOW, HIGH = 0.20, 0.30  # of wins in a game of four: what lies outside is far out
NEVER = 0.02  # times a player and game: what is built less often is as good as never built


@dataclass(frozen=True)
class Table:
    """A table of the page."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]] = field(default=())

    def __str__(self) -> str:
        lines = [f"### {self.title}", "", "| " + " | ".join(self.head) + " |", "|" + "---|" * len(self.head)]
        return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in self.rows), ""])


def setup(bots: str, modules: Sequence[str], **settings: object) -> Setup:
    program = load_rules(GAME, tuple(modules)).program
    values = checked_settings(program, {name.replace("_", "-"): value for name, value in settings.items()})
    return Setup(program, (bots,) * PLAYERS, tuple(sorted(values.items())), seed=1)


def studied(what: Setup, games: int, workers: int) -> Data:
    study = Study(what, games)
    study.run(processes(workers) if workers > 1 else alone, lambda done: None)
    return findings(what, study.totals, games)


def origins(program: Program, kind: str) -> dict[str, str]:
    """Where the things of a kind come from, by title (and by title and name, where two have one title)."""
    things = program.kind_by_name[kind].things
    return {title: thing.origin for thing in things for title in (thing.title, f"{thing.title}, {thing.name}")}


def group(found: Data, part: str, title: str) -> list[Data]:
    """The options of a group of findings, by its title."""
    options: list[Data] = next(group["options"] for group in found[part] if group["title"] == title)
    return options


def share(option: Data) -> str:
    wins = option["with"]["win_share"]
    if wins is None:
        return "–"
    return f"{100 * wins['value']:.1f} % ({100 * wins['low']:.1f} to {100 * wins['high']:.1f})"


def told(effect: Data) -> str:
    return f"{effect['value']:+.2f} ({effect['low']:+.2f} to {effect['high']:+.2f})"


def governors(bots: str, games: int, workers: int) -> Iterator[Table]:
    what = setup(bots, ["governors"], random_governors="on")
    origin = origins(what.program, "governor")
    held = group(studied(what, games, workers), "held", "governor")
    rows = [
        [o["option"], origin[o["option"]], share(o), told(o["effect"]), _mark(o)]
        for o in sorted(held, key=_wins, reverse=True)
    ]
    yield Table("Governors, dealt at random", ("governor", "origin", "share of wins", "VP more than others", ""), rows)


def _wins(option: Data) -> float:
    value: float = option["with"]["win_share"]["value"]
    return value


def destiny(bots: str, games: int, workers: int) -> Iterator[Table]:
    what = setup(bots, ["destiny"])
    origin = origins(what.program, "destiny")
    drawn = next(g for g in studied(what, games, workers)["drawn"] if g["of"] == "destiny")["options"]
    rows = [
        [o["option"], origin[o["option"]], told(o["effect"])]
        for o in sorted(drawn, key=lambda o: -o["effect"]["value"])
    ]
    yield Table("Destiny cards", ("card", "origin", "VP a player in a game with it"), rows)


def strips(bots: str, games: int, workers: int) -> Iterator[Table]:
    what = setup(bots, ["alternate-rows"])
    found = studied(what, games, workers)
    origin = origins(what.program, "building")
    printed = {thing.title for thing in setup(bots, []).program.kind_by_name["building"].things}
    together: dict[str, list[Data]] = {}
    for option in group(found, "held", "province sheet"):
        if option["option"] not in printed:
            together.setdefault(str(option["by_seat"]), []).append(option)
    rows = [
        [", ".join(o["option"] for o in same), f"{same[0]['often']:.2f}", share(same[0]), _mark(same[0])]
        for same in together.values()
    ]
    head = ("its buildings", "used, a player and game", "share of wins", "")
    yield Table("Strips: a player is dealt two and uses what they like", head, rows)
    built = next(g for g in found["chosen"] if g["of"] == "building")["options"]
    rows = [
        [o["option"], origin[o["option"]], f"{o['often']:.3f}", f"{100 * (o['taken'] or 0):.0f} %", share(o),
         "!" if o["often"] < NEVER else ""]
        for o in built if o["option"] in origin and o["option"] not in printed
    ]  # fmt: skip
    columns = ("building", "origin", "built, a player and game", "taken when possible", "share of wins", "")
    yield Table("Buildings of the strips", columns, rows)


def _mark(option: Data) -> str:
    """Far out: the whole interval lies outside."""
    wins = option["with"]["win_share"]
    return "!" if wins and (wins["low"] > HIGH or wins["high"] < LOW) else ""


def scenarios(bots: str, games: int, workers: int) -> Iterator[Table]:
    rows: list[list[str]] = []
    for name in ("goblin-valley", "long-winter", "settlements-and-deals", "summer-tournament", "first-edition"):
        pairs = Comparison(setup(bots, []), setup(bots, [name]), games // 4)
        pairs.run(processes(workers) if workers > 1 else alone, lambda done: None)
        changes = {a.question.name: f"{a.value:+.2f} ({a.low:+.2f} to {a.high:+.2f})" for a in pairs.answers()}
        rows.append([name, changes["score per player"], changes["winning score"],
                     changes["margin between first and second"], changes["choices per game"]])  # fmt: skip
    head = ("scenario", "VP of a player", "VP of the winner", "lead of the winner", "choices in a game")
    yield Table("Scenarios, against the base game", head, rows)


PARTS = {"governors": governors, "destiny": destiny, "strips": strips, "scenarios": scenarios}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games for each table (default: %(default)s)")
    parser.add_argument("--bots", default="greedy", help="the kind of bot in every seat (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=usable(), help="processes to play in (default: %(default)s)")
    parser.add_argument("--only", choices=sorted(PARTS), help="one of the tables")
    chosen = parser.parse_args()
    print(f"<!-- benchmarks/balance.py --games {chosen.games} --bots {chosen.bots}: {machine()} -->\n")
    for name, part in PARTS.items():
        if chosen.only in (None, name):
            began = time.perf_counter()
            for table in part(chosen.bots, chosen.games, chosen.workers):
                print(table, flush=True)
            print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
