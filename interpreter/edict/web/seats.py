"""Routes for the link of a seat: the table as the seat may see it, answers, and notifications."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.report import RulesError
from edict.table.errors import GameError
from edict.web.serving import Serving
from edict.web.setup import whole
from edict.web.store import HOST, Link
from edict.web.tables import Late
from edict.web.picture import picture
from edict.web.recent import Recent
from edict.web.understanding import answers, earlier, scores

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

    async def _at_table(self, request: Request, template: str, **more: Any) -> Response:
        link = await self.at.link(request)
        return await run_sync(partial(self._page, link, template, **more))

    def _page(self, link: Link, template: str, **more: Any) -> HTMLResponse:
        playing = self.at.tables.playing(link.table)
        with playing.lock:
            more["view"], more["version"] = playing.picture(link.looks_as), playing.version
            more["answers"] = answers(playing.game)
            more["course"] = scores(playing.game, link.looks_as) if playing.game.over else None
            return self.at.pages.table(template, playing.drawing, playing.recent, link=link, **more)

    async def look(self, request: Request) -> Response:
        """The colours of the game at this table, as its rules want them."""
        link = await self.at.link(request)
        playing = await run_sync(self.at.tables.playing, link.table)
        return Response(playing.drawing.css(), media_type="text/css")

    async def view(self, request: Request) -> Response:
        """What the seat may see, as data."""
        link = await self.at.link(request)
        return JSONResponse(await run_sync(self._view, link))

    def _view(self, link: Link) -> dict[str, Any]:
        playing = self.at.tables.playing(link.table)
        with playing.lock:
            return playing.view(link.looks_as)

    async def replay(self, request: Request) -> Response:
        """The table as it was after this many answers."""
        link = await self.at.link(request)
        return await run_sync(self._earlier, link, request.path_params["number"])

    def _earlier(self, link: Link, number: int) -> HTMLResponse:
        playing = self.at.tables.playing(link.table)
        with playing.lock:
            count = answers(playing.game)
            game = earlier(playing.game, number)
        if game is None:
            raise HTTPException(404, f"The game has {count} answers so far.")
        recent = Recent()
        view = picture(game, link.looks_as, recent) | {"question": None}
        return self.at.pages.table(
            "replay.html", playing.drawing, recent, link=link, view=view, version=-1, answers=count, at=number,
            course=None,
        )  # fmt: skip

    # --- answering

    async def answer(self, request: Request) -> Response:
        """An answer to the question that stood at a version of the table."""
        async with request.form(max_files=0) as form:
            version, key = whole(form.get("version", "")), str(form.get("answer", ""))
        return await self._do(request, version, lambda link, at: self.at.tables.answer(link.table, link.seat, at, key))

    async def undo(self, request: Request) -> Response:
        """The seat's last answer taken back."""
        async with request.form(max_files=0) as form:
            version = whole(form.get("version", ""))
        return await self._do(request, version, lambda link, at: self.at.tables.undo(link.table, link.seat, at))

    async def _do(self, request: Request, version: int | None, deed: Callable[[Link, int], int]) -> Response:
        """Do something at the table, and show how it stands then; whatever is in the way is said there."""
        link = await self.at.link(request)
        said = ""
        try:
            self.at.changed(link.table, await run_sync(deed, link, -1 if version is None else version))
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
        playing = await run_sync(self.at.tables.playing, link.table)
        if link.seat != HOST and not playing.game.over:
            raise HTTPException(403, "The file holds every secret, so it can be downloaded when the game is over.")
        lines = await run_sync(self.at.store.lines, link.table)
        name = {"Content-Disposition": f'attachment; filename="{link.table}.jsonl"'}
        return Response(b"".join(lines), media_type="application/jsonl", headers=name)

    # --- news

    async def listen(self, request: Request) -> Response:
        """An event `news` whenever the table changes, with its version as data and id."""
        link = await self.at.link(request)
        self.at.gate.room(request)
        seen = whole(request.headers.get("Last-Event-ID") or request.query_params.get("since", ""))
        return EventSourceResponse(self._news(request, link, -1 if seen is None else seen), ping=PING)

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
