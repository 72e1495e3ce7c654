"""Browsers that are told when it is their seat's turn, and the keys by which push services know this server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    ForeignKey,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from edict.apps.web.store import META, Store
from edict.apps.web.web_push import Receiver, ServerKeys

MOST_EACH = 8
"""Browsers of one seat that are told: the last ones that asked for it."""

_receivers = Table(
    "receivers",
    META,
    Column("number", Integer, primary_key=True),
    Column("seat_key", String(40), nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("table_id", ForeignKey("tables.id", ondelete="cascade"), nullable=False, index=True),
    Column("public", String(100), nullable=False),
    Column("secret", String(40), nullable=False),
    Column("site", Text, nullable=False),
    Column("language", String(20), nullable=False),
    Column("told", Integer, nullable=False),
)
_keys = Table(
    "push_keys",
    META,
    Column("number", Integer),
    Column("private", Text, nullable=False),
    Column("public", String(100), nullable=False),
    PrimaryKeyConstraint("number"),
)


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A browser that is told of the turns of the seat with a key, in a language; `told` is the version it knows of."""

    number: int
    seat_key: str
    language: str
    told: int
    receiver: Receiver


class NoticeStore:
    """Those who are told, at the tables of a store, which any number of servers may share."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.lay_out()

    def keys(self, made: Callable[[], ServerKeys]) -> ServerKeys:
        """The keys of all servers of this store; whichever is first has made them."""
        found = self._keys()
        if found is None:
            new = made()
            try:
                with self._store.begun() as connection:
                    connection.execute(insert(_keys).values(number=1, private=new.private, public=new.public))
                return new
            except IntegrityError:
                found = self._keys()
                assert found is not None
        return found

    def _keys(self) -> ServerKeys | None:
        with self._store.begun() as connection:
            row = connection.execute(select(_keys)).first()
        return None if row is None else ServerKeys(row.private, row.public)

    def add(self, table: str, seat_key: str, language: str, receiver: Receiver) -> None:
        """Tell this browser of the seat's turns, but of none that has begun already: whoever asks for it is there."""
        told = self._store.version(table)
        own = _receivers.c.seat_key == seat_key
        values = {
            "seat_key": seat_key,
            "endpoint": receiver.endpoint,
            "table_id": table,
            "public": receiver.public,
            "secret": receiver.secret,
            "site": receiver.site,
            "language": language,
            "told": told,
        }
        latest = select(_receivers.c.number).where(own).order_by(_receivers.c.number.desc()).limit(MOST_EACH)
        with self._store.begun() as connection:
            connection.execute(delete(_receivers).where(own, _receivers.c.endpoint == receiver.endpoint))
            connection.execute(insert(_receivers).values(values))
            kept = list(connection.execute(latest).scalars())
            connection.execute(delete(_receivers).where(own, _receivers.c.number.not_in(kept)))

    def of(self, table: str) -> list[Subscriber]:
        """Those who are told at a table."""
        query = select(_receivers).where(_receivers.c.table_id == table).order_by(_receivers.c.number)
        with self._store.begun() as connection:
            return [
                Subscriber(x.number, x.seat_key, x.language, x.told, Receiver(x.endpoint, x.public, x.secret, x.site))
                for x in connection.execute(query)
            ]

    def claim(self, number: int, version: int) -> bool:
        """Whether it is for this server to tell somebody of a turn that began at a version: it is, for only one."""
        mine = update(_receivers).where(_receivers.c.number == number, _receivers.c.told < version)
        with self._store.begun() as connection:
            return bool(connection.execute(mine.values(told=version)).rowcount)

    def drop(self, number: int) -> None:
        """Tell this one nothing more."""
        with self._store.begun() as connection:
            connection.execute(delete(_receivers).where(_receivers.c.number == number))
