"""What answers in place of the application where somebody else's browser has it, and a guest asks for too much."""

from __future__ import annotations

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from edict.apps.web.middleware import TOO_OFTEN, WAIT, SpokenLanguage
from edict.apps.web.page_templates import pages
from edict.support.translations import gettext


def not_for_guests(home: str) -> ASGIApp:
    """Says that only the table is open to them. home: the address of their own start page."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await HTMLResponse(pages().page("not_for_guests.html", home=home), 403)(scope, receive, send)

    return SpokenLanguage(answer)


def too_often() -> ASGIApp:
    """Says that they have to wait."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(gettext(TOO_OFTEN), 429, WAIT)(scope, receive, send)

    return SpokenLanguage(answer)
