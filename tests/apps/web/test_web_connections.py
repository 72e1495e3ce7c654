"""Connections over which somebody sends too much, too slowly or nothing at all: they end, and keep nobody else out."""

from __future__ import annotations

import asyncio
import re
import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from starlette.testclient import TestClient

from edict.apps.web import web_server
from edict.apps.web.connection_bounds import ConnectionBounds, household
from edict.apps.web.table_server import TableServer
from serving import PATIENCE, Server, client_of, listened

HEAD = b"POST /play HTTP/1.1\r\nHost: localhost\r\n"
FORM = HEAD + b"Content-Type: application/x-www-form-urlencoded\r\n"
WHOLE = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
MOST = 20  # connections of the server in these tests


# --- who is dropped ----------------------------------------------------------------------------------


class _Line:
    dropped = False

    def drop(self) -> None:
        self.dropped = True


def admitted(bounds: ConnectionBounds, *addresses: str) -> list[_Line | None]:
    """Connections from these addresses; None for each that was not let in."""
    lines = [(_Line(), address) for address in addresses]
    return [line if bounds.admit(line, address) else None for line, address in lines]


def test_connection_that_waits_longest_makes_room_for_a_new_one() -> None:
    bounds = ConnectionBounds(each=2, most=3)
    first, second, other = admitted(bounds, "1.1.1.1", "1.1.1.1", "2.2.2.2")
    assert first is not None and second is not None and other is not None
    assert admitted(bounds, "1.1.1.1") != [None] and first.dropped and not second.dropped and not other.dropped
    assert admitted(bounds, "3.3.3.3") != [None] and second.dropped and not other.dropped


def test_connection_that_is_answered_is_not_dropped() -> None:
    bounds = ConnectionBounds(each=2, most=3)
    lines = [line for line in admitted(bounds, "1.1.1.1", "1.1.1.1", "2.2.2.2") if line is not None]
    for line in lines:
        bounds.serve(line)
    assert admitted(bounds, "1.1.1.1", "3.3.3.3") == [None, None] and not any(line.dropped for line in lines)
    bounds.wait(lines[2])
    assert admitted(bounds, "1.1.1.1") == [None], "there are too many of that address still"
    assert admitted(bounds, "3.3.3.3") != [None] and lines[2].dropped
    bounds.remove(lines[0])
    bounds.remove(lines[0])
    assert admitted(bounds, "1.1.1.1") != [None]


def test_proxy_may_have_all_connections_there_are() -> None:
    bounds = ConnectionBounds(each=2, most=5, proxies=("127.0.0.1",))
    lines = [line for line in admitted(bounds, *["127.0.0.1"] * 5) if line is not None]
    assert len(lines) == 5 and not any(line.dropped for line in lines)
    assert admitted(bounds, "127.0.0.1") != [None] and lines[0].dropped


@pytest.mark.parametrize(
    ("address", "counts_as"),
    {
        "192.168.1.7": "192.168.1.7",
        "2001:db8::1": "2001:db8::",
        "2001:db8:0:0:9::2": "2001:db8::",
        "fe80::1%eth0": "fe80::",
        "2001:db8:0:1::1": "2001:db8:0:1::",
        "::ffff:10.0.0.1": "10.0.0.1",
        "guest 1": "guest 1",
        "": "",
    }.items(),
)
def test_ipv6_network_counts_as_one_address(address: str, counts_as: str) -> None:
    """Whoever has one address of a network has 2**64 of them."""
    assert household(address) == counts_as


# --- over sockets ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that waits for nobody longer than a moment."""
    folder = tmp_path_factory.mktemp("listened")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(web_server, "HEAD_TIME", 0.5)
        patch.setattr(web_server, "BODY_TIME", 0.7)
        with listened(f"sqlite:///{folder / 'tables.sqlite'}", most=MOST) as found:
            yield found


@contextmanager
def connected(base: str) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", int(base.rsplit(":", 1)[1])), timeout=PATIENCE) as line:
        yield line


def rest(line: socket.socket) -> bytes:
    """What still comes over a connection until it is closed."""
    found = b""
    try:
        while more := line.recv(65_536):
            found += more
    except ConnectionError:
        pass
    return found


def sent(line: socket.socket, piece: bytes, most: int) -> int:
    """Send a piece again and again, until the connection is closed or so many bytes are sent; gives how many were."""
    count = 0
    try:
        while count < most:
            line.sendall(piece)
            count += len(piece)
    except OSError:
        pass
    return count


ENDLESS = {
    "header": HEAD + b"X-Endless: ",
    "address": b"GET /",
    "many headers": HEAD + b"A: b\r\n",
    "trailer": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Endless: ",
    "chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
    "content after the answer": FORM + b"Content-Length: 900000000\r\n\r\n",
    "content": FORM + b"Transfer-Encoding: chunked\r\n\r\n30000000\r\n",
}
PIECES = {"many headers": b"A: b\r\n" * 10_000, "chunks": b"1\r\nx\r\n" * 10_000}


