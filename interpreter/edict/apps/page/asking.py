"""Who asks the application of a page: whoever the browser belongs to, and guests, whose browsers are connected to it.

A guest is to the application what a stranger is to a server: somebody who has a link. Only what lies behind links of
seats and rooms is open to them; what has no key in its address (variants, new tables) is for the browser's owner.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

from edict.apps.web.refusals import not_for_guests, too_often

Headers = Sequence[tuple[str, str]]
OPEN = re.compile(r"/(seat|room)/[\w-]+(/[\w./-]*)?", re.ASCII)
"""The paths that guests may ask for."""
PASSED = re.compile(r"accept|accept-language|content-length|content-type|last-event-id|hx-[\w-]+", re.ASCII)
"""The headers of guests that are heard. Whatever else the application goes by, it is told here."""
BELOW = re.compile(r"(/[\w.~%@+-]+)+", re.ASCII)
METHODS = ("GET", "POST")
MOST = 600  # requests of one guest in a minute
MINUTE = 60.0


class Cookies:
    """What a browser would remember of answers by itself, were they a server's. file: where it is kept, if it is."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, str] = json.loads(file.read_text()) if file is not None and file.exists() else {}

    def header(self) -> list[tuple[bytes, bytes]]:
        said = "; ".join(f"{name}={value}" for name, value in self._known.items())
        return [(b"cookie", said.encode("latin-1", "replace"))] if said else []

    def taken(self, headers: Headers) -> list[tuple[str, str]]:
        """The headers without those that set a cookie, which is remembered."""
        for name, value in headers:
            if name.lower() == "set-cookie":
                self._known |= {one.key: one.value for one in SimpleCookie(value).values()}
                if self._file is not None:
                    self._file.write_text(json.dumps(self._known))
        return [(name, value) for name, value in headers if name.lower() != "set-cookie"]


@dataclass
class Asker:
    """Somebody whose requests are answered.

    below: the path below which the answers lie for them. address: by which the application tells them apart.
    """

    below: str
    cookies: Cookies = field(default_factory=Cookies)
    address: str = "127.0.0.1"

    def passed(self, headers: Headers) -> Headers:
        """The headers of a request that are heard."""
        return headers

    def refusal(self, method: str, path: str) -> Any:
        """What answers (as ASGI) instead of the application, where that is not for them."""
        return None


@dataclass
class PageGuest(Asker):
    """Somebody at another browser. home: the address of their own start page."""

    home: str = ""
    _since: float = 0.0
    _asked: int = 0

    def passed(self, headers: Headers) -> Headers:
        return [(name, value) for name, value in headers if PASSED.fullmatch(name.lower())]

    def refusal(self, method: str, path: str) -> Any:
        if self._too_often():
            return too_often()
        if method not in METHODS or not OPEN.fullmatch(path) or not BELOW.fullmatch(self.below):
            return not_for_guests(self.home)
        return None

    def _too_often(self) -> bool:
        now = time.monotonic()
        if now - self._since > MINUTE:
            self._since, self._asked = now, 0
        self._asked += 1
        return self._asked > MOST
