"""Senders of requests to a page's application: the browser's owner, and guests whose browsers are connected to it.

To the application a guest is what a stranger is to a server: a person with a link. Guests reach only what lies behind
links of seats and rooms; addresses without a key (variants, new tables) are for the browser's owner.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

from edict.apps.web.middleware import create_forbidden_app, create_too_many_requests_app
from edict.support.records import dataclass

Headers = Sequence[tuple[str, str]]
GUEST_PATHS = re.compile(r"/(seat|room)/[\w-]+(/[\w./-]*)?", re.ASCII)  # paths that guests may request
# headers that guests may send; the application never sees any others of theirs
GUEST_HEADERS = re.compile(r"accept|accept-language|content-length|content-type|last-event-id|hx-[\w-]+", re.ASCII)
BASE_PATH = re.compile(r"(/[\w.~%@+-]+)+", re.ASCII)  # valid paths below which the application lies for a guest
GUEST_METHODS = ("GET", "POST")
MAX_GUEST_REQUESTS = 600  # in a minute
MINUTE = 60.0


class Cookies:
    """A cookie jar for the in-page application.

    Args:
        file: Where to persist it; in memory only if None.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, str] = json.loads(file.read_text()) if file is not None and file.exists() else {}

    def header(self) -> list[tuple[bytes, bytes]]:
        """Return the `Cookie` header of a request, as a list of at most one header."""
        pairs = "; ".join(f"{name}={value}" for name, value in self._known.items())
        return [(b"cookie", pairs.encode("latin-1", "replace"))] if pairs else []

    def extract_from(self, headers: Headers) -> list[tuple[str, str]]:
        """Store the cookies that a response sets, and return its headers without them."""
        for name, value in headers:
            if name.lower() == "set-cookie":
                self._known |= {morsel.key: morsel.value for morsel in SimpleCookie(value).values()}
                if self._file is not None:
                    self._file.write_text(json.dumps(self._known))
        return [(name, value) for name, value in headers if name.lower() != "set-cookie"]


@dataclass
class Requester:
    """A sender of requests."""

    below: str  # the path below which the application lies for them
    cookies: Cookies = field(default_factory=Cookies)
    address: str = "127.0.0.1"  # by which the application tells senders apart

    def filter_headers(self, headers: Headers) -> Headers:
        """Return the headers of a request that the application may see."""
        return headers

    def refusal(self, method: str, path: str) -> Any:
        """Return an ASGI application that refuses the request; None if it is allowed."""
        return None


@dataclass
class PageGuest(Requester):
    """A person at another browser that is connected to this one."""

    home: str = ""  # the address of their own start page
    _minute_start: float = 0.0
    _request_count: int = 0

    def filter_headers(self, headers: Headers) -> Headers:
        """Return only the headers that guests may send."""
        return [(name, value) for name, value in headers if GUEST_HEADERS.fullmatch(name.lower())]

    def refusal(self, method: str, path: str) -> Any:
        """Return an app that answers 429 or 403 for a guest's request; None if the request is allowed."""
        if self._exceeds_rate():
            return create_too_many_requests_app()
        if method not in GUEST_METHODS or not GUEST_PATHS.fullmatch(path) or not BASE_PATH.fullmatch(self.below):
            return create_forbidden_app(self.home)
        return None

    def _exceeds_rate(self) -> bool:
        """Count a request, and return True if the guest sent more than `MAX_GUEST_REQUESTS` this minute."""
        now = time.monotonic()
        if now - self._minute_start > MINUTE:
            self._minute_start, self._request_count = now, 0
        self._request_count += 1
        return self._request_count > MAX_GUEST_REQUESTS
