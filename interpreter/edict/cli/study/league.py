"""`league`: bots rated by games among them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from edict.bots import BOTS
from edict.bots.kinds import thinks
from edict.cli.errors import STOPPED, UsageError
from edict.cli.loading import rules_of
from edict.cli.playing.players import checked_kind
from edict.cli.study.output import write_all
from edict.cli.study.progress import progress
from edict.cli.warming import warned
from edict.cli.study.wishes import between, players_of, seed_of
from edict.files import Target
from edict.program import Program
from edict.resources import installing
from edict.study import rating
from edict.study.league import play, tables
from edict.study.rating import Meeting, Rating, rated

MOST = 1_000_000
USUAL_BUDGET = "50"  # tries for an answer: a league of a second each would take days
MANY = 50  # games from which on native code is worth waiting for


def league(
    game: str, modules: Sequence[str], bots: str, games: int, players: int, budget: str, seed: str,
    output: Target | None,
) -> int:  # fmt: skip
    """Play, rate, tell, write; gives the exit code. Ctrl-C ends it with the games played so far."""
    if not rating.available():
        raise UsageError("ratings need openskill", installing("study"))
    between("games", games, 1, MOST)
    first = seed_of(seed, bits=62)
    kinds = _kinds(bots, budget)
    if output is not None:
        output.check()
    program = rules_of(game, modules).program
    seats = players_of(program, players)
    for kind in kinds:
        BOTS[kind](program, 0)  # a file of weights that cannot be used is told now
    if games >= MANY or any(map(thinks, kinds)):
        warned()
    played, stopped = _play(program, kinds, seats, games, first)
    if not played:
        print("No game was finished.", file=sys.stderr)
        return STOPPED
    table = rated(played)
    _tell(program, table, len(played), games)
    failed = write_all([(output, lambda: _json(program, table, played, first))] if output else [])
    return STOPPED if stopped else failed


def _play(program: Program, kinds: Sequence[str], seats: int, games: int, seed: int) -> tuple[list[Meeting], bool]:
    played: list[Meeting] = []
    try:
        with progress("Playing", games) as told:
            for number, seated in enumerate(tables(kinds, seats, games, seed)):
                played.append(play(program, seated, seed + number))
                told(len(played))
    except KeyboardInterrupt:
        return played, True
    return played, False


def _kinds(bots: str, budget: str) -> list[str]:
    named = [name.strip() for name in bots.split(",")] if bots else list(BOTS)
    if len(set(named)) < 2 or len(set(named)) != len(named):
        raise UsageError("a league needs two or more different bots", "--bots random,greedy,search, for example")
    kinds = [f"{name}@{budget or USUAL_BUDGET}" if thinks(name) and "@" not in name else name for name in named]
    return [checked_kind(kind) for kind in kinds]


def _tell(program: Program, table: Sequence[Rating], played: int, games: int) -> None:
    """A table: rating with its interval, share of victories with its interval, what would be even."""
    width = max(len(rating.kind) for rating in table)
    print(f"{program.title}: {played} games" + (f" of {games}" if played < games else ""))
    print(f"{'':{width}}  rating  interval        wins   interval         even  games")
    for one in table:
        low, high = one.interval
        print(
            f"{one.kind:{width}}  {one.mu:6.1f}  {low:5.1f} to {high:4.1f}  {100 * one.wins.value:5.1f} %  "
            f"{100 * one.wins.low:4.1f} to {100 * one.wins.high:4.1f} %  {100 * one.even:4.0f} %  {one.games:5}"
        )


def _json(program: Program, table: Sequence[Rating], played: Sequence[Meeting], seed: int) -> str:
    data = {
        "game": program.name, "modules": list(program.modules), "rules": program.rules_hash, "seed": seed,
        "bots": [
            {
                "bot": one.kind, "mu": one.mu, "sigma": one.sigma, "rating": list(one.interval), "games": one.games,
                "wins": one.wins.value, "interval": [one.wins.low, one.wins.high], "even": one.even,
            }
            for one in table
        ],
        "games": [{"bots": list(m.kinds), "wins": list(m.shares), "scores": list(m.scores)} for m in played],
    }  # fmt: skip
    return json.dumps(data, indent=1) + "\n"
