"""The command `page`, which writes the files of a web page that plays a game without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.rules_by_name import default_game, load_rules_with_notes
from edict.support.rendering import escape_terminal

PageFolder = Annotated[Path, o.path_option("--output", "-o", metavar="FOLDER", help="Write the page into this folder.")]
PyodideFolder = Annotated[
    Path | None,
    o.path_option("--pyodide", metavar="FOLDER", help="A folder with Pyodide's files [default: downloaded from npm]."),
]
NoStudio = Annotated[bool, typer.Option("--no-studio", help="Do not include the studio.")]


def page(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    output: PageFolder = Path("page"),
    pyodide: PyodideFolder = None,
    no_studio: NoStudio = False,
    force: o.Force = False,
) -> int:
    """Build a static web page with the game in a folder, and print its size; return 0."""
    try:
        from edict.apps.page.page_builder import build_page, is_page_or_empty
    except ImportError as missing:
        raise UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[web]'") from None

    rules = load_rules_with_notes(o.merge_game_arguments(game, named) or default_game(), tuple(modules or ()))
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file", "name a folder with --output")
    if output.exists() and not is_page_or_empty(output):
        raise UsageError(f"{output} contains something other than a page", "name another folder with --output")
    if output.exists() and any(output.iterdir()) and not force:
        raise UsageError(f"{output} already contains a page", "--force replaces it")
    try:
        result = build_page(output, rules, studio=not no_studio, pyodide=pyodide)
    except OSError as error:
        reason = f"{output} cannot be written: {error.strerror}"
        raise UsageError(reason, "name another folder with --output") from None
    sizes = f"{result.bytes / 1e6:.1f} MB, {result.first_visit_bytes / 1e6:.1f} MB of it loaded on a first visit"
    print(escape_terminal(f"{output}: {result.files} files, {sizes}."))
    if result.slow_reason:
        print(f"Bots will run in plain Python, hundreds of times slower: {result.slow_reason}.")
    print(escape_terminal(f"To look at it: python -m http.server --directory {output}, then http://localhost:8000"))
    return 0
