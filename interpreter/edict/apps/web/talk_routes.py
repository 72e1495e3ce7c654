"""Routes of the chat at tables."""

from __future__ import annotations

from asyncio import to_thread

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.live_tables import Link
from edict.apps.web.new_tables import INVISIBLE_CHARACTER
from edict.apps.web.request_values import read_form
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_store import MAX_MESSAGE_LENGTH, TalkStore
from edict.support.graphemes import find_spoof
from edict.support.translations import gettext

REACTIONS = ("👍", "👏", "😀", "😮", "😢", "⏳")
MAX_FIELDS = 5


class TalkRoutes:
    """The chat at tables: everybody at a table reads it, and those with a seat may write."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving
        self.talk = TalkStore(serving.store)

    def routes(self) -> list[Route]:
        """Return the routes."""
        talk = "/seat/{key}/talk"
        return [Route(talk, self.show_talk), Route(talk, self.post_message, methods=["POST"])]

    async def show_talk(self, request: Request) -> Response:
        """Return the latest messages as HTML."""
        return await self._render_talk(await self.at.require_link(request))

    async def post_message(self, request: Request) -> Response:
        """Add a message or a reaction to the chat.

        Raises:
            HTTPException: 403 without a seat; 422 for deceptive characters, unless htmx asks, which gets the form
                again.
        """
        link = await self.at.require_link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat can say something."))
        self.at.gate.check_rate(self.at.limits.talk, "talk", request)
        async with read_form(request, MAX_FIELDS) as form:
            reaction, text = str(form.get("reaction", "")), " ".join(str(form.get("text", "")).split())
        if reaction in REACTIONS:
            message, problem = (reaction, "")
        else:
            message, problem = (text, gettext(INVISIBLE_CHARACTER) if find_spoof(text) else "")
        if problem and not request.headers.get("HX-Request"):
            raise HTTPException(422, problem)
        if message and not problem:
            await to_thread(self.talk.add_message, link.table, link.seat, message)
            self.at.notifications.notify_talk(link.table)
        if request.headers.get("HX-Request"):
            return await self._render_talk(link, problem, text if problem else "")
        return RedirectResponse(f"/seat/{link.key}", 303)

    async def _render_talk(self, link: Link, problem: str = "", typed: str = "") -> Response:
        """Render the chat of a table as a link's owner sees it, with a problem and the text typed so far."""
        messages = await to_thread(self.talk.list_messages, link.table)
        has_trial = bool(await to_thread(self.at.store.get_trial_key, link.key))
        players: list[str] = await self.at.tables.ask(link.table, table_actions.list_players)
        return self.at.render_page(
            "talk.html",
            link=link,
            heard=messages,
            players=players,
            tried=has_trial,
            reactions=REACTIONS,
            problem=problem,
            typed=typed[: 10 * MAX_MESSAGE_LENGTH],
        )
