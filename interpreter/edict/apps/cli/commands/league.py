"""The command `league`, which rates bots by games against each other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import is_search
from edict.agents.study.league_play import League, LeagueSetup, build_cross_table, league_data, make_league_format
from edict.agents.study.reports import render_league
from edict.agents.study.summary import Data
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import STOPPED, UsageError
from edict.apps.cli.long_runs import (
    StudyOptions,
    open_checkpoint,
    parse_seed,
    report_bot_faults,
    report_stop,
    require_between,
    resolve_player_count,
    run_with_progress,
    validate_options,
)
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.shared_options import JSON, validate_format
from edict.apps.cli.study_output import LEAGUE, OutputTargets, to_json

MAX_LEAGUE_GAMES = 1_000_000
DEFAULT_BUDGET = "50"  # playouts per answer; with a second each, a league would take days
MIN_COMPILED_GAMES = 50  # with fewer games, compiling native code takes longer than it saves

LeagueBots = Annotated[str, typer.Option("--bots", metavar="KIND,KIND,...", help="Bots to rate [default: every kind].")]
LeagueGames = Annotated[int, typer.Option("--games", metavar="N", help="Number of games.")]
ThinkingTime = Annotated[
    str,
    typer.Option(
        "--budget", metavar="TIME", help="Thinking time per move, such as 0.5s, or number of tries [default: 50]."
    ),
]
LeagueOutput = Annotated[
    Path | None,
    o.path_option("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json or .html file."),
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
    """Rate bots by games against each other, and print and write the ratings; return the exit code."""
    validate_format(form)
    game_name = o.merge_game_arguments(game, named)
    options = StudyOptions(game_name, modules or (), players, games, bots, seed, (), workers, cluster)
    return _run_league(options, budget, OutputTargets.from_options(LEAGUE, output, None, resume, force), form)


def _run_league(options: StudyOptions, budget: str, targets: OutputTargets, output_format: str) -> int:
    """Play, print and write the ratings; return the exit code. Ctrl-C rates the games played so far."""
    require_between("games", options.games, 1, MAX_LEAGUE_GAMES)
    entries = _build_entries(validate_options(options), budget)
    if targets.folder is None:
        for target in targets.files.values():
            target.check()
    print_bot_remarks(entries.kinds, entries.program)
    with open_checkpoint(targets, make_league_format(entries), options.games) as checkpoint_file:
        run = League(entries, options.games, checkpoint_file)
        compiled = options.games >= MIN_COMPILED_GAMES or any(map(is_search, entries.kinds))
        code = run_with_progress(run, options, f"{entries.program.title}, games", run.games, run.played_games, compiled)
        if not run.played_games:
            print("No game was finished.", file=sys.stderr)
            return code or STOPPED
        data = league_data(run)
        failed = targets.write({".json": lambda: to_json(data), ".html": lambda: render_league(data)})
    if output_format == JSON:
        print(to_json(data), end="")
    else:
        _print_ratings(data)
    report_bot_faults(run.mishaps)
    if run.played_games < run.games and targets.folder is not None:
        report_stop(f"{run.played_games:,} of {run.games:,} games", targets)
    return code or failed


def _build_entries(options: StudyOptions, budget: str) -> LeagueSetup:
    """Return the bots and rules of the league; raises `UsageError`, `GameError` or `RulesError`."""
    seed = parse_seed(options.seed, bits=62)
    kinds = _resolve_kinds(options.bots, budget)
    program = load_rules_with_notes(options.game, options.modules).program
    players = resolve_player_count(program, options.players)
    for kind in kinds:
        BOTS[kind](program, 0)  # a file of weights that cannot be used is reported now
    return LeagueSetup(program, tuple(kinds), players, seed)


def _resolve_kinds(bots: str, budget: str) -> list[str]:
    """Return the kinds of bots with their thinking time; raises `UsageError`."""
    names = [name.strip() for name in bots.split(",")] if bots else list(BOTS)
    if len(set(names)) < 2 or len(set(names)) != len(names):
        raise UsageError("a league needs two or more different bots", "try `--bots random,greedy,search`")
    kinds = [f"{name}@{budget or DEFAULT_BUDGET}" if is_search(name) and "@" not in name else name for name in names]
    return [BOTS.validate(kind) for kind in kinds]


def _print_ratings(data: Data) -> None:
    """Print each bot's rating, wins with interval and even share, and how often each finished ahead of each."""
    played, games = len(data["games"]), data["asked"]
    width = max(len(row_data["bot"]) for row_data in data["bots"])
    print(f"{data['title']}: {played} games" + (f" of {games}" if played < games else ""))
    print(f"{'':{width}}  rating  interval        wins   interval         even  games")
    for row_data in data["bots"]:
        rating, wins = row_data["rating"], row_data["wins"]
        print(
            f"{row_data['bot']:{width}}  {rating['value']:6.0f}  {rating['low']:5.0f} to {rating['high']:4.0f}  "
            f"{100 * wins['value']:5.1f} %  {100 * wins['low']:4.1f} to {100 * wins['high']:4.1f} %  "
            f"{100 * row_data['even']:4.0f} %  {row_data['games']:5}"
        )
    print("\nHow often each row's bot finished ahead of each column's bot (a draw counts as half):")
    kinds, rows = build_cross_table(data)
    print(f"{'':{width}}  " + "  ".join(f"{number:>4}" for number in range(1, len(kinds) + 1)))
    for number, (kind, row) in enumerate(zip(kinds, rows, strict=True), 1):
        print(f"{kind:{width}}  {_format_shares(row)}  ({number})")


def _format_shares(row: Sequence[float | None]) -> str:
    """Return a row of the head-to-head table in aligned percentages; `–` for bots that never met."""
    return "  ".join("   –" if share is None else f"{100 * share:3.0f}%" for share in row)
