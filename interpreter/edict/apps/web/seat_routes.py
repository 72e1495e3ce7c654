"""Routes for the link of a seat: the table as the seat may see it, answers, notifications, and what explains it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.audience import SeatGone
from edict.apps.web.live_tables import HOST, AnsweredAlready, Link, NoSuchTable, people_of
from edict.apps.web.request_values import parse_number, path_number, read_form
from edict.apps.web.sandbox import Ended
from edict.apps.web.table_server import NOTHING, TableServer
from edict.game.table.game_errors import GameError
from edict.support.morphology import to_sentence
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import N_, gettext

# --- the table -------------------------------------------------------------------------------------


PING = 20  # seconds between signs of life on a quiet connection
RETRY = 1000  # milliseconds after which a browser comes back that has lost its connection
CLOSED = N_("The file holds every secret, so it can be downloaded when the game is over.")
LATE = N_("Somebody has answered that already. This is how the table stands now.")


class SeatRoutes:
    """The table, seen and played from a seat."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        seat = "/seat/{key}"
        return [
            Route(seat, self.seat),
            Route(seat + "/claim", self.claim, methods=["POST"]),
            Route(seat + "/table", self.table),
            Route(seat + "/view.json", self.view),
            Route(seat + "/answer", self.answer, methods=["POST"]),
            Route(seat + "/undo", self.undo, methods=["POST"]),
            Route(seat + "/rematch", self.rematch, methods=["POST"]),
            Route(seat + "/look.css", self.look),
            Route(seat + "/news", self.listen),
            Route(seat + "/at/{number}", self.replay),
            Route(seat + "/journal", self.journal),
        ]

    # --- looking

    async def seat(self, request: Request) -> Response:
        """The page of a seat, or of one that is there to be taken."""
        link = await self.at.link(request, free=True)
        if link.free:
            return HTMLResponse(await self.at.tables.ask(link.table, table_actions.free_seat, link))
        return await self._page(request, link)

    async def claim(self, request: Request) -> Response:
        """The seat is taken: from now on it has a link that only who took it knows."""
        link = await self.at.link(request, free=True)
        key = await to_thread(self.at.store.take, link.key)
        if key is None:
            raise HTTPException(404, gettext(NOTHING))
        return RedirectResponse(f"/seat/{key}", 303)

    async def table(self, request: Request) -> Response:
        """What changes on that page, since what has the mark `since`."""
        sight = await self.at.audience.sight(await self.at.link(request), request.query_params.get("since", ""))
        return HTMLResponse(sight.text) if sight.text else Response(status_code=204)

    async def _page(self, request: Request, link: Link, said: str = "") -> Response:
        """The page of a seat, perhaps with a message over the board."""
        people = await to_thread(self._people, link)
        about = link, said, people, self.at.alone_with(request)
        return HTMLResponse(await self.at.tables.ask(link.table, table_actions.page, *about))

    async def look(self, request: Request) -> Response:
        """The colours of the game at this table, as its rules want them."""
        return Response(await self.at.asked(request, lambda link: (table_actions.look,)), media_type="text/css")

    async def view(self, request: Request) -> Response:
        """What the seat may see, as data."""
        return JSONResponse(await self.at.asked(request, lambda link: (table_actions.view, link.looks_as)))

    async def replay(self, request: Request) -> Response:
        """The table as it was after this many answers."""
        number = path_number(request, "number")
        return HTMLResponse(await self.at.asked(request, lambda link: (table_actions.replay, link, number)))

    # --- answering

    async def answer(self, request: Request) -> Response:
        """An answer to the question that stood at a version of the table."""
        async with read_form(request) as form:
            version, key, since = parse_number(form.get("version", "")), form.get("answer", ""), form.get("since", "")

        def action(link: Link) -> tuple[Any, ...]:
            return table_actions.answer, link.seat, _number(version), str(key), self._people(link)

        return await self._do(request, action, str(since))

    async def undo(self, request: Request) -> Response:
        """The seat's last answer taken back."""
        async with read_form(request) as form:
            version, since = parse_number(form.get("version", "")), form.get("since", "")

        def action(link: Link) -> tuple[Any, ...]:
            return table_actions.undo, link.seat, _number(version), self._people(link)

        return await self._do(request, action, str(since))

    def _people(self, link: Link) -> list[int]:
        """The seats at the table of a link that are people's."""
        return people_of(self.at.store.links(link.table))

    async def _do(self, request: Request, action: Callable[[Link], tuple[Any, ...]], since: str) -> Response:
        """Do something at the table, and show how it stands then; whatever is in the way is said there.

        since: the mark of what the browser shows.
        """
        link = await self.at.link(request)
        said, version = "", 0
        try:
            version = await self.at.tables.ask(link.table, *await to_thread(action, link))
            self.at.changed(link.table, version)
        except AnsweredAlready:
            said = gettext(LATE)
        except GameError as problem:
            said = to_sentence(problem.reason)
            self.at.bots.look(link.table)  # perhaps time is up, and no server has noticed
        except RulesError as fault:
            said = gettext("The rules cannot continue: %(reason)s") % {"reason": fault.first}
        if not request.headers.get("HX-Request"):
            return await self._page(request, link, said) if said else RedirectResponse(f"/seat/{link.key}", 303)
        if not said:
            return HTMLResponse((await self.at.audience.sight(link, since, version)).text)
        about = link, said, await to_thread(self._people, link), since
        return HTMLResponse(await self.at.tables.ask(link.table, table_actions.part_of_page, *about))

    async def rematch(self, request: Request) -> Response:
        """The same seat at a new table, which whoever is first opens."""
        link, store = await self.at.link(request), self.at.store
        if not await to_thread(store.again, link.key):
            await self.at.new_table(request)
            bots = tuple(one.bot for one in await to_thread(store.links, link.table) if one.seat >= 0)
            try:
                begun = await self.at.tables.ask(link.table, table_actions.rematch, bots)
            except GameError as problem:
                raise HTTPException(409, to_sentence(problem.reason)) from None
            links = await self.at.tables.open(begun, link.sealed)
            await to_thread(store.play_again, link.table, links)
            self.at.bots.look(links[0].table)
        return RedirectResponse(f"/seat/{await to_thread(store.again, link.key)}", 303)

    async def journal(self, request: Request) -> Response:
        """The game as a file that `resume` and `games replay` take: for the host, and for all once it is over."""
        link = await self.at.link(request)
        if (link.seat != HOST or link.sealed) and not await self._is_over(link):
            raise HTTPException(403, gettext(CLOSED))
        lines = await to_thread(self.at.store.lines, link.table)
        name = {"Content-Disposition": f'attachment; filename="{link.table}.jsonl"'}
        return Response(b"".join(lines), media_type="application/jsonl", headers=name)

    async def _is_over(self, link: Link) -> bool:
        """Whether nothing more can happen at a table."""
        try:
            return bool(await self.at.tables.ask(link.table, table_actions.over))
        except Ended:
            return True

    # --- news

    async def listen(self, request: Request) -> Response:
        """An event `news` whenever the table changes: what changes on the page, its mark as id."""
        link = await self.at.link(request)
        self.at.gate.room(request)
        since = request.headers.get("Last-Event-ID") or request.query_params.get("since", "")
        return EventSourceResponse(self._news(request, link, since), ping=PING)

    async def _news(self, request: Request, link: Link, since: str) -> AsyncIterator[bytes]:
        with self.at.gate.connected(request):
            async with self.at.notifications.about(link.table) as watch:
                self.at.bots.look(link.table)  # a server that went down may have left a bot in thought
                begun = False
                while True:
                    try:
                        sight = await self.at.audience.sight(link, since, watch.version)
                    except (SeatGone, NoSuchTable, Ended, RulesError, GameError):
                        yield _event("again")  # the browser asks, and is told why
                        return
                    if sight.mark != since:
                        since = sight.mark
                        yield _event("news", sight.text, since)
                    elif not begun:
                        yield _event("here")
                    begun = True
                    await watch.wait()
                    while watch.talked:
                        watch.talked = False
                        yield _event("said", "talk")
                        if not watch.changed:
                            await watch.wait()
                    watch.changed = False


