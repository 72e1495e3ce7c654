"""The command `show`, which prints a definition after all modules, in English and in Edict, with its origin."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.reporting import print_result
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.apps.cli.shared_options import TEXT_OR_JSON, validate_format
from edict.support.resources import command_name
from edict.tools import operations
from edict.tools.tables.columns import build_rows
from edict.tools.tables.spreadsheets import write_csv

CSV = "csv"

Thing = Annotated[
    str,
    typer.Argument(
        metavar="[THING]",
        autocompletion=o.thing_names,
        help="Name or title, or the start of one.",
    ),
]


KindName = Annotated[str, typer.Option("--all", metavar="KIND", help="Show all things of a kind, such as card.")]
Format = Annotated[str, typer.Option("--format", metavar="text|json|csv", help="Output format; csv is for --all.")]


def show(
    name: Thing = "", kind: KindName = "", game: o.Game = "", modules: o.Modules = None, form: Format = "text"
) -> int:
    """Print the page of each definition with this name or title, or the table of a kind; return 0."""
    validate_format(form, (*TEXT_OR_JSON, CSV))
    if bool(name) == bool(kind):
        reason = "THING and --all cannot be combined" if name else f"`{command_name()} show` needs THING or --all KIND"
        raise UsageError(reason, f"write `{command_name()} show THING`, or `{command_name()} show --all KIND`")
    if form == CSV and not kind:
        raise UsageError("--format csv needs --all KIND", "one thing is shown as text or json")
    rules = load_annotated_rules(game, modules or ())
    if form == CSV:
        print(write_csv(build_rows(rules, kind)), end="")
    else:
        print_result(operations.show_all(rules, kind) if kind else operations.show(rules, name), form)
    return 0
