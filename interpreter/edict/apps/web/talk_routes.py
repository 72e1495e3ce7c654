"""The chat at tables: its messages in the store, and routes."""

from __future__ import annotations

import time
from asyncio import to_thread

from sqlalchemy import Column, Float, ForeignKey, Integer, Table, Text, insert, select
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.live_tables import Link
from edict.apps.web.new_tables import INVISIBLE_CHARACTER
from edict.apps.web.request_values import read_form
from edict.apps.web.store import META, Store
from edict.apps.web.table_server import TableServer
from edict.support.graphemes import find_spoof, truncate_graphemes
from edict.support.records import dataclass
from edict.support.translations import gettext

MAX_MESSAGE_LENGTH = 300  # characters
MAX_SHOWN_MESSAGES = 50

_talk = Table(
    "talk",
    META,
    Column("id", Integer, primary_key=True),
    Column("table_id", ForeignKey("tables.id", ondelete="cascade"), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("said", Text, nullable=False),
    Column("at", Float, nullable=False),
)


@dataclass(frozen=True, slots=True)
class TableMessage:
    """A chat message from a seat."""

    seat: int
    text: str


class TalkStore:
    """The chat messages of all tables of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.create_schema()

    def add_message(self, table: str, seat: int, text: str) -> None:
        """Add a message to a table's chat, shortened to `MAX_MESSAGE_LENGTH`."""
        with self._store.transaction() as connection:
            values = {
                "table_id": table,
                "seat": seat,
                "said": truncate_graphemes(text[: 10 * MAX_MESSAGE_LENGTH], MAX_MESSAGE_LENGTH),
                "at": time.time(),
            }
            connection.execute(insert(_talk).values(values))

    def list_messages(self, table: str) -> list[TableMessage]:
        """Return the latest messages at a table, the oldest first."""
        query = select(_talk).where(_talk.c.table_id == table).order_by(_talk.c.id.desc()).limit(MAX_SHOWN_MESSAGES)
        with self._store.transaction() as connection:
            return [TableMessage(row.seat, row.said) for row in reversed(connection.execute(query).all())]


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
