"""Routes for games in links: sharing one, opening one, going through it; and playing by links, each answer a link.

By links is played where no server stands between people: in a page (`Store.alone`). There a table's seats are each in
somebody's own browser, and whoever has answered hands the game on to whoever is asked.
"""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import link_actions, table_actions
from edict.apps.web.link_actions import ALL, ASKED, AwaitedPlayer, ReplayedPosition
from edict.apps.web.live_tables import HOST, Link, people_of
from edict.apps.web.new_tables import STAND_IN, Choices, WrongSetup
from edict.apps.web.request_values import parse_number, path_number, read_form
from edict.apps.web.table_server import TableServer
from edict.game.table.game_errors import GameError
from edict.game.table.game_links import (
    MARK,
    GameLink,
    GameLinkError,
    JournalComparison,
    JournalOrder,
    contains_rules,
    is_same_game,
    read_link,
)
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.setup import shorten_name
from edict.support.morphology import capitalize, to_sentence
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import gettext

MOST_FIELDS = 50


class LinkRoutes:
    """Games in links."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        seat, walk = "/seat/{key}", "/shared/{key}/{seen}/at/{number}"
        return [
            Route(seat + "/share", self.share),
            Route(seat + "/hand-on", self.hand_on),
            Route(seat + "/hand-over", self.hand_over),
            Route("/tables/link", self.arrive, methods=["POST"]),
            Route("/tables/by-links", self.begin, methods=["POST"]),
            Route(walk, self.walk),
            Route(walk, self.go_on, methods=["POST"]),
        ]

    # --- sending

    async def share(self, request: Request) -> Response:
        """The link by which others go through the game."""
        link = await self.at.link(request)
        over = bool(await self.at.tables.ask(link.table, table_actions.over))
        shown: dict[str, Any] = {"link": link, "over": over, "all": link_actions.may_share_all(link), "address": ""}
        try:
            letters: str = await self.at.tables.ask(link.table, link_actions.shared, link)
        except GameError as problem:
            return self.at.page("share_game.html", 409, **shown, problem=_said(problem))
        return self.at.page("share_game.html", **shown | {"address": _address(request, letters)})

    async def hand_on(self, request: Request) -> Response:
        """How the game goes to whoever is asked: by a link if they are elsewhere, or at this screen."""
        link = await self.at.link(request)
        if not self.at.alone_with(request) or link.seat < 0:
            raise HTTPException(404, gettext("There is nothing to hand on here."))
        links = {one.seat: one for one in await to_thread(self.at.store.links, link.table)}
        elsewhere = [seat for seat, one in links.items() if one.free]
        try:
            found: list[AwaitedPlayer] = await self.at.tables.ask(link.table, link_actions.awaited, elsewhere)
        except GameError as problem:
            return self.at.page("hand_on.html", to=[], problem=_said(problem))
        to = [
            (links[one.seat], one.player, _address(request, one.letters) if one.letters else "")
            for one in found
            if one.seat != link.seat and not links[one.seat].bot
        ]
        return self.at.page("hand_on.html", to=to)

    async def hand_over(self, request: Request) -> Response:
        """Between two people at one screen: nothing to be seen of the table until the next one is there."""
        link = await self.at.link(request)
        if link.seat < 0:
            raise HTTPException(404, gettext("There is nothing to hand on here."))
        players = await self.at.tables.ask(link.table, table_actions.players)
        return self.at.page("hand_over.html", link=link, player=players[link.seat])

    # --- beginning by links

    async def begin(self, request: Request) -> Response:
        """A table at which the others sit elsewhere, and one's own seat."""
        await self.at.new_table(request)
        async with read_form(request, MOST_FIELDS) as form:
            others = [shorten_name(one) for one in str(form.get("others", "")).split(",") if one.strip()]
            names = [str(form.get("name", "")), *others]
            taken = {f"seat-{seat}": "person" for seat in range(len(names))}
            named = {f"name-{seat}": name for seat, name in enumerate(names)}
            chosen = FormData([("game", str(form.get("game", ""))), *taken.items(), *named.items()])
            try:
                begun = await to_thread(lambda: self.at.offer.setup(chosen).begun())
            except (WrongSetup, GameError, RulesError) as problem:
                return await self._refused(form, problem)
        links = await self.at.tables.open(begun, sealed=True)
        own = next(link for link in links if link.seat == 0)
        return RedirectResponse(f"/seat/{await to_thread(self.at.store.take, own.key)}", 303)

    # --- arriving

    async def arrive(self, request: Request) -> Response:
        """Open a link: to a game that is gone through, or to one that waits for an answer."""
        await self.at.new_table(request)
        async with read_form(request, MOST_FIELDS) as form:
            text, wanted = str(form.get("link", "")), str(form.get("wanted", ""))
            try:
                found = await self._read(text)
                return await self._beside(found, text, wanted) or await self._opened(found, wanted)
            except (GameError, RulesError) as problem:
                return await self._refused(form, problem)

    async def _read(self, text: str) -> GameLink:
        """The game in a link; strangers' rules are not read in the server's own process."""
        if not await to_thread(contains_rules, text):
            return await to_thread(read_link, text)
        try:
            found: GameLink = await self.at.sandbox.done(text.encode(), read_link, text)
        except TaskFailed as problem:
            said = gettext("the rules in this link cannot be played: %(reason)s") % {"reason": problem}
            raise GameLinkError(said) from None
        return found

    async def _opened(self, found: GameLink, wanted: str) -> Response:
        """A table of its own for what has arrived."""
        raw = found.journal.to_bytes()
        if found.to < 0 or not self.at.store.alone or wanted == APART:
            return _walk(await self.at.tables.adopt(raw, ()))
        links = await self.at.tables.adopt(raw, self.at.offer.bots, sealed=True)
        if found.held:
            await self.at.tables.ask(links[0].table, link_actions.take_in, (), found.held, people_of(links))
        return _to_seat(links, found.to)

    async def _beside(self, found: GameLink, text: str, wanted: str) -> Response | None:
        """What has arrived at the table that this browser has of the same game; None if it has none."""
        tables = await to_thread(self._tables, found) if self.at.store.alone and wanted != APART else []
        for links in tables:
            own = [link for link in links if link.seat >= 0 and link.taken and not link.bot]
            about = found.journal.answers, [link.seat for link in own]
            side, for_me = await self.at.tables.ask(links[0].table, link_actions.beside, *about)
            if found.to < 0 or not links[0].sealed:
                if side.order is JournalOrder.SAME and not links[0].sealed:
                    return _walk(links)
                continue
            if side.order in (JournalOrder.OLDER, JournalOrder.FORKED) or for_me and wanted != TAKE:
                return await self._told(links, own, found, side, text)
            new = side.new, found.held, people_of(links)
            version = await self.at.tables.ask(links[0].table, link_actions.take_in, *new)
            self.at.changed(links[0].table, version)
            return _to_seat(links, found.to)
        return None

    async def _told(
        self, links: list[Link], own: list[Link], found: GameLink, side: JournalComparison, text: str
    ) -> Response:
        """That what arrived is older than what is here, or another course of it; nothing is changed."""
        parts: str = await self.at.tables.ask(
            links[0].table, link_actions.where_they_part, side.common, found.journal.answers
        )
        back = own[0] if own else next(link for link in links if link.seat == found.to)
        kind = side.order.name.lower()
        return self.at.page(
            "arrived.html",
            409,
            kind=kind,
            common=side.common,
            parts=parts,
            back=back,
            text=text,
            players=[found.journal.header.players[link.seat] for link in own],
        )

    def _tables(self, found: GameLink) -> list[list[Link]]:
        """The links of the tables that are of the same game."""
        store = self.at.store
        heads = ((table, parse_journal(line)) for table, line in store.first_lines())
        return [store.links(table) for table, head in heads if is_same_game(_bare(head), _bare(found.journal))]

    async def _refused(self, form: FormData, problem: WrongSetup | GameError | RulesError) -> Response:
        known = FormData([(name, value) for name, value in form.multi_items() if name == "game"])
        choices = await to_thread(Choices.read, known, self.at.offer)
        said = _said(problem) if isinstance(problem, GameError) else str(getattr(problem, "first", problem))
        return self.at.page("start.html", 422, offer=self.at.offer, choices=choices, problem=said)

    # --- going through

    async def walk(self, request: Request) -> Response:
        """A place in a game that was shared."""
        link, way = await self._way(request)
        links = {one.seat: one for one in await to_thread(self.at.store.links, link.table)}
        return HTMLResponse(await self.at.tables.ask(link.table, link_actions.walk, links, way))

    async def go_on(self, request: Request) -> Response:
        """A table at which the game goes on from there."""
        link, way = await self._way(request)
        await self.at.new_table(request)
        async with read_form(request, MOST_FIELDS) as form:
            found, alone = parse_number(form.get("seat", "")), "" if form.get("who") == "all" else STAND_IN
        seat = -1 if found is None else found
        try:
            raw = await self.at.tables.ask(link.table, link_actions.gone_on, way.at, seat, alone)
            links = await self.at.tables.adopt(raw, self.at.offer.bots)
        except GameError as problem:
            raise HTTPException(409, _said(problem)) from None
        self.at.bots.look(links[0].table)
        own = next(one for one in links if one.seat == (seat if alone else HOST))
        return RedirectResponse(f"/{'seat' if alone else 'host'}/{own.key}", 303)

    async def _way(self, request: Request) -> tuple[Link, ReplayedPosition]:
        """Where somebody is in a game that hides nothing from them."""
        link, seen = await self.at.link(request, HOST), request.path_params["seen"]
        if link.sealed or seen not in (ASKED, ALL) and parse_number(seen) is None:
            raise HTTPException(404, gettext("There is nothing to go through here."))
        return link, ReplayedPosition(link.key, seen, path_number(request, "number"))


APART, TAKE = "apart", "take"
"""What somebody wants who was told that a link does not simply go on: to look at it by itself, or that it counts."""


def _bare(journal: Journal) -> Journal:
    """Its header alone: in stores it names rules, not folders."""
    return Journal(journal.header)


def _walk(links: list[Link]) -> Response:
    host = next(link for link in links if link.seat == HOST)
    return RedirectResponse(f"/shared/{host.key}/{ASKED}/at/0", 303)


def _to_seat(links: list[Link], to: int) -> Response:
    """To one's own seat at a table, or to the one that is to be taken."""
    own = [link for link in links if link.seat >= 0 and link.taken and not link.bot]
    found = next((link for link in own if link.seat == to), None) or (own or [x for x in links if x.seat == to])[0]
    return RedirectResponse(f"/seat/{found.key}", 303)


def _address(request: Request, letters: str) -> str:
    return f"{str(request.base_url).rstrip('/')}/{MARK}{letters}"


def _said(problem: GameError) -> str:
    """One message: what is wrong, and what to do about it."""
    return " ".join(capitalize(to_sentence(one)) for one in (problem.reason, problem.remedy) if one)
