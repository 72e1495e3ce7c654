"""Routes for the host of a table: choosing what is played, and who sits where."""

from __future__ import annotations

from asyncio import to_thread

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.live_tables import HOST, ONLOOKER, Link, PlayableGame
from edict.apps.web.new_tables import Choices, WrongSetup, begun, unplayable
from edict.apps.web.request_values import parse_number, read_form, read_upload
from edict.apps.web.table_insights import primer_of
from edict.apps.web.table_server import TableServer
from edict.game.table.game_errors import GameError
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import gettext


class HostRoutes:
    """The pages on which tables are set up, and the host's page of each table."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        return [
            Route("/", self.start),
            Route("/gallery", self.gallery),
            Route("/primer", self.chosen),
            Route("/rules", self.rules),
            Route("/tables", self.open, methods=["POST"]),
            Route("/tables/journal", self.adopt, methods=["POST"]),
            Route("/host/{key}", self.host),
            Route("/host/{key}/hand-over", self.hand_over, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """The page on which a table is set up."""
        return await self._choosing("start.html", request)

    async def gallery(self, request: Request) -> Response:
        """What there is to play, with pictures."""
        self.at.gate.check(self.at.limits.start_pages, "start pages", request)
        offer = self.at.offer
        return await to_thread(lambda: self.at.page("gallery.html", exhibits=offer.gallery(), offer=offer))

    async def chosen(self, request: Request) -> Response:
        """What the chosen game offers to choose from, under the form."""
        return await self._choosing("chosen.html", request, changing=True)

    async def rules(self, request: Request) -> Response:
        """The chosen game's rules in short."""
        self.at.gate.check(self.at.limits.start_pages, "start pages", request)

        def page() -> Response:
            choices = Choices.read(request.query_params, self.at.offer)
            return self.at.page("primer.html", primer=primer_of(choices.rules) if choices.rules else None)

        return await to_thread(page)

    async def _choosing(self, template: str, request: Request, changing: bool = False) -> Response:
        self.at.gate.check(self.at.limits.start_pages, "start pages", request)
        choices = await to_thread(Choices.read, request.query_params, self.at.offer, changing)
        return await to_thread(lambda: self.at.page(template, offer=self.at.offer, choices=choices))

    async def open(self, request: Request) -> Response:
        """A new table; the host is sent to its page."""
        await self.at.new_table(request)
        async with read_form(request, file="module") as form:
            upload = await read_upload(form, "module")
            try:
                links = await self.at.tables.open(await self._begun(form, upload), "plays" in form)
            except (WrongSetup, GameError, RulesError) as problem:
                return await self._refused(form, problem)
        return self._to_host(links)

    async def _begun(self, form: FormData, upload: bytes) -> PlayableGame:
        if not upload:
            return await to_thread(lambda: self.at.offer.setup(form).begun())
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        try:
            found: PlayableGame = await self.at.sandbox.done(upload, begun, fields, self.at.offer, upload)
        except TaskFailed as problem:
            raise unplayable(problem) from None
        return found

    async def adopt(self, request: Request) -> Response:
        """A table for a game that was begun elsewhere, from its file."""
        await self.at.new_table(request)
        async with read_form(request, file="journal") as form:
            raw = await read_upload(form, "journal")
            try:
                links = await self.at.tables.adopt(raw, self.at.offer.bots, "plays" in form)
            except (GameError, RulesError) as problem:
                return await self._refused(form, problem)
        return self._to_host(links)

    async def _refused(self, form: FormData, problem: WrongSetup | GameError | RulesError) -> Response:
        said = problem.first if isinstance(problem, RulesError) else problem
        choices = await to_thread(Choices.read, form, self.at.offer)
        return self.at.page("start.html", 422, offer=self.at.offer, choices=choices, problem=str(said))

    def _to_host(self, links: list[Link]) -> Response:
        self.at.bots.look(links[0].table)
        return RedirectResponse(f"/host/{links[0].key}", 303)

    async def host(self, request: Request) -> Response:
        """The links of a table, for its host."""
        link = await self.at.link(request, HOST)
        links = await to_thread(self.at.store.links, link.table)
        shown = {
            "link": link,
            "links": links,
            "onlookers": next(one for one in links if one.seat == ONLOOKER),
            "base": str(request.base_url).rstrip("/"),
            "kinds": self.at.offer.bots,
            "forget_after": self.at.forget_after,
            "alone": self.at.store.alone,
        }
        return HTMLResponse(await self.at.tables.ask(link.table, table_actions.host, shown))

    async def hand_over(self, request: Request) -> Response:
        """A seat for somebody else, with a new link, or for a bot."""
        link = await self.at.link(request, HOST)
        async with read_form(request) as form:
            seat, bot = parse_number(form.get("seat", "")), str(form.get("bot", ""))
        known = bot in ("", *self.at.offer.bots)
        if seat is None or seat < 0 or not known or not await to_thread(self.at.store.hand_over, link.table, seat, bot):
            raise HTTPException(400, gettext("There is no such seat, or no such bot, or somebody has taken the seat."))
        self.at.changed(link.table)
        return RedirectResponse(f"/host/{link.key}", 303)
