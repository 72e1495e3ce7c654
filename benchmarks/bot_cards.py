"""A card for each bot: how long it thinks, how often it beats others, and what it needs.

    python benchmarks/bot_cards.py greedy learned --games 1000      three greedy, then three learned, against each bot
    python benchmarks/bot_cards.py search@300 --against learned --games 100
    python benchmarks/bot_cards.py --write                     the cards in docs/guides/opponents.md, from what is kept

Games are kept in a file, so that a run that was broken off, or one with more games, goes on where it was. One seat is
the bot's, going round the table; the luck of game `n` is the same for all bots. Games by other rules, weights or
networks are kept apart; take the file away when the bots themselves have changed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from machine import machine

from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import is_search, native_policy
from edict.agents.bots.match import Bot, Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, to_participant
from edict.agents.bots.networks import find_shipped_network
from edict.agents.bots.weights import find_shipped_weights
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.inference import estimate_share
from edict.agents.study.league_play import play_meetings
from edict.game.table.options import Ask
from edict.game.table.rules import load_rules
from edict.game.table.view import View
from edict.runtime.program import Program
from edict.runtime.simulation import native

HOME = Path(__file__).resolve().parent
PAGE = HOME.parent / "docs" / "guides" / "opponents.md"
KEPT = HOME / "bot_cards.json"
PLAYERS = 4
BEGIN, END = "<!-- cards: python benchmarks/bot_cards.py --write -->", "<!-- end of the cards -->"
PIECE = 200  # games that are played at once where the machine plays for all

Kept = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Against:
    """A bot, and who sits in all other seats."""

    program: Program
    bot: str
    opponent: str

    @property
    def name(self) -> str:
        """What its games are kept under; another network or other weights are another bot."""
        known = find_shipped_network(self.program), find_shipped_weights(self.program)
        text = "".join(one.to_json() for one in known if one)
        return f"{self.program.meaning} {sha256(text.encode()).hexdigest()[:12]} {self.bot} {self.opponent}"

    def seats(self, number: int) -> tuple[str, ...]:
        """Who sits where in game `number`."""
        return tuple(self.bot if seat == number % PLAYERS else self.opponent for seat in range(PLAYERS))

    def wins(self, numbers: Sequence[int]) -> float:
        """Shares of the victory in these games."""
        total = 0.0
        for seat in range(PLAYERS):
            own = [number for number in numbers if number % PLAYERS == seat]
            if own:
                total += sum(met.shares[seat] for met in play_meetings(GameSetup(self.program, self.seats(seat)), own))
        return total

    @property
    def piece(self) -> int:
        """How many games are played before they are written down."""
        quick = all(native_policy(self.program, kind, PLAYERS) for kind in (self.bot, self.opponent))
        return PIECE if quick else 1

    def played(self, kept: Kept, games: int) -> Iterator[dict[str, float]]:
        """What is known after every piece, up to so many games."""
        found = kept.setdefault(self.name, {"games": 0, "wins": 0.0})
        while found["games"] < games:
            first = int(found["games"])
            last = min(games, first + self.piece)
            found["wins"] += self.wins(range(first, last))
            found["games"] = last
            yield found


class Timed:
    """A bot whose thinking is timed, in seconds of processor."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.seconds, self.answers = 0.0, 0
        if hasattr(bot, "follow"):
            self.follow = bot.follow

    def choose(self, view: View, ask: Ask) -> int:
        return self._bot.choose(view, ask)

    def pick(self, state: list[int]) -> int:
        start = time.process_time()
        index = self._bot.pick(state)
        self.seconds += time.process_time() - start
        self.answers += 1
        return index


def seconds_an_answer(program: Program, kind: str) -> float:
    """Seconds of processor for an answer, in a game against `judge`, after one in which code is loaded."""
    for number in range(2):
        bots = [BOTS[kind if seat == 0 else "judge"](program, number) for seat in range(PLAYERS)]
        bots[0] = timed = Timed(bots[0])
        match = Match(create_bot_table(program, PLAYERS), number, natively=native.is_available())
        for _, index in iter_answers(match, [to_participant(bot) for bot in bots]):
            match.answer(index)
    return timed.seconds / max(1, timed.answers)


def needs(program: Program, kind: str) -> str:
    """What a bot needs to play like this."""
    name = kind.partition("@")[0]
    wanted = []
    if is_search(kind):
        wanted.append("native code")
    if name in ("learned", "flat", "search") and find_shipped_network(program):
        wanted.append("the network")
    elif name == "greedy" and find_shipped_weights(program):
        wanted.append("the weights")
    elif name == "judge":
        wanted.append("the rules")
    return ", ".join(wanted) or "nothing"


def table(program: Program, kept: Kept, opponents: Sequence[str]) -> str:
    """The cards of all bots that have played."""
    named = {one.rpartition(" ")[0].rpartition(" ")[2] for one in kept}
    order = {kind: number for number, kind in enumerate(BOTS)}
    lines = ["| bot | an answer takes | needs | " + " | ".join(f"against three `{one}`" for one in opponents) + " |"]
    lines.append("|---" * (3 + len(opponents)) + "|")
    for kind in sorted(named, key=lambda one: (order[one.partition("@")[0]], one.partition("@")[2].zfill(9))):
        games = [kept.get(Against(program, kind, one).name) for one in opponents]
        if any(games):
            took = next(game["seconds"] for game in games if game)
            cells = [_wins(game) if game else "" for game in games]
            lines.append(f"| `{kind}` | {_time(took)} | {needs(program, kind)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.2g} ms" if seconds < 0.1 else f"{seconds:.2g} s"


def _wins(found: dict[str, float]) -> str:
    rate = estimate_share(found["wins"], int(found["games"]))
    return f"{100 * rate.value:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f}) of {found['games']:,.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="*", help="as `play` takes them: greedy, search@300 ...")
    parser.add_argument("--against", default="random,greedy,learned", help="with commas between")
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--games", type=int, default=200, help="in all, with those that are kept")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FILE", help="where games are kept")
    parser.add_argument("--write", action="store_true", help="write the cards into docs/guides/opponents.md")
    chosen = parser.parse_args()
    opponents = chosen.against.split(",")
    for kind in (*chosen.bots, *opponents):
        if BOTS.find_problem(kind):
            parser.error(": ".join(BOTS.find_problem(kind) or ()))
    program = load_rules(chosen.rules).program
    kept: Kept = json.loads(chosen.kept.read_text(encoding="utf-8")) if chosen.kept.exists() else {}
    if native.is_available():
        native.translate(program)
    for kind in chosen.bots:
        for opponent in (one for one in opponents if one != kind):
            meeting = Against(program, kind, opponent)
            for found in meeting.played(kept, chosen.games):
                if "seconds" not in found:
                    found["seconds"] = seconds_an_answer(program, kind)
                chosen.kept.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
                print(f"{kind} against three {opponent}: {_wins(found)}", flush=True)
    cards = table(program, kept, opponents)
    if chosen.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{cards}{END}{rest.partition(END)[2]}", encoding="utf-8")
    else:
        print(f"{program.title}, {PLAYERS} players, {machine()}\n{cards}", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
