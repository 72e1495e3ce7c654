"""`profile`: which operations of the machine and which rules cost how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from edict.cli import options as o
from edict.cli.errors import UsageError
from edict.study.games import policies_of
from edict.cli.long_runs import StudyOptions, between, setup_of
from edict.cli.option_values import JSON, TEXT, checked_form, print_json
from edict.cli.study_output import print_headline, print_table
from edict.study.profiling import Cost
from edict.study.profiling import profile as profile_games

MOST_GAMES = 100_000
HEAD = ("", "runs a game", "share of runs", "share of time", "")

Rows = Annotated[int, typer.Option("--rows", metavar="N", help="Number of rows in each table.")]


def profile(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    players: o.PlayerCount = 0,
    games: o.GameCount = 30,
    bots: o.BotKinds = "random",
    settings: o.Settings = None,
    rows: Rows = 25,
    form: o.DataFormat = "text",
) -> int:
    """Play and print what took how long; returns the exit code."""
    wanted = o.one_game(game, named)
    return _profiled(StudyOptions(wanted, modules or (), players, games, bots, settings=settings or ()), rows, form)


def _profiled(options: StudyOptions, most: int, form: str = TEXT) -> int:
    """Play and print; returns the exit code."""
    checked_form(form)
    between("games", options.games, 1, MOST_GAMES)
    if most < 1:
        raise UsageError(f"invalid value for --rows: {most}", "it must be at least 1")
    setup = setup_of(options)
    seats = policies_of(setup.program, setup.bots)
    if seats is None:
        raise UsageError("only bots that the machine plays itself can be profiled", "use --bots random")
    found = profile_games(setup.program, seats, options.games, dict(setup.settings))
    if form == JSON:
        print_json({"game": setup.program.title, "players": setup.players, "bots": list(setup.bots), **asdict(found)})
        return 0
    print_headline(
        f"{setup.program.title}: {found.instructions:,.0f} instructions and {found.questions:,.0f} questions a game, "
        f"over {found.games:,} games of {setup.players} {setup.bots[0]} players"
    )
    print_table("By operation", HEAD[:4], [row[:4] for row in _rows(found.operations, most)])
    print_table("By rule", HEAD, _rows(found.rules, most))
    return 0


def _rows(costs: Sequence[Cost], most: int) -> list[list[str]]:
    rows = [[c.name, f"{c.ran:,.1f}", f"{100 * c.share:.1f} %", f"{100 * c.time:.1f} %", c.place] for c in costs[:most]]
    rest = costs[most:]
    if rest:
        shares = [f"{100 * sum(c.share for c in rest):.1f} %", f"{100 * sum(c.time for c in rest):.1f} %"]
        rows.append([f"{len(rest)} others", f"{sum(c.ran for c in rest):,.1f}", *shares, ""])
    return rows
