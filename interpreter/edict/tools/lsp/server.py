"""The language server: over standard input and output, or over TCP."""

from __future__ import annotations

import os

import edict
from edict.tools.lsp import code_lenses, documents, queries
from edict.tools.lsp.editor_session import Server

LOCAL = "127.0.0.1"


def make(game: str = "") -> Server:
    """A server that can do all there is."""
    server = Server("edict", edict.__version__, game)
    for part in (documents, queries, code_lenses):
        part.register(server)
    return server


def serve(game: str = "", port: int | None = None) -> None:
    """Serve one editor until it goes: on standard input and output, or on a port of this machine."""
    server = make(game)
    if port is None:
        with open(os.dup(0), "rb") as asked, open(os.dup(1), "wb") as answered:  # pygls closes what it is given
            server.start_io(asked, answered)
    else:
        server.start_tcp(LOCAL, port)
