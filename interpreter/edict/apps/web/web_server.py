"""The application behind a socket, until somebody stops it. The one door to uvicorn.

uvicorn bounds neither how large the head of a request is, nor how long somebody takes to send one, nor how many
connections an address opens; `BoundedProtocol` does.
"""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Container
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from edict.apps.web.application import application
from edict.apps.web.connection_bounds import ConnectionBounds
from edict.apps.web.quotas import Limits
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.table_server import TableServer

BACKLOG = 512
GARBAGE = 50_000, 20, 50  # values made until it is looked for: a page makes many, and next to none in circles
GOODBYE = 1  # seconds that open requests have when the server stops

MOST_HEAD = 65_536  # bytes of the head of a request: its address and headers
HEAD_TIME = 20.0  # seconds to send it
BODY_TIME = 180.0  # seconds to send what follows: 4 MB at 25 kB a second
STALL_TIME = 60.0  # seconds without taking in anything of an answer
PASSING, PASSING_EACH = 1000, 100  # connections besides those that are live, in all and of one address
OTHER_FILES = 256  # files and pipes that the process needs besides connections, if it may have so many


def listening(host: str, port: int) -> socket.socket:
    """A socket on which the server can listen; port 0 takes any that is free. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.create_server((host, port), family=family, backlog=BACKLOG)
    place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or each answer waits 40 ms to be acknowledged
    return place


def run(serving: TableServer, place: socket.socket, studio: StudioServer | None = None) -> None:
    """Serve until Ctrl-C; with a studio, that too."""
    gate = serving.gate
    wanted = gate.limits.connections + PASSING
    files = raise_file_limit(wanted + OTHER_FILES)
    most = min(wanted, max(files - OTHER_FILES, files // 2))
    gate.limits = replace(gate.limits, connections=min(gate.limits.connections, most * 3 // 4))
    config = configure(application(serving, studio), gate.limits, most)
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    uvicorn.Server(config).run(sockets=[place])


def configure(app: Any, limits: Limits, most: int) -> uvicorn.Config:
    """Return the settings of a server of an application that keeps at most so many connections open."""
    config = uvicorn.Config(
        app,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE,
        backlog=BACKLOG,
    )
    proxies: Container[Any] = ProxyHeadersMiddleware(app, config.forwarded_allow_ips).trusted_hosts  # type: ignore[assignment]
    bounds = ConnectionBounds(limits.connections_each + PASSING_EACH, most, proxies)
    config.http = partial(BoundedProtocol, bounds, max(limits.form, limits.upload))  # type: ignore[assignment]
    return config


def raise_file_limit(wanted: int) -> int:
    """Let the process open so many files if the system allows it, and return how many it may open."""
    try:
        import resource  # not on Windows, where connections are no files
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):  # macOS allows fewer than it says
        return soft
    return raised


class BoundedProtocol(HttpToolsProtocol):
    """HTTP over one connection, with bounds on how large a request is and how long it takes to come.

    A connection is idle, then reads the head of a request, then its body, and is idle again; each of these may take
    only so many bytes and so much time. While a request is answered there is no bound on the time.
    """

    def __init__(self, bounds: ConnectionBounds, most_body: int, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bounds = bounds
        self._most_content = 2 * most_body  # the application refuses more than once, and the answer must arrive
        self._content = 0  # bytes of the body's content so far
        self._size = 0  # of all else: the head, or what stands around the chunks of a body and behind it
        self._part = 0  # counts the heads, bodies and pauses between them
        self._timer: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None

    def drop(self) -> None:
        """Close the connection at once."""
        if self.transport is not None:
            self.transport.abort()

    # --- what happens to the connection

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self._bounds.admit(self, self.client[0] if self.client else ""):
            self._read(HEAD_TIME)
        else:
            self.drop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._bounds.remove(self)
        self._timer, self._stall = _cancel(self._timer), _cancel(self._stall)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        part, content = self._part, self._content
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._part == part:  # otherwise some of it belongs to what was before
            self._size += len(data) - (self._content - content)
        if self._content > self._most_content:
            self.drop()
        elif self._size > MOST_HEAD:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._read(HEAD_TIME)  # it begins no request, and uvicorn would wait for ever

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall = self.loop.call_later(STALL_TIME, self.drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stall = _cancel(self._stall)

    # --- what the parser finds

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._read(HEAD_TIME)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._read(BODY_TIME)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._content += len(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._begin_part()
        if not self.cycle.response_complete:
            self._bounds.serve(self)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._bounds.wait(self)

    # --- bounds

    def _read(self, seconds: float) -> None:
        """Begin to read something that may take so many seconds."""
        self._begin_part()
        self._timer = self.loop.call_later(seconds, self._refuse, HTTPStatus.REQUEST_TIMEOUT)

    def _begin_part(self) -> None:
        self._part, self._size, self._content = self._part + 1, 0, 0
        self._timer = _cancel(self._timer)

    def _refuse(self, status: HTTPStatus) -> None:
        """Close the connection, with an answer unless another one is under way."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.drop()
            return
        told = f"HTTP/1.1 {status} {status.phrase}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        self.transport.write(told.encode())
        self.transport.close()


def _cancel(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    if timer is not None:
        timer.cancel()
    return None
