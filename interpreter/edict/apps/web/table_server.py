"""State that all routes share: the tables, notifications, bots and limits."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from asyncio import to_thread
from collections.abc import Callable, Collection, Sequence
from dataclasses import field
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from edict.apps.web.audience import Audience
from edict.apps.web.bot_processes import BotProcesses
from edict.apps.web.connection_bounds import Limits
from edict.apps.web.live_tables import Link
from edict.apps.web.middleware import RequestGate
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.notifications import Notifications
from edict.apps.web.open_tables import Tables
from edict.apps.web.page_templates import get_pages
from edict.apps.web.sandbox import TASK_LIMITS, Sandbox
from edict.apps.web.store import USE_UPDATE_INTERVAL, Store, StoreError
from edict.apps.web.table_bots import PAUSE, TableBots
from edict.apps.web.turn_notices import TurnNotices
from edict.support.processes.tasks import TaskLimits
from edict.support.records import dataclass
from edict.support.translations import N_, gettext

INVALID_LINK = N_("This link is not valid. Perhaps the seat was taken or handed on: ask whoever opened the table.")
SEAT_NOT_TAKEN = N_("Nobody has this seat yet: take it first, on the page of its link.")
SERVER_FULL = N_("This server has no room for another table.")
DEFAULT_FORGET_AFTER = 365  # days
DAY = 86_400.0  # seconds
# key in the scope of a request: True if it comes from a browser connected to a page that serves only itself
GUEST = "guest"
_log = logging.getLogger(__name__)
_KEY = re.compile(r"[\w-]{20,40}", re.ASCII)


@dataclass
class TableServer:
    """The tables of one server and everything that runs for them."""

    store: Store
    offer: TableOffer
    workers: int = 1  # processes in which bots think
    limits: Limits = field(default_factory=Limits)
    pause: float = PAUSE  # seconds before a bot answers
    forget_after: int = DEFAULT_FORGET_AFTER  # days without an answer after which a table is deleted; 0: never
    share: TaskLimits = TASK_LIMITS  # what a process with strangers' rules may use for one answer
    names: Collection[str] = ()  # host names by which browsers may address the server; if empty, any

    def __post_init__(self) -> None:
        self.sandbox = Sandbox(self.store, self.share)
        self.tables = Tables(self.store, self.sandbox)
        self.audience = Audience(self.tables, self.store.list_links)
        self.notifications = Notifications(self.store)
        self.sandbox.on_table_ended = self.notifications.notify_change
        get_pages()  # load the templates now: later the files may belong to another release
        self.gate = RequestGate(self.limits, self.names)
        self.bot_processes = BotProcesses(self.workers)
        self.notices = TurnNotices(self.tables)
        self.bots = TableBots(self.tables, self._notify, self.bot_processes, self.offer.bots, self.pause)

    def render_page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page that belongs to no table.

        The template gets `values`, and `alone`, which is True if the server serves one person only.
        """
        return HTMLResponse(get_pages().render(template, **{"alone": self.store.is_exclusive, **values}), status)

    def is_only_client(self, request: Request) -> bool:
        """Return True if nobody but the sender of this request is served.

        That is so in a page in the browser, except for its guests (`GUEST` in the scope).
        """
        return self.store.is_exclusive and not request.scope.get(GUEST)

    def on_table_changed(self, table: str, version: int = 0, links: Sequence[Link] = ()) -> None:
        """Notify browsers, push subscribers and bots that a table has changed.

        Args:
            table: The table's id.
            version: The table's new version; 0 if unknown.
            links: The table's links, if they were read just now.
        """
        self._notify(table, version)
        self.bots.start_turns(table, version, links)

    def _notify(self, table: str, version: int) -> None:
        """Tell the watchers of a table about a version, and schedule push messages to those whose turn it is."""
        self.notifications.notify_change(table, version)
        self.notices.schedule_check(table, version)

    async def check_new_table(self, request: Request) -> None:
        """Raise `HTTPException` if this request may not open one more table."""
        self.gate.check_rate(self.limits.new_tables, "new tables", request)
        if await to_thread(self.store.count_tables) >= self.limits.tables:
            raise HTTPException(503, gettext(SERVER_FULL))

    async def delete_old_tables(self) -> None:
        """Delete tables that have not been used for `forget_after` days, again and again. Returns only if that is 0."""
        while self.forget_after:
            try:
                deleted = await to_thread(self.store.delete_unused_tables, time.time() - DAY * self.forget_after)
                for table in deleted:
                    _log.warning("Table %s was deleted: nobody has played there for %d days", table, self.forget_after)
            except StoreError as error:
                _log.warning("Old tables could not be deleted: %s", error.reason)
            await asyncio.sleep(USE_UPDATE_INTERVAL)

    async def require_link(self, request: Request, seat: int | None = None, free: bool = False) -> Link:
        """Return the link whose key is in the request's path.

        Args:
            request: The request.
            seat: The seat that the link must open; None for any.
            free: Allow a link to a seat that nobody has taken.

        Raises:
            HTTPException: 404 if there is no such link, 403 if its seat must be taken first.
        """
        key = request.path_params["key"]
        link = await to_thread(self.store.get_link, key) if _KEY.fullmatch(key) else None
        return _check_link(link, seat, free)

    async def require_links(self, request: Request, free: bool = False) -> tuple[Link, list[Link]]:
        """Return the link whose key is in the request's path, and all links of its table.

        Args:
            request: The request.
            free: Allow a link to a seat that nobody has taken.

        Raises:
            HTTPException: As `require_link` does.
        """
        key = request.path_params["key"]
        links = await to_thread(self.store.list_links_beside, key) if _KEY.fullmatch(key) else []
        return _check_link(next((link for link in links if link.key == key), None), free=free), links

    async def ask_table(self, request: Request, make_call: Callable[[Link], tuple[Any, ...]]) -> Any:
        """Call a function at the table of the request's link, and return its result.

        Args:
            request: The request.
            make_call: Returns, for the link, the function and its arguments, as `Tables.ask` takes them.
        """
        link = await self.require_link(request)
        return await self.tables.ask(link.table, *make_call(link))

    def close(self) -> None:
        """Stop all timers, bots and processes."""
        self.notices.close()
        self.bots.close()
        self.bot_processes.close()
        self.sandbox.close()


def _check_link(link: Link | None, seat: int | None = None, free: bool = False) -> Link:
    """Return a link, or raise `HTTPException` if it may not be used (see `TableServer.require_link`)."""
    if link is None or (seat is not None and link.seat != seat):
        raise HTTPException(404, gettext(INVALID_LINK))
    if link.free and not free:
        raise HTTPException(403, gettext(SEAT_NOT_TAKEN))
    return link
