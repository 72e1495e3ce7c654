"""Quick starts: a game against bots at once, or a waiting room, kept in the store, in which friends gather."""

from __future__ import annotations

import json
import secrets
import socket
import time
from asyncio import to_thread
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

import segno
from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from starlette.datastructures import URL, FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web.new_tables import CLOCK_FIELDS, Choices, InvalidSetupError, read_clock, read_name
from edict.apps.web.request_values import parse_number, read_form
from edict.apps.web.store import KEY_BYTES, META, Store
from edict.apps.web.table_server import SERVER_FULL, TableServer
from edict.game.table.game_errors import GameError
from edict.runtime.program import Program
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.translations import N_, gettext

DAY = 86_400.0  # seconds
ROOM_LIFETIME = 2 * DAY  # seconds after which a room is deleted

_rooms = Table(
    "rooms",
    META,
    Column("joining", String(40), primary_key=True),
    Column("form", Text, nullable=False),
    Column("made", Float, nullable=False),
)
_guests = Table(
    "guests",
    META,
    Column("key", String(40), primary_key=True),
    Column("joining", String(40), nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("seat", String(40), nullable=False),
)


@dataclass(frozen=True, slots=True)
class RoomGuest:
    """A guest of a room."""

    key: str  # the guest's own key to the room
    name: str
    seat: str  # the key of the guest's seat; empty until the table is open


@dataclass(frozen=True, slots=True)
class Room:
    """A waiting room."""

    join_key: str  # the key in the invitation link
    form: tuple[tuple[str, str], ...]  # the chosen game, as names and values of a form's fields
    guests: tuple[RoomGuest, ...]  # the first one is the host


class RoomStore:
    """The waiting rooms in the database of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.create_schema()
        if store.is_postgresql:  # older releases limited the length of names
            with store.transaction() as connection:
                columns = {column["name"]: column["type"] for column in inspect(connection).get_columns(_guests.name)}
                if getattr(columns["name"], "length", None) is not None:
                    connection.execute(text("alter table guests alter column name type text"))

    def create_room(self, form: Sequence[tuple[str, str]], name: str) -> str:
        """Create a room, and return the key of its host. Rooms past their lifetime are deleted.

        Args:
            form: The chosen game, as names and values of a form's fields.
            name: The name of the host.
        """
        join_key, now = secrets.token_urlsafe(KEY_BYTES), time.time()
        with self._store.transaction() as connection:
            expired = select(_rooms.c.joining).where(_rooms.c.made < now - ROOM_LIFETIME)
            connection.execute(delete(_guests).where(_guests.c.joining.in_(expired)))
            connection.execute(delete(_rooms).where(_rooms.c.made < now - ROOM_LIFETIME))
            connection.execute(insert(_rooms).values(joining=join_key, form=json.dumps(form), made=now))
            return _insert_guest(connection, join_key, name, 0)

    def count_rooms(self) -> int:
        """Return the number of rooms."""
        with self._store.transaction() as connection:
            return int(connection.execute(select(func.count()).select_from(_rooms)).scalar_one())

    def add_guest(self, join_key: str, name: str, max_guests: int) -> str | None:
        """Add a guest to a room, and return their key; None if the room is full or has a guest of that name."""
        with self._store.transaction() as connection:
            guests = _load_guests(connection, join_key)
            taken = {guest.name.casefold() for guest in guests}
            if len(guests) >= max_guests or name.casefold() in taken:
                return None
            return _insert_guest(connection, join_key, name, len(guests))

    def get_room(self, key: str) -> tuple[Room, RoomGuest | None] | None:
        """Return the room that a key opens; None if there is none.

        Args:
            key: The key of a guest, or the join key of a room.

        Returns:
            The room, and the guest with this key; no guest for a join key.
        """
        with self._store.transaction() as connection:
            join_key = connection.execute(select(_guests.c.joining).where(_guests.c.key == key)).scalar()
            row = connection.execute(select(_rooms).where(_rooms.c.joining == (join_key or key))).first()
            if row is None:
                return None
            guests = _load_guests(connection, row.joining)
        form = tuple((str(name), str(value)) for name, value in json.loads(row.form))
        return Room(row.joining, form, guests), next((guest for guest in guests if guest.key == key), None)

    def assign_seats(self, join_key: str, seats: Sequence[str]) -> None:
        """Set the seats of a room's guests, except of guests who have a seat already.

        Args:
            join_key: The join key of the room.
            seats: The keys of the seats, in the order of the guests.
        """
        with self._store.transaction() as connection:
            for number, seat in enumerate(seats):
                conditions = (_guests.c.joining == join_key, _guests.c.number == number, _guests.c.seat == "")
                connection.execute(update(_guests).where(*conditions).values(seat=seat))


def _insert_guest(connection: Connection, join_key: str, name: str, number: int) -> str:
    """Insert a guest with a number within the room, and return the guest's new secret key."""
    key = secrets.token_urlsafe(KEY_BYTES)
    connection.execute(insert(_guests).values(key=key, joining=join_key, number=number, name=name, seat=""))
    return key


def _load_guests(connection: Connection, join_key: str) -> tuple[RoomGuest, ...]:
    """Return the guests of a room in the order in which they joined."""
    query = select(_guests).where(_guests.c.joining == join_key).order_by(_guests.c.number)
    return tuple(RoomGuest(row.key, row.name, row.seat) for row in connection.execute(query))


QUICK_PLAY_SEATS = 3  # seats at a quick game against bots, where the rules allow so many
MOST_FIELDS = 50
INVITATION_INVALID = N_("This invitation is not valid any more. Ask whoever sent it for a new one.")


class RoomRoutes:
    """Routes for quick games and waiting rooms."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving
        self.rooms = RoomStore(serving.store)

    def routes(self) -> list[Route]:
        """Return the routes of quick starts and waiting rooms."""
        room = "/room/{key}"
        return [
            Route("/play", self.start_quick_game, methods=["POST"]),
            Route("/rooms", self.open_room, methods=["POST"]),
            Route(room, self.show_room),
            Route(room + "/people", self.show_guests),
            Route(room + "/join", self.join_room, methods=["POST"]),
            Route(room + "/begin", self.begin_game, methods=["POST"]),
        ]

    async def start_quick_game(self, request: Request) -> Response:
        """Open a table for one person and bots, and redirect to the person's seat."""
        await self.at.check_new_table(request)
        game_fields, name = await self._read_choices(request)
        return RedirectResponse(f"/seat/{(await self._open_table(game_fields, [name], QUICK_PLAY_SEATS - 1))[0]}", 303)

    async def open_room(self, request: Request) -> Response:
        """Create a room, and redirect its host to it."""
        self.at.gate.check_rate(self.at.limits.new_tables, "new tables", request)
        if await to_thread(self.rooms.count_rooms) >= self.at.limits.tables:
            raise HTTPException(503, gettext(SERVER_FULL))
        game_fields, name = await self._read_choices(request)
        return RedirectResponse(
            f"/room/{await to_thread(self.rooms.create_room, [*_iter_fields(game_fields)], name)}", 303
        )

    async def _read_choices(self, request: Request) -> tuple[FormData, str]:
        """Return the form's playable game as (field, value) pairs, with the clock, and the person's name.

        Raises:
            HTTPException: The choices are not playable (422).
        """
        async with read_form(request, MOST_FIELDS) as form:
            choices = await to_thread(Choices.read, form, self.at.offer)
            name = _read_name(form) or gettext("Player %(number)s") % {"number": 1}
            clock = [(field, str(form[field])) for field in CLOCK_FIELDS if field in form]
        if choices.problem:
            raise HTTPException(422, choices.problem)
        try:
            read_clock(dict(clock))
        except InvalidSetupError as problem:
            raise HTTPException(422, str(problem)) from None
        return FormData([("game", choices.game), *(("with", module) for module in choices.modules), *clock]), name

    # --- in a room

    async def show_room(self, request: Request) -> Response:
        """Show a room with its guests and its invitation link.

        People who have not joined see the form to join; guests whose table is open are redirected to their seats.
        """
        room, guest = await self._require_room(request)
        return self._redirect_to_seat(guest) or await self._render_room(request, room, guest)

    async def show_guests(self, request: Request) -> Response:
        """Send the list of the room's guests; once the table is open, send guests to their seats."""
        room, guest = await self._require_room(request)
        if guest is not None and guest.seat:
            return Response(headers={"HX-Redirect": f"/seat/{guest.seat}"})
        return self.at.render_page("room_people.html", guests=room.guests)

    async def join_room(self, request: Request) -> Response:
        """Add a person to a room, and redirect to the room with their own key."""
        room, guest = await self._require_room(request)
        if guest is not None:
            return RedirectResponse(f"/room/{guest.key}", 303)
        async with read_form(request, MOST_FIELDS) as form:
            name = _read_name(form)
        max_guests = (await to_thread(self._load_program, FormData([*room.form]))).most_players
        if name and not _has_begun(room):
            key = await to_thread(self.rooms.add_guest, room.join_key, name, max_guests)
        else:
            key = None
        if key is None:
            message = gettext("Somebody here has that name already, or nobody else can join.")
            return await self._render_room(request, room, None, message)
        return RedirectResponse(f"/room/{key}", 303)

    async def begin_game(self, request: Request) -> Response:
        """Open the table for the room's guests and some bots. Only the host of the room may."""
        room, guest = await self._require_room(request)
        if guest is None or guest != room.guests[0]:
            raise HTTPException(403, gettext("Only whoever made the room can begin."))
        async with read_form(request, MOST_FIELDS) as form:
            bots = parse_number(form.get("bots", "")) or 0
        if not guest.seat:
            await self.at.check_new_table(request)
            keys = await self._open_table(FormData([*room.form]), [member.name for member in room.guests], bots)
            await to_thread(self.rooms.assign_seats, room.join_key, keys)
        return RedirectResponse(f"/room/{guest.key}", 303)

    async def _open_table(self, game_fields: FormData, people: list[str], bots: int) -> list[str]:
        """Open a table, and return the keys of the people's seats.

        Args:
            game_fields: The chosen game, as fields of a form.
            people: The names of the people, who get the first seats.
            bots: The number of bots wanted; it is adjusted to the number of players that the game allows.

        Raises:
            HTTPException: The game cannot start like this (422).
        """
        taken = {f"seat-{number}": "person" for number in range(len(people))}
        names = {f"name-{number}": name for number, name in enumerate(people)}
        program = await to_thread(self._load_program, game_fields)
        count = max(program.least_players, min(len(people) + max(0, bots), program.most_players))
        taken |= {f"seat-{number}": self.at.offer.bots[0] for number in range(len(people), count)}
        form = FormData([*game_fields.multi_items(), *taken.items(), *names.items()])
        try:
            playable = await to_thread(lambda: self.at.offer.read_setup(form).start_game())
        except (InvalidSetupError, GameError, RulesError) as problem:
            raise HTTPException(422, str(problem.first if isinstance(problem, RulesError) else problem)) from None
        links = await self.at.tables.open(playable, sealed=True)
        own = [link for link in links if 0 <= link.seat < len(people)]
        keys = [str(await to_thread(self.at.store.claim_seat, link.key)) for link in own]
        self.at.bots.start_turns(links[0].table)
        return keys

    def _load_program(self, game_fields: FormData) -> Program:
        """Return the current program of a chosen game."""
        return self.at.offer.load_rules(str(game_fields["game"]), tuple(map(str, game_fields.getlist("with")))).program

    async def _require_room(self, request: Request) -> tuple[Room, RoomGuest | None]:
        """Return the room of a request's key, and the guest with that key; None for the key of the invitation."""
        room_and_guest = await to_thread(self.rooms.get_room, request.path_params["key"])
        if room_and_guest is None:
            raise HTTPException(404, gettext(INVITATION_INVALID))
        return room_and_guest

    def _redirect_to_seat(self, guest: RoomGuest | None) -> Response | None:
        """Return a redirect to the guest's seat; None as long as the table is not open."""
        if guest is not None and guest.seat:
            return RedirectResponse(f"/seat/{guest.seat}", 303)
        return None

    async def _render_room(self, request: Request, room: Room, guest: RoomGuest | None, problem: str = "") -> Response:
        """Render a waiting room for one of its guests, or for an invited person if None; 422 with a problem."""
        base, only_here = await find_invitation_address(request)
        game_fields = FormData([*room.form])
        program = await to_thread(self._load_program, game_fields)
        manifest = self.at.offer.manifests.get(str(game_fields["game"]))
        context: dict[str, Any] = {
            "key": request.path_params["key"],
            "own": guest is not None,
            "guests": room.guests,
            "base": base,
            "only_here": only_here,
            "summary": manifest.summary if manifest is not None else "",
            "game_query": urlencode([pair for pair in room.form if pair[0] in ("game", "with")]),
            "joining": room.join_key,
            "title": program.title,
            "most": program.most_players,
            "problem": problem,
            "hosting": guest is not None and guest == room.guests[0],
            "code": render_qr_code(f"{base}/room/{room.join_key}"),
            "clock": read_clock(dict(room.form)),
            "bots": max(0, program.least_players - 1) if len(room.guests) == 1 else 0,
        }
        return self.at.render_page("room.html", 422 if problem else 200, **context)


def _has_begun(room: Room) -> bool:
    return any(guest.seat for guest in room.guests)


def _read_name(form: FormData) -> str:
    """Return the name in a form; empty if there is none.

    Raises:
        HTTPException: The name has characters that cannot be seen (422).
    """
    try:
        return read_name(form, "name")
    except InvalidSetupError as problem:
        raise HTTPException(422, str(problem)) from None


def _iter_fields(form: FormData) -> Iterator[tuple[str, str]]:
    """Yield name and text of each field of a form; repeated fields more than once."""
    yield from ((name, str(value)) for name, value in form.multi_items())


LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
# An address of nobody (RFC 5737). A datagram socket that is connected to it knows its own address; it sends nothing.
ELSEWHERE = "192.0.2.1", 9
MAX_WAIT = 0.3  # seconds for a connection to this computer


async def find_invitation_address(request: Request) -> tuple[str, bool]:
    """Return the address of the server for guests of the sender, and True if it is one of this computer only."""
    if request.client is not None and {request.client.host, request.base_url.hostname} <= {*LOCAL_NAMES}:
        return await to_thread(find_shared_address, request.base_url)
    return str(request.base_url).rstrip("/"), False


def find_shared_address(base_url: URL) -> tuple[str, bool]:
    """Return the address of this computer in its network, and False, if the server listens there.

    Else return the given address, which names this computer only to itself, and True.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(ELSEWHERE)
            own_address = str(probe.getsockname()[0])
        socket.create_connection((own_address, base_url.port or 80), MAX_WAIT).close()
    except OSError:  # there is no network, or the server does not listen in it
        return str(base_url).rstrip("/"), True
    return str(base_url.replace(hostname=own_address)).rstrip("/"), own_address in LOCAL_NAMES


QR_CODE_BORDER = 2  # light modules around a QR code


def render_qr_code(link: str) -> str:
    """Return a link as a QR code, an SVG element that people at the table scan from the screen."""
    return str(
        segno.make(link, micro=False).svg_inline(border=QR_CODE_BORDER, dark="#000", light="#fff", omitsize=True)
    )
