"""`league`: bots rated by games among them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.bots import BOTS
from edict.agents.bots.kinds import thinks
from edict.agents.study.league_play import Entries, League, cross_table, form_of, league_data
from edict.agents.study.reports import league_page
from edict.agents.study.summary import Data
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import STOPPED, UsageError
from edict.apps.cli.long_runs import (
    StudyOptions,
    between,
    carried_out,
    checked,
    checkpoint,
    players_of,
    seed_of,
    tell_bot_faults,
    tell_stopped,
)
from edict.apps.cli.option_values import JSON, checked_form
from edict.apps.cli.rules_by_name import rules_of
from edict.apps.cli.study_output import LEAGUE, Targets, as_json
from edict.apps.cli.who_plays import checked_kind, remarked

MOST = 1_000_000
USUAL_BUDGET = "50"  # tries for an answer: a league of a second each would take days
MANY = 50  # games from which on native code is worth waiting for

LeagueBots = Annotated[str, typer.Option("--bots", metavar="KIND,KIND,...", help="Bots to rate [default: every kind].")]
LeagueGames = Annotated[int, typer.Option("--games", metavar="N", help="Number of games.")]
ThinkingTime = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Thinking time per move, as 0.5s, or tries [default: 50].")
]
LeagueOutput = Annotated[
    Path | None,
    o.path("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json or .html file."),
]


def league(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    bots: LeagueBots = "",
    games: LeagueGames = 120,
    players: o.PlayerCount = None,
    budget: ThinkingTime = "",
    seed: o.Seed = "",
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: LeagueOutput = None,
    resume: o.Resume = False,
    force: o.Force = False,
    form: o.DataFormat = "text",
) -> int:
    """Rate bots, report, and write what is wanted; returns the exit code."""
    checked_form(form)
    wanted = o.one_game(game, named)
    options = StudyOptions(wanted, modules or (), players, games, bots, seed, (), workers, cluster)
    return _league(options, budget, Targets.of(LEAGUE, output, None, resume, force), form)


def _league(options: StudyOptions, budget: str, targets: Targets, form: str) -> int:
    """Play, rate, tell, write; returns the exit code. Ctrl-C ends it with the games played so far."""
    between("games", options.games, 1, MOST)
    entries = _entries(checked(options), budget)
    if targets.folder is None:
        for target in targets.files.values():
            target.check()
    remarked(entries.kinds, entries.program)
    with checkpoint(targets, form_of(entries), options.games) as kept:
        run = League(entries, options.games, kept)
        compiled = options.games >= MANY or any(map(thinks, entries.kinds))
        code = carried_out(run, options, f"{entries.program.title}, games", run.games, run.played, compiled)
        if not run.played:
            print("No game was finished.", file=sys.stderr)
            return code or STOPPED
        data = league_data(run)
        failed = targets.write({".json": lambda: as_json(data), ".html": lambda: league_page(data)})
    if form == JSON:
        print(as_json(data), end="")
    else:
        _tell(data)
    tell_bot_faults(run.mishaps)
    if run.played < run.games and targets.folder is not None:
        tell_stopped(f"{run.played:,} of {run.games:,} games", targets)
    return code or failed


def _entries(options: StudyOptions, budget: str) -> Entries:
    """Who meets; raises `UsageError`, `GameError` or `RulesError`."""
    seed = seed_of(options.seed, bits=62)
    kinds = _kinds(options.bots, budget)
    program = rules_of(options.game, options.modules).program
    players = players_of(program, options.players)
    for kind in kinds:
        BOTS[kind](program, 0)  # a file of weights that cannot be used is reported now
    return Entries(program, tuple(kinds), players, seed)


def _kinds(bots: str, budget: str) -> list[str]:
    named = [name.strip() for name in bots.split(",")] if bots else list(BOTS)
    if len(set(named)) < 2 or len(set(named)) != len(named):
        raise UsageError("a league needs two or more different bots", "--bots random,greedy,search, for example")
    kinds = [f"{name}@{budget or USUAL_BUDGET}" if thinks(name) and "@" not in name else name for name in named]
    return [checked_kind(kind) for kind in kinds]


def _tell(found: Data) -> None:
    """A table: rating with its interval, share of victories with its interval, what would be even; and who did better
    than whom."""
    played, games = len(found["games"]), found["asked"]
    width = max(len(one["bot"]) for one in found["bots"])
    print(f"{found['title']}: {played} games" + (f" of {games}" if played < games else ""))
    print(f"{'':{width}}  rating  interval        wins   interval         even  games")
    for one in found["bots"]:
        rating, wins = one["rating"], one["wins"]
        print(
            f"{one['bot']:{width}}  {rating['value']:6.0f}  {rating['low']:5.0f} to {rating['high']:4.0f}  "
            f"{100 * wins['value']:5.1f} %  {100 * wins['low']:4.1f} to {100 * wins['high']:4.1f} %  "
            f"{100 * one['even']:4.0f} %  {one['games']:5}"
        )
    print("\nHow often the bot in the row finished ahead of the one in the column (draws count half):")
    kinds, rows = cross_table(found)
    print(f"{'':{width}}  " + "  ".join(f"{number:>4}" for number in range(1, len(kinds) + 1)))
    for number, (kind, row) in enumerate(zip(kinds, rows, strict=True), 1):
        print(f"{kind:{width}}  {_shares(row)}  ({number})")


def _shares(row: Sequence[float | None]) -> str:
    return "  ".join("   –" if share is None else f"{100 * share:3.0f}%" for share in row)
