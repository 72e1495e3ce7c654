"""A push service that stands in for those of browsers, and a browser that reads what it is sent through it."""

from __future__ import annotations

import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

PATIENCE = 60.0


def _said(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class Browser:
    """One that can be reached at an address; only it can read what is sent there."""

    endpoint: str
    secret: bytes = b"sixteen bytes..."
    private: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def form(self) -> dict[str, str]:
        """What its page sends to the server."""
        public = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "p256dh": _said(public), "auth": _said(self.secret)}

    def read(self, body: bytes) -> dict[str, str]:
        raw = http_ece.decrypt(body, private_key=self.private, auth_secret=self.secret, version="aes128gcm")
        found: dict[str, str] = json.loads(raw)
        return found


@dataclass
class PushService:
    """What it was sent: the path, headers and body of each message. `status` is its answer."""

    base: str
    sent: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 201

    def browser(self, name: str = "ann") -> Browser:
        return Browser(f"{self.base}/{name}")

    def wait(self, count: int = 1) -> None:
        """Until it has been sent so many messages."""
        self._until(lambda: len(self.sent) >= count)

    def reached(self, paths: set[str]) -> None:
        """Until it has been sent a message for each of these."""
        self._until(lambda: paths <= {path for path, _, _ in self.sent})

    def _until(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < until, self.sent
            time.sleep(0.02)


def is_signed(headers: dict[str, str], public_key: str) -> bool:
    """Whether a message comes from the server that has this key."""
    return bool(Vapid02.verify(headers["Authorization"])) and f"k={public_key}" in headers["Authorization"]


@contextmanager
def push_service() -> Iterator[PushService]:
    found = PushService("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.sent.append((self.path, dict(self.headers), body))
            self.send_response(found.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    found.base = f"http://127.0.0.1:{server.server_port}"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
