"""`profile`: which operations of the machine and which rules cost how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from edict.cli.errors import UsageError
from edict.cli.forms import JSON, TEXT, checked_form, print_json
from edict.cli.study.printing import page, table
from edict.cli.study.study_options import StudyOptions, between, setup_of
from edict.study.profiling import Cost, profile
from edict.study.games import policies_of

MOST_GAMES = 100_000
HEAD = ("", "runs a game", "share of runs", "share of time", "")


def profiled(options: StudyOptions, most: int, form: str = TEXT) -> int:
    """Play and print; returns the exit code."""
    checked_form(form)
    between("games", options.games, 1, MOST_GAMES)
    if most < 1:
        raise UsageError(f"invalid value for --rows: {most}", "it must be at least 1")
    setup = setup_of(options)
    seats = policies_of(setup.program, setup.bots)
    if seats is None:
        raise UsageError("only bots that the machine plays itself can be profiled", "use --bots random")
    found = profile(setup.program, seats, options.games, dict(setup.settings))
    if form == JSON:
        print_json({"game": setup.program.title, "players": setup.players, "bots": list(setup.bots), **asdict(found)})
        return 0
    page(
        f"{setup.program.title}: {found.instructions:,.0f} instructions and {found.questions:,.0f} questions a game, "
        f"over {found.games:,} games of {setup.players} {setup.bots[0]} players"
    )
    table("By operation", HEAD[:4], [row[:4] for row in _rows(found.operations, most)])
    table("By rule", HEAD, _rows(found.rules, most))
    return 0


def _rows(costs: Sequence[Cost], most: int) -> list[list[str]]:
    rows = [[c.name, f"{c.ran:,.1f}", f"{100 * c.share:.1f} %", f"{100 * c.time:.1f} %", c.place] for c in costs[:most]]
    rest = costs[most:]
    if rest:
        shares = [f"{100 * sum(c.share for c in rest):.1f} %", f"{100 * sum(c.time for c in rest):.1f} %"]
        rows.append([f"{len(rest)} others", f"{sum(c.ran for c in rest):,.1f}", *shares, ""])
    return rows
