"""What every card, strip and scenario of the modules is worth, between bots of one kind: the tables of docs/balance.md.

    python benchmarks/balance.py --games 20000 --bots greedy
    python benchmarks/balance.py --only governors --games 40000 --players 2 3 4 5
    python benchmarks/balance.py --governor Duke --bots search@20 --games 100 --players 2

Governors: the share of wins of whoever holds one, dealt at random, as a multiple of an even share (1.00 is even).
Destiny cards and advisors' tiles: what one does to a player's score, by games in which it was drawn and others. Strips:
the share of wins of whoever uses one, and how often its buildings are constructed. Scenarios: what one changes, in
pairs of games with the same seeds. Everything with its 95 % interval; far out is marked with !. Each table is made for
each number of players.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from machine import machine

from edict.program import Program
from edict.study.columns import Columns, game_rows
from edict.study.comparing import Comparison
from edict.study.findings import Data, findings
from edict.study.games import Setup, Stretch, play
from edict.study.intervals import wilson
from edict.study.studying import Study
from edict.study.workers import alone, processes, usable
from edict.table.rules import load_rules
from edict.table.start import checked_settings

GAME = "kingsburg"
LOW, HIGH = 0.75, 1.3  # of an even share of wins: what lies outside is far out
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


@dataclass(frozen=True)
class Games:
    """Who plays how many games of a table: bots of one kind in all seats."""

    bots: str
    players: int
    count: int
    workers: int

    def studied(self, what: Setup) -> Data:
        study = Study(what, self.count)
        study.run(processes(self.workers) if self.workers > 1 else alone, lambda done: None)
        return findings(what, study.totals, self.count)

    def setup(self, modules: Sequence[str], **settings: object) -> Setup:
        program = load_rules(GAME, tuple(modules)).program
        values = checked_settings(program, {name.replace("_", "-"): value for name, value in settings.items()})
        return Setup(program, (self.bots,) * self.players, tuple(sorted(values.items())), seed=1)

    def share(self, option: Data) -> str:
        """Of wins, as a multiple of an even share."""
        found = option["with"]["win_share"]
        if found is None:
            return "–"
        wins = {key: found[key] * self.players for key in ("value", "low", "high")}
        return f"{wins['value']:.2f} ({wins['low']:.2f} to {wins['high']:.2f})"

    def mark(self, option: Data) -> str:
        """Far out: the whole interval lies outside."""
        wins = option["with"]["win_share"]
        far = wins and (wins["low"] * self.players > HIGH or wins["high"] * self.players < LOW)
        return "!" if far else ""


def origins(program: Program, kind: str) -> dict[str, str]:
    """Where the things of a kind come from, by title (and by title and name, where two have one title)."""
    things = program.kind_by_name[kind].things
    return {title: thing.origin for thing in things for title in (thing.title, f"{thing.title}, {thing.name}")}


def group(found: Data, part: str, title: str) -> list[Data]:
    """The options of a group of findings, by its title."""
    options: list[Data] = next(group["options"] for group in found[part] if group["title"] == title)
    return options


def told(effect: Data) -> str:
    return f"{effect['value']:+.2f} ({effect['low']:+.2f} to {effect['high']:+.2f})"


def governors(games: Games) -> Iterator[Table]:
    what = games.setup(["governors"], random_governors="on")
    origin = origins(what.program, "governor")
    held = group(games.studied(what), "held", "governor")
    rows = [
        [o["option"], origin[o["option"]], games.share(o), told(o["effect"]), games.mark(o)]
        for o in sorted(held, key=_wins, reverse=True)
    ]
    yield Table("Governors, dealt at random", ("governor", "origin", "share of wins", "VP more than others", ""), rows)


def _wins(option: Data) -> float:
    value: float = option["with"]["win_share"]["value"]
    return value


def destiny(games: Games) -> Iterator[Table]:
    yield drawn(games, "destiny", "destiny", "Destiny cards")


def tiles(games: Games) -> Iterator[Table]:
    yield drawn(games, "advisor-tiles", "tile", "Advisors' tiles")


def drawn(games: Games, module: str, kind: str, title: str) -> Table:
    """What it does to a player's score that one of these is drawn."""
    what = games.setup([module])
    origin = origins(what.program, kind)
    found = next(g for g in games.studied(what)["drawn"] if g["of"] == kind)["options"]
    rows = [
        [o["option"], origin[o["option"]], told(o["effect"])]
        for o in sorted(found, key=lambda o: -o["effect"]["value"])
    ]
    return Table(title, (kind, "origin", "VP a player in a game with it"), rows)


