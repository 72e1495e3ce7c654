"""Waiting rooms in the database: guests gather in a room before its table is opened, and get their seats."""

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