def _event(name: str, text: str = "", mark: str = "") -> bytes:
    """An event as it is sent; a mark is what the browser names when it has lost the connection."""
    data = text.replace("\r", "").replace("\n", "\ndata: ")
    known = f"id: {mark}\n" if mark else ""
    return f"event: {name}\n{known}retry: {RETRY}\ndata: {data}\n\n".encode()


def _number(version: int | None) -> int:
    """A version of a table; one that no table has, if none was named."""
    return -1 if version is None else version


# --- what explains it ------------------------------------------------------------------------------


LONGEST = 200  # characters of what somebody asks about


class ExplanationRoutes:
    """Parts of pages that explain; none of them changes anything."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        seat = "/seat/{key}"
        at_any_time = [
            Route(when + address, endpoint)
            for when in (seat, seat + "/at/{at}")
            for address, endpoint in (
                ("/ask-about", self.ask_about),
                ("/why", self.why),
                ("/why-not", self.why_not),
                ("/line/{number}", self.line),
            )
        ]
        return [
            *at_any_time,
            Route(seat + "/hint", self.hint),
            Route(seat + "/missed", self.missed),
            Route(seat + "/rules", self.rules),
            Route(seat + "/scores.json", self.scores),
        ]

    async def _explained(self, request: Request, action: Callable[..., str], *about: object) -> Response:
        """What explains the table as it is, or as it was after the answers that the address names."""
        at = path_number(request, "at") if "at" in request.path_params else None
        return HTMLResponse(await self.at.asked(request, lambda link: (action, link.looks_as, at, *about)))

    async def ask_about(self, request: Request) -> Response:
        """What something that stands on the board is, and why it can be chosen now or not."""
        return await self._explained(request, table_actions.ask_about, request.query_params.get("about", "")[:LONGEST])

    async def why(self, request: Request) -> Response:
        """Why an answer (`option`, by its key) is offered, or is not."""
        return await self._explained(request, table_actions.why, request.query_params.get("option", "")[:LONGEST])

    async def why_not(self, request: Request) -> Response:
        """What could be chosen at other times, and what stands in its way now."""
        return await self._explained(request, table_actions.why_not)

    async def line(self, request: Request) -> Response:
        """What led to a line of the log."""
        return await self._explained(request, table_actions.line, path_number(request, "number"))

    async def rules(self, request: Request) -> Response:
        """The rules of the table in short."""
        return HTMLResponse(await self.at.asked(request, lambda link: (table_actions.rules,)))

    async def missed(self, request: Request) -> Response:
        """What happened since the seat's last move."""
        return HTMLResponse(await self.at.asked(request, lambda link: (table_actions.missed, link.looks_as)))

    async def scores(self, request: Request) -> Response:
        """Where everybody's points come from, in the order in which they came, as data."""
        return JSONResponse(await self.at.asked(request, lambda link: (table_actions.scores, link.looks_as)))

    async def hint(self, request: Request) -> Response:
        """What the search bot thinks of the options, for whoever is asked."""
        link = await self.at.link(request)
        self.at.gate.check(self.at.limits.hints, "hints", request)
        asked: table_actions.Turn = await self.at.tables.ask(link.table, table_actions.asked, link.seat)
        try:
            advice = await self.at.bot_processes.advice(asked)
        except TaskFailed as problem:
            raise HTTPException(503, gettext("No hint is available: %(reason)s.") % {"reason": problem}) from None
        texts: dict[str, str] = await self.at.tables.ask(link.table, table_actions.option_texts, link.seat)
        return self.at.page("hint.html", options=[replace(one, text=texts.get(one.key, one.text)) for one in advice])
