"""What all routes share: the tables, notifications, the bots, and the link that somebody used."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from asyncio import to_thread
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from edict.apps.web.audience import Audience
from edict.apps.web.bot_processes import BotProcesses
from edict.apps.web.live_tables import Link
from edict.apps.web.middleware import RequestGate
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.notifications import Notifications
from edict.apps.web.open_tables import Tables
from edict.apps.web.page_templates import pages
from edict.apps.web.quotas import Limits
from edict.apps.web.sandbox import SHARE, Sandbox
from edict.apps.web.store import OFTEN, Store, StoreError
from edict.apps.web.table_bots import PAUSE, TableBots
from edict.apps.web.turn_notices import TurnNotices
from edict.support.processes.tasks import TaskLimits
from edict.support.translations import N_, gettext

NOTHING = N_("This link is not valid. Perhaps the seat was taken or handed on: ask whoever opened the table.")
FREE = N_("Nobody has this seat yet: take it first, on the page of its link.")
FULL = N_("This server has no room for another table.")
FORGET_AFTER = 365
DAY = 86_400.0
GUEST = "guest"  # in the scope of a request: whether it comes from a browser that is connected to the only one served
_log = logging.getLogger(__name__)
_KEY = re.compile(r"[\w-]{20,40}", re.ASCII)


@dataclass
class TableServer:
    """workers: processes in which bots think. pause: seconds before a bot answers.

    forget_after: days without an answer after which a table is deleted; 0: never.
    share: what strangers' rules may take at once. names: by which browsers may ask it; without any, by all.
    """

    store: Store
    offer: TableOffer
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    pause: float = PAUSE
    forget_after: int = FORGET_AFTER
    share: TaskLimits = SHARE
    names: Collection[str] = ()

    def __post_init__(self) -> None:
        self.sandbox = Sandbox(self.store, self.share)
        self.tables = Tables(self.store, self.sandbox)
        self.audience = Audience(self.tables, self.store.links)
        self.notifications = Notifications(self.store)
        self.sandbox.tell = self.notifications.tell
        pages()  # read now: later the files may be of another release
        self.gate = RequestGate(self.limits, self.names)
        self.bot_processes = BotProcesses(self.workers)
        self.notices = TurnNotices(self.tables)
        self.bots = TableBots(self.tables, self._tell, self.bot_processes, self.offer.bots, self.pause)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page that is no table's. In it `alone` says that nobody else is served."""
        return HTMLResponse(pages().page(template, **{"alone": self.store.alone, **values}), status)

    def alone_with(self, request: Request) -> bool:
        """Whether nobody else is served than who asks: in a page, unless it is a guest of it (`GUEST` in the scope)."""
        return self.store.alone and not request.scope.get(GUEST)

    def changed(self, table: str, version: int = 0) -> None:
        """Something has happened at a table (0: nobody knows how many lines it has now)."""
        self._tell(table, version)
        self.bots.look(table)

    def _tell(self, table: str, version: int) -> None:
        self.notifications.tell(table, version)
        self.notices.look(table, version)

    async def new_table(self, request: Request) -> None:
        """Whether one more table may be opened; otherwise raises `HTTPException`."""
        self.gate.check(self.limits.new_tables, "new tables", request)
        if await to_thread(self.store.count) >= self.limits.tables:
            raise HTTPException(503, gettext(FULL))

    async def forget(self) -> None:
        """Delete tables that have not been used for long, now and then."""
        while self.forget_after:
            try:
                gone = await to_thread(self.store.forget, time.time() - DAY * self.forget_after)
                for table in gone:
                    _log.warning("Table %s was deleted: nobody has played there for %d days", table, self.forget_after)
            except StoreError as problem:
                _log.warning("Old tables could not be deleted: %s", problem.reason)
            await asyncio.sleep(OFTEN)

    async def link(self, request: Request, seat: int | None = None, free: bool = False) -> Link:
        """The link of a request, to any seat or to this one; a 404 if there is none. free: also to one nobody has."""
        key = request.path_params["key"]
        link = await to_thread(self.store.link, key) if _KEY.fullmatch(key) else None
        if link is None or (seat is not None and link.seat != seat):
            raise HTTPException(404, gettext(NOTHING))
        if link.free and not free:
            raise HTTPException(403, gettext(FREE))
        return link

    async def asked(self, request: Request, what: Callable[[Link], tuple[Any, ...]]) -> Any:
        """What a function of the table gives that the link of a request leads to, called with what stands behind it."""
        link = await self.link(request)
        return await self.tables.ask(link.table, *what(link))

    def close(self) -> None:
        self.notices.close()
        self.bots.close()
        self.bot_processes.close()
        self.sandbox.close()
