"""The command `find`, which searches the moments, names and things that rules can refer to."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import validate_format
from edict.apps.cli.reporting import print_result
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.tools import operations

Words = Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help="Words to search for.")]
Moments = Annotated[
    bool,
    typer.Option("--moments", help="List all moments of a game, in order, each as the first line of a rule."),
]
Names = Annotated[bool, typer.Option("--names", help="List all names that rules can use, with titles and meanings.")]


def find(
    words: Words = None,
    moments: Moments = False,
    names: Names = False,
    game: o.Game = "",
    modules: o.Modules = None,
    form: o.DataFormat = "text",
) -> int:
    """Print the parts of the rules that match words, or list moments or names; return 0."""
    validate_format(form)
    query = " ".join(words or ())
    if moments and names:
        raise UsageError("--moments and --names cannot be combined", "use only one of them")
    if not (query or moments or names):
        raise UsageError("missing search words", "add some, or use --moments or --names to list everything")
    if moments:
        kind = "moments"
    elif names:
        kind = "names"
    else:
        kind = "anything"
    print_result(operations.find(load_annotated_rules(game, modules or ()), query, kind), form)
    return 0
