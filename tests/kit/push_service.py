"""A stand-in for the push services of browsers, and a browser that decrypts the messages."""

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

TIMEOUT = 60.0


def _encode_base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class SubscribedBrowser:
    """A browser with a push address; only it can decrypt messages to it."""

    endpoint: str
    secret: bytes = b"sixteen bytes..."
    private: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def make_form(self) -> dict[str, str]:
        """Return the form that its page sends to the server."""
        public = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "p256dh": _encode_base64(public), "auth": _encode_base64(self.secret)}

    def decrypt(self, body: bytes) -> dict[str, str]:
        raw = http_ece.decrypt(body, private_key=self.private, auth_secret=self.secret, version="aes128gcm")
        message: dict[str, str] = json.loads(raw)
        return message


@dataclass
class PushService:
    """Records the path, headers and body of each message; `status` is its response."""

    base: str
    sent: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 201

    def create_browser(self, name: str = "ann") -> SubscribedBrowser:
        return SubscribedBrowser(f"{self.base}/{name}")

    def wait(self, count: int = 1) -> None:
        """Wait until it has received a number of messages."""
        self._wait_until(lambda: len(self.sent) >= count)

    def wait_for_paths(self, paths: set[str]) -> None:
        """Wait until it has received a message for each of these paths."""
        self._wait_until(lambda: paths <= {path for path, _, _ in self.sent})

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < deadline, self.sent
            time.sleep(0.02)


def is_signed(headers: dict[str, str], public_key: str) -> bool:
    """Return True if a message is signed by the server with this key."""
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
