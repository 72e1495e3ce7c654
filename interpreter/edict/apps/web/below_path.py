"""The application below a path of its host: addresses in what it answers begin there, as they do for browsers.

Routes and templates write addresses from the root (`/seat/...`). Where the application lies deeper, which ASGI calls
`root_path`, each is led there on its way out. In HTML an address stands behind `="`: templates write it so, and what
is not theirs is escaped, so that it has no quotation marks.
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESSED = ("location", "hx-redirect", "hx-location")
WRITTEN = ("text/html", "text/event-stream")  # of the latter every piece is whole events


class BelowPath:
    """An application whose answers name addresses below the `root_path` of what was asked."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("root_path", "")
        if not path:
            await self.app(scope, receive, send)
            return
        written = False

        async def led(message: Message) -> None:
            nonlocal written
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                written = headers.get("content-type", "").startswith(WRITTEN)
                _lead(headers, path)
                if written and "content-length" in headers:
                    del headers["content-length"]
            elif written:
                message = {**message, "body": message.get("body", b"").replace(b'="/', f'="{path}/'.encode())}
            await send(message)

        await self.app(scope, receive, led)


def _lead(headers: Any, path: str) -> None:
    for name in ADDRESSED:
        if headers.get(name, "").startswith("/"):
            headers[name] = path + headers[name]
