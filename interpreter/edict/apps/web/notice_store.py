"""Storage of the browsers that are notified of a seat's turns, and of the keys for push services."""

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
from edict.apps.web.web_push import PushSubscription, ServerKeys

MOST_BROWSERS = 8  # browsers that are notified of one seat: the last ones that subscribed

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
    """A browser that is notified of the turns of a seat."""

    number: int
    seat_key: str
    language: str
    notified_version: int  # version of the table; only turns that began later are notified
    receiver: PushSubscription


class NoticeStore:
    """The subscribers at the tables of a store, which several servers may share."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.create_schema()

    def get_or_create_keys(self, create_keys: Callable[[], ServerKeys]) -> ServerKeys:
        """Return the keys of all servers of this store, and store new ones if there are none.

        Args:
            create_keys: Creates new keys.
        """
        keys = self._find_keys()
        if keys is None:
            new_keys = create_keys()
            try:
                with self._store.transaction() as connection:
                    connection.execute(insert(_keys).values(number=1, private=new_keys.private, public=new_keys.public))
                return new_keys
            except IntegrityError:
                keys = self._find_keys()
                assert keys is not None
        return keys

    def _find_keys(self) -> ServerKeys | None:
        """Return the server's key pair for push services; None if none was stored yet."""
        with self._store.transaction() as connection:
            row = connection.execute(select(_keys)).first()
        return None if row is None else ServerKeys(row.private, row.public)

    def add_subscriber(self, table: str, seat_key: str, language: str, receiver: PushSubscription) -> None:
        """Add a browser to the subscribers of a seat, in place of an older subscription of it.

        It is not notified of the present turn, since its user is looking at the table.
        """
        version = self._store.get_version(table)
        is_same_seat = _receivers.c.seat_key == seat_key
        values = {
            "seat_key": seat_key,
            "endpoint": receiver.endpoint,
            "table_id": table,
            "public": receiver.public,
            "secret": receiver.secret,
            "site": receiver.site,
            "language": language,
            "told": version,
        }
        latest = (
            select(_receivers.c.number).where(is_same_seat).order_by(_receivers.c.number.desc()).limit(MOST_BROWSERS)
        )
        with self._store.transaction() as connection:
            connection.execute(delete(_receivers).where(is_same_seat, _receivers.c.endpoint == receiver.endpoint))
            connection.execute(insert(_receivers).values(values))
            latest_numbers = list(connection.execute(latest).scalars())
            connection.execute(delete(_receivers).where(is_same_seat, _receivers.c.number.not_in(latest_numbers)))

    def list_subscribers(self, table: str) -> list[Subscriber]:
        """Return the subscribers at a table, the oldest first."""
        query = select(_receivers).where(_receivers.c.table_id == table).order_by(_receivers.c.number)
        with self._store.transaction() as connection:
            return [
                Subscriber(
                    row.number,
                    row.seat_key,
                    row.language,
                    row.told,
                    PushSubscription(row.endpoint, row.public, row.secret, row.site),
                )
                for row in connection.execute(query)
            ]

    def claim(self, number: int, version: int) -> bool:
        """Claim the notification of a subscriber for this server; return True for only one server.

        Args:
            number: The number of the subscriber.
            version: The version of the table at which the turn began.
        """
        unclaimed = update(_receivers).where(_receivers.c.number == number, _receivers.c.told < version)
        with self._store.transaction() as connection:
            return bool(connection.execute(unclaimed.values(told=version)).rowcount)

    def remove_subscriber(self, number: int) -> None:
        """Remove a subscriber."""
        with self._store.transaction() as connection:
            connection.execute(delete(_receivers).where(_receivers.c.number == number))
