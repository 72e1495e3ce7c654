"""The language server, over standard input and output or over TCP."""

from __future__ import annotations

import os

import edict
from edict.tools.lsp import documents, queries
from edict.tools.lsp.editor_session import EditorServer

LOCALHOST = "127.0.0.1"


def create_server(game: str = "") -> EditorServer:
    """Create a server with all handlers."""
    server = EditorServer("edict", edict.__version__, game)
    documents.register(server)
    queries.register(server)
    queries.register_lenses(server)
    return server


def serve(game: str = "", port: int | None = None) -> None:
    """Serve one editor until it disconnects, on standard input and output or on a local port."""
    server = create_server(game)
    if port is None:
        with open(os.dup(0), "rb") as requests, open(os.dup(1), "wb") as responses:  # pygls closes its streams
            server.start_io(requests, responses)
    else:
        server.start_tcp(LOCALHOST, port)
