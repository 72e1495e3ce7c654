"""Routes for whoever wants to play without choosing much: at once against bots, or in a room where friends gather."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterator
from typing import Any

import segno
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web.new_tables import CLOCKS, Choices, WrongSetup, clock_in, name_in
from edict.apps.web.request_values import parse_number, read_form
from edict.apps.web.room_store import Room, RoomGuest, RoomStore
from edict.apps.web.table_server import FULL, TableServer
from edict.game.table.game_errors import GameError
from edict.runtime.program import Program
from edict.support.report import RulesError
from edict.support.translations import N_, gettext

COMPANY = 3  # who sits at a table at which one plays at once, where the game allows it
MOST_FIELDS = 50
CLOSED = N_("This invitation is not valid any more. Ask whoever sent it for a new one.")


class RoomRoutes:
    """Playing at once, and rooms."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving
        self.rooms = RoomStore(serving.store)

    def routes(self) -> list[Route]:
        room = "/room/{key}"
        return [
            Route("/play", self.play, methods=["POST"]),
            Route("/rooms", self.open, methods=["POST"]),
            Route(room, self.room),
            Route(room + "/people", self.people),
            Route(room + "/join", self.join, methods=["POST"]),
            Route(room + "/begin", self.begin, methods=["POST"]),
        ]

    async def play(self, request: Request) -> Response:
        """A table for one and bots, and its seat."""
        await self.at.new_table(request)
        chosen, name = await self._chosen(request)
        return RedirectResponse(f"/seat/{(await self._seats(chosen, [name], COMPANY - 1))[0]}", 303)

    async def open(self, request: Request) -> Response:
        """A new room."""
        self.at.gate.check(self.at.limits.new_tables, "new tables", request)
        if await to_thread(self.rooms.count) >= self.at.limits.tables:
            raise HTTPException(503, gettext(FULL))
        chosen, name = await self._chosen(request)
        return RedirectResponse(f"/room/{await to_thread(self.rooms.open, [*_fields(chosen)], name)}", 303)

    async def _chosen(self, request: Request) -> tuple[FormData, str]:
        """What is to be played, as fields of a form, and who wants to."""
        async with read_form(request, MOST_FIELDS) as form:
            choices = await to_thread(Choices.read, form, self.at.offer)
            name = _name(form) or gettext("Player %(number)s") % {"number": 1}
            clock = [(field, str(form[field])) for field in CLOCKS if field in form]
        if choices.problem:
            raise HTTPException(422, choices.problem)
        try:
            clock_in(dict(clock))
        except WrongSetup as problem:
            raise HTTPException(422, str(problem)) from None
        return FormData([("game", choices.game), *(("with", one) for one in choices.modules), *clock]), name

    # --- in a room

    async def room(self, request: Request) -> Response:
        """Who is there, and the link for others; or the form by which one joins."""
        room, guest = await self._in(request)
        return self._to_seat(guest) or await self._page(request, room, guest)

    async def people(self, request: Request) -> Response:
        """Who is there. When the table is open, the page goes to one's seat."""
        room, guest = await self._in(request)
        if guest is not None and guest.seat:
            return Response(headers={"HX-Redirect": f"/seat/{guest.seat}"})
        return self.at.page("room_people.html", guests=room.guests)

    async def join(self, request: Request) -> Response:
        """Somebody comes in."""
        room, guest = await self._in(request)
        if guest is not None:
            return RedirectResponse(f"/room/{guest.key}", 303)
        async with read_form(request, MOST_FIELDS) as form:
            name = _name(form)
        most = (await to_thread(self._program, FormData([*room.form]))).most_players
        key = await to_thread(self.rooms.join, room.joining, name, most) if name and not _begun(room) else None
        if key is None:
            said = gettext("Somebody here has that name already, or nobody else can join.")
            return await self._page(request, room, None, said)
        return RedirectResponse(f"/room/{key}", 303)

    async def begin(self, request: Request) -> Response:
        """The table is opened for those who are there; whoever made the room says when."""
        room, guest = await self._in(request)
        if guest is None or guest != room.guests[0]:
            raise HTTPException(403, gettext("Only whoever made the room can begin."))
        async with read_form(request, MOST_FIELDS) as form:
            bots = parse_number(form.get("bots", "")) or 0
        if not guest.seat:
            await self.at.new_table(request)
            keys = await self._seats(FormData([*room.form]), [one.name for one in room.guests], bots)
            await to_thread(self.rooms.sit_down, room.joining, keys)
        return RedirectResponse(f"/room/{guest.key}", 303)

    async def _seats(self, chosen: FormData, people: list[str], bots: int) -> list[str]:
        """A table for these people and bots; gives the keys of the people's seats."""
        taken = {f"seat-{number}": "person" for number in range(len(people))}
        names = {f"name-{number}": name for number, name in enumerate(people)}
        program = await to_thread(self._program, chosen)
        count = max(program.least_players, min(len(people) + max(0, bots), program.most_players))
        taken |= {f"seat-{number}": self.at.offer.bots[0] for number in range(len(people), count)}
        form = FormData([*chosen.multi_items(), *taken.items(), *names.items()])
        try:
            begun = await to_thread(lambda: self.at.offer.setup(form).begun())
        except (WrongSetup, GameError, RulesError) as problem:
            raise HTTPException(422, str(problem.first if isinstance(problem, RulesError) else problem)) from None
        links = await self.at.tables.open(begun, sealed=True)
        own = [link for link in links if 0 <= link.seat < len(people)]
        keys = [str(await to_thread(self.at.store.take, link.key)) for link in own]
        self.at.bots.look(links[0].table)
        return keys

    def _program(self, chosen: FormData) -> Program:
        """What is to be played, as it is now."""
        return self.at.offer.rules(str(chosen["game"]), tuple(map(str, chosen.getlist("with")))).program

    async def _in(self, request: Request) -> tuple[Room, RoomGuest | None]:
        found = await to_thread(self.rooms.room, request.path_params["key"])
        if found is None:
            raise HTTPException(404, gettext(CLOSED))
        return found

    def _to_seat(self, guest: RoomGuest | None) -> Response | None:
        return RedirectResponse(f"/seat/{guest.seat}", 303) if guest is not None and guest.seat else None

    async def _page(self, request: Request, room: Room, guest: RoomGuest | None, problem: str = "") -> Response:
        base = str(request.base_url).rstrip("/")
        program = await to_thread(self._program, FormData([*room.form]))
        shown: dict[str, Any] = {
            "key": request.path_params["key"],
            "own": guest is not None,
            "guests": room.guests,
            "base": base,
            "joining": room.joining,
            "title": program.title,
            "most": program.most_players,
            "problem": problem,
            "hosting": guest is not None and guest == room.guests[0],
            "code": qr_code(f"{base}/room/{room.joining}"),
            "clock": clock_in(dict(room.form)),
            "bots": max(0, program.least_players - 1) if len(room.guests) == 1 else 0,
        }
        return self.at.page("room.html", 422 if problem else 200, **shown)


def _begun(room: Room) -> bool:
    return any(guest.seat for guest in room.guests)


def _name(form: FormData) -> str:
    """Return the name in a form; empty if there is none. Raises `HTTPException` for one that could deceive."""
    try:
        return name_in(form, "name")
    except WrongSetup as problem:
        raise HTTPException(422, str(problem)) from None


def _fields(form: FormData) -> Iterator[tuple[str, str]]:
    yield from ((name, str(value)) for name, value in form.multi_items())


CODE_BORDER = 2  # of light squares around it


def qr_code(link: str) -> str:
    """A link as a QR code, an element of SVG: read from a screen by the phones of those who sit around it."""
    return str(segno.make(link, micro=False).svg_inline(border=CODE_BORDER, dark="#000", light="#fff", omitsize=True))
