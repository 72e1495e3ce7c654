"""The application: all routes, the files that pages load, the headers and limits around them, and what runs beside
them.

It knows no socket: a server listens for it (`web_server`), or a page in the browser hands it what it asks for.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from edict.apps.web.host_routes import HostRoutes
from edict.apps.web.house_rule_routes import HouseRuleRoutes
from edict.apps.web.link_routes import LinkRoutes
from edict.apps.web.live_tables import NoSuchMoment, NoSuchTable, NotAsked
from edict.apps.web.middleware import ResponseGuard, SpokenLanguage
from edict.apps.web.notice_routes import NoticeRoutes
from edict.apps.web.page_templates import STATIC, pages, release
from edict.apps.web.room_routes import RoomRoutes
from edict.apps.web.sandbox import Ended
from edict.apps.web.seat_routes import ExplanationRoutes, SeatRoutes
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.studio.variant_pages import studio_routes
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_routes import TalkRoutes
from edict.support.translations import N_, gettext

FOREVER = "public, max-age=31536000, immutable"


class Static(StaticFiles):
    """The files of this release: for ever under its own address, and until they are asked for again under another's."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._kept = {str(file): _as_it_is(file.stat()) for file in STATIC.rglob("*")}

    async def get_response(self, path: str, scope: Scope) -> Response:
        named, _, file = path.partition("/")
        response = await super().get_response(file, scope)
        found = getattr(response, "stat_result", None)  # as it is now: it may have been replaced by another release's
        if named == release() and found and _as_it_is(found) == self._kept.get(str(STATIC / file)):
            response.headers["Cache-Control"] = FOREVER
        return response


def _as_it_is(found: os.stat_result) -> tuple[int, int]:
    return found.st_mtime_ns, found.st_size


GONE = N_("There is no table behind this link any more.")
THREADS = 40  # that wait for the store and draw pages
COMPRESSION = 4  # of 9: a large table is 110 kB, and 7 kB after 0.4 ms; 9 would take 1.0 ms for 6 kB


def application(serving: TableServer, studio: StudioServer | None = None) -> Starlette:
    """Tables, and the studio if there is one."""
    routes = [
        *(studio_routes(studio) if studio is not None else ()),
        *HostRoutes(serving).routes(),
        *RoomRoutes(serving).routes(),
        *SeatRoutes(serving).routes(),
        *LinkRoutes(serving).routes(),
        *TalkRoutes(serving).routes(),
        *NoticeRoutes(serving).routes(),
        *HouseRuleRoutes(serving, studio.variant_seen if studio is not None else None).routes(),
        *ExplanationRoutes(serving).routes(),
        Mount("/static", Static()),
    ]
    handlers: Any = {
        HTTPException: _problem,
        Ended: _ended,
        NoSuchTable: _said(404, GONE),
        NoSuchMoment: _said(404),
        NotAsked: _said(409),
    }
    compressed = Middleware(GZipMiddleware, compresslevel=COMPRESSION)
    around = [Middleware(SpokenLanguage), Middleware(ResponseGuard, serving.gate), compressed]
    return Starlette(
        routes=routes, middleware=around, exception_handlers=handlers, lifespan=partial(_running, serving, studio)
    )


def _said(status: int, text: str = "") -> Any:
    """Answers an exception with a page that says so (by default what it says itself)."""

    async def answer(_: Request, problem: Exception) -> Response:
        return HTMLResponse(pages().page("problem.html", text=gettext(text) if text else str(problem)), status)

    return answer


async def _problem(_: Request, problem: Exception) -> Response:
    """A page for a problem with a status."""
    assert isinstance(problem, HTTPException)
    page = pages().page("problem.html", text=problem.detail)
    return HTMLResponse(page, problem.status_code, problem.headers)


async def _ended(request: Request, problem: Exception) -> Response:
    """A page for a table that has ended before its game was over; a part of a page has the whole one replaced."""
    page = pages().page("ended.html", reason=str(problem), key=request.path_params["key"])
    return HTMLResponse(page, 410, {"HX-Refresh": "true"} if request.headers.get("HX-Request") else None)


@asynccontextmanager
async def _running(serving: TableServer, studio: StudioServer | None, _: Starlette) -> AsyncIterator[None]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "edict"))
    beside = [asyncio.create_task(work()) for work in (serving.notifications.listen, serving.forget)]
    try:
        yield
    finally:
        for task in beside:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if studio is not None:
            studio.close()
        serving.close()
