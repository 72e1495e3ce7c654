"""The application behind a socket, until somebody stops it. The one door to uvicorn."""

from __future__ import annotations

import gc
import socket

import uvicorn

from edict.web.application import application
from edict.web.studio.open_variants import StudioServer
from edict.web.table_server import TableServer

BACKLOG = 512
GARBAGE = 50_000, 20, 50  # values made until it is looked for: a page makes many, and next to none in circles
GOODBYE = 1  # seconds that open requests have when the server stops


def listening(host: str, port: int) -> socket.socket:
    """A socket on which the server can listen; port 0 takes any that is free. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.create_server((host, port), family=family, backlog=BACKLOG)
    place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or each answer waits 40 ms to be acknowledged
    return place


def run(serving: TableServer, place: socket.socket, studio: StudioServer | None = None) -> None:
    """Serve until Ctrl-C; with a studio, that too."""
    config = uvicorn.Config(
        application(serving, studio), log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=GOODBYE, backlog=BACKLOG,
    )  # fmt: skip
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    uvicorn.Server(config).run(sockets=[place])
