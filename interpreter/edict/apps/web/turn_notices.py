"""Push messages that tell subscribers it is their turn, also when no page of the table is open.

A message is sent some seconds after a turn has begun, so players who answer at once get none, and only once, however
many servers share the store. It contains only public information: the game, and whose turn it is.
"""

from __future__ import annotations

import asyncio
import json
import logging
from asyncio import to_thread
from collections.abc import Callable, Sequence
from contextvars import Context
from functools import cached_property

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

from edict.apps.web import table_actions, web_push
from edict.apps.web.live_tables import NoSuchTable, list_human_seats
from edict.apps.web.open_tables import Tables
from edict.apps.web.sandbox import EndedTableError
from edict.apps.web.store import META, Store, StoreError
from edict.apps.web.table_actions import TurnNotice
from edict.apps.web.web_push import PushSubscription, ServerKeys
from edict.game.table.game_errors import GameError
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.translations import use_language

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


NOTICE_DELAY = 8.0  # seconds after the last change at a table
MAX_CONCURRENT_SENDS = 4  # so that a slow push service does not take all threads from the players
_log = logging.getLogger(__name__)


class TurnNotices:
    """The sender of turn messages. It checks whose turn it is some time after something has happened at a table.

    Args:
        pause: Seconds to wait before checking.
        reachable: Returns True if the push service at an address may be contacted.
    """

    def __init__(
        self, tables: Tables, pause: float = NOTICE_DELAY, reachable: Callable[[str], bool] = web_push.is_public
    ) -> None:
        self.store = NoticeStore(tables.store)
        self._tables = tables
        self._pause = pause
        self._reachable = reachable
        self._timers: dict[str, tuple[int, asyncio.TimerHandle]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def public_key(self) -> str:
        """Return the key by which browsers accept only this server's messages; empty if it sends none."""
        if web_push.is_available():
            return self.store.get_or_create_keys(web_push.generate_keys).public
        return ""

    def schedule_check(self, table: str, version: int) -> None:
        """Schedule a check of whose turn it is at a table, in place of one already scheduled for an earlier version.

        Args:
            table: The table's id.
            version: The table's new version; 0 if unknown.
        """
        if not web_push.is_available():
            return
        earlier = self._timers.get(table)
        if earlier is not None:
            if 0 < version <= earlier[0]:
                return
            earlier[1].cancel()
        loop = asyncio.get_running_loop()
        self._timers[table] = version, loop.call_later(self._pause, self._start_check, table, context=Context())

    @cached_property
    def _send_slots(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(MAX_CONCURRENT_SENDS)

    def close(self) -> None:
        """Cancel all scheduled checks and all messages that are being sent."""
        for _, alarm in self._timers.values():
            alarm.cancel()
        for task in self._tasks:
            task.cancel()

    def _start_check(self, table: str) -> None:
        """Start the check of a table as a task when its timer fires."""
        del self._timers[table]
        task = asyncio.get_running_loop().create_task(self._check_table(table))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _check_table(self, table: str) -> None:
        """Notify a table's subscribers whose turn it is, language by language; log failures."""
        try:
            receivers = await to_thread(self.store.list_subscribers, table)
            for language in dict.fromkeys(receiver.language for receiver in receivers):
                with use_language(language):
                    await self._notify_subscribers(
                        table, [receiver for receiver in receivers if receiver.language == language]
                    )
        except (NoSuchTable, EndedTableError):
            pass
        except (RulesError, GameError, StoreError) as error:
            _log.warning("Nobody could be told whose turn it is at table %s: %s", table, error)
        except Exception:
            _log.exception("Telling whose turn it is at table %s failed", table)

    async def _notify_subscribers(self, table: str, receivers: Sequence[Subscriber]) -> None:
        """Notify the subscribers of one language, which must be the current one."""
        links = await to_thread(self._tables.store.list_links, table)
        seats = {link.key: link.seat for link in links}
        table_notices: list[TurnNotice] = await self._tables.ask(
            table, table_actions.list_turn_notices, list_human_seats(links)
        )
        notices = {subscriber.seat: subscriber for subscriber in table_notices}
        for subscriber in receivers:
            if subscriber.seat_key not in seats:  # the seat was handed on
                await to_thread(self.store.remove_subscriber, subscriber.number)
            elif (
                notice := notices.get(seats[subscriber.seat_key])
            ) is not None and notice.since > subscriber.notified_version:
                async with self._send_slots:
                    await to_thread(self._send_notice, table, subscriber, notice)

    def _send_notice(self, table: str, subscriber: Subscriber, notice: TurnNotice) -> None:
        """Send a push message once per turn; remove the subscriber if the browser ended the subscription."""
        if not self.store.claim(subscriber.number, notice.since):
            return
        text = json.dumps({"table": table, "title": notice.title, "text": notice.text}, ensure_ascii=False)
        try:
            if not self._reachable(subscriber.receiver.endpoint):
                raise web_push.PushError("its push service has no address on the internet")
            web_push.send(subscriber.receiver, self.store.get_or_create_keys(web_push.generate_keys), table, text)
        except web_push.SubscriptionGone:
            self.store.remove_subscriber(subscriber.number)
        except web_push.PushError as error:
            _log.warning("A browser could not be told whose turn it is at table %s: %s", table, error)
