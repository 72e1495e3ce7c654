"""The command `show`, which prints a definition after all modules, in English and in Edict, with its origin."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.option_values import validate_format
from edict.apps.cli.reporting import print_result
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.tools import operations

Thing = Annotated[
    str,
    typer.Argument(
        metavar="THING",
        autocompletion=o.thing_names,
        help="Name or title, or the start of one.",
    ),
]


def show(name: Thing, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text") -> int:
    """Print the page of each definition with this name or title: text, effects and references; return 0."""
    validate_format(form)
    print_result(operations.show(load_annotated_rules(game, modules or ()), name), form)
    return 0
