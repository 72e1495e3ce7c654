"""`schema` and `lsp`: what editors may know of kinds and files, and the language server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, WrongRules
from edict.apps.cli.option_values import print_json
from edict.apps.cli.rules_by_name import default_game, steady, texts_of
from edict.compiler.layering.bounds import bounds
from edict.compiler.layering.expand import expand
from edict.compiler.layering.layer import layer
from edict.compiler.layering.shape import kind_schema
from edict.compiler.pipeline.pipeline import parse_all
from edict.compiler.sources.file_schemas import FIXED, fixed_schema
from edict.compiler.sources.module_set import gather
from edict.compiler.syntax.tree import Book, Kind
from edict.support.report import suggest_word
from edict.support.resources import install_command

KindName = Annotated[str, typer.Argument(metavar="[KIND]", help="A kind of thing or file [default: list them].")]
LspPort = Annotated[
    int | None,
    typer.Option("--port", metavar="PORT", min=1, max=65535, help="Listen on this port instead of standard input."),
]


def schema(name: KindName = "", game: o.Game = "", modules: o.Modules = None) -> int:
    """Print a schema as JSON: of a file, or of a kind of thing in a game; without a name, list them."""
    if name in FIXED:
        print_json(fixed_schema(name))
        return 0
    book = _book(game, modules or ())
    kinds = {d.name.word: d for d in book.definitions.values() if isinstance(d, Kind)}
    if not name:
        print(f"files: {', '.join(FIXED)}\nkinds: {', '.join(sorted(kinds)) or 'none'}")
        return 0
    if name not in kinds:
        known = [*FIXED, *kinds]
        raise UsageError(f"there is no schema `{name}`", suggest_word(name, known) or f"there are {', '.join(known)}")
    print_json(kind_schema(kinds[name], book))
    return 0


def _book(game: str, modules: Sequence[str]) -> Book:
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = gather(names[0], names[1:]).and_then(parse_all).and_then(expand).and_then(layer).and_then(bounds)
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value


def lsp(game: o.Game = "", port: LspPort = None) -> int:
    """Serve one editor on standard input and output, or on a port of this machine, until it goes."""
    try:
        from edict.tools.lsp.server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("the language server needs pygls", install_command("lsp")) from None
    serve(steady(game) if game else "", port)
    return 0
