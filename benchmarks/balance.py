"""What every card, strip and scenario of the modules is worth between bots of one kind: the tables of balance.md.

    python benchmarks/balance.py                 everything, printed
    python benchmarks/balance.py --write         kept in benchmarks/balance.csv too, and the page made of that
    python benchmarks/balance.py --check         whether figures are older than rules, bots or engine
    python benchmarks/balance.py --only governors --games 40000 --players 4 --bots learned --seed 2
    python benchmarks/balance.py --governor Duke --bots search@20 --games 100 --players 2

Governors and strips: the share of wins of whoever holds or uses one, as a multiple of an even share (1.00 is even).
Destiny cards and advisors' tiles: what one does to a player's score, by games in which it was drawn and others.
Buildings of the strips: how often one is constructed, a player and game. Scenarios: what one changes, in pairs of games
with the same luck. Intervals are 95 %. In `balance.csv` each figure has the fingerprint of the games it comes from.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path

from balance_page import stale, write

from edict.agents.bots import BOTS
from edict.agents.bots.match import Bot, Match, Participant
from edict.agents.study.bot_games import (
    BotSeats,
    GameRange,
    GameSetup,
    derive_seeds,
    get_plan,
    play_bot_games,
    play_range,
)
from edict.agents.study.comparison import Comparison
from edict.agents.study.inference import estimate_share
from edict.agents.study.study_run import Study
from edict.agents.study.summary import Data, summarize_study
from edict.agents.study.tables import Columns, build_game_rows, compute_fingerprint, to_list
from edict.game.table.rules import load_rules
from edict.game.table.setup import check_settings
from edict.runtime.program import Program
from edict.support.processes.distribution import ExecutorStarter, process_starter, start_inline

GAME = "kingsburg"
KEPT = Path(__file__).parent / "balance.csv"
PAGE = Path(__file__).parent / "balance.md"
USUAL = 4  # players
SCENARIOS = ("goblin-valley", "long-winter", "settlements-and-deals", "summer-tournament", "first-edition")
CHANGES = {
    "score per player": "VP of a player",
    "winning score": "VP of the winner",
    "margin between first and second": "lead of the winner",
    "choices per game": "choices in a game",
}


@dataclass(frozen=True)
class Figure:
    """A line of `balance.csv`: the value of one thing between these bots, and its games' fingerprint."""

    part: str
    thing: str
    origin: str
    measure: str
    bots: str
    players: int
    games: int
    seed: int
    value: float
    low: float
    high: float
    fingerprint: str


@dataclass(frozen=True)
class Games:
    """Who plays how many games of a table, with what luck: bots of one kind in all seats."""

    bots: str
    players: int
    count: int
    seed: int
    workers: int

    @property
    def start(self) -> ExecutorStarter:
        return process_starter(self.workers) if self.workers > 1 else start_inline

    def studied(self, what: GameSetup) -> Data:
        study = Study(what, self.count)
        study.run(self.start, lambda done: None)
        return summarize_study(what, study.totals, self.count)

    def setup(self, modules: Sequence[str] = (), **settings: object) -> GameSetup:
        program = load_rules(GAME, tuple(modules)).program
        values = check_settings(program, {name.replace("_", "-"): value for name, value in settings.items()})
        return GameSetup(program, (self.bots,) * self.players, tuple(sorted(values.items())), self.seed)


@dataclass(frozen=True)
class Found:
    """What a part says of one thing, before it is known by whom: `share` counts as a multiple of an even share."""

    thing: str
    measure: str
    value: float
    low: float
    high: float
    origin: str = ""


def of_wins(thing: str, option: Data, players: int, origin: str = "") -> Found:
    share = option["with"]["win_share"]
    value, low, high = (share[key] * players for key in ("value", "low", "high"))
    return Found(thing, "share of wins", value, low, high, origin)


def origins(program: Program, kind: str) -> dict[str, str]:
    """Where the things of a kind come from, by title (and by title and name, where two have one title)."""
    things = program.kind_by_name[kind].things
    return {title: thing.origin for thing in things for title in (thing.title, f"{thing.title}, {thing.name}")}


def group(found: Data, part: str, title: str) -> list[Data]:
    """The options of a group of findings, by its title."""
    options: list[Data] = next(group["options"] for group in found[part] if group["title"] == title)
    return options


# --- the parts --------------------------------------------------------------------------------


class Governors:
    """Dealt at random."""

    kind, games = "governor", 2000

    def setups(self, games: Games) -> list[GameSetup]:
        return [games.setup(["governors"], random_governors="on")]

    def found(self, games: Games) -> Iterator[Found]:
        (what,) = self.setups(games)
        origin = origins(what.program, self.kind)
        for option in group(games.studied(what), "held", "governor"):
            yield of_wins(option["option"], option, games.players, origin[option["option"]])


