"""The command `explain`, which explains a diagnostic code or a word of the language."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.compiler.syntax.construct_rows import ConstructRow, find_rows
from edict.prose.rulebook.language_reference import (
    diagnostic_page_to_data,
    render_entries,
    require_diagnostic_page,
    row_to_data,
)
from edict.support.rendering import escape_terminal

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="CODE|WORD...",
        autocompletion=o.diagnostic_codes,
        help="A code from a message, such as E0111, or words of the language, such as `choose one`.",
    ),
]


def explain(words: Words, form: o.DataFormat = "text") -> int:
    """Print the reference entry of a word of Edict, or the page of a diagnostic's code; return 0."""
    validate_format(form)
    query = " ".join(words).strip()
    rows = find_rows(query)
    if rows:
        return _print_words(rows, form == JSON)
    return _print_diagnostic(query, form == JSON)


def _print_words(rows: list[ConstructRow], as_json: bool) -> int:
    """Print these entries of the language reference, as text or JSON; return 0."""
    if as_json:
        print_document("constructs", constructs=[row_to_data(row) for row in rows])
        return 0
    print(escape_terminal(render_entries(rows)))
    return 0


def _print_diagnostic(query: str, as_json: bool) -> int:
    """Print the page of a diagnostic given its code; return 0, or raise `UsageError` if it is unknown."""
    code, page = require_diagnostic_page(query)
    if as_json:
        print_document("diagnostic-page", **diagnostic_page_to_data(code, page))
    else:
        print(escape_terminal(page.text), end="")
    return 0
