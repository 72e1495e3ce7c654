"""The server as an application: all routes, the headers and limits around them, and what runs beside them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from edict.web.asking import Asking
from edict.web.hosting import Hosting
from edict.web.pages import pages
from edict.web.safety import Safe
from edict.web.seats import Seats
from edict.web.serving import Serving
from edict.web.studio.doors import studio_routes
from edict.web.studio.room import Room
from edict.web.playing import NoSuchMoment, NoSuchTable, NotAsked
from edict.web.strangers import Ended

GONE = "There is no table behind this link any more."
STATIC = Path(__file__).with_name("static")
COMPRESSION = 4  # of 9: a large table is 110 kB, and 7 kB after 0.4 ms; 9 would take 1.0 ms for 6 kB


def application(serving: Serving, room: Room | None = None) -> Starlette:
    """What a server runs: tables, and the studio if it has a room for it."""
    routes = [
        *(studio_routes(room) if room is not None else ()),
        *Hosting(serving).routes(),
        *Seats(serving).routes(),
        *Asking(serving).routes(),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    handlers: Any = {
        HTTPException: _problem, Ended: _ended, NoSuchTable: _said(404, GONE), NoSuchMoment: _said(404),
        NotAsked: _said(409),
    }  # fmt: skip
    around = [Middleware(Safe, serving.gate), Middleware(GZipMiddleware, compresslevel=COMPRESSION)]
    return Starlette(
        routes=routes, middleware=around, exception_handlers=handlers, lifespan=partial(_running, serving, room)
    )  # fmt: skip


def _said(status: int, text: str = "") -> Any:
    """Answers an exception with a page that says so (by default what it says itself)."""

    async def answer(_: Request, problem: Exception) -> Response:
        return HTMLResponse(pages().page("problem.html", text=text or str(problem)), status)

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
async def _running(serving: Serving, room: Room | None, _: Starlette) -> AsyncIterator[None]:
    beside = [asyncio.create_task(work()) for work in (serving.news.listen, serving.forget)]
    try:
        yield
    finally:
        for task in beside:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if room is not None:
            room.close()
        serving.close()
