"""`show`: anything that has a name, as it is after all modules: in English and in the language, signed."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import found_in, known
from edict.prose.rulebook.cross_references import find_references
from edict.prose.rulebook.definition_page import definition_page_to_data, render_page

Thing = Annotated[
    str,
    typer.Argument(
        metavar="THING",
        autocompletion=o.thing_names,
        help="Name or title, or the beginning of one.",
    ),
]


def show(name: Thing, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text") -> int:
    """Tell all about what is called so."""
    checked_form(form)
    rules, found = found_in(known(game, modules or ()), name)
    all_ = find_references(rules)
    if form == JSON:
        print_json([definition_page_to_data(rules, one, all_) for one in found])
        return 0
    pages = [list(render_page(rules, one, all_)) for one in found]
    print_lines([line for i, page in enumerate(pages) for line in ([("", "")] if i else []) + page])
    return 0
