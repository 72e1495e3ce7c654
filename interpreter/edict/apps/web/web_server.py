"""The HTTP server: the application behind a socket, until it is stopped. The only module that uses uvicorn.

uvicorn bounds neither the size of a request's head, nor the time to send a request, nor the connections of an
address; `BoundedProtocol` does.
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

from edict.apps.web.application import create_application
from edict.apps.web.connection_bounds import ConnectionBounds, Limits
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.table_server import TableServer

BACKLOG = 512
GC_THRESHOLDS = 5_000, 5, 5  # for `gc.set_threshold`: a full collection takes 60 ms, others 10 ms
FULL_COLLECTION = 2  # number of the oldest generation
COLLECTIONS_PER_THAW = 100  # full collections until one looks through all tables again
SHUTDOWN_TIMEOUT = 1  # seconds that open requests have when the server stops

MAX_HEAD_SIZE = 65_536  # bytes of a request's head: its address and headers
HEAD_TIMEOUT = 20.0  # seconds to send the head
BODY_TIMEOUT = 180.0  # seconds to send the body: 4 MB at 25 kB a second
STALL_TIMEOUT = 60.0  # seconds in which a client takes nothing of a response
# idle or short connections besides event streams, in all and of one address
EXTRA_CONNECTIONS, EXTRA_CONNECTIONS_EACH = (
    1000,
    100,
)
RESERVED_FILES = 256  # files and pipes that the process needs besides connections


def open_listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket on which the server can listen; port 0 takes any free one. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # otherwise each response waits 40 ms
    return listener


def serve(
    serving: TableServer, listener: socket.socket, studio: StudioServer | None = None, root_path: str = ""
) -> None:
    """Serve the tables, and the studio if there is one, until Ctrl-C; a proxy may have them at another path."""
    gate = serving.gate
    wanted_connections = gate.limits.connections + EXTRA_CONNECTIONS
    max_files = raise_file_limit(wanted_connections + RESERVED_FILES)
    max_connections = min(wanted_connections, max(max_files - RESERVED_FILES, max_files // 2))
    gate.limits = replace(gate.limits, connections=min(gate.limits.connections, max_connections * 3 // 4))
    config = configure(create_application(serving, studio, root_path), gate.limits, max_connections)
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.callbacks.append(SurvivorFreezer())
    uvicorn.Server(config).run(sockets=[listener])


class SurvivorFreezer:
    """A callback of the garbage collector that keeps full collections short, however many tables are in memory.

    Tables live long and contain no cycles, and looking through a thousand of them takes seconds. So what survives a
    full collection is frozen: the next ones leave it out. Connections that were frozen while they were open do become
    garbage with cycles, so each hundredth full collection looks through everything.
    """

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        """Thaw everything before a full collection whose turn it is, and freeze what survives any."""
        if info["generation"] != FULL_COLLECTION:
            return
        if phase == "start":
            self._count += 1
            if self._count % COLLECTIONS_PER_THAW == 0:
                gc.unfreeze()
        else:
            gc.freeze()


def configure(app: Any, limits: Limits, max_connections: int) -> uvicorn.Config:
    """Return the uvicorn configuration for an application, with at most `max_connections` open connections."""
    config = uvicorn.Config(
        app,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        backlog=BACKLOG,
    )
    proxies: Container[Any] = ProxyHeadersMiddleware(app, config.forwarded_allow_ips).trusted_hosts  # type: ignore[assignment]
    bounds = ConnectionBounds(limits.connections_each + EXTRA_CONNECTIONS_EACH, max_connections, proxies)
    config.http = partial(BoundedProtocol, bounds, max(limits.form, limits.upload))  # type: ignore[assignment]
    return config


def raise_file_limit(wanted: int) -> int:
    """Raise the limit of open files to `wanted` if the system allows it.

    Returns:
        The number of files that the process may open now.
    """
    try:
        import resource  # not available on Windows, where connections are not files
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    new_limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))
    except (OSError, ValueError):  # macOS allows fewer than it says
        return soft
    return new_limit


class BoundedProtocol(HttpToolsProtocol):
    """HTTP over one connection, with bounds on the size of requests and on the time to send them.

    A connection is idle, then reads the head of a request, then its body, and is idle again. Each of these parts has
    a limit of bytes and of seconds. While a request is being answered there is no limit of time, but the client must
    not stall.
    """

    def __init__(self, bounds: ConnectionBounds, most_body: int, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bounds = bounds
        self._max_content = 2 * most_body  # more than the application takes, so that its own refusal arrives
        self._content_size = 0  # bytes of the body's content so far
        self._overhead_size = 0  # bytes of the head, or of the chunk headers and trailers around a body
        self._part_number = 0  # counts the heads, bodies and pauses between them
        self._read_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None

    def drop(self) -> None:
        """Close the connection at once."""
        if self.transport is not None:
            self.transport.abort()

    # --- events of the connection

    def connection_made(self, transport: Any) -> None:
        """Start the time limit for the first head, or drop the connection if there are too many."""
        super().connection_made(transport)
        if self._bounds.admit(self, self.client[0] if self.client else ""):
            self._begin_timed_part(HEAD_TIMEOUT)
        else:
            self.drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers of a closed connection."""
        self._bounds.remove(self)
        self._read_timer, self._stall_timer = _cancel_timer(self._read_timer), _cancel_timer(self._stall_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; refuse a request that is too large."""
        part, content = self._part_number, self._content_size
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._part_number == part:  # otherwise some bytes belong to an earlier part
            self._overhead_size += len(data) - (self._content_size - content)
        if self._content_size > self._max_content:
            self.drop()
        elif self._overhead_size > MAX_HEAD_SIZE:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._read_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._begin_timed_part(HEAD_TIMEOUT)  # these bytes start no request, and uvicorn would wait for ever

    def pause_writing(self) -> None:
        """Start the time limit for a stalled client, whose buffer is full."""
        super().pause_writing()
        self._stall_timer = self.loop.call_later(STALL_TIMEOUT, self.drop)

    def resume_writing(self) -> None:
        """Cancel the time limit for a stalled client."""
        super().resume_writing()
        self._stall_timer = _cancel_timer(self._stall_timer)

    # --- events of the parser

    def on_message_begin(self) -> None:
        """Start the time limit for the head of a request."""
        super().on_message_begin()
        self._begin_timed_part(HEAD_TIMEOUT)

    def on_headers_complete(self) -> None:
        """Start the time limit for the body of a request."""
        super().on_headers_complete()
        self._begin_timed_part(BODY_TIMEOUT)

    def on_body(self, body: bytes) -> None:
        """Count the bytes of a body."""
        super().on_body(body)
        self._content_size += len(body)

    def on_message_complete(self) -> None:
        """Mark the connection as being served."""
        super().on_message_complete()
        self._begin_part()
        if not self.cycle.response_complete:
            self._bounds.serve(self)

    def on_response_complete(self) -> None:
        """Mark the connection as waiting for a request."""
        super().on_response_complete()
        self._bounds.wait(self)

    # --- bounds

    def _begin_timed_part(self, seconds: float) -> None:
        """Begin a part that must be complete within some seconds."""
        self._begin_part()
        self._read_timer = self.loop.call_later(seconds, self._refuse, HTTPStatus.REQUEST_TIMEOUT)

    def _begin_part(self) -> None:
        """Begin the next part of a request: reset the counts of bytes and cancel its time limit."""
        self._part_number, self._overhead_size, self._content_size = self._part_number + 1, 0, 0
        self._read_timer = _cancel_timer(self._read_timer)

    def _refuse(self, status: HTTPStatus) -> None:
        """Close the connection with a status; without one if another response is being sent."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.drop()
            return
        response = f"HTTP/1.1 {status} {status.phrase}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        self.transport.write(response.encode())
        self.transport.close()


def _cancel_timer(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer if there is one, and return None to store in its place."""
    if timer is not None:
        timer.cancel()
    return None
