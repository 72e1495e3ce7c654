"""The benchmark set edict-bench: how often a bot wins ten games that ship, at tables and with luck that are frozen.

    python benchmarks/edict-bench/edict_bench.py                        the baselines, as a table
    python benchmarks/edict-bench/edict_bench.py --bots mine.py:Mine    a bot of your own
    python benchmarks/edict-bench/edict_bench.py --only pig --bots search@200 --rounds 50
    python benchmarks/edict-bench/edict_bench.py --check                whether rules or bots have changed since
    python benchmarks/edict-bench/edict_bench.py --write                keeps what it plays, and puts it into the card

A bot has one seat, going round the table, and the bots of the set have all others; in a game that is played together it
has them all. `version-1.json` freezes games, seats, seed, rounds and, by a fingerprint, how the rules play;
`results-1.csv` has what the baselines reached. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import is_search
from edict.agents.bots.weights import find_shipped_weights
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.inference import estimate_mean, estimate_share
from edict.agents.study.league_play import play_meetings
from edict.agents.study.tables import FINGERPRINT_GAMES, compute_fingerprint
from edict.apps.cli.seating import print_speed_notice
from edict.game.table.rules import load_rules

HERE = Path(__file__).parent
VERSION = 1
FROZEN, RESULTS, CARD = HERE / f"version-{VERSION}.json", HERE / f"results-{VERSION}.csv", HERE / "README.md"
BEGIN, END = "<!-- results: python benchmarks/edict-bench/edict_bench.py --write -->\n", "<!-- end of the results -->"


@dataclass(frozen=True)
class Table:
    """A game of the set: how many play, which bot has the other seats (none: all is played together), how often each
    seat is taken by a bot that answers at once and by one that thinks, and the fingerprint of games played by lot."""

    rules: str
    players: int
    others: str
    rounds: int
    thinking: int
    plays: str = ""

    def rounds_of(self, bot: str) -> int:
        return self.thinking if at_length(bot) else self.rounds

    def setup(self, bot: str, seat: int, seed: int) -> GameSetup:
        seats = (self.others or bot,) * self.players
        return GameSetup(load_rules(self.rules).program, (*seats[:seat], bot, *seats[seat + 1 :]), (), seed)

    def now(self, seed: int) -> str:
        """How the rules play today."""
        return compute_fingerprint(GameSetup(load_rules(self.rules).program, ("random",) * self.players, (), seed))


@dataclass(frozen=True)
class Result:
    """What a bot reached in one game of the set: games, in how many of them it was among the winners, how often anybody
    wins who is no better than the others, its mean score with the interval, the fingerprint of its first games."""

    rules: str
    bot: str
    others: str
    games: int
    won: int
    even: float
    score: float
    score_low: float
    score_high: float
    fingerprint: str

    def __str__(self) -> str:
        """How often it won; where all play together, how far they came."""
        if not self.others:
            return f"{self.score:.2f} ({self.score_low:.2f} to {self.score_high:.2f})"
        rate = estimate_share(self.won, self.games)
        return f"{100 * rate.value:.0f} % ({100 * rate.low:.0f} to {100 * rate.high:.0f})"


def frozen() -> tuple[int, list[str], list[Table]]:
    """The seed, the baselines, and the games."""
    what = json.loads(FROZEN.read_text(encoding="utf-8"))
    return what["seed"], what["baselines"], [Table(**one) for one in what["games"]]


def at_length(bot: str) -> bool:
    """Whether a bot may take long, so that few of its games are played."""
    return is_search(bot) or BOTS.is_user_code(bot)


def reached(table: Table, bot: str, rounds: int, seed: int) -> Result:
    """Every seat in turn, `rounds` times; together, as many games."""
    seats = range(table.players if table.others else 1)
    games = rounds * table.players
    won, even, scores = 0, 0.0, list[int]()
    for seat in seats:
        for met in play_meetings(table.setup(bot, seat, seed), range(seat, games, len(seats))):
            winners = sum(share > 0 for share in met.shares)
            won += met.shares[seat] > 0
            even += winners / table.players
            scores.append(met.scores[seat])
    score = estimate_mean(sum(scores), sum(score * score for score in scores), games)
    return Result(
        table.rules,
        bot,
        table.others,
        games,
        won,
        round(even / games, 4),
        round(score.value, 3),
        round(score.low, 3),
        round(score.high, 3),
        first_games(table, bot, seed),
    )


def first_games(table: Table, bot: str, seed: int) -> str:
    """How a bot plays the first games of the set; of one that thinks long, a single game."""
    return compute_fingerprint(table.setup(bot, 0, seed), 1 if at_length(bot) else FINGERPRINT_GAMES)


def same_as(table: Table, bot: str) -> str:
    """The baseline that this one comes down to where a game ships neither weights nor a network."""
    program = load_rules(table.rules).program
    if bot == "learned" and BOTS.describe_limits(bot, program):
        bot = "greedy"
    return "judge" if bot == "greedy" and find_shipped_weights(program) is None else bot


def alike(table: Table, bot: str) -> str:
    """What stands for a result that there is no need to play for."""
    same = same_as(table, bot)
    return f"as `{same}`" if same != bot else ""


# --- the table --------------------------------------------------------------------------------


def rows(found: Sequence[Result]) -> Iterator[str]:
    """How often each bot won, a row for each game; what comes down to another baseline is said to."""
    bots = list(dict.fromkeys(one.bot for one in found))
    yield "| game | players | the others | even | " + " | ".join(f"`{bot}`" for bot in bots) + " |"
    yield "|---" * 4 + "|---:" * len(bots) + "|"
    by = {(one.rules, one.bot): one for one in found}
    for table in frozen()[2]:
        here = [one for one in found if one.rules == table.rules]
        if here:
            others, even = (f"`{table.others}`", f"{100 * here[0].even:.0f} %") if table.others else ("together", "")
            own = [str(by.get((table.rules, bot), "")) or alike(table, bot) for bot in bots]
            yield f"| {table.rules} | {table.players} | {others} | {even} | {' | '.join(own)} |"


def read() -> list[Result]:
    """What the baselines reached."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        types = {field.name: {"str": str, "int": int, "float": float}[str(field.type)] for field in fields(Result)}
        return [Result(**{name: types[name](text) for name, text in row.items()}) for row in csv.DictReader(file)]


