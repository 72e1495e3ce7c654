"""The command `show`, which prints a definition after all modules, in English and in Edict, with its origin."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.option_values import JSON, print_json, validate_format
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import load_annotated_rules, require_named
from edict.prose.rulebook.cross_references import find_references
from edict.prose.rulebook.definition_page import definition_page_to_data, render_page

Thing = Annotated[
    str,
    typer.Argument(
        metavar="THING",
        autocompletion=o.thing_names,
        help="Name or title, or the start of one.",
    ),
]


def show(name: Thing, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text") -> int:
    """Tell all about what is called so."""
    validate_format(form)
    rules, definitions = require_named(load_annotated_rules(game, modules or ()), name)
    all_touches = find_references(rules)
    if form == JSON:
        print_json([definition_page_to_data(rules, definition, all_touches) for definition in definitions])
        return 0
    pages = [list(render_page(rules, definition, all_touches)) for definition in definitions]
    print_lines([line for i, page in enumerate(pages) for line in ([("", "")] if i else []) + page])
    return 0
