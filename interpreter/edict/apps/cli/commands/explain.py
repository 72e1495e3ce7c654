"""`explain`: what a message means, by its code; what a word of the language does."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.compiler.syntax.construct_rows import Row, rows_for
from edict.prose.rulebook.reference import entries, page_data, row_data, unexplained
from edict.support.formats.diagnostic_pages import code_of, read_page
from edict.support.rendering import plain

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
        print_json([row_data(row) for row in found])
        return 0
    print(plain(entries(found)))
    return 0


def _message(asked: str, as_json: bool) -> int:
    code = code_of(asked)
    page = read_page(code)
    if page is None:
        raise UsageError(*unexplained(asked))
    if as_json:
        print_json(page_data(code, page))
    else:
        print(plain(page.text), end="")
    return 0
