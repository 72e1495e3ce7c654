"""Routes for what people at a table say to each other."""

from __future__ import annotations

from asyncio import to_thread

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.live_tables import Link
from edict.apps.web.new_tables import HIDDEN
from edict.apps.web.request_values import read_form
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_store import LONGEST, TalkStore
from edict.support.graphemes import find_spoof
from edict.support.translations import gettext

REACTIONS = ("👍", "👏", "😀", "😮", "😢", "⏳")
MOST_FIELDS = 5


class TalkRoutes:
    """Talk at tables: everybody at one hears it, those who have a seat may say something."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving
        self.talk = TalkStore(serving.store)

    def routes(self) -> list[Route]:
        talk = "/seat/{key}/talk"
        return [Route(talk, self.heard), Route(talk, self.say, methods=["POST"])]

    async def heard(self, request: Request) -> Response:
        """What was said."""
        return await self._heard(await self.at.link(request))

    async def say(self, request: Request) -> Response:
        """Something is said."""
        link = await self.at.link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat can say something."))
        self.at.gate.check(self.at.limits.talk, "talk", request)
        async with read_form(request, MOST_FIELDS) as form:
            reaction, text = str(form.get("reaction", "")), " ".join(str(form.get("text", "")).split())
        said, problem = (reaction, "") if reaction in REACTIONS else (text, gettext(HIDDEN) if find_spoof(text) else "")
        if problem and not request.headers.get("HX-Request"):
            raise HTTPException(422, problem)
        if said and not problem:
            await to_thread(self.talk.say, link.table, link.seat, said)
            self.at.notifications.talk(link.table)
        if request.headers.get("HX-Request"):
            return await self._heard(link, problem, text if problem else "")
        return RedirectResponse(f"/seat/{link.key}", 303)

    async def _heard(self, link: Link, problem: str = "", typed: str = "") -> Response:
        heard = await to_thread(self.talk.heard, link.table)
        tried = bool(await to_thread(self.at.store.tried, link.key))
        players: list[str] = await self.at.tables.ask(link.table, table_actions.players)
        return self.at.page(
            "talk.html",
            link=link,
            heard=heard,
            players=players,
            tried=tried,
            reactions=REACTIONS,
            problem=problem,
            typed=typed[: 10 * LONGEST],
        )
