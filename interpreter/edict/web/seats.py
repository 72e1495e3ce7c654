"""Routes for the link of a seat: the table as the seat may see it, answers, and notifications."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from anyio.to_thread import run_sync
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.report import RulesError
from edict.table.errors import GameError
from edict.web import deeds
from edict.web.playing import HOST, Late, Link
from edict.web.serving import Serving
from edict.web.setup import whole

PING = 20  # seconds between signs of life on a quiet connection
RETRY = 1000  # milliseconds after which a browser comes back that has lost its connection
LATE = "Somebody has answered that already. This is how the table stands now."


class Seats:
    """The table, seen and played from a seat."""

    def __init__(self, serving: Serving) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        seat = "/seat/{key}"
        return [
            Route(seat, self.seat),
            Route(seat + "/table", self.table),
            Route(seat + "/view.json", self.view),
            Route(seat + "/answer", self.answer, methods=["POST"]),
            Route(seat + "/undo", self.undo, methods=["POST"]),
            Route(seat + "/look.css", self.look),
            Route(seat + "/news", self.listen),
            Route(seat + "/at/{number:int}", self.replay),
            Route(seat + "/journal", self.journal),
        ]

    # --- looking

    async def seat(self, request: Request) -> Response:
        """The page of a seat."""
        return await self._at_table(request, "seat.html")

    async def table(self, request: Request) -> Response:
        """What changes on that page."""
        return await self._at_table(request, "table.html")

    async def _at_table(self, request: Request, template: str, said: str = "") -> Response:
        return HTMLResponse(await self._asked(request, lambda link: (deeds.page, link, template, said)))


    async def _asked(self, request: Request, what: Callable[[Link], tuple[Any, ...]]) -> Any:
        """What a function of a table, called with what stands behind it, gives for the link of a request."""
        link = await self.at.link(request)
        return await self.at.tables.ask(link.table, *what(link))

    async def look(self, request: Request) -> Response:
        """The colours of the game at this table, as its rules want them."""
        return Response(await self._asked(request, lambda link: (deeds.look,)), media_type="text/css")

    async def view(self, request: Request) -> Response:
        """What the seat may see, as data."""
        return JSONResponse(await self._asked(request, lambda link: (deeds.view, link.looks_as)))

    async def replay(self, request: Request) -> Response:
        """The table as it was after this many answers."""
        number = request.path_params["number"]
        return HTMLResponse(await self._asked(request, lambda link: (deeds.replay, link, number)))

    # --- answering

    async def answer(self, request: Request) -> Response:
        """An answer to the question that stood at a version of the table."""
        async with request.form(max_files=0) as form:
            version, key = whole(form.get("version", "")), str(form.get("answer", ""))
        return await self._do(request, lambda link: (deeds.answer, link.seat, _number(version), key))

    async def undo(self, request: Request) -> Response:
        """The seat's last answer taken back."""
        async with request.form(max_files=0) as form:
            version = whole(form.get("version", ""))
        return await self._do(request, lambda link: (deeds.undo, link.seat, _number(version), self._people(link.table)))

    def _people(self, table: str) -> list[int]:
        return [link.seat for link in self.at.store.links(table) if link.seat >= 0 and not link.bot]

    async def _do(self, request: Request, deed: Callable[[Link], tuple[Any, ...]]) -> Response:
        """Do something at the table, and show how it stands then; whatever is in the way is said there."""
        link = await self.at.link(request)
        said = ""
        try:
            self.at.changed(link.table, await self.at.tables.ask(link.table, *await run_sync(deed, link)))
        except Late:
            said = LATE
        except GameError as problem:
            said = f"{problem.reason[:1].upper()}{problem.reason[1:]}."
        except RulesError as fault:
            said = f"The rules cannot continue: {fault.first}"
        if request.headers.get("HX-Request"):
            return await self._at_table(request, "table.html", said=said)
        if said:
            return await self._at_table(request, "seat.html", said=said)
        return RedirectResponse(f"/seat/{link.key}", 303)

    async def journal(self, request: Request) -> Response:
        """The game as a file that `resume` and `replay` take: for the host, and for all once it is over."""
        link = await self.at.link(request)
        if link.seat != HOST and not await self.at.tables.ask(link.table, deeds.over):
            raise HTTPException(403, "The file holds every secret, so it can be downloaded when the game is over.")
        lines = await run_sync(self.at.store.lines, link.table)
        name = {"Content-Disposition": f'attachment; filename="{link.table}.jsonl"'}
        return Response(b"".join(lines), media_type="application/jsonl", headers=name)

    # --- news

    async def listen(self, request: Request) -> Response:
        """An event `news` whenever the table changes, with its version as data and id."""
        link = await self.at.link(request)
        self.at.gate.room(request)
        seen = _number(whole(request.headers.get("Last-Event-ID") or request.query_params.get("since", "")))
        return EventSourceResponse(self._news(request, link, seen), ping=PING)

    async def _news(self, request: Request, link: Link, seen: int) -> AsyncIterator[dict[str, str | int]]:
        with self.at.gate.connected(request):
            async with self.at.news.about(link.table) as watch:
                self.at.bots.look(link.table)  # a server that went down may have left a bot in thought
                version = await run_sync(self.at.store.version, link.table)
                watch.knows(version)
                if version == seen:
                    yield {"event": "here", "data": "", "retry": RETRY}
                while True:
                    if version != seen:
                        yield {"event": "news", "data": str(version), "id": str(version), "retry": RETRY}
                    await watch.wait()
                    version = watch.version or await run_sync(self.at.store.version, link.table)
                    seen = -1


def _number(version: int | None) -> int:
    """A version of a table; one that no table has, if none was named."""
    return -1 if version is None else version
