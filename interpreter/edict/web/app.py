"""The server: pages and fragments for browsers, news over server-sent events, and what everybody may do at a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from edict.report import RulesError
from edict.table.errors import GameError
from edict.web.news import News
from edict.web.pages import Pages
from edict.web.players import Bots
from edict.web.safety import Safe
from edict.web.setup import Choices, Offer, WrongSetup
from edict.web.store import HOST, ONLOOKER, Link, Store
from edict.web.tables import Late, NoSuchTable, Tables

STATIC = Path(__file__).with_name("static")
PING = 20  # seconds between signs of life on a quiet connection
LATE = "Somebody has answered that already. This is how the table stands now."


@dataclass
class Server:
    """What the routes share. `offer` is what can be played."""

    store: Store
    offer: Offer
    workers: int = 1

    def __post_init__(self) -> None:
        self.tables = Tables(self.store)
        self.news = News(self.store)
        self.pages = Pages()
        self.bots = Bots(self.tables, self.news, self.workers)

    def app(self) -> Starlette:
        seat = "/seat/{key}"
        routes = [
            Route("/", self.start), Route("/tables", self.open, methods=["POST"]),
            Route("/primer", self.primer),
            Route("/host/{key}", self.host), Route("/host/{key}/hand-over", self.hand_over, methods=["POST"]),
            Route(seat, self.seat), Route(seat + "/table", self.table), Route(seat + "/view.json", self.view),
            Route(seat + "/answer", self.answer, methods=["POST"]), Route(seat + "/undo", self.undo, methods=["POST"]),
            Route(seat + "/look.css", self.look), Route(seat + "/news", self.listen), Route(seat + "/ask-about", self.ask_about),
            Route(seat + "/journal", self.journal),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]  # fmt: skip
        handlers: Any = {HTTPException: self.pages.problem, NoSuchTable: self.pages.gone}
        return Starlette(
            routes=routes, middleware=[Middleware(Safe)], exception_handlers=handlers, lifespan=self._running
        )

    @asynccontextmanager
    async def _running(self, _: Starlette) -> AsyncIterator[None]:
        listening = asyncio.create_task(self.news.listen())
        try:
            yield
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening
            self.bots.close()

    # --- opening a table -------------------------------------------------------------------------

    async def start(self, request: Request) -> Response:
        """The page on which a table is set up."""
        choices = await run_sync(Choices.read, request.query_params, self.offer)
        return self.pages.page("start.html", offer=self.offer, choices=choices)

    async def primer(self, request: Request) -> Response:
        """What the chosen game is about, under the form."""
        choices = await run_sync(Choices.read, request.query_params, self.offer)
        return self.pages.page("chosen.html", offer=self.offer, choices=choices)

    async def open(self, request: Request) -> Response:
        """A new table; the host is sent to its page."""
        async with request.form() as form:
            try:
                _, links = await run_sync(self._open, form)
            except (WrongSetup, GameError) as problem:
                choices = await run_sync(Choices.read, form, self.offer)
                return self.pages.page("start.html", 422, offer=self.offer, choices=choices, problem=problem)
        self.bots.look(links[0].table)
        return RedirectResponse(f"/host/{links[0].key}", 303)

    def _open(self, form: Any) -> tuple[str, list[Link]]:
        setup = self.offer.setup(form)
        return self.tables.open(setup.rules, setup.players, setup.bots, settings=setup.settings)

    # --- the host --------------------------------------------------------------------------------

    async def host(self, request: Request) -> Response:
        link = await self._link(request, HOST)
        return await run_sync(self._host_page, link, str(request.base_url))

    def _host_page(self, link: Link, base: str) -> HTMLResponse:
        playing = self.tables.playing(link.table)
        links = self.store.links(link.table)
        return self.pages.page(
            "host.html", game=playing.game, link=link, links=links, base=base.rstrip("/"), kinds=self.offer.bots,
            onlookers=next(one for one in links if one.seat == ONLOOKER),
        )  # fmt: skip

    async def hand_over(self, request: Request) -> Response:
        """A seat for somebody else, with a new link, or for a bot."""
        link = await self._link(request, HOST)
        async with request.form() as form:
            seat, bot = str(form.get("seat", "")), str(form.get("bot", ""))
        if not seat.isdigit() or (bot and bot not in self.offer.bots):
            raise HTTPException(400, "This seat cannot be handed over so.")
        await run_sync(self.store.hand_over, link.table, int(seat), bot)
        self._changed(link.table)
        return RedirectResponse(f"/host/{link.key}", 303)

    # --- a seat ----------------------------------------------------------------------------------

    async def seat(self, request: Request) -> Response:
        return await self._at_table(request, "seat.html")

    async def table(self, request: Request) -> Response:
        return await self._at_table(request, "table.html")

    async def _at_table(self, request: Request, template: str, **more: Any) -> Response:
        link = await self._link(request)
        return await run_sync(partial(self._page, link, template, **more))

    def _page(self, link: Link, template: str, **more: Any) -> HTMLResponse:
        playing = self.tables.playing(link.table)
        with playing.lock:
            view, version = playing.view(_seat(link)), playing.version
        return self.pages.page(template, link=link, view=view, version=version, drawing=playing.drawing, **more)

    async def look(self, request: Request) -> Response:
        """The colours of the game at this table, as its rules want them."""
        link = await self._link(request)
        playing = await run_sync(self.tables.playing, link.table)
        return Response(playing.drawing.css(), media_type="text/css")

    async def view(self, request: Request) -> Response:
        """What the seat may see, as data."""
        link = await self._link(request)
        playing = await run_sync(self.tables.playing, link.table)
        return JSONResponse(await run_sync(playing.view, _seat(link)))

    async def answer(self, request: Request) -> Response:
        async with request.form() as form:
            version, key = str(form.get("version", "")), str(form.get("answer", ""))
        return await self._do(request, version, lambda link, at: self.tables.answer(link.table, link.seat, at, key))

    async def undo(self, request: Request) -> Response:
        async with request.form() as form:
            version = str(form.get("version", ""))
        return await self._do(request, version, lambda link, at: self.tables.undo(link.table, link.seat, at))

    async def _do(self, request: Request, version: str, deed: Callable[[Link, int], None]) -> Response:
        """Do something at the table, and show how it stands then; whatever is in the way is said there."""
        link = await self._link(request)
        said = ""
        try:
            await run_sync(deed, link, int(version) if version.isdigit() else -1)
        except Late:
            said = LATE
        except GameError as problem:
            said = f"{problem.reason[:1].upper()}{problem.reason[1:]}."
        except RulesError as fault:
            said = f"The rules cannot go on: {fault.first}"
        self._changed(link.table)
        if request.headers.get("HX-Request"):
            return await self._at_table(request, "table.html", said=said)
        return RedirectResponse(f"/seat/{link.key}", 303) if not said else await self._at_table(request, "seat.html", said=said)

    async def ask_about(self, request: Request) -> Response:
        """What something that stands on the board is."""
        link = await self._link(request)
        about = request.query_params.get("about", "")[:200]
        return await run_sync(self._found, link, about)

    def _found(self, link: Link, about: str) -> HTMLResponse:
        from edict.table.glossary import glossary_of

        playing = self.tables.playing(link.table)
        with playing.lock:
            glossary = glossary_of(playing.game.table)
            seat = _seat(link)
            found = glossary.look(about, playing.game.view(seat) if seat is not None else None) if glossary else None
        return self.pages.page("found.html", about=about, found=found)

    async def journal(self, request: Request) -> Response:
        """The game as a file that `kingsburg resume` and `replay` take: for the host, and for all once it is over."""
        link = await self._link(request)
        playing = await run_sync(self.tables.playing, link.table)
        if link.seat != HOST and not playing.game.over:
            raise HTTPException(403, "The journal holds every secret, so it can be had when the game is over.")
        lines = await run_sync(self.store.lines, link.table)
        name = {"Content-Disposition": f'attachment; filename="{link.table}.jsonl"'}
        return Response(b"".join(lines), media_type="application/jsonl", headers=name)

    # --- news ------------------------------------------------------------------------------------

    async def listen(self, request: Request) -> Response:
        link = await self._link(request)
        return EventSourceResponse(self._news(link), ping=PING)

    async def _news(self, link: Link) -> AsyncIterator[dict[str, str]]:
        async with self.news.about(link.table) as event:
            while True:
                playing = await run_sync(self.tables.playing, link.table)
                yield {"event": "news", "data": str(playing.version)}
                await event.wait()
                event.clear()

    def _changed(self, table: str) -> None:
        self.news.tell(table)
        self.bots.look(table)

    async def _link(self, request: Request, seat: int | None = None) -> Link:
        link = await run_sync(self.store.link, request.path_params["key"])
        if link is None or (seat is not None and link.seat != seat):
            raise HTTPException(404, "This link opens nothing. Perhaps the seat was handed on: ask whoever opened the table.")
        return link


def _seat(link: Link) -> int | None:
    return link.seat if link.seat >= 0 else None
