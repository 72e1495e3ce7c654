"""The commands `schema`, `lsp` and `mcp`: JSON Schemas of kinds and files, and servers for editors and assistants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError, to_path
from edict.apps.cli.rules_by_name import load_sources, resolve_names, to_stable_name
from edict.apps.cli.shared_options import print_json
from edict.compiler.layering.expand import expand
from edict.compiler.layering.layer import layer_modules
from edict.compiler.layering.setting_bounds import resolve_bounds
from edict.compiler.layering.thing_validation import derive_kind_schema
from edict.compiler.pipeline.pipeline import parse_modules
from edict.compiler.sources.file_schemas import SCHEMA_NAMES, load_schema
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax.tree import Book, Kind
from edict.support.report import suggest_word
from edict.support.resources import install_command

KindName = Annotated[
    str, typer.Argument(metavar="[KIND]", help="A file format or a kind of thing [default: list them].")
]
LspPort = Annotated[
    int | None,
    typer.Option("--port", metavar="PORT", min=1, max=65535, help="Listen on this port instead of standard input."),
]


def schema(name: KindName = "", game: o.Game = "", modules: o.Modules = None) -> int:
    """Print a schema as JSON: of a file, or of a kind of thing in a game; without a name, list them."""
    if name in SCHEMA_NAMES:
        print_json(load_schema(name))
        return 0
    book = _build_book(game, modules or ())
    kinds = {
        definition.name.word: definition for definition in book.definitions.values() if isinstance(definition, Kind)
    }
    if not name:
        print(f"files: {', '.join(SCHEMA_NAMES)}\nkinds: {', '.join(sorted(kinds)) or 'none'}")
        return 0
    if name not in kinds:
        schema_names = [*SCHEMA_NAMES, *kinds]
        raise UsageError(
            f"there is no schema `{name}`", suggest_word(name, schema_names) or f"there are {', '.join(schema_names)}"
        )
    print_json(derive_kind_schema(kinds[name], book))
    return 0


def _build_book(game: str, modules: Sequence[str]) -> Book:
    """Build the book of a game and its modules; raises `RulesErrorWithSources`."""
    names = resolve_names(game, modules)
    outcome = (
        gather_modules(names[0], names[1:])
        .and_then(parse_modules)
        .and_then(expand)
        .and_then(layer_modules)
        .and_then(resolve_bounds)
    )
    if outcome.value is None or not outcome.ok:
        raise RulesErrorWithSources(outcome.diagnostics, load_sources(names))
    return outcome.value


def lsp(game: o.Game = "", port: LspPort = None) -> int:
    """Serve one editor on standard input and output, or on a port of this machine, until it goes."""
    try:
        from edict.tools.lsp.server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("the language server needs pygls", install_command("lsp")) from None
    serve(to_stable_name(game) if game else "", port)
    return 0


Folder = Annotated[
    Path | None,
    typer.Argument(
        parser=to_path,
        metavar="[FOLDER]",
        help="Folder with your rules, where drafts may be saved [default: none; nothing is saved].",
    ),
]


def mcp(folder: Folder = None) -> int:
    """Serve one program on standard input and output until it goes."""
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name an existing folder; drafts are saved below it")
    try:
        from edict.tools.mcp.mcp_server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UsageError("assistants need the mcp package", install_command("mcp")) from None
    serve(folder)
    return 0
