"""Routes for games in links: sharing and replaying them, and playing by links, where each answer makes a new link.

People play by links if no server connects them: the application runs in each player's browser (`Store.is_exclusive`),
and
each player sends the game on to the player who is asked next.
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
from edict.apps.web.live_tables import HOST, Link, list_human_seats
from edict.apps.web.new_tables import STAND_IN, Choices, InvalidSetupError
from edict.apps.web.request_values import parse_number, read_form, require_path_number
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

MOST_FIELDS = 50  # of a form


class LinkRoutes:
    """The routes for games in links."""

    def __init__(self, server: TableServer) -> None:
        self.server = server

    def routes(self) -> list[Route]:
        """Return the routes to share and replay games, and to play by links."""
        seat, walk = "/seat/{key}", "/shared/{key}/{seen}/at/{number}"
        return [
            Route(seat + "/share", self.share),
            Route(seat + "/hand-on", self.hand_on),
            Route(seat + "/hand-over", self.hand_over),
            Route("/tables/link", self.open_link, methods=["POST"]),
            Route("/tables/by-links", self.start_by_links, methods=["POST"]),
            Route(walk, self.show_position),
            Route(walk, self.fork_game, methods=["POST"]),
        ]

    # --- sending

    async def share(self, request: Request) -> Response:
        """Return the page with the link by which others can replay the game."""
        link = await self.server.require_link(request)
        is_over = bool(await self.server.tables.ask(link.table, table_actions.is_over))
        context: dict[str, Any] = {
            "link": link,
            "over": is_over,
            "all": link_actions.may_share_all(link),
            "address": "",
        }
        try:
            letters: str = await self.server.tables.ask(link.table, link_actions.encode_share_link, link)
        except GameError as problem:
            return self.server.render_page("share_game.html", 409, **context, problem=_format_problem(problem))
        return self.server.render_page("share_game.html", **context | {"address": _link_address(request, letters)})

    async def hand_on(self, request: Request) -> Response:
        """Return the part of a page that passes the turn to the next player, by a link or at this screen."""
        link = await self.server.require_link(request)
        if not self.server.is_only_client(request) or link.seat < 0:
            raise HTTPException(404, gettext("There is nothing to hand on here."))
        links = {one.seat: one for one in await to_thread(self.server.store.list_links, link.table)}
        elsewhere = [seat for seat, one in links.items() if one.free]
        try:
            awaited_players: list[AwaitedPlayer] = await self.server.tables.ask(
                link.table, link_actions.list_awaited_players, elsewhere
            )
        except GameError as problem:
            return self.server.render_page("hand_on.html", to=[], problem=_format_problem(problem))
        recipients = [
            (links[one.seat], one.player, _link_address(request, one.letters) if one.letters else "")
            for one in awaited_players
            if one.seat != link.seat and not links[one.seat].bot
        ]
        return self.server.render_page("hand_on.html", to=recipients)

    async def hand_over(self, request: Request) -> Response:
        """Return the page between two players at one screen, which hides the table until the next one is there."""
        link = await self.server.require_link(request)
        if link.seat < 0:
            raise HTTPException(404, gettext("There is nothing to hand on here."))
        players = await self.server.tables.ask(link.table, table_actions.list_players)
        return self.server.render_page("hand_over.html", link=link, player=players[link.seat])

    # --- beginning by links

    async def start_by_links(self, request: Request) -> Response:
        """Start a game by links, take the first seat for this browser, and redirect to it."""
        await self.server.check_new_table(request)
        async with read_form(request, MOST_FIELDS) as form:
            others = [shorten_name(one) for one in str(form.get("others", "")).split(",") if one.strip()]
            names = [str(form.get("name", "")), *others]
            seats = {f"seat-{seat}": "person" for seat in range(len(names))}
            name_fields = {f"name-{seat}": name for seat, name in enumerate(names)}
            setup_form = FormData([("game", str(form.get("game", ""))), *seats.items(), *name_fields.items()])
            try:
                playable = await to_thread(lambda: self.server.offer.read_setup(setup_form).start_game())
            except (InvalidSetupError, GameError, RulesError) as problem:
                return await self._render_problem(form, problem)
        links = await self.server.tables.open(playable, sealed=True)
        own = next(link for link in links if link.seat == 0)
        return RedirectResponse(f"/seat/{await to_thread(self.server.store.claim_seat, own.key)}", 303)

    # --- arriving

    async def open_link(self, request: Request) -> Response:
        """Open a game link: apply it to this browser's table of the same game, or open a table for it."""
        await self.server.check_new_table(request)
        async with read_form(request, MOST_FIELDS) as form:
            text, wanted = str(form.get("link", "")), str(form.get("wanted", ""))
            try:
                game_link = await self._read_link(text)
                return await self._apply_to_table(game_link, text, wanted) or await self._open_table(game_link, wanted)
            except (GameError, RulesError) as problem:
                return await self._render_problem(form, problem)

    async def _read_link(self, text: str) -> GameLink:
        """Return the game in a link; links that bring rules along are read in a process for strangers' rules."""
        if not await to_thread(contains_rules, text):
            return await to_thread(read_link, text)
        try:
            game_link: GameLink = await self.server.sandbox.run(text.encode(), read_link, text)
        except TaskFailed as problem:
            message = gettext("the rules in this link cannot be played: %(reason)s") % {"reason": problem}
            raise GameLinkError(message) from None
        return game_link

    async def _open_table(self, game_link: GameLink, wanted: str) -> Response:
        """Open a new table for a game link: for play if it asks for an answer, otherwise for a replay."""
        raw = game_link.journal.to_bytes()
        if game_link.to < 0 or not self.server.store.is_exclusive or wanted == SEPARATELY:
            return _redirect_to_replay(await self.server.tables.adopt(raw, ()))
        links = await self.server.tables.adopt(raw, self.server.offer.bots, sealed=True)
        if game_link.held:
            await self.server.tables.ask(
                links[0].table, link_actions.apply_arrived_answers, (), game_link.held, list_human_seats(links)
            )
        return _redirect_to_seat(links, game_link.to)

    async def _apply_to_table(self, game_link: GameLink, text: str, wanted: str) -> Response | None:
        """Apply a game link to this browser's table of the same game; return None if there is no such table."""
        if self.server.store.is_exclusive and wanted != SEPARATELY:
            tables = await to_thread(self._find_tables, game_link)
        else:
            tables = []
        for links in tables:
            own = [link for link in links if link.seat >= 0 and link.taken and not link.bot]
            arguments = game_link.journal.answers, [link.seat for link in own]
            comparison, answers_for_own = await self.server.tables.ask(
                links[0].table, link_actions.compare_arrived_answers, *arguments
            )
            if game_link.to < 0 or not links[0].sealed:
                if comparison.order is JournalOrder.SAME and not links[0].sealed:
                    return _redirect_to_replay(links)
                continue
            if (
                comparison.order in (JournalOrder.OLDER, JournalOrder.FORKED)
                or answers_for_own
                and wanted != ACCEPT_ANSWERS
            ):
                return await self._render_conflict(links, own, game_link, comparison, text)
            arrived = comparison.new, game_link.held, list_human_seats(links)
            version = await self.server.tables.ask(links[0].table, link_actions.apply_arrived_answers, *arrived)
            self.server.on_table_changed(links[0].table, version)
            return _redirect_to_seat(links, game_link.to)
        return None

    async def _render_conflict(
        self, links: list[Link], own: list[Link], game_link: GameLink, comparison: JournalComparison, text: str
    ) -> Response:
        """Return the page for a game link that cannot simply be applied; it changes nothing."""
        divergence: str = await self.server.tables.ask(
            links[0].table, link_actions.describe_divergence, comparison.common, game_link.journal.answers
        )
        back_link = own[0] if own else next(link for link in links if link.seat == game_link.to)
        kind = comparison.order.name.lower()
        return self.server.render_page(
            "arrived.html",
            409,
            kind=kind,
            common=comparison.common,
            parts=divergence,
            back=back_link,
            text=text,
            players=[game_link.journal.header.players[link.seat] for link in own],
        )

    def _find_tables(self, game_link: GameLink) -> list[list[Link]]:
        """Return the links of each table with the same game."""
        store = self.server.store
        heads = ((table, parse_journal(line)) for table, line in store.read_first_lines())
        return [
            store.list_links(table)
            for table, first_line in heads
            if is_same_game(_header_only(first_line), _header_only(game_link.journal))
        ]

    async def _render_problem(self, form: FormData, problem: InvalidSetupError | GameError | RulesError) -> Response:
        """Return the start page with a message."""
        game_fields = FormData([(name, value) for name, value in form.multi_items() if name == "game"])
        choices = await to_thread(Choices.read, game_fields, self.server.offer)
        if isinstance(problem, GameError):
            message = _format_problem(problem)
        else:
            message = str(getattr(problem, "first", problem))
        return self.server.render_page("start.html", 422, offer=self.server.offer, choices=choices, problem=message)

    # --- going through

    async def show_position(self, request: Request) -> Response:
        """Return the page of a position in a shared game."""
        link, position = await self._require_position(request)
        links = {
            table_link.seat: table_link for table_link in await to_thread(self.server.store.list_links, link.table)
        }
        return HTMLResponse(await self.server.tables.ask(link.table, link_actions.render_replay_page, links, position))

    async def fork_game(self, request: Request) -> Response:
        """Open a table at which the game continues from a position, and redirect to it."""
        link, position = await self._require_position(request)
        await self.server.check_new_table(request)
        async with read_form(request, MOST_FIELDS) as form:
            chosen_seat, stand_in = parse_number(form.get("seat", "")), "" if form.get("who") == "all" else STAND_IN
        seat = -1 if chosen_seat is None else chosen_seat
        try:
            raw = await self.server.tables.ask(link.table, link_actions.fork_game, position.at, seat, stand_in)
            links = await self.server.tables.adopt(raw, self.server.offer.bots)
        except GameError as problem:
            raise HTTPException(409, _format_problem(problem)) from None
        self.server.bots.start_turns(links[0].table)
        own_link = next(table_link for table_link in links if table_link.seat == (seat if stand_in else HOST))
        return RedirectResponse(f"/{'seat' if stand_in else 'host'}/{own_link.key}", 303)

    async def _require_position(self, request: Request) -> tuple[Link, ReplayedPosition]:
        """Return the link and the position that a request names.

        Raises:
            HTTPException: The link keeps secrets from its owner, or the viewpoint is unknown (404).
        """
        link, viewpoint = await self.server.require_link(request, HOST), request.path_params["seen"]
        if link.sealed or viewpoint not in (ASKED, ALL) and parse_number(viewpoint) is None:
            raise HTTPException(404, gettext("There is nothing to go through here."))
        return link, ReplayedPosition(link.key, viewpoint, require_path_number(request, "number"))


