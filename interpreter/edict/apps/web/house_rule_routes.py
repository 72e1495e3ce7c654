"""Routes for a house rule that somebody at a table wants to try: the game goes on under it at another table."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.house_rules import TriedRules, chosen_under, variant_under
from edict.apps.web.live_tables import Link
from edict.apps.web.new_tables import STAND_IN, Choices, WrongSetup, unplayable
from edict.apps.web.request_values import read_form, read_upload
from edict.apps.web.studio.variant_games import SeenVariant
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_store import TalkStore
from edict.game.table.game_errors import GameError
from edict.support.morphology import capitalize
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import current_language, gettext

Variant = Callable[[str], Awaitable[SeenVariant | None]]
"""The variant of the studio behind a link; None if it opens none."""


class HouseRuleRoutes:
    """The page on which other rules are chosen, and the table at which they are tried.

    variant: looks up variants of the studio; None on servers without one.
    """

    def __init__(self, serving: TableServer, variant: Variant | None = None) -> None:
        self.at = serving
        self.talk = TalkStore(serving.store)
        self.variant = variant

    def routes(self) -> list[Route]:
        seat = "/seat/{key}"
        return [
            Route(seat + "/try", self.choose),
            Route(seat + "/try", self.open, methods=["POST"]),
            Route(seat + "/tried", self.follow),
        ]

    async def choose(self, request: Request) -> Response:
        """What can be chosen."""
        return await self._page(await self._seat(request), FormData())

    async def open(self, request: Request) -> Response:
        """The table at which the game goes on, and what is different there."""
        link = await self._seat(request)
        await self.at.new_table(request)
        async with read_form(request, file="module") as form:
            try:
                tried = await self._tried(link, form, await read_upload(form, "module"))
            except (WrongSetup, GameError, RulesError) as problem:
                said = problem.first if isinstance(problem, RulesError) else problem
                return await self._page(link, form, capitalize(str(said)))
            together = form.get("who") == "all"
        links = await self.at.tables.open(tried.game, sealed=together and link.sealed)
        if together:
            await self._tell(link, links, tried.title)
        self.at.bots.look(links[0].table)
        seat = next(one for one in links if one.seat == link.seat)
        goes_to = f"/seat/{link.key}/tried" if together else f"/seat/{seat.key}"
        return self.at.page("house_rules_tried.html", link=link, tried=tried, together=together, goes_to=goes_to)

    async def follow(self, request: Request) -> Response:
        """The same seat at the table where all try other rules."""
        link = await self.at.link(request)
        found = await to_thread(self.at.store.tried, link.key)
        if not found:
            raise HTTPException(404, gettext("Nobody is trying other rules at this table."))
        return RedirectResponse(f"/seat/{found}", 303)

    async def _seat(self, request: Request) -> Link:
        link = await self.at.link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat can try other rules."))
        return link

    async def _page(self, link: Link, form: Any, problem: str = "") -> Response:
        game, modules = await self.at.tables.ask(link.table, table_actions.rules_named)
        offer = self.at.offer
        known = game in offer.games and set(modules) <= set(offer.modules_for(game))
        chosen = form.getlist("with") if "game" in form else modules
        return self.at.page(
            "house_rules.html",
            422 if problem else 200,
            link=link,
            problem=problem,
            game=game,
            chosen=chosen,
            modules=offer.modules_for(game) if known else {},
            known=known,
            studio=self.variant is not None,
            variant=str(form.get("variant", "")),
            together=form.get("who") == "all",
        )

    async def _tried(self, link: Link, form: FormData, upload: bytes) -> TriedRules:
        """The game under what was chosen. Raises `WrongSetup`, `GameError` or `RulesError`."""
        alone = "" if form.get("who") == "all" else STAND_IN
        bots = tuple(one.bot for one in await to_thread(self.at.store.links, link.table) if one.seat >= 0)
        raw: bytes = await self.at.tables.ask(link.table, table_actions.branch, link.seat, alone, bots)
        try:
            return await self._under(link, raw, form, upload)
        except TaskFailed as problem:
            raise unplayable(problem) from None

    async def _under(self, link: Link, raw: bytes, form: FormData, upload: bytes) -> TriedRules:
        done, table = self.at.sandbox.done, link.table.encode()
        if str(form.get("variant", "")).strip():
            seen = await self._variant(str(form["variant"]))
            tried: TriedRules = await done(table, variant_under, seen, raw, current_language())
            return tried
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        known = await to_thread(Choices.read, form, self.at.offer)
        trying = partial(chosen_under, raw, fields, self.at.offer, upload, current_language())
        if not upload and not self.at.offer.is_own(known):
            return await to_thread(trying)
        found: TriedRules = await done(table, trying)
        return found

    async def _variant(self, link: str) -> SeenVariant:
        key = urlsplit(link.strip()).path.partition("/studio/")[2].partition("/")[0]
        seen = await self.variant(key) if self.variant is not None else None
        if seen is None:
            raise WrongSetup(gettext("This link does not open a variant of the studio on this server."))
        return seen

    async def _tell(self, link: Link, links: list[Link], title: str) -> None:
        """Everybody at the table hears of the other one."""
        await to_thread(self.at.store.try_out, link.table, links)
        said = gettext("Let’s try house rules: %(title)s") % {"title": title}
        await to_thread(self.talk.say, link.table, link.seat, said)
        self.at.notifications.talk(link.table)
