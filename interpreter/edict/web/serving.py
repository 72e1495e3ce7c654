"""What all routes share: the tables, who is told of news, the bots, the pages, and the link that somebody came by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request

from edict.web.news import News
from edict.web.pages import Pages
from edict.web.players import PAUSE, Bots
from edict.web.safety import Gate, Limits
from edict.web.setup import Offer
from edict.web.store import Link, Store
from edict.web.tables import Tables
from edict.web.thinking import Thinkers

NOTHING = "This link opens nothing. Perhaps the seat was handed on: ask whoever opened the table."
_KEY = re.compile(r"[\w-]{20,40}", re.ASCII)


@dataclass
class Serving:
    """workers: processes in which bots think. pause: seconds before a bot answers."""

    store: Store
    offer: Offer
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    pause: float = PAUSE

    def __post_init__(self) -> None:
        self.tables = Tables(self.store)
        self.news = News(self.store)
        self.pages = Pages()
        self.gate = Gate(self.limits)
        self.thinkers = Thinkers(self.workers)
        self.bots = Bots(self.tables, self.news, self.thinkers, self.pause)

    def changed(self, table: str, version: int = 0) -> None:
        """Something has happened at a table (0: nobody knows how many lines it has now)."""
        self.news.tell(table, version)
        self.bots.look(table)

    async def link(self, request: Request, seat: int | None = None) -> Link:
        """The link of a request, to any seat or to this one; a 404 if there is none."""
        key = request.path_params["key"]
        link = await run_sync(self.store.link, key) if _KEY.fullmatch(key) else None
        if link is None or (seat is not None and link.seat != seat):
            raise HTTPException(404, NOTHING)
        return link

    def close(self) -> None:
        self.bots.close()
        self.thinkers.close()