@pytest.mark.parametrize("what", ENDLESS)
def test_request_that_never_ends_is_cut_off(base: str, what: str) -> None:
    with connected(base) as line:
        line.sendall(ENDLESS[what])
        assert sent(line, PIECES.get(what, b"x" * 60_000), 60_000_000) < 40_000_000


def test_head_that_is_too_large_is_refused_by_its_status(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "HEAD_TIME", PATIENCE)
    with connected(base) as line:
        line.sendall(HEAD + b"X: ")
        while not select.select([line], [], [], 0.2)[0]:
            line.sendall(b"x" * 20_000)
        assert rest(line).startswith(b"HTTP/1.1 431 ")
    with client_of(base) as client:
        assert client.get("/", headers={"X": "x" * 30_000}).status_code == 200


HALVES = {
    "nothing": b"",
    "line ends": b"\r\n\r\n",
    "half a line": b"GET",
    "half a head": HEAD,
    "half a form": FORM + b"Content-Length: 9\r\n\r\nga",
    "after another": WHOLE + b"G",
    "line ends after another": WHOLE + b"\r\n\r\n",
}


@pytest.mark.parametrize("half", HALVES)
def test_half_of_a_request_is_not_waited_for(base: str, half: str) -> None:
    with connected(base) as line:
        line.sendall(HALVES[half])
        found = rest(line)
    assert b"HTTP/1.1 408 " in found or half in ("half a form", "line ends after another")


def test_half_sent_requests_keep_nobody_out(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "HEAD_TIME", PATIENCE)
    with ExitStack() as lines, client_of(base) as client:
        for _ in range(3 * MOST):
            line = lines.enter_context(connected(base))
            line.sendall(HEAD)
        for _ in range(3):
            assert client.get("/gallery", headers={"Connection": "close"}).status_code == 200


def test_news_outlast_the_time_in_which_requests_must_come(base: str) -> None:
    """They are one answer that never ends; several of one browser and of a family stay open beside each other."""
    with client_of(base) as client, ExitStack() as open_:
        room = client.post("/play", data={"game": "pig"}, follow_redirects=True)
        key = re.search(r"/seat/([\w-]+)", str(room.url))
        assert key is not None
        news = [open_.enter_context(client.stream("GET", f"/seat/{key[1]}/news")) for _ in range(5)]
        streams = [one.iter_bytes() for one in news]
        assert all(b"event: " in next(stream) for stream in streams)
        time.sleep(1.5)
        for _ in range(2 * MOST):
            open_.enter_context(connected(base))
        client.post(f"/seat/{key[1]}/talk", data={"text": "Still there?"})
        assert all(b"event: said" in next(stream) for stream in streams)


def test_client_that_leaves_in_the_middle_of_a_form_is_no_failure(
    server: tuple[TableServer, TestClient], caplog: pytest.LogCaptureFixture
) -> None:
    app, sent_back = server[1].app, list[object]()
    messages = iter([{"type": "http.request", "body": b"game=", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> object:
        return next(messages)

    async def send(message: object) -> None:
        sent_back.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/play",
        "raw_path": b"/play",
        "scheme": "http",
        "query_string": b"",
        "headers": [(b"content-type", b"application/x-www-form-urlencoded")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "root_path": "",
    }
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    assert not sent_back and "Traceback" not in caplog.text and "failed" not in caplog.text


# --- a server as people start it --------------------------------------------------------------------

FILES, HALF_OPEN = 1024, 1500
PATIENT = 1.5  # seconds that a page may take meanwhile; without bounds it took 2 to 5, or did not come


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not bound the files of a process")
def test_attack_on_a_server_of_few_files_holds_nobody_up(tmp_path: Path) -> None:
    server = Server.start(f"sqlite:///{tmp_path / 'tables.sqlite'}", tmp_path, files=FILES)
    try:
        with server.client() as client, ExitStack() as open_:
            client.get("/gallery")
            took = [_seconds(client)]
            with connected(server.base) as line:
                line.sendall(HEAD + b"X-Endless: ")
                sending = Thread(target=sent, args=(line, b"x" * 1_000_000, 60_000_000))
                sending.start()
                while sending.is_alive():
                    took.append(_seconds(client))
                sending.join()
            lines = [open_.enter_context(connected(server.base)) for _ in range(HALF_OPEN)]
            for line in lines:
                with suppress(OSError):
                    line.sendall(HEAD)
            took += [_seconds(client) for _ in range(10)]
        print(f"longest: {max(took):.2f} s of {len(took)}")
        assert server.process.poll() is None and max(took) < PATIENT
        assert "Traceback" not in server.output.read_text()
    finally:
        server.stop()


def _seconds(client: Any) -> float:
    """How long somebody waits for a page over a new connection."""
    begun = time.monotonic()
    assert client.get("/notices/key", headers={"Connection": "close"}).status_code == 200
    return time.monotonic() - begun
