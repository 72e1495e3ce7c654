"""Routes for whoever wants to understand: why and why not, hints, the log, what was missed, points, what things are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from edict.table.game import Game
from edict.table.glossary import glossary_of
from edict.web import understanding
from edict.web.serving import Serving
from edict.web.setup import primer_of
from edict.web.store import Link
from edict.web.workers import Failed
from edict.web.understanding import view_of

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

    async def _asked(self, request: Request, work: Callable[[Link, Game], Response]) -> Response:
        """The answer to a question about the game as it stands."""
        link = await self.at.link(request)

        def done() -> Response:
            playing = self.at.tables.playing(link.table)
            with playing.lock:
                return work(link, playing.game)

        return await run_sync(done)

    def _said(self, template: str, **values: Any) -> HTMLResponse:
        return self.at.pages.page(template, **values)

    async def ask_about(self, request: Request) -> Response:
        """What something that stands on the board is, and why it can be chosen now or not."""
        about = request.query_params.get("about", "")[:LONGEST]
        return await self._asked(request, partial(self._found, about))

    def _found(self, about: str, link: Link, game: Game) -> Response:
        glossary, seat = glossary_of(game.table), link.looks_as
        found = glossary.look(about, view_of(game, seat)) if glossary else None
        reasons = [understanding.why(game, seat, one.name) for one in found.entries if one.name] if found else []
        return self._said("found.html", about=about, found=found, reasons=[one for one in reasons if one])

    async def why(self, request: Request) -> Response:
        """Why an answer (`option`, by its key) is offered, or is not."""
        key = request.query_params.get("option", "")[:LONGEST]

        def work(link: Link, game: Game) -> Response:
            found = understanding.why(game, link.looks_as, key)
            return self._said("why.html", found=[found] if found else [], nothing="Nothing can be said of that now.")

        return await self._asked(request, work)

    async def why_not(self, request: Request) -> Response:
        """What could be chosen at other times, and what stands in its way now."""

        def work(link: Link, game: Game) -> Response:
            found = understanding.refused(game, link.looks_as)
            return self._said("why.html", found=found, nothing="Everything that can be chosen here is offered.")

        return await self._asked(request, work)

    async def line(self, request: Request) -> Response:
        """What led to a line of the log."""

        def work(link: Link, game: Game) -> Response:
            found = understanding.line(game, link.looks_as, request.path_params["number"])
            return self._said("why.html", found=[found] if found else [], nothing="The log has no such line.")

        return await self._asked(request, work)

    async def rules(self, request: Request) -> Response:
        """The rules of the table in short."""
        link = await self.at.link(request)

        def page() -> Response:
            return self._said("primer.html", primer=primer_of(self.at.tables.playing(link.table).rules.rules))

        return await run_sync(page)

    async def missed(self, request: Request) -> Response:
        """What happened since the seat's last move."""

        def work(link: Link, game: Game) -> Response:
            return self._said("missed.html", lines=understanding.missed(game, link.looks_as))

        return await self._asked(request, work)

    async def scores(self, request: Request) -> Response:
        """Where everybody's points come from, in the order in which they came, as data."""
        return await self._asked(
            request, lambda link, game: JSONResponse(understanding.scores(game, link.looks_as))
        )  # fmt: skip

    async def hint(self, request: Request) -> Response:
        """What the search bot thinks of the options, for whoever is asked."""
        link = await self.at.link(request)
        self.at.gate.check(self.at.limits.hints, "hints", request)
        playing = await run_sync(self.at.tables.playing, link.table)
        with playing.lock:
            game, raw = playing.game.copy(), playing.game.journal.to_bytes()
        if game.over or link.seat < 0 or game.seat != link.seat:
            raise HTTPException(409, "There is nothing to think about: you are not asked anything now.")
        try:
            advice = await self.at.thinkers.advice(raw, link.seat)
        except Failed as problem:
            raise HTTPException(503, f"There is no hint this time: {problem}.") from None
        return self._said("hint.html", options=understanding.advised(game, advice))