def strips(games: Games) -> Iterator[Table]:
    what = games.setup(["alternate-rows"])
    found = games.studied(what)
    origin = origins(what.program, "building")
    printed = {thing.title for thing in games.setup([]).program.kind_by_name["building"].things}
    together: dict[str, list[Data]] = {}
    for option in group(found, "held", "province sheet"):
        if option["option"] not in printed:
            together.setdefault(str(option["by_seat"]), []).append(option)
    rows = [
        [", ".join(o["option"] for o in same), f"{same[0]['often']:.2f}", games.share(same[0]), games.mark(same[0])]
        for same in together.values()
    ]
    head = ("its buildings", "used, a player and game", "share of wins", "")
    yield Table("Strips: a player is dealt two and uses what they like", head, rows)
    built = next(g for g in found["chosen"] if g["of"] == "building")["options"]
    rows = [
        [o["option"], origin[o["option"]], f"{o['often']:.3f}", f"{100 * (o['taken'] or 0):.0f} %", games.share(o),
         "!" if o["often"] < NEVER else ""]
        for o in built if o["option"] in origin and o["option"] not in printed
    ]  # fmt: skip
    columns = ("building", "origin", "built, a player and game", "taken when possible", "share of wins", "")
    yield Table("Buildings of the strips", columns, rows)


def scenarios(games: Games) -> Iterator[Table]:
    rows: list[list[str]] = []
    for name in ("goblin-valley", "long-winter", "settlements-and-deals", "summer-tournament", "first-edition"):
        pairs = Comparison(games.setup([]), games.setup([name]), games.count // 4)
        pairs.run(processes(games.workers) if games.workers > 1 else alone, lambda done: None)
        changes = {a.question.name: f"{a.value:+.2f} ({a.low:+.2f} to {a.high:+.2f})" for a in pairs.answers()}
        rows.append([name, changes["score per player"], changes["winning score"],
                     changes["margin between first and second"], changes["choices per game"]])  # fmt: skip
    head = ("scenario", "VP of a player", "VP of the winner", "lead of the winner", "choices in a game")
    yield Table("Scenarios, against the base game", head, rows)


def one_governor(games: Games, title: str) -> Iterator[Table]:
    """What a single governor is worth between bots too slow for many games: only games in which it is dealt.

    Ctrl-C ends it with the games played so far.
    """
    what = games.setup(["governors"], random_governors="on")
    wins: list[float] = []
    with contextlib.suppress(KeyboardInterrupt):
        for number in range(100 * games.count):
            if len(wins) < games.count and holder(replace(what, bots=("random",) * games.players), number, title):
                row = {name: values[0] for name, values in the_game(what, number).items()}
                wins.append(next(row[f"win_{s}"] for s in range(games.players) if title in row[f"held_{s}.governor"]))
    found = wilson(sum(wins), len(wins))
    share = " to ".join(f"{games.players * value:.2f}" for value in (found.low, found.high))
    cells = (title, str(len(wins)), f"{games.players * found.value:.2f} ({share})")
    yield Table(f"One governor, {games.bots}", ("governor", "games", "share of wins"), [cells])


def the_game(what: Setup, number: int) -> Columns:
    """The row of one game."""
    stretch = Stretch(number, 1)
    return game_rows(what, stretch, play(what, stretch, keep=True).counted)


def holder(what: Setup, number: int, title: str) -> bool:
    """Whether somebody is dealt it in a game: who is dealt what does not depend on who plays."""
    row = the_game(what, number)
    return any(title in (row[f"held_{seat}.governor"][0] or ()) for seat in range(what.players))


PARTS = {"governors": governors, "destiny": destiny, "tiles": tiles, "strips": strips, "scenarios": scenarios}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games for each table (default: %(default)s)")
    parser.add_argument("--bots", default="greedy", help="the kind of bot in every seat (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=usable(), help="processes to play in (default: %(default)s)")
    parser.add_argument("--only", choices=sorted(PARTS), help="one of the tables")
    parser.add_argument("--players", type=int, nargs="+", default=[4], help="how many play (default: 4)")
    parser.add_argument("--governor", metavar="TITLE", help="a single one, only in games in which it is dealt")
    chosen = parser.parse_args()
    print(f"<!-- benchmarks/balance.py --games {chosen.games} --bots {chosen.bots}: {machine()} -->\n")
    if chosen.governor:
        for players in chosen.players:
            for table in one_governor(Games(chosen.bots, players, chosen.games, 1), chosen.governor):
                print(f"<!-- {players} players -->\n{table}", flush=True)
        return 0
    for name, part in PARTS.items():
        for players in chosen.players if chosen.only in (None, name) else ():
            began = time.perf_counter()
            for table in part(Games(chosen.bots, players, chosen.games, chosen.workers)):
                print(f"<!-- {players} players -->\n{table}", flush=True)
            print(f"{name}, {players} players: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
