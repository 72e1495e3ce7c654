"""`explain`: what a message means, by its code; what a word of the language does."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.cli import completion
from edict.cli import options as o
from edict.cli.errors import UsageError
from edict.cli.option_values import JSON, checked_form, print_json
from edict.formats.diagnostic_pages import codes, read_page
from edict.handbook.reference import entry, in_english
from edict.language.construct_rows import Row, rows, rows_for
from edict.rendering import plain
from edict.report import did_you_mean

MOST = 4  # entries that are printed; of others the names
Words = Annotated[
    list[str],
    typer.Argument(
        metavar="CODE|WORD...", autocompletion=completion.codes,
        help="A code from a message, such as E0111, or words of the language, such as `choose one`.",
    ),
]  # fmt: skip


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
        print_json([_data(row) for row in found])
        return 0
    print("\n\n".join(plain(f"# {row.name}\n\n{entry(row)}\n\n{_further(row)}") for row in found[:MOST]))
    if found[MOST:]:
        print(f"\nIt is also a word of: {', '.join(row.name for row in found[MOST:])}.")
    return 0


def _further(row: Row) -> str:
    more = [row.more] if row.more else []
    return "\n\n".join([*more, f"See also: {', '.join(row.see)}."])


def _data(row: Row) -> dict[str, object]:
    return {
        "name": row.name, "group": row.group, "does": row.does, "forms": row.forms, "example": row.example,
        "english": list(in_english(row)), "more": row.more, "see": row.see,
    }  # fmt: skip


def _message(asked: str, as_json: bool) -> int:
    wanted = asked.upper()
    wanted = f"E{wanted.rjust(4, '0')}" if wanted.isdecimal() else wanted
    page = read_page(wanted)
    if page is None:
        known = codes()
        names = [word for row in rows() for word in (row.name, *sorted(row.words))]
        near = did_you_mean(wanted, known) or did_you_mean(asked, names)
        remedy = near or f"codes run from {known[0]} to {known[-1]}"
        raise UsageError(f"there is no message or word `{asked}`", remedy)
    if as_json:
        print_json({"code": wanted, "title": page.title, "about": page.about, "text": page.text})
    else:
        print(plain(page.text), end="")
    return 0
