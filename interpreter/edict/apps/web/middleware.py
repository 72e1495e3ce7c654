"""Middleware around the application: security headers, limits on requests, error pages and the language of pages.

The language is the one that a visitor has chosen, otherwise the one that the browser asks for.
"""

from __future__ import annotations

import logging
import socket
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edict.apps.web.connection_bounds import Limits, network_key
from edict.apps.web.page_templates import get_pages
from edict.apps.web.store import StoreError
from edict.support.text import parse_integer
from edict.support.translations import N_, gettext, language_codes, parse_accept_language, use_language

if TYPE_CHECKING:
    from limits.strategies import FixedWindowRateLimiter


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


SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    # A seat's address is its key, so other sites must not see it; `no-referrer` would hide the origin of our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
SERVER_ERROR = N_("Something went wrong on the server. Nothing was lost: go back and try again.")
CROSS_SITE = N_("Another site sent this, which only pages of this server may do.")
UNKNOWN_HOST = "This server is not called that: whoever runs it can let it be, with --name."
RATE_EXCEEDED = N_("Too many requests: wait a minute, then try again.")
RETRY_HEADERS = {"Retry-After": "60"}
TOO_LARGE = N_("That is too large to send.")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
OTHER_SITES = ("cross-site", "same-site")  # another server of the same domain is another site, too
STORE_UNAVAILABLE = N_("The tables are not available right now. Nothing was lost: try again in a moment.")
_log = logging.getLogger(__name__)


class RequestGate:
    """Limits on the rates of requests and on open connections, by client.

    Args:
        names: The host names under which browsers may address the server, besides IP addresses; empty for any.
    """

    def __init__(self, limits: Limits, names: Collection[str] = ()) -> None:
        self.limits = limits
        self.names = names
        self._limiter: FixedWindowRateLimiter | None = None  # in the memory of this process
        self._live: Counter[str] = Counter()

    def check_rate(self, rate: str, what: str, connection: HTTPConnection) -> None:
        """Count a request for its client's network, and raise `HTTPException` 429 beyond the rate.

        Args:
            rate: The limit, such as `600/minute`; empty for none.
            what: The counter; each has a limit of its own.
            connection: The request, counted for its client's network.

        Raises:
            HTTPException: The client has made too many such requests (429).
        """
        if not rate:
            return
        from limits import parse  # late: it starts a thread, which a browser's Python cannot
        from limits.storage import MemoryStorage
        from limits.strategies import FixedWindowRateLimiter

        if self._limiter is None:
            self._limiter = FixedWindowRateLimiter(MemoryStorage())
        if not self._limiter.hit(parse(rate), what, _client_network(connection)):
            raise HTTPException(429, gettext(RATE_EXCEEDED), RETRY_HEADERS)

    @contextmanager
    def count_connection(self, connection: HTTPConnection) -> Iterator[None]:
        """Count a live connection while the context is open.

        Raises:
            HTTPException: There is no room for another connection (503).
        """
        self.check_room(connection)
        address = _client_network(connection)
        self._live[address] += 1
        try:
            yield
        finally:
            self._live[address] -= 1
            if not self._live[address]:
                del self._live[address]

    def accepts_host(self, host: str) -> bool:
        """Return True if a `Host` header names this server.

        IP addresses always do: only a host name can be pointed at this server by others.
        """
        if not self.names:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return "@" not in host and (name in self.names or _is_ip_address(name))

    def check_room(self, connection: HTTPConnection) -> None:
        """Raise `HTTPException` 503 if the server or the client's network has its most live connections.

        Raises:
            HTTPException: There is none (503).
        """
        is_full = self._live.total() >= self.limits.connections
        if is_full or self._live[_client_network(connection)] >= self.limits.connections_each:
            message = gettext("Too many connections: close some tabs, then reload.")
            raise HTTPException(503, message, {"Retry-After": "60"})


def _client_network(connection: HTTPConnection) -> str:
    return network_key(connection.client.host) if connection.client else ""


def get_local_host_names() -> set[str]:
    """Return the names by which browsers find this machine in its own network."""
    name = socket.gethostname().casefold()
    return {"localhost", name, f"{name}.local"}


