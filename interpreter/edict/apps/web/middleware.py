"""What lies around the application: security headers, limits on what anybody may send and ask for, messages for
failures, and the language in which pages speak: the one that somebody has chosen, or else what their browser asks for.
"""

from __future__ import annotations

import logging
import socket
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edict.apps.web.connection_bounds import household
from edict.apps.web.quotas import Limits
from edict.apps.web.store import StoreError
from edict.support.text import parse_integer
from edict.support.translations import N_, gettext, language_codes, parse_accept_language, use_language

if TYPE_CHECKING:
    from edict.apps.web.request_rates import RequestRates

POLICY = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    # The address of a page is the key to a seat. Without any referrer the server's own forms would have no origin.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
FAULT = N_("Something went wrong on the server. Nothing was lost: go back and try again.")
FOREIGN = N_("Another site sent this, which only pages of this server may do.")
ELSEWHERE = "This server is not called that: whoever runs it can let it be, with --name."
TOO_OFTEN = N_("Too many requests: wait a minute, then try again.")
WAIT = {"Retry-After": "60"}
TOO_LARGE = N_("That is too large to send.")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
OTHER_SITES = ("cross-site", "same-site")  # another server beside this one, under a common name, is no page of this one
AWAY = N_("The tables are not available right now. Nothing was lost: try again in a moment.")
_log = logging.getLogger(__name__)


class RequestGate:
    """Counts what everybody asks for. `check` and `connected` raise `HTTPException` for too much.

    names: under which the server may be asked, besides addresses; without any, under all.
    """

    def __init__(self, limits: Limits, names: Collection[str] = ()) -> None:
        self.limits = limits
        self.names = names
        self._rates: RequestRates | None = None
        self._live: Counter[str] = Counter()

    def check(self, rate: str, what: str, connection: HTTPConnection) -> None:
        if rate and not self._counting().hit(rate, what, _address(connection)):
            raise HTTPException(429, gettext(TOO_OFTEN), WAIT)

    def _counting(self) -> RequestRates:
        if self._rates is None:
            from edict.apps.web.request_rates import RequestRates  # it has a thread, which not every place can begin

            self._rates = RequestRates()
        return self._rates

    @contextmanager
    def connected(self, connection: HTTPConnection) -> Iterator[None]:
        """While a live connection is open."""
        self.room(connection)
        address = _address(connection)
        self._live[address] += 1
        try:
            yield
        finally:
            self._live[address] -= 1
            if not self._live[address]:
                del self._live[address]

    def is_called(self, host: str) -> bool:
        """Whether a `Host` header names this server. Addresses do: only where names lead is up to who owns them."""
        if not self.names:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return "@" not in host and (name in self.names or _is_address(name))

    def room(self, connection: HTTPConnection) -> None:
        """Whether there is room for one more."""
        full = self._live.total() >= self.limits.connections
        if full or self._live[_address(connection)] >= self.limits.connections_each:
            said = gettext("Too many connections: close some tabs, then reload.")
            raise HTTPException(503, said, {"Retry-After": "60"})


def _address(connection: HTTPConnection) -> str:
    return household(connection.client.host) if connection.client else ""


def names_of_this_machine() -> set[str]:
    """By what names a browser finds it at home."""
    name = socket.gethostname().casefold()
    return {"localhost", name, f"{name}.local"}


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class ResponseGuard:
    """Strict headers on every answer; too much at once is refused; of a failure browsers learn nothing."""

    def __init__(self, app: ASGIApp, gate: RequestGate) -> None:
        self.app = app
        self.gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def with_policy(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _add_policy(MutableHeaders(scope=message), scope["path"])
            await send(message)

        try:
            await (self._refusal(scope) or self.app)(scope, self._bounded(scope, receive), with_policy)
        except ClientDisconnect:
            return  # in the middle of what was sent: nobody is there to be answered
        except Exception as problem:
            if begun:
                raise
            await _failure(problem)(scope, receive, with_policy)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self.gate.is_called(headers.get("host", "")):
            return PlainTextResponse(ELSEWHERE, 421)
        if scope["path"].startswith("/static/"):
            return None
        try:
            self.gate.check(self.gate.limits.requests, "requests", HTTPConnection(scope))
        except HTTPException as problem:
            return PlainTextResponse(problem.detail, problem.status_code, problem.headers)
        if scope["method"] not in SAFE_METHODS and _is_foreign(headers):
            return PlainTextResponse(gettext(FOREIGN), 403)
        return self._too_large(headers.get("content-length", "0"), scope)

    def _most(self, scope: Scope) -> int:
        return self.gate.limits.upload if scope["path"].startswith(("/tables", "/studio/")) else self.gate.limits.form

    def _too_large(self, length: str, scope: Scope) -> Response | None:
        announced = parse_integer(length, 12)
        if announced is not None and 0 <= announced <= self._most(scope):
            return None
        return PlainTextResponse(gettext(TOO_LARGE), 413)

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """What is received, which may be more than was announced, up to the limit."""
        got, most = 0, self._most(scope)

        async def bounded() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise HTTPException(413, gettext(TOO_LARGE))
            return message

        return bounded


def _is_foreign(headers: Headers) -> bool:
    """Return True if a page of another site sends a request with these headers.

    Browsers say which site it is, but not to addresses without TLS, as in a home network: there the origin of the page
    is compared with the host. A request without either comes from no browser.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in OTHER_SITES
    return origin is not None and origin.partition("://")[2].casefold() != headers.get("host", "").casefold()


def _add_policy(headers: MutableHeaders, path: str) -> None:
    for name, value in POLICY.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-cache" if path.startswith("/static/") else "no-store")


def _failure(problem: Exception) -> Response:
    """What a browser learns; the log has the rest."""
    if isinstance(problem, StoreError):
        _log.error("%s", problem.reason)
        return PlainTextResponse(gettext(AWAY), 503, {"Retry-After": "5"})
    _log.error("A request failed", exc_info=problem)
    return PlainTextResponse(gettext(FAULT), 500)


NAME = "language"  # of the cookie, and of what a link to another language says
YEAR = 365 * 24 * 60 * 60


class SpokenLanguage:
    """Everything within it is said in the language of whoever asks; `?language=de` on any page chooses one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        chosen = asked.query_params.get(NAME, "")
        kept = asked.cookies.get(NAME, "")
        known = [one for one in (chosen, kept) if one in language_codes()]

        async def remembering(message: Message) -> None:
            if message["type"] == "http.response.start" and known[:1] == [chosen] != [kept]:
                cookie = f"{NAME}={chosen}; Max-Age={YEAR}; Path=/; SameSite=Lax"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        with use_language(known[0] if known else parse_accept_language(asked.headers.get("accept-language", ""))):
            await self.app(scope, receive, remembering)