@dataclass(frozen=True)
class Drawn:
    """Cards of which luck alone decides whether they come up, which makes an experiment of it."""

    module: str
    kind: str
    games: int

    def setups(self, games: Games) -> list[GameSetup]:
        return [games.setup([self.module])]

    def found(self, games: Games) -> Iterator[Found]:
        (what,) = self.setups(games)
        origin = origins(what.program, self.kind)
        for one in next(g for g in games.studied(what)["drawn"] if g["of"] == self.kind)["options"]:
            effect = one["effect"]
            yield Found(one["option"], "VP", effect["value"], effect["low"], effect["high"], origin[one["option"]])


class Strips:
    """A player is dealt two and uses what they like; `buildings` are those of the strips."""

    games = 2000

    def setups(self, games: Games) -> list[GameSetup]:
        return [games.setup(["alternate-rows"])]

    def found(self, games: Games) -> Iterator[Found]:
        (what,) = self.setups(games)
        found = games.studied(what)
        origin = origins(what.program, "building")
        printed = {thing.title for thing in games.setup().program.kind_by_name["building"].things}
        together: dict[str, list[Data]] = {}
        for option in group(found, "held", "province sheet"):
            if option["option"] not in printed:
                together.setdefault(str(option["by_seat"]), []).append(option)
        for same in together.values():
            yield of_wins(", ".join(one["option"] for one in same), same[0], games.players)
        for one in next(g for g in found["chosen"] if g["of"] == "building")["options"]:
            if one["option"] in origin and one["option"] not in printed:
                often = one["often"]
                yield Found(one["option"], "constructed", often, often, often, origin[one["option"]])


class Scenarios:
    """Pairs of games, against the base game; the intervals of one comparison hold at once."""

    games = 1000  # pairs

    def setups(self, games: Games) -> list[GameSetup]:
        return [games.setup(), *(games.setup([name]) for name in SCENARIOS)]

    def found(self, games: Games) -> Iterator[Found]:
        for name in SCENARIOS:
            pairs = Comparison(games.setup(), games.setup([name]), games.count)
            pairs.run(games.start, lambda done: None)
            for answer in pairs.evaluate():
                if answer.question.name in CHANGES:
                    yield Found(name, CHANGES[answer.question.name], answer.value, answer.low, answer.high)


Part = Governors | Drawn | Strips | Scenarios
PARTS: dict[str, Part] = {
    "governors": Governors(),
    "destiny": Drawn("destiny", "destiny", 2000),
    "tiles": Drawn("advisor-tiles", "tile", 2000),
    "strips": Strips(),
    "scenarios": Scenarios(),
}


def as_played(name: str, games: Games) -> str:
    """The fingerprint of a part's games, between these bots."""
    found = [compute_fingerprint(setup) for setup in PARTS[name].setups(games)]
    return found[0] if len(found) == 1 else sha256("".join(found).encode()).hexdigest()[: len(found[0])]


def measured(name: str, games: Games) -> list[Figure]:
    """All figures of a part, between these bots."""
    began, as_they_go = time.perf_counter(), as_played(name, games)
    found = [
        Figure(
            name,
            one.thing,
            one.origin,
            one.measure,
            games.bots,
            games.players,
            games.count,
            games.seed,
            round(one.value, 4),
            round(one.low, 4),
            round(one.high, 4),
            as_they_go,
        )
        for one in PARTS[name].found(games)
    ]
    taken = time.perf_counter() - began
    print(f"{name}, {games.players} {games.bots}: {taken:.0f} s", file=sys.stderr, flush=True)
    return found


# --- what is kept -----------------------------------------------------------------------------


def read() -> list[Figure]:
    """What was measured last."""
    with KEPT.open(encoding="utf-8", newline="") as file:
        types = {f.name: {"str": str, "int": int, "float": float}[str(f.type)] for f in fields(Figure)}
        return [Figure(**{name: types[name](text) for name, text in row.items()}) for row in csv.DictReader(file)]


def keep(found: Iterable[Figure]) -> list[Figure]:
    """Put these in the place of what was measured before by the same bots at the same tables."""
    new = list(found)
    made = {(one.part, one.bots, one.players) for one in new}
    old = [one for one in read() if (one.part, one.bots, one.players) not in made] if KEPT.exists() else []
    order = list(PARTS)
    figures = sorted([*old, *new], key=lambda one: (order.index(one.part), one.bots, one.players))
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [f.name for f in fields(Figure)], lineterminator="\n")
        rows.writeheader()
        rows.writerows(map(asdict, figures))
    return figures


def outdated(figures: Sequence[Figure]) -> Iterator[str]:
    """One line for every table whose games would go otherwise today."""
    for name, bots, players, seed, was in sorted({(f.part, f.bots, f.players, f.seed, f.fingerprint) for f in figures}):
        if as_played(name, Games(bots, players, 0, seed, 1)) != was:
            yield f"{name}: games of {players} {bots} bots go otherwise than when this was measured"


