"""What every answer of the server says to browsers, and how much anybody may send and ask for."""

from __future__ import annotations

import time
from collections import OrderedDict

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 64_000  # bytes of a form
PER_MINUTE = 600  # requests of one address; a busy evening takes some 100
MOST_ADDRESSES = 10_000
POLICY = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address of a page is the key to a seat
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Safe:
    """Strict headers on every answer; too much at once is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._asked: OrderedDict[str, tuple[float, int]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in POLICY.items():
                    headers[name] = value
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        problem = self._problem(scope)
        await (problem or self.app)(scope, receive, with_policy)

    def _problem(self, scope: Scope) -> PlainTextResponse | None:
        length = Headers(scope=scope).get("content-length", "0")
        if scope["method"] == "POST" and (not length.isdigit() or int(length) > MOST_BODY):
            return PlainTextResponse("That is more than a form of this page holds.", 413)
        if not self._may(scope.get("client")):
            return PlainTextResponse("Too many requests. Wait a minute.", 429, {"Retry-After": "60"})
        return None

    def _may(self, client: tuple[str, int] | None) -> bool:
        address, now = client[0] if client else "", time.monotonic()
        began, count = self._asked.pop(address, (now, 0))
        if now - began > 60:
            began, count = now, 0
        self._asked[address] = (began, count + 1)
        while len(self._asked) > MOST_ADDRESSES:
            self._asked.popitem(last=False)
        return count < PER_MINUTE
