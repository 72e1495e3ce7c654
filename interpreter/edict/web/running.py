"""Runs the server on an address until it is stopped."""

from __future__ import annotations

import gc
import socket

import uvicorn

from edict.web.app import application
from edict.web.serving import Serving
from edict.web.studio.room import Room

BACKLOG = 512
GOODBYE = 1  # seconds that open requests have when the server stops


def listening(host: str, port: int) -> socket.socket:
    """A socket on which the server can listen; port 0 takes any that is free. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.create_server((host, port), family=family, backlog=BACKLOG)
    place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or each answer waits 40 ms to be acknowledged
    return place


def run(serving: Serving, place: socket.socket, room: Room | None = None) -> None:
    """Serve until Ctrl-C; with a room, the studio too."""
    config = uvicorn.Config(
        application(serving, room), log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=GOODBYE, backlog=BACKLOG,
    )  # fmt: skip
    gc.freeze()
    uvicorn.Server(config).run(sockets=[place])
