"""ASGI applications that refuse the requests of guests.

They answer in place of the application when it runs in another person's browser (`edict.apps.page`).
"""

from __future__ import annotations

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from edict.apps.web.middleware import RATE_EXCEEDED, RETRY_HEADERS, LanguageMiddleware
from edict.apps.web.page_templates import get_pages
from edict.support.translations import gettext


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