def _is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class ResponseGuard:
    """ASGI middleware that adds security headers to responses and refuses requests that break a limit.

    Unexpected errors are logged; browsers get a message without details.
    """

    def __init__(self, app: ASGIApp, gate: RequestGate) -> None:
        self.app = app
        self.gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application unless it must be refused."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        has_started = False
        path = get_path_below(scope)  # now: routes to other applications change the scope

        async def send_with_headers(message: Message) -> None:
            """Send a message with security headers, and note that the response has started."""
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                _add_security_headers(MutableHeaders(scope=message), path)
            await send(message)

        try:
            await (self._find_refusal(scope) or self.app)(scope, self._limit_body(scope, receive), send_with_headers)
        except ClientDisconnect:
            return  # the client left while sending, so it needs no response
        except Exception as problem:
            if has_started:
                raise
            await _make_error_response(problem)(scope, receive, send_with_headers)

    def _find_refusal(self, scope: Scope) -> Response | None:
        """Return the response that refuses a request, for its host, rate, origin or size; None to let it pass."""
        headers = Headers(scope=scope)
        if not self.gate.accepts_host(headers.get("host", "")):
            return PlainTextResponse(UNKNOWN_HOST, 421)
        if get_path_below(scope).startswith("/static/"):
            return None
        try:
            self.gate.check_rate(self.gate.limits.requests, "requests", HTTPConnection(scope))
        except HTTPException as problem:
            return PlainTextResponse(problem.detail, problem.status_code, problem.headers)
        if scope["method"] not in SAFE_METHODS and _is_cross_site(headers):
            return PlainTextResponse(gettext(CROSS_SITE), 403)
        return self._refuse_large_body(headers.get("content-length", "0"), scope)

    def _body_limit(self, scope: Scope) -> int:
        """Return the most bytes that a request's body may have: more where files can be uploaded."""
        if get_path_below(scope).startswith(("/tables", "/studio/")):
            return self.gate.limits.upload
        return self.gate.limits.form

    def _refuse_large_body(self, content_length: str, scope: Scope) -> Response | None:
        """Return 413 if the announced length is over the limit or not a number; None otherwise."""
        size = parse_integer(content_length, 12)
        if size is not None and 0 <= size <= self._body_limit(scope):
            return None
        return PlainTextResponse(gettext(TOO_LARGE), 413)

    def _limit_body(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that refuses a body over the limit, which may be longer than its header announces."""
        received, limit = 0, self._body_limit(scope)

        async def receive_with_limit() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise HTTPException(413, gettext(TOO_LARGE))
            return message

        return receive_with_limit


def _is_cross_site(headers: Headers) -> bool:
    """Return True if a page of another site sends a request with these headers.

    Browsers say which site it is, but not to addresses without TLS, as in a home network: there the origin of the page
    is compared with the host. A request without either comes from no browser.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in OTHER_SITES
    return origin is not None and origin.partition("://")[2].casefold() != headers.get("host", "").casefold()


def _add_security_headers(headers: MutableHeaders, path: str) -> None:
    """Set the security headers of a response; only static files may be cached, others get `no-store`."""
    for name, value in SECURITY_HEADERS.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-cache" if path.startswith("/static/") else "no-store")


def _make_error_response(problem: Exception) -> Response:
    """Log an unexpected error, and return the message for the browser."""
    if isinstance(problem, StoreError):
        _log.error("%s", problem.reason)
        return PlainTextResponse(gettext(STORE_UNAVAILABLE), 503, {"Retry-After": "5"})
    _log.error("A request failed", exc_info=problem)
    return PlainTextResponse(gettext(SERVER_ERROR), 500)


LANGUAGE_NAME = "language"  # of the cookie and of the query parameter
COOKIE_MAX_AGE = 365 * 24 * 60 * 60  # seconds in a year


class LanguageMiddleware:
    """ASGI middleware that handles each request in the visitor's language.

    `?language=de` on any page chooses a language, which a cookie remembers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request in the chosen language, else in the remembered one, else in one that the browser accepts."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        chosen = connection.query_params.get(LANGUAGE_NAME, "")
        remembered = connection.cookies.get(LANGUAGE_NAME, "")
        accepted = [code for code in (chosen, remembered) if code in language_codes()]

        async def send_with_cookie(message: Message) -> None:
            """Send a message, with a cookie if the language was chosen just now and differs from the cookie."""
            if message["type"] == "http.response.start" and accepted[:1] == [chosen] != [remembered]:
                cookie = f"{LANGUAGE_NAME}={chosen}; Max-Age={COOKIE_MAX_AGE}; Path=/; SameSite=Lax"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        with use_language(
            accepted[0] if accepted else parse_accept_language(connection.headers.get("accept-language", ""))
        ):
            await self.app(scope, receive, send_with_cookie)


def create_forbidden_app(home: str) -> ASGIApp:
    """Return an application that answers 403 with a page: guests may use only links of seats and rooms.

    Args:
        home: The address of the guest's own start page.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 with the page for guests who may not see this address."""
        await HTMLResponse(get_pages().render("not_for_guests.html", home=home), 403)(scope, receive, send)

    return LanguageMiddleware(answer)


def create_too_many_requests_app() -> ASGIApp:
    """Return an application that answers 429: the guest has to wait."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 with the time to wait in a header."""
        await PlainTextResponse(gettext(RATE_EXCEEDED), 429, RETRY_HEADERS)(scope, receive, send)

    return LanguageMiddleware(answer)
