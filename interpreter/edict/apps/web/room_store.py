"""Rooms in which people gather before their table is opened: who has come, and where each then sits."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

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

from edict.apps.web.store import KEY_BYTES, META, Store

DAY = 86_400.0
LONGEST_STAY = 2 * DAY  # seconds after which a room is closed

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
    """Somebody in a room. `seat`: the key of their seat, once the table is open."""

    key: str
    name: str
    seat: str


@dataclass(frozen=True, slots=True)
class Room:
    """A room: the key by which one joins, what is to be played, who is there; whoever made it is the first."""

    joining: str
    form: tuple[tuple[str, str], ...]
    guests: tuple[RoomGuest, ...]


class RoomStore:
    """The rooms in the database of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.lay_out()
        if store.tells_others:  # older releases gave names less room there
            with store.begun() as connection:
                columns = {column["name"]: column["type"] for column in inspect(connection).get_columns(_guests.name)}
                if getattr(columns["name"], "length", None) is not None:
                    connection.execute(text("alter table guests alter column name type text"))

    def open(self, form: Sequence[tuple[str, str]], name: str) -> str:
        """A new room for a game; gives the key of whoever makes it."""
        joining, now = secrets.token_urlsafe(KEY_BYTES), time.time()
        with self._store.begun() as connection:
            old = select(_rooms.c.joining).where(_rooms.c.made < now - LONGEST_STAY)
            connection.execute(delete(_guests).where(_guests.c.joining.in_(old)))
            connection.execute(delete(_rooms).where(_rooms.c.made < now - LONGEST_STAY))
            connection.execute(insert(_rooms).values(joining=joining, form=json.dumps(form), made=now))
            return _come(connection, joining, name, 0)

    def count(self) -> int:
        """How many rooms there are."""
        with self._store.begun() as connection:
            return int(connection.execute(select(func.count()).select_from(_rooms)).scalar_one())

    def join(self, joining: str, name: str, most: int) -> str | None:
        """Somebody comes in; gives their key. None if the room is full, or the name is taken there."""
        with self._store.begun() as connection:
            guests = _in_room(connection, joining)
            taken = {guest.name.casefold() for guest in guests}
            if len(guests) >= most or name.casefold() in taken:
                return None
            return _come(connection, joining, name, len(guests))

    def room(self, key: str) -> tuple[Room, RoomGuest | None] | None:
        """The room of a key, and who has it: nobody, if one joins by it."""
        with self._store.begun() as connection:
            own = connection.execute(select(_guests.c.joining).where(_guests.c.key == key)).scalar()
            row = connection.execute(select(_rooms).where(_rooms.c.joining == (own or key))).first()
            if row is None:
                return None
            guests = _in_room(connection, row.joining)
        form = tuple((str(name), str(value)) for name, value in json.loads(row.form))
        return Room(row.joining, form, guests), next((one for one in guests if one.key == key), None)

    def sit_down(self, joining: str, seats: Sequence[str]) -> None:
        """The table is open: these are the keys of the guests' seats, unless they sit at another already."""
        with self._store.begun() as connection:
            for number, seat in enumerate(seats):
                at = (_guests.c.joining == joining, _guests.c.number == number, _guests.c.seat == "")
                connection.execute(update(_guests).where(*at).values(seat=seat))


def _come(connection: Connection, joining: str, name: str, number: int) -> str:
    key = secrets.token_urlsafe(KEY_BYTES)
    connection.execute(insert(_guests).values(key=key, joining=joining, number=number, name=name, seat=""))
    return key


def _in_room(connection: Connection, joining: str) -> tuple[RoomGuest, ...]:
    found = select(_guests).where(_guests.c.joining == joining).order_by(_guests.c.number)
    return tuple(RoomGuest(row.key, row.name, row.seat) for row in connection.execute(found))
