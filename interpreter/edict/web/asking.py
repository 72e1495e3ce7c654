"""Routes that explain: why and why not, hints, the log, what was missed, points, what things are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from edict.web import deeds
from edict.web.serving import Serving
from edict.web.playing import Link
from edict.processes.pool import Failed

LONGEST = 200  # characters of what somebody asks about


class Asking:
    """Parts of pages that explain; none of them changes anything."""

    def __init__(self, serving: Serving) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        seat = "/seat/{key}"
        return [
            Route(seat + "/ask-about", self.ask_about),
            Route(seat + "/why", self.why),
            Route(seat + "/why-not", self.why_not),
            Route(seat + "/line/{number:int}", self.line),
            Route(seat + "/hint", self.hint),
            Route(seat + "/missed", self.missed),
            Route(seat + "/rules", self.rules),
            Route(seat + "/scores.json", self.scores),
        ]


    async def _asked(self, request: Request, what: Callable[[Link], tuple[Any, ...]]) -> Any:
        """The answer of a function of the table to what stands behind it."""
        link = await self.at.link(request)
        return await self.at.tables.ask(link.table, *what(link))

    async def ask_about(self, request: Request) -> Response:
        """What something that stands on the board is, and why it can be chosen now or not."""
        about = request.query_params.get("about", "")[:LONGEST]
        return HTMLResponse(await self._asked(request, lambda link: (deeds.ask_about, link.looks_as, about)))

    async def why(self, request: Request) -> Response:
        """Why an answer (`option`, by its key) is offered, or is not."""
        key = request.query_params.get("option", "")[:LONGEST]
        return HTMLResponse(await self._asked(request, lambda link: (deeds.why, link.looks_as, key)))

    async def why_not(self, request: Request) -> Response:
        """What could be chosen at other times, and what stands in its way now."""
        return HTMLResponse(await self._asked(request, lambda link: (deeds.why_not, link.looks_as)))

    async def line(self, request: Request) -> Response:
        """What led to a line of the log."""
        number = request.path_params["number"]
        return HTMLResponse(await self._asked(request, lambda link: (deeds.line, link.looks_as, number)))

    async def rules(self, request: Request) -> Response:
        """The rules of the table in short."""
        return HTMLResponse(await self._asked(request, lambda link: (deeds.rules,)))

    async def missed(self, request: Request) -> Response:
        """What happened since the seat's last move."""
        return HTMLResponse(await self._asked(request, lambda link: (deeds.missed, link.looks_as)))

    async def scores(self, request: Request) -> Response:
        """Where everybody's points come from, in the order in which they came, as data."""
        return JSONResponse(await self._asked(request, lambda link: (deeds.scores, link.looks_as)))

    async def hint(self, request: Request) -> Response:
        """What the search bot thinks of the options, for whoever is asked."""
        link = await self.at.link(request)
        self.at.gate.check(self.at.limits.hints, "hints", request)
        asked: deeds.Turn = await self.at.tables.ask(link.table, deeds.asked, link.seat)
        try:
            advice = await self.at.thinkers.advice(asked)
        except Failed as problem:
            raise HTTPException(503, f"No hint is available: {problem}.") from None
        return self.at.page("hint.html", options=advice)
