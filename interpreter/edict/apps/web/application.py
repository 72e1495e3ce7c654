"""The web application: its routes, static files, middleware and background tasks.

It opens no socket: a server (`web_server`) listens for it, or a page in the browser passes it its requests.
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
from edict.apps.web.middleware import AtPath, BelowPath, LanguageMiddleware, ResponseGuard
from edict.apps.web.page_templates import STATIC, get_pages, get_release
from edict.apps.web.room_routes import RoomRoutes
from edict.apps.web.sandbox import EndedTableError
from edict.apps.web.seat_routes import ExplanationRoutes, NoticeRoutes, SeatRoutes
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.studio.variant_pages import build_studio_routes
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_routes import TalkRoutes
from edict.support.translations import N_, gettext

FOREVER = "public, max-age=31536000, immutable"


class ReleaseStaticFiles(StaticFiles):
    """The static files of this release.

    Browsers may cache a file for ever under this release's own address, and revalidate it under any other.
    """

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._kept = {str(file): _fingerprint(file.stat()) for file in STATIC.rglob("*")}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a static file; let it be cached for ever if it is unchanged and its address names this release."""
        release_name, _, file = path.partition("/")
        response = await super().get_response(file, scope)
        file_stat = getattr(response, "stat_result", None)  # the current one: another release may have replaced it
        if (
            release_name == get_release()
            and file_stat
            and _fingerprint(file_stat) == self._kept.get(str(STATIC / file))
        ):
            response.headers["Cache-Control"] = FOREVER
        return response


def _fingerprint(file_stat: os.stat_result) -> tuple[int, int]:
    """Return time of change and size of a file, which tell if its content is still the same."""
    return file_stat.st_mtime_ns, file_stat.st_size


GONE = N_("There is no table behind this link any more.")
THREADS = 40  # for access to the store and for rendering pages
COMPRESSION = 4  # of 9: a large table is 110 kB, and 7 kB after 0.4 ms; 9 would take 1.0 ms for 6 kB


def create_application(serving: TableServer, studio: StudioServer | None = None, root_path: str = "") -> Starlette:
    """Return the application with the routes of tables, and those of the studio if there is one.

    Args:
        serving: The server of tables.
        studio: The server of variants.
        root_path: The path of its host at which a proxy has it, such as `/games`.
    """
    routes = [
        *(build_studio_routes(studio) if studio is not None else ()),
        *HostRoutes(serving).routes(),
        *RoomRoutes(serving).routes(),
        *SeatRoutes(serving).routes(),
        *LinkRoutes(serving).routes(),
        *TalkRoutes(serving).routes(),
        *NoticeRoutes(serving).routes(),
        *HouseRuleRoutes(serving, studio.find_snapshot if studio is not None else None).routes(),
        *ExplanationRoutes(serving).routes(),
        Mount("/static", ReleaseStaticFiles()),
    ]
    handlers: Any = {
        HTTPException: _handle_http_exception,
        EndedTableError: _handle_ended_table,
        NoSuchTable: _make_problem_handler(404, GONE),
        NoSuchMoment: _make_problem_handler(404),
        NotAsked: _make_problem_handler(409),
    }
    compressed = Middleware(GZipMiddleware, compresslevel=COMPRESSION)
    middleware = [Middleware(LanguageMiddleware), Middleware(ResponseGuard, serving.gate), compressed]
    if root_path:
        middleware = [Middleware(AtPath, root_path), *middleware, Middleware(BelowPath)]
    return Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers=handlers,
        lifespan=partial(_run_lifespan, serving, studio),
    )


def _make_problem_handler(status: int, text: str = "") -> Any:
    """Return an exception handler that answers with `text`, by default with the exception's own message."""

    async def answer(_: Request, problem: Exception) -> Response:
        """Return the problem page with the fixed text, else with the exception's message."""
        return HTMLResponse(get_pages().render("problem.html", text=gettext(text) if text else str(problem)), status)

    return answer


async def _handle_http_exception(_: Request, problem: Exception) -> Response:
    """Return an `HTTPException` as a problem page, with its status and headers."""
    assert isinstance(problem, HTTPException)
    page = get_pages().render("problem.html", text=problem.detail)
    return HTMLResponse(page, problem.status_code, problem.headers)


async def _handle_ended_table(request: Request, problem: Exception) -> Response:
    """Return a page for a table that ended before its game was over; htmx requests reload the whole page."""
    page = get_pages().render("ended.html", reason=str(problem), key=request.path_params["key"])
    return HTMLResponse(page, 410, {"HX-Refresh": "true"} if request.headers.get("HX-Request") else None)


@asynccontextmanager
async def _run_lifespan(serving: TableServer, studio: StudioServer | None, _: Starlette) -> AsyncIterator[None]:
    """Run the background tasks while the application serves; then cancel them and close all stores."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "edict"))
    background_tasks = [
        asyncio.create_task(work()) for work in (serving.notifications.listen, serving.delete_old_tables)
    ]
    try:
        yield
    finally:
        for task in background_tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if studio is not None:
            studio.close()
        serving.close()