# values of `wanted`: to open a link beside the own table, or to apply answers for the own seat
SEPARATELY, ACCEPT_ANSWERS = "apart", "take"


def _header_only(journal: Journal) -> Journal:
    """Return a journal without answers and rules; in stores its header names rules, not folders."""
    return Journal(journal.header)


def _redirect_to_replay(links: list[Link]) -> Response:
    """Redirect the host of a new table to the first position of its replay."""
    host = next(link for link in links if link.seat == HOST)
    return RedirectResponse(f"/shared/{host.key}/{ASKED}/at/0", 303)


def _redirect_to_seat(links: list[Link], to: int) -> Response:
    """Redirect to a seat of this browser: the seat `to` if it has taken that, otherwise another one it has taken.

    Without any, redirect to the link of `to`, where the seat can be taken.
    """
    own_links = [link for link in links if link.seat >= 0 and link.taken and not link.bot]
    target = (
        next((link for link in own_links if link.seat == to), None)
        or (own_links or [x for x in links if x.seat == to])[0]
    )
    return RedirectResponse(f"/seat/{target.key}", 303)


def _link_address(request: Request, encoded_game: str) -> str:
    """Return the full address of a game link on this server."""
    return f"{str(request.base_url).rstrip('/')}/{MARK}{encoded_game}"


def _format_problem(problem: GameError) -> str:
    """Return a problem and its remedy as one message."""
    return " ".join(capitalize(to_sentence(text)) for text in (problem.reason, problem.remedy) if text)
