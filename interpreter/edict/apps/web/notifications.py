"""Notifications of changes at tables, for all who watch a table through any server."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from edict.apps.web.store import CHANNEL, Store, StoreError

RETRY_SECONDS = 1.0  # until the next attempt to reach a lost database
POLL_SECONDS = 0.25  # between two looks for lines that other processes have written to the same file
_log = logging.getLogger(__name__)


class Subscription:
    """A subscription of one watcher to a table.

    Attributes:
        version: The last version that the watcher was notified of; 0 if it must be looked up.
        changed: Whether the table has changed; the watcher resets it.
        talked: Whether somebody has sent a chat message; the watcher resets it.
    """

    def __init__(self) -> None:
        self.version = 0
        self.changed = False
        self.talked = False
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Wait for a notification; return at once if there was one since the last call."""
        await self._event.wait()
        self._event.clear()

    def notify_talk(self) -> None:
        """Notify the watcher of a chat message."""
        self.talked = True
        self._event.set()

    def notify_change(self, version: int) -> None:
        """Wake the subscriber for a version of the table (0: unknown) that it has not been told yet."""
        if 0 < version <= self.version:
            return  # notified twice: by the handler of the answer and by the store
        self.version = max(version, self.version) if version else 0
        self.changed = True
        self._event.set()


class Notifications:
    """The subscriptions of all watchers at this server.

    A notification tells that a table has changed, not what: each watcher then asks the table.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._subscriptions: defaultdict[str, set[Subscription]] = defaultdict(set)

    @asynccontextmanager
    async def subscribe(self, table: str) -> AsyncIterator[Subscription]:
        """Subscribe to a table while the context is open."""
        subscription = Subscription()
        self._subscriptions[table].add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions[table].discard(subscription)
            if not self._subscriptions[table]:
                del self._subscriptions[table]

    def notify_change(self, table: str, version: int = 0) -> None:
        """Notify all who watch a table through this server of a change; 0 stands for an unknown version.

        Other servers learn of it from the database.
        """
        for subscription in self._subscriptions.get(table, ()):
            subscription.notify_change(version)

    def notify_talk(self, table: str) -> None:
        """Notify all who watch a table through this server of a chat message.

        Watchers at other servers get the message when the table changes.
        """
        for subscription in self._subscriptions.get(table, ()):
            subscription.notify_talk()

    def notify_all(self) -> None:
        """Notify all watchers of all tables, because notifications may have been missed."""
        for table in list(self._subscriptions):
            self.notify_change(table)

    async def listen(self) -> None:
        """Wait for changes of tables by other servers, and notify the subscribers here; never returns.

        A lost connection to the database is opened again. Returns at once if no other process writes to the store.
        """
        if self._store.is_exclusive:
            return
        if not self._store.is_postgresql:
            await self._poll_store()
            return
        from psycopg import AsyncConnection, OperationalError

        address = self._store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"listen {CHANNEL}")
                    self.notify_all()
                    async for notice in connection.notifies():
                        table, _, version = notice.payload.partition(" ")
                        self.notify_change(table, int(version))
            except (OperationalError, OSError) as problem:
                _log.warning("The database cannot be reached (%s); trying again.", str(problem).strip().split("\n")[0])
            await asyncio.sleep(RETRY_SECONDS)

    async def _poll_store(self) -> None:
        """Look for new lines again and again, because SQLite sends no notifications to other processes."""
        last: int | None = None
        while True:
            try:
                last, versions = await asyncio.to_thread(self._store.find_changes, last)
                for table, version in versions.items():
                    self.notify_change(table, version)
            except StoreError as problem:
                _log.warning("The tables cannot be read (%s).", problem.reason)
            await asyncio.sleep(POLL_SECONDS)
