"""Routes for the host of a table: setting it up, and its links."""

from __future__ import annotations

from asyncio import to_thread

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.live_tables import HOST, ONLOOKER, Link, PlayableGame
from edict.apps.web.new_tables import Choices, InvalidSetupError, has_plans, start_game_from_form, to_setup_error
from edict.apps.web.request_values import parse_number, read_form, read_upload
from edict.apps.web.room_routes import find_invitation_address
from edict.apps.web.table_insights import get_primer
from edict.apps.web.table_server import TableServer
from edict.game.table.game_errors import GameError
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import gettext


class HostRoutes:
    """The routes of pages that set up a table, and of each table's host page."""

    def __init__(self, server: TableServer) -> None:
        self.server = server

    def routes(self) -> list[Route]:
        """Return the routes to set up a table and to manage its links."""
        return [
            Route("/", self.start),
            Route("/gallery", self.gallery),
            Route("/primer", self.choose),
            Route("/rules", self.show_primer),
            Route("/tables", self.open_table, methods=["POST"]),
            Route("/tables/journal", self.adopt_journal, methods=["POST"]),
            Route("/host/{key}", self.show_host_page),
            Route("/host/{key}/hand-over", self.hand_over, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """Return the page that sets up a table."""
        return await self._render_choices("start.html", request)

    async def gallery(self, request: Request) -> Response:
        """Return the gallery of games and variants on offer."""
        self.server.gate.check_rate(self.server.limits.start_pages, "start pages", request)
        offer = self.server.offer
        return await to_thread(lambda: self.server.render_page("gallery.html", exhibits=offer.gallery(), offer=offer))

    async def choose(self, request: Request) -> Response:
        """Return the part of the form that depends on the chosen game: its modules, settings and seats."""
        return await self._render_choices("chosen.html", request, game_changed=True)

    async def show_primer(self, request: Request) -> Response:
        """Return the primer of the chosen game."""
        self.server.gate.check_rate(self.server.limits.start_pages, "start pages", request)

        def render() -> Response:
            """Return the primer page of the game in the query; the page without a primer if none is chosen."""
            choices = Choices.read(request.query_params, self.server.offer)
            return self.server.render_page("primer.html", primer=get_primer(choices.rules) if choices.rules else None)

        return await to_thread(render)

    async def _render_choices(self, template: str, request: Request, game_changed: bool = False) -> Response:
        """Render a template with the query's choices; with `game_changed`, modules that do not fit are dropped."""
        self.server.gate.check_rate(self.server.limits.start_pages, "start pages", request)
        choices = await to_thread(Choices.read, request.query_params, self.server.offer, game_changed)
        return await to_thread(lambda: self.server.render_page(template, offer=self.server.offer, choices=choices))

    async def open_table(self, request: Request) -> Response:
        """Open a table with the chosen setup, and redirect to its host page."""
        await self.server.check_new_table(request)
        async with read_form(request, file_field="module") as form:
            upload = await read_upload(form, "module")
            try:
                links = await self.server.tables.open(await self._start_game(form, upload), "plays" in form)
            except (InvalidSetupError, GameError, RulesError) as problem:
                return await self._render_problem(form, problem)
        return self._redirect_to_host(links)

    async def _start_game(self, form: FormData, upload: bytes) -> PlayableGame:
        """Start the chosen game; with an uploaded module or plans, in a process for strangers' rules."""
        if not upload and not has_plans(form):
            return await to_thread(lambda: self.server.offer.read_setup(form).start_game())
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        try:
            playable: PlayableGame = await self.server.sandbox.run(
                upload, start_game_from_form, fields, self.server.offer, upload
            )
        except TaskFailed as problem:
            raise to_setup_error(problem) from None
        return playable

    async def adopt_journal(self, request: Request) -> Response:
        """Open a table for a game from its file, and redirect to its host page."""
        await self.server.check_new_table(request)
        async with read_form(request, file_field="journal") as form:
            raw = await read_upload(form, "journal")
            try:
                links = await self.server.tables.adopt(raw, self.server.offer.bots, "plays" in form)
            except (GameError, RulesError) as problem:
                return await self._render_problem(form, problem)
        return self._redirect_to_host(links)

    async def _render_problem(self, form: FormData, problem: InvalidSetupError | GameError | RulesError) -> Response:
        """Return the start page with a message."""
        message = problem.first if isinstance(problem, RulesError) else problem
        choices = await to_thread(Choices.read, form, self.server.offer)
        return self.server.render_page(
            "start.html", 422, offer=self.server.offer, choices=choices, problem=str(message)
        )

    def _redirect_to_host(self, links: list[Link]) -> Response:
        """Let bots begin at a new table, and redirect to its host page; the first link is the host's."""
        self.server.bots.start_turns(links[0].table)
        return RedirectResponse(f"/host/{links[0].key}", 303)

    async def show_host_page(self, request: Request) -> Response:
        """Return the page with a table's links, for its host."""
        link = await self.server.require_link(request, HOST)
        links = await to_thread(self.server.store.list_links, link.table)
        context = {
            "link": link,
            "links": links,
            "onlookers": next(table_link for table_link in links if table_link.seat == ONLOOKER),
            "base": (await find_invitation_address(request))[0],
            "kinds": self.server.offer.bots,
            "forget_after": self.server.forget_after,
            "alone": self.server.store.is_exclusive,
        }
        return HTMLResponse(await self.server.tables.ask(link.table, table_actions.render_host_page, context))

    async def hand_over(self, request: Request) -> Response:
        """Give a seat to another person, by a new link, or to a bot."""
        link = await self.server.require_link(request, HOST)
        async with read_form(request) as form:
            seat, bot = parse_number(form.get("seat", "")), str(form.get("bot", ""))
        is_known = bot in ("", *self.server.offer.bots)
        if (
            seat is None
            or seat < 0
            or not is_known
            or not await to_thread(self.server.store.hand_over_seat, link.table, seat, bot)
        ):
            raise HTTPException(400, gettext("There is no such seat, or no such bot, or somebody has taken the seat."))
        self.server.on_table_changed(link.table)
        return RedirectResponse(f"/host/{link.key}", 303)
