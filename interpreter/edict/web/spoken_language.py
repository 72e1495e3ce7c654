"""In which language pages speak: the one that somebody has chosen on a page, or else what their browser asks for."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edict.translations import codes, of_browser, speaking

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
        known = [one for one in (chosen, kept) if one in codes()]

        async def remembering(message: Message) -> None:
            if message["type"] == "http.response.start" and known[:1] == [chosen] != [kept]:
                cookie = f"{NAME}={chosen}; Max-Age={YEAR}; Path=/; SameSite=Lax"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        with speaking(known[0] if known else of_browser(asked.headers.get("accept-language", ""))):
            await self.app(scope, receive, remembering)
