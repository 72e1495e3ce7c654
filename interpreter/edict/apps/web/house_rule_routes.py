"""Routes for trying house rules, under which the game continues at another table."""

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
from edict.apps.web.house_rules import TriedRules, apply_chosen_rules, apply_variant
from edict.apps.web.live_tables import Link
from edict.apps.web.new_tables import STAND_IN, Choices, InvalidSetupError, to_setup_error
from edict.apps.web.request_values import read_form, read_upload
from edict.apps.web.studio.variant_games import VariantSnapshot
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_store import TalkStore
from edict.game.table.game_errors import GameError
from edict.support.morphology import capitalize
from edict.support.processes.executor import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import current_language, gettext

# returns the variant of the studio with the key of a link, or None if there is none
VariantLookup = Callable[[str], Awaitable[VariantSnapshot | None]]


class HouseRuleRoutes:
    """The routes for choosing house rules, and for the table at which they are tried.

    Args:
        find_variant: Looks up variants of the studio; None on servers without a studio.
    """

    def __init__(self, server: TableServer, find_variant: VariantLookup | None = None) -> None:
        self.server = server
        self.talk = TalkStore(server.store)
        self.find_variant = find_variant

    def routes(self) -> list[Route]:
        """Return the routes to choose house rules and to join the table that tries them."""
        seat = "/seat/{key}"
        return [
            Route(seat + "/try", self.choose),
            Route(seat + "/try", self.open_table, methods=["POST"]),
            Route(seat + "/tried", self.join_table),
        ]

    async def choose(self, request: Request) -> Response:
        """Return the page on which house rules are chosen."""
        return await self._render_choices(await self._require_seat(request), FormData())

    async def open_table(self, request: Request) -> Response:
        """Open a table at which the game continues under the chosen rules, and return the page with the differences."""
        link = await self._require_seat(request)
        await self.server.check_new_table(request)
        async with read_form(request, file_field="module") as form:
            try:
                tried = await self._try_rules(link, form, await read_upload(form, "module"))
            except (InvalidSetupError, GameError, RulesError) as problem:
                problem_text = problem.first if isinstance(problem, RulesError) else problem
                return await self._render_choices(link, form, capitalize(str(problem_text)))
            for_all = form.get("who") == "all"
        links = await self.server.tables.open(tried.game, sealed=for_all and link.sealed)
        if for_all:
            await self._announce(link, links, tried.title)
        self.server.bots.start_turns(links[0].table)
        new_link = next(table_link for table_link in links if table_link.seat == link.seat)
        goes_to = f"/seat/{link.key}/tried" if for_all else f"/seat/{new_link.key}"
        return self.server.render_page(
            "house_rules_tried.html", link=link, tried=tried, together=for_all, goes_to=goes_to
        )

    async def join_table(self, request: Request) -> Response:
        """Redirect to the same seat at the table at which everybody tries other rules."""
        link = await self.server.require_link(request)
        seat_key = await to_thread(self.server.store.get_trial_key, link.key)
        if not seat_key:
            raise HTTPException(404, gettext("Nobody is trying other rules at this table."))
        return RedirectResponse(f"/seat/{seat_key}", 303)

    async def _require_seat(self, request: Request) -> Link:
        """Return the link of a request. Raises `HTTPException` 403 if it opens no player's seat."""
        link = await self.server.require_link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat can try other rules."))
        return link

    async def _render_choices(self, link: Link, form: Any, problem: str = "") -> Response:
        """Return the page of house rules with the form's values, else those of the table; 422 with a problem."""
        game, modules = await self.server.tables.ask(link.table, table_actions.get_rules_names)
        offer = self.server.offer
        is_known = game in offer.games and set(modules) <= set(offer.modules_for(game))
        chosen = form.getlist("with") if "game" in form else modules
        return self.server.render_page(
            "house_rules.html",
            422 if problem else 200,
            link=link,
            problem=problem,
            game=game,
            chosen=chosen,
            modules=offer.modules_for(game) if is_known else {},
            known=is_known,
            studio=self.find_variant is not None,
            variant=str(form.get("variant", "")),
            together=form.get("who") == "all",
        )

    async def _try_rules(self, link: Link, form: FormData, upload: bytes) -> TriedRules:
        """Continue the game under the chosen rules.

        Raises:
            InvalidSetupError: The rules cannot be played.
            GameError: The game cannot be branched here, or cannot start under the rules.
            RulesError: The rules fail.
        """
        stand_in = "" if form.get("who") == "all" else STAND_IN
        bots = tuple(
            table_link.bot
            for table_link in await to_thread(self.server.store.list_links, link.table)
            if table_link.seat >= 0
        )
        raw: bytes = await self.server.tables.ask(link.table, table_actions.branch_game, link.seat, stand_in, bots)
        try:
            return await self._apply_rules(link, raw, form, upload)
        except TaskFailed as problem:
            raise to_setup_error(problem) from None

    async def _apply_rules(self, link: Link, raw: bytes, form: FormData, upload: bytes) -> TriedRules:
        """Continue a game under the chosen rules, in a process for strangers' rules unless all of them ship."""
        run_in_sandbox, table_id = self.server.sandbox.run, link.table.encode()
        if str(form.get("variant", "")).strip():
            variant = await self._require_variant(str(form["variant"]))
            tried: TriedRules = await run_in_sandbox(table_id, apply_variant, variant, raw, current_language())
            return tried
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        choices = await to_thread(Choices.read, form, self.server.offer)
        apply_choices = partial(apply_chosen_rules, raw, fields, self.server.offer, upload, current_language())
        if not upload and not self.server.offer.is_own(choices):
            return await to_thread(apply_choices)
        tried_in_sandbox: TriedRules = await run_in_sandbox(table_id, apply_choices)
        return tried_in_sandbox

    async def _require_variant(self, link: str) -> VariantSnapshot:
        """Return the studio's variant behind a pasted link. Raises `InvalidSetupError` if it opens none."""
        key = urlsplit(link.strip()).path.partition("/studio/")[2].partition("/")[0]
        variant = await self.find_variant(key) if self.find_variant is not None else None
        if variant is None:
            raise InvalidSetupError(gettext("This link does not open a variant of the studio on this server."))
        return variant

    async def _announce(self, link: Link, links: list[Link], title: str) -> None:
        """Tell everybody at the table about the other table."""
        await to_thread(self.server.store.link_trial, link.table, links)
        message = gettext("Let’s try house rules: %(title)s") % {"title": title}
        await to_thread(self.talk.add_message, link.table, link.seat, message)
        self.server.notifications.notify_talk(link.table)