def keep(found: Sequence[Result]) -> None:
    """Write these results, beside those of other games and bots, and the table of the card."""
    _, baselines, tables = frozen()
    made = {(one.rules, one.bot) for one in found}
    old = [one for one in read() if (one.rules, one.bot) not in made] if RESULTS.exists() else []
    games, bots = [table.rules for table in tables], baselines
    results = sorted([*old, *found], key=lambda one: (games.index(one.rules), bots.index(one.bot)))
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, [field.name for field in fields(Result)], lineterminator="\n")
        out.writeheader()
        out.writerows(map(asdict, results))
    CARD.write_text(_with_rows(CARD.read_text(encoding="utf-8"), results), encoding="utf-8")


def _with_rows(card: str, results: Sequence[Result]) -> str:
    before, _, rest = card.partition(BEGIN)
    inside = [one for bot in frozen()[1] for one in results if one.bot == bot]
    return f"{before}{BEGIN}{chr(10).join(rows(inside))}\n{END}{rest.partition(END)[2]}"


def freeze() -> None:
    """Take down how the rules play today; for a new version only."""
    what = json.loads(FROZEN.read_text(encoding="utf-8"))
    tables = [{**one, "plays": Table(**one).now(what["seed"])} for one in what["games"]]
    lines = ",\n".join(f"  {json.dumps(one)}" for one in tables)
    head = "".join(f' "{name}": {json.dumps(what[name])},\n' for name in ("version", "seed", "baselines"))
    FROZEN.write_text(f'{{\n{head} "games": [\n{lines}\n ]\n}}\n', encoding="utf-8")


def changed(bots: bool) -> Iterator[str]:
    """A line for each game whose rules play otherwise than in this version, and (`bots`) each baseline that
    does."""
    seed, _, tables = frozen()
    by_name = {table.rules: table for table in tables}
    for table in tables:
        if table.now(seed) != table.plays:
            yield f"{table.rules}: the rules play otherwise than in version {VERSION}; its results do not compare"
    for one in read() if bots else ():
        if first_games(by_name[one.rules], one.bot, seed) != one.fingerprint:
            yield f"{one.rules}: `{one.bot}` plays otherwise than when its result was kept"
    if bots and CARD.read_text(encoding="utf-8") != _with_rows(CARD.read_text(encoding="utf-8"), read()):
        yield f"the card has another table than {RESULTS.name}"


def main() -> int:
    seed, baselines, tables = frozen()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", nargs="+", default=baselines, help="as `play` takes them (default: the baselines)")
    games = [table.rules for table in tables]
    parser.add_argument("--only", nargs="+", choices=games, metavar="GAME", help=f"some of {', '.join(games)}")
    parser.add_argument("--rounds", type=int, help="games for each seat (default: as frozen)")
    parser.add_argument("--seed", type=int, default=seed, help="another one gives other games than the set's")
    parser.add_argument("--check", action="store_true", help="only say what has changed since this version")
    parser.add_argument("--write", action="store_true", help="keep results of baselines, and put them into the card")
    parser.add_argument("--freeze", action="store_true", help="take down how the rules play: for a new version")
    chosen = parser.parse_args()
    for bot in chosen.bots:
        if BOTS.find_problem(bot):
            parser.error(": ".join(BOTS.find_problem(bot) or ()))
    if chosen.rounds is not None and chosen.rounds < 1:
        parser.error("a bot plays at least one round of the table: --rounds 1")
    if chosen.write and (chosen.seed != seed or chosen.rounds or not set(chosen.bots) <= set(baselines)):
        parser.error("only baselines are kept, with the seed and the rounds of the set")
    print_speed_notice()
    if chosen.freeze:
        freeze()
        return 0
    news = list(changed(bots=chosen.check))
    print("\n".join(news) or f"edict-bench, version {VERSION}: the rules play as they did.", file=sys.stderr)
    if chosen.check:
        return 1 if news else 0
    found: list[Result] = []
    for table in tables:
        for bot in chosen.bots if not chosen.only or table.rules in chosen.only else ():
            if same_as(table, bot) == bot or same_as(table, bot) not in chosen.bots:
                found.append(reached(table, bot, chosen.rounds or table.rounds_of(bot), chosen.seed))
                print(f"{table.rules}, {bot}: {found[-1]}", file=sys.stderr, flush=True)
                if chosen.write:
                    keep(found)
    inside = [one for bot in chosen.bots for one in found if one.bot == bot]
    print("\n".join(rows(inside)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
