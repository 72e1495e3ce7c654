"""`lsp`: the language server for editors."""

from __future__ import annotations

from edict.cli.errors import UsageError
from edict.cli.loading import steady
from edict.resources import installing


def lsp(game: str, port: int | None) -> int:
    """Serve one editor on standard input and output, or on a port of this machine, until it goes."""
    try:
        from edict.lsp.server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("the language server needs pygls", installing("lsp")) from None
    serve(steady(game) if game else "", port)
    return 0
