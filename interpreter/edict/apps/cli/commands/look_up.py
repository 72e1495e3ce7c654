"""The commands `find`, `show` and `explain`, which look something up in rules, in a catalogue or in the language.

`find` searches moments, names and things; `show` prints a definition after all modules, in English and in Edict, with
its origin; `explain` explains a diagnostic code or a word of the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, parse_file_path
from edict.apps.cli.reporting import print_lines, print_result
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.apps.cli.shared_options import JSON, TEXT_OR_JSON, print_document, validate_format
from edict.compiler.syntax.construct_rows import ConstructRow, find_rows
from edict.prose.rulebook.language_reference import (
    diagnostic_page_to_data,
    render_entries,
    require_diagnostic_page,
    row_to_data,
)
from edict.support.morphology import count_noun, join_words
from edict.support.rendering import escape_terminal
from edict.support.resources import command_name, user_rules_folder
from edict.tools import operations
from edict.tools.tables.columns import build_rows
from edict.tools.tables.spreadsheets import write_csv

if TYPE_CHECKING:
    from edict.tools.catalogue_search import Catalogue, Data


Words = Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help="Words to search for.")]
Moments = Annotated[
    bool,
    typer.Option("--moments", help="List all moments of a game, in order, each as the first line of a rule."),
]
Names = Annotated[bool, typer.Option("--names", help="List all names that rules can use, with titles and meanings.")]
Index = Annotated[
    str,
    typer.Option("--index", metavar="FILE_OR_ADDRESS", help="Search this catalogue of modules, of `index`, instead."),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        parser=parse_file_path,
        metavar="FILE",
        help="With --index: the public key (PEM) that must have signed it.",
    ),
]


def find(
    words: Words = None,
    moments: Moments = False,
    names: Names = False,
    index: Index = "",
    key: Key = None,
    game: o.Game = "",
    modules: o.Modules = None,
    form: o.DataFormat = "text",
) -> int:
    """Print the parts of rules or the modules of a catalogue that match, or list moments or names; return 0."""
    validate_format(form)
    query = " ".join(words or ())
    if index:
        if moments or names or game or modules:
            raise UsageError("--index searches modules, not rules", "leave out --moments, --names, --game and --with")
        from edict.tools.catalogue_search import open_catalogue

        _search_catalogue(open_catalogue(index, key), query, form)
        return 0
    if key is not None:
        raise UsageError("--key verifies a catalogue", "add `--index FILE_OR_ADDRESS`")
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


# --- in a catalogue ------------------------------------------------------------------------------


def _search_catalogue(catalogue: Catalogue, query: str, form: str) -> None:
    """Print the modules of a catalogue that match words; raise `UsageError` if none does."""
    found = catalogue.search(query)
    if form == JSON:
        fields = {key: value for key, value in catalogue.index.items() if key != "format"}
        print_document("index", **{**fields, "modules": found})
        return
    if not found:
        raise UsageError(f"no module in the catalogue matches `{query}`", "try fewer words, or none to list all")
    print_lines([line for entry in found for line in _format_module(catalogue, entry)])


def _format_module(catalogue: Catalogue, entry: Data) -> Iterator[tuple[str, str]]:
    """Yield the lines on a module of a catalogue: what it is and changes, how it was tried, and how to get it."""
    by = f", by {join_words(entry['authors'])}" if entry["authors"] else ""
    license = f", {entry['license']}" if entry["license"] else ""
    yield "bold", _to_line(f"{entry['name']} {entry['version']}: {entry['title']} ({entry['kind']}{by}{license})")
    yield from [("", f"  {_to_line(entry['summary'])}")] if entry["summary"] else []
    for change in entry["changes"][:MAX_CHANGES]:
        yield "", f"  - {_to_line(change)[:MAX_WIDTH]}"
    if len(entry["changes"]) > MAX_CHANGES:
        yield "", f"  all changes: {_to_line(catalogue.locate(entry['page']))}"
    requires = f"; requires {join_words(entry['requires'])}" if entry["requires"] else ""
    yield "", f"  {_to_line('; '.join(map(_describe_trial, entry['tried'])) + requires)}"
    archive = entry["archive"]
    command = catalogue.install_command(entry)
    if command:
        yield "", f"  {_to_line(command)}"
    else:
        yield "", f"  put {_to_line(catalogue.locate(archive['file']))} into {user_rules_folder()}"
        yield "", f"  SHA-256 {_to_line(archive['sha256'])}"


MAX_CHANGES = 3  # that are shown of a module
MAX_WIDTH = 160  # characters of a change


def _describe_trial(tried: Data) -> str:
    """Return what an engine found, such as `1.0.0: no errors, 3 scenes passed`."""
    errors = count_noun(tried["errors"], "error") if tried["errors"] else "no errors"
    failed = f", {tried['failed']} failed" if tried["failed"] else ""
    return f"{tried['engine']}: {errors}, {count_noun(tried['passed'], 'scene')} passed{failed}"


def _to_line(text: str) -> str:
    """Return a stranger's text as one line that controls no terminal."""
    return escape_terminal(" ".join(text.split()))


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


CodeOrWords = Annotated[
    list[str],
    typer.Argument(
        metavar="CODE|WORD...",
        autocompletion=o.diagnostic_codes,
        help="A code from a message, such as E0111, or words of the language, such as `choose one`.",
    ),
]


def explain(words: CodeOrWords, form: o.DataFormat = "text") -> int:
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
