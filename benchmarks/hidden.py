"""Games with hidden hands: how often a bot that thinks beats random ones, and how soon it finds what may be the case.

python benchmarks/hidden.py                                      all of them, search@0.1s, 40 games each
python benchmarks/hidden.py four-winds --bot search@1s --games 200 --against greedy
"""

from __future__ import annotations

import argparse
import time
from random import Random

from machine import machine

from edict.agents.bots import BOTS
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.inference import estimate_share
from edict.agents.study.league_play import play_meetings
from edict.game.table.belief import History
from edict.game.table.rules import load_rules
from edict.runtime.simulation import native

TABLES = {
    "four-winds": 4,
    "foxes-at-court": 3,
    "harbour-lots": 3,
    "four-lanes": 4,
    "sixty-four": 3,
    "kuhn-poker": 2,
    "kingsburg": 3,
}


class Drawn:
    """What was drawn while games were played: answers that needed it, those without any course, courses, seconds."""

    def __init__(self) -> None:
        self.answers = self.none = self.worlds = self.wanted = 0
        self.seconds = [0.0]

    def counted(self) -> None:
        """Have every drawing counted from now on."""
        worlds = History.sample_worlds

        def counting(history: History, seat: int, number: int, luck: Random) -> list[list[int]]:
            start = time.perf_counter()
            found = worlds(history, seat, number, luck)
            if history.has_hidden_cells(seat):
                self.answers += 1
                self.none += not found
                self.worlds += len(found)
                self.wanted += number
                self.seconds.append(time.perf_counter() - start)
            return found

        History.sample_worlds = counting  # type: ignore[assignment, method-assign]

    def told(self) -> str:
        answers = max(1, self.answers)
        return (
            f"  {self.answers} answers with something hidden: {self.worlds / answers:.1f} of "
            f"{self.wanted / answers:.0f} courses found in "
            f"{1000 * sum(self.seconds) / answers:.0f} ms (worst {1000 * max(self.seconds):.0f}); none in {self.none}"
        )


def measured(name: str, kinds: tuple[str, str], games: int, seed: int) -> str:
    """One seat is the bot's, going round the table, all others are the opponent's."""
    program, players = load_rules(name).program, TABLES.get(name, 0)
    players = players or program.most_players
    if native.is_available():
        native.translate(program)
    wins, even = 0.0, 0.0
    for number in range(games):
        seat = number % players
        (met,) = play_meetings(GameSetup(program, tuple(kinds[s != seat] for s in range(players)), (), seed), [number])
        winners = sum(share > 0 for share in met.shares)
        wins += met.shares[seat] > 0
        even += winners / players
    rate = estimate_share(wins, games)
    return (
        f"{program.title}, {players} players: wins {100 * rate.value:.0f} % ({100 * rate.low:.0f} to "
        f"{100 * rate.high:.0f}), an even share is {100 * even / games:.0f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", default=list(TABLES), help="games by name or path")
    parser.add_argument("--bot", default="search@0.1s", help="as `play` takes it: greedy, search@0.5s ...")
    parser.add_argument("--against", default="random")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="of the first game; the others count on from it")
    chosen = parser.parse_args()
    for kind in (chosen.bot, chosen.against):
        if BOTS.find_problem(kind):
            parser.error(": ".join(BOTS.find_problem(kind) or ()))
    print(f"{chosen.bot} against {chosen.against}, {chosen.games} games each, {machine()}")
    worlds = History.sample_worlds
    for name in chosen.rules:
        History.sample_worlds = worlds  # type: ignore[method-assign]
        drawn = Drawn()
        drawn.counted()
        print(measured(name, (chosen.bot, chosen.against), chosen.games, chosen.seed), flush=True)
        print(drawn.told(), flush=True)


if __name__ == "__main__":
    main()
