"""Notifications that something has happened at a table: for everybody who looks at it, through whichever server."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from edict.apps.web.store import CHANNEL, Store, StoreError

RETRY = 1.0  # seconds before a lost database is looked for again
LOOK = 0.25  # seconds after which it is looked what other processes have written into the same file
_log = logging.getLogger(__name__)


class Subscription:
    """The last notification sent to somebody who watches a table: its version, 0 if that must be looked up.

    changed, talked: what has happened that nobody has looked at yet.
    """

    def __init__(self) -> None:
        self.version = 0
        self.changed = False
        self.talked = False
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Until something happens, or has happened since the last time."""
        await self._event.wait()
        self._event.clear()

    def hear(self) -> None:
        """Somebody has said something."""
        self.talked = True
        self._event.set()

    def tell(self, version: int) -> None:
        if 0 < version <= self.version:
            return  # told twice, by whoever did it and by the store
        self.version = max(version, self.version) if version else 0
        self.changed = True
        self._event.set()


class Notifications:
    """Says which tables have changed. It says that, not what: whoever hears it looks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watching: defaultdict[str, set[Subscription]] = defaultdict(set)

    @asynccontextmanager
    async def about(self, table: str) -> AsyncIterator[Subscription]:
        """A subscription to what happens at a table."""
        watch = Subscription()
        self._watching[table].add(watch)
        try:
            yield watch
        finally:
            self._watching[table].discard(watch)
            if not self._watching[table]:
                del self._watching[table]

    def tell(self, table: str, version: int = 0) -> None:
        """Something has happened; other servers hear of it from the database."""
        for watch in self._watching.get(table, ()):
            watch.tell(version)

    def talk(self, table: str) -> None:
        """Somebody at a table has said something; who is at another server hears of it when the table changes."""
        for watch in self._watching.get(table, ()):
            watch.hear()

    def tell_all(self) -> None:
        """Nobody knows what was missed."""
        for table in list(self._watching):
            self.tell(table)

    async def listen(self) -> None:
        """Hear from other servers, as long as this one runs; a database that was away is looked for again."""
        if self._store.alone:
            return
        if not self._store.tells_others:
            await self._look_often()
            return
        from psycopg import AsyncConnection, OperationalError

        address = self._store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"listen {CHANNEL}")
                    self.tell_all()
                    async for notice in connection.notifies():
                        table, _, version = notice.payload.partition(" ")
                        self.tell(table, int(version))
            except (OperationalError, OSError) as problem:
                _log.warning("The database cannot be reached (%s); trying again.", str(problem).strip().split("\n")[0])
            await asyncio.sleep(RETRY)

    async def _look_often(self) -> None:
        """Of what other processes write into the same file, only the file can tell."""
        last: int | None = None
        while True:
            try:
                last, found = await asyncio.to_thread(self._store.added, last)
                for table, version in found.items():
                    self.tell(table, version)
            except StoreError as problem:
                _log.warning("The tables cannot be read (%s).", problem.reason)
            await asyncio.sleep(LOOK)
