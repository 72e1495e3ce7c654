"""`explain`: what a message means, by its code; what a word of the language does."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.compiler.syntax.construct_rows import Row, rows_for
from edict.prose.rulebook.language_reference import (
    describe_unknown_name,
    diagnostic_page_to_data,
    render_entries,
    row_to_data,
)
from edict.support.formats.diagnostic_pages import normalize_code, read_diagnostic_page
from edict.support.rendering import escape_terminal

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="CODE|WORD...",
        autocompletion=o.codes,
        help="A code from a message, such as E0111, or words of the language, such as `choose one`.",
    ),
]


def explain(words: Words, form: o.DataFormat = "text") -> int:
    """Print the page of a diagnostic, or what the reference says of a word."""
    checked_form(form)
    asked = " ".join(words).strip()
    found = rows_for(asked)
    if found:
        return _words(found, form == JSON)
    return _message(asked, form == JSON)


def _words(found: list[Row], as_json: bool) -> int:
    if as_json:
        print_json([row_to_data(row) for row in found])
        return 0
    print(escape_terminal(render_entries(found)))
    return 0


def _message(asked: str, as_json: bool) -> int:
    code = normalize_code(asked)
    page = read_diagnostic_page(code)
    if page is None:
        raise UsageError(*describe_unknown_name(asked))
    if as_json:
        print_json(diagnostic_page_to_data(code, page))
    else:
        print(escape_terminal(page.text), end="")
    return 0
