"""What every card, strip and scenario of the modules is worth, between bots of one kind: the tables of docs/balance.md.

    python benchmarks/balance.py --games 20000 --bots greedy
    python benchmarks/balance.py --only governors --games 40000 --players 2 3 4 5 --into docs/balance.md
    python benchmarks/balance.py --governor Duke --bots search@20 --games 100 --players 2

Governors: the share of wins of whoever holds one, dealt at random, as a multiple of an even share (1.00 is even).
Destiny cards and advisors' tiles: what one does to a player's score, by games in which it was drawn and others. Strips:
the share of wins of whoever uses one, and how often its buildings are constructed. Scenarios: what one changes, in
pairs of games with the same seeds. Everything with its 95 % interval; far out is marked with !. Each table is made for
each number of players; `--into` puts it where it belongs on a page: between `<!-- governors -->` and its end, or for
bots other than `greedy` `<!-- governors, learned -->`.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from machine import machine

from edict.bots import BOTS
from edict.program import Program
from edict.simulation.counting import Pick, count_in_python
from edict.study.tables import Columns, game_rows, listed
from edict.study.comparison import Comparison
from edict.study.summary import Data, study_data
from edict.study.games import Setup, GameRange, plan_of, play, seeds_of
from edict.study.inference import wilson
from edict.study.studying import Study
from edict.processes.spreading import alone, processes, usable
from edict.table.rules import load_rules
from edict.table.setup import checked_settings

GAME = "kingsburg"
LOW, HIGH = 0.75, 1.3  # of an even share of wins: what lies outside is far out
USUAL = 4  # players
NEVER = 0.02  # times a player and game: what is built less often is as good as never built


@dataclass(frozen=True)
class Table:
    """A table of the page; `each`: its column that is shown for each number of players."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]] = field(default=())
    each: str = ""

    def __str__(self) -> str:
        lines = [f"### {self.title}", "", "| " + " | ".join(self.head) + " |", "|" + "---|" * len(self.head)]
        return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in self.rows), ""])


def at_every_table(by_players: dict[int, Table]) -> Table:
    """Tables of different numbers of players in one: what is not shown for each is that at the usual table.

    Rows go by their first column, and are in the order of that table; a mark in any is a mark.
    """
    usual = by_players.get(USUAL) or by_players[max(by_players)]
    if not usual.each or len(by_players) == 1:
        return usual
    at, last = usual.head.index(usual.each), len(usual.head) - 1
    rows = {players: {row[0]: row for row in table.rows} for players, table in by_players.items()}
    merged = []
    for row in usual.rows:
        all_of_it = [rows[players].get(row[0], [""] * len(usual.head)) for players in by_players]
        marks = "!" if usual.head[last] == "" and any(one[last] for one in all_of_it) else ""
        rest = row[at + 1 :] if usual.head[last] else [*row[at + 1 : last], marks]
        merged.append([*row[:at], *(one[at] for one in all_of_it), *rest])
    first, *others = by_players
    sizes = [f"{usual.each}, {first} players", *map(str, others)]
    head = [*usual.head[:at], *sizes, *usual.head[at + 1 :]]
    return Table(usual.title, head, merged)


def put_into(page: Path, name: str, text: str) -> None:
    """Put text between the marks of this name in a page, which must be there."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    if not begin or not end:
        raise SystemExit(f"{page} has no place for {name}: <!-- {name} --> and <!-- end of {name} -->")
    page.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")


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
        return study_data(what, study.totals, self.count)

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
        [o["option"], origin[o["option"]], games.share(o), games.mark(o)]
        for o in sorted(held, key=_wins, reverse=True)
    ]
    head = ("governor", "origin", "share of wins", "")
    yield Table("Governors, dealt at random", head, rows, "share of wins")


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
    return Table(title, (kind, "origin", "VP"), rows, "VP")


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
    yield Table("Strips: a player is dealt two and uses what they like", head, rows, "share of wins")
    built = next(g for g in found["chosen"] if g["of"] == "building")["options"]
    rows = [
        [o["option"], origin[o["option"]], f"{o['often']:.3f}", f"{100 * (o['taken'] or 0):.0f} %", games.share(o),
         "!" if o["often"] < NEVER else ""]
        for o in built if o["option"] in origin and o["option"] not in printed
    ]  # fmt: skip
    columns = ("building", "origin", "built, a player and game", "taken when possible", "share of wins", "")
    yield Table("Buildings of the strips", columns, rows, "built, a player and game")


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
                row = {name: listed(values)[0] for name, values in the_game(what, number).items()}
                wins.append(next(row[f"win_{s}"] for s in range(games.players) if title in row[f"held_{s}.governor"]))
    found = wilson(sum(wins), len(wins))
    share = " to ".join(f"{games.players * value:.2f}" for value in (found.low, found.high))
    cells = (title, str(len(wins)), f"{games.players * found.value:.2f} ({share})")
    yield Table(f"One governor, {games.bots}", ("governor", "games", "share of wins"), [cells])


def the_game(what: Setup, number: int) -> Columns:
    """The row of one game. Bots that think read what is hidden as nothing here, as other worlds take them too long."""
    stretch = GameRange(number, 1)
    if what.native:
        return game_rows(what, stretch, play(what, stretch, keep=True).counted)

    def picks(seed: int) -> Sequence[Pick]:
        return [BOTS[kind](what.program, seed + seat).pick for seat, kind in enumerate(what.bots)]

    seeds, settings = seeds_of(what, stretch), dict(what.settings)
    return game_rows(what, stretch, count_in_python(plan_of(what), seeds, settings, keep=True, picks=picks))


def holder(what: Setup, number: int, title: str) -> bool:
    """Whether somebody is dealt it in a game: who is dealt what does not depend on who plays."""
    row = the_game(what, number)
    return any(title in (listed(row[f"held_{seat}.governor"])[0] or ()) for seat in range(what.players))


PARTS = {"governors": governors, "destiny": destiny, "tiles": tiles, "strips": strips, "scenarios": scenarios}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games for each table (default: %(default)s)")
    parser.add_argument("--bots", default="greedy", help="the kind of bot in every seat (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=usable(), help="processes to play in (default: %(default)s)")
    parser.add_argument("--only", choices=sorted(PARTS), help="one of the tables")
    parser.add_argument("--players", type=int, nargs="+", default=[4], help="how many play (default: 4)")
    parser.add_argument("--into", type=Path, help="also put the tables into this page, between its marks")
    parser.add_argument("--governor", metavar="TITLE", help="a single one, only in games in which it is dealt")
    chosen = parser.parse_args()
    print(f"<!-- benchmarks/balance.py --games {chosen.games} --bots {chosen.bots}: {machine()} -->\n")
    if chosen.governor:
        for players in chosen.players:
            for table in one_governor(Games(chosen.bots, players, chosen.games, 1), chosen.governor):
                print(f"<!-- {players} players -->\n{table}", flush=True)
        return 0
    for name, part in PARTS.items():
        if chosen.only in (None, name):
            found: dict[str, dict[int, Table]] = {}
            for players in chosen.players:
                began = time.perf_counter()
                for table in part(Games(chosen.bots, players, chosen.games, chosen.workers)):
                    found.setdefault(table.title, {})[players] = table
                print(f"{name}, {players} players: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
            text = "\n".join(str(at_every_table(tables)) for tables in found.values())
            print(text, flush=True)
            if chosen.into:
                put_into(chosen.into, name if chosen.bots == "greedy" else f"{name}, {chosen.bots}", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