# --- one governor -----------------------------------------------------------------------------


def one_governor(games: Games, title: str) -> str:
    """What a single governor is worth between bots too slow for many games: only games in which it is dealt.

    Ctrl-C ends it with the games played so far.
    """
    (what,), wins = Governors().setups(games), list[float]()
    with contextlib.suppress(KeyboardInterrupt):
        for number in range(100 * games.count):
            if len(wins) < games.count and holder(replace(what, bots=("random",) * games.players), number, title):
                row = {name: to_list(values)[0] for name, values in the_game(what, number).items()}
                wins.append(next(row[f"win_{s}"] for s in range(games.players) if title in row[f"held_{s}.governor"]))
    found = estimate_share(sum(wins), len(wins))
    value, low, high = (f"{games.players * share:.2f}" for share in (found.value, found.low, found.high))
    return f"{title}, {games.players} {games.bots}, {len(wins)} games: {value} ({low} to {high})"


def the_game(what: GameSetup, number: int) -> Columns:
    """The row of one game. Bots that think read what is hidden as nothing here, as other worlds take them too long."""
    stretch = GameRange(number, 1)
    if what.is_native:
        return build_game_rows(what, stretch, play_range(what, stretch, keep=True).counted)

    seeds, settings, players = derive_seeds(what, stretch), dict(what.settings), ForgetfulPlayers(what)
    played = play_bot_games(get_plan(what), stretch.numbers, seeds, settings, what.bots, players=players)
    return build_game_rows(what, stretch, played.counted)


@dataclass(frozen=True)
class Forgetful:
    """A bot in a seat that is not shown what went before."""

    bot: Bot
    values: None = None

    def decide(self, match: Match) -> int:
        return self.bot.pick(match.state)


class ForgetfulPlayers(BotSeats):
    """The bots of a setup, with seeds that follow from the game's."""

    def __init__(self, what: GameSetup) -> None:
        super().__init__(what.program, what.bots)
        self._setup = what

    def create_seats(self, seed: int) -> Sequence[Participant]:
        return [Forgetful(BOTS[kind](self._setup.program, seed + at)) for at, kind in enumerate(self._setup.bots)]


def holder(what: GameSetup, number: int, title: str) -> bool:
    """Whether somebody is dealt it in a game: who is dealt what does not depend on who plays."""
    row = the_game(what, number)
    return any(title in (to_list(row[f"held_{seat}.governor"])[0] or ()) for seat in range(what.players))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(PARTS), help="one of the tables")
    parser.add_argument("--bots", nargs="+", default=["greedy", "learned"], help="kinds, each in all seats by itself")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 4], help="how many play (default: 2 4)")
    parser.add_argument("--games", type=int, help="for each table (default: as many as on the page)")
    parser.add_argument("--seed", type=int, default=1, help="what the luck of all games begins with")
    parser.add_argument("--workers", type=int, default=1, help="processes to play in (default: %(default)s)")
    parser.add_argument("--governor", metavar="TITLE", help="a single one, only in games in which it is dealt")
    parser.add_argument("--write", action="store_true", help="keep the figures, and put them on the page")
    parser.add_argument("--page", action="store_true", help="only put the figures that are kept on the page")
    parser.add_argument("--check", action="store_true", help="only say which figures that are kept are out of date")
    chosen = parser.parse_args()
    if chosen.check:
        wrong = [*outdated(read()), *stale(PAGE, read())]
        print("\n".join(wrong) or "Every figure is what these rules, these bots and this engine give.")
        return 1 if wrong else 0
    tables = [] if chosen.page else list(asked_for(chosen))
    for name, games in tables:
        if chosen.governor:
            print(one_governor(games, chosen.governor), flush=True)
            continue
        found = measured(name, games)
        for one in sorted(found, key=lambda one: (one.measure, -one.value)):
            print(f"{one.thing}, {one.measure}: {one.value:+.3f} ({one.low:+.3f} to {one.high:+.3f})", flush=True)
        if chosen.write:
            keep(found)
    if chosen.write or chosen.page:
        write(PAGE, read())
    return 0


def asked_for(chosen: argparse.Namespace) -> Iterator[tuple[str, Games]]:
    """The tables that somebody wants, each with who plays how many games for it."""
    for name in ["governors"] if chosen.governor else [chosen.only] if chosen.only else PARTS:
        scenarios = name == "scenarios"  # pairs take twice the games: one table, of the bots named first
        for bots in chosen.bots[:1] if scenarios else chosen.bots:
            for players in [USUAL] if scenarios else chosen.players:
                yield name, Games(bots, players, chosen.games or PARTS[name].games, chosen.seed, chosen.workers)


if __name__ == "__main__":
    sys.exit(main())
