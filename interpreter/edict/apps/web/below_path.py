"""The application below a path of its host: addresses in responses get that path as a prefix.

Routes and templates write addresses from the root (`/seat/...`). ASGI calls the path `root_path`; each address is
rewritten in the response. In HTML an address follows `="`: templates write it so, and other text is escaped and has
no quotation marks.
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESSED = ("location", "hx-redirect", "hx-location")  # headers with an address
WRITTEN = ("text/html", "text/event-stream")  # an event stream is sent in whole events, so no address is split


def get_path_below(scope: Scope) -> str:
    """Return a request's path below its `root_path`, as routes name it."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(root) if f"{path}/".startswith(f"{root}/") else path


class AtPath:
    """ASGI middleware that makes a path of the host a request's `root_path`; a proxy may have taken it off."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http":
            scope = {**scope, "root_path": self.path}
            scope["path"] = self.path + get_path_below(scope)
        await self.app(scope, receive, send)


class BelowPath:
    """ASGI middleware that puts the request's `root_path` in front of the addresses in responses.

    It must see responses before they are compressed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        path = scope.get("root_path", "")
        if not path:
            await self.app(scope, receive, send)
            return
        has_addresses = False

        async def send_with_prefix(message: Message) -> None:
            """Send a message with the path in front of the addresses in it."""
            nonlocal has_addresses
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                has_addresses = headers.get("content-type", "").startswith(WRITTEN)
                _prefix_headers(headers, path)
                if has_addresses and "content-length" in headers:
                    del headers["content-length"]
            elif has_addresses:
                message = {**message, "body": message.get("body", b"").replace(b'="/', f'="{path}/'.encode())}
            await send(message)

        await self.app(scope, receive, send_with_prefix)


def _prefix_headers(headers: Any, path: str) -> None:
    """Put the path in front of headers that hold an address of this host, such as `Location: /table`."""
    for name in ADDRESSED:
        if headers.get(name, "").startswith("/"):
            headers[name] = path + headers[name]
