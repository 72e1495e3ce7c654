"""The command `find`, which searches the moments, names and things that rules can refer to, or a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.reporting import print_lines, print_result
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.apps.cli.shared_options import JSON, parse_file_path, print_document, validate_format
from edict.support.morphology import count_noun, join_words
from edict.support.rendering import escape_terminal
from edict.support.resources import user_rules_folder
from edict.tools import operations

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
