"""Who is told that something has happened at a table: everybody who looks at it, through whichever server."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from edict.web.store import FOLLOWING, Store

RETRY = 1.0  # seconds before a lost database is looked for again


class News:
    """Says which tables have changed. It tells that, not what: whoever hears it looks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @asynccontextmanager
    async def about(self, table: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever something happens at the table; whoever waits clears it."""
        event = asyncio.Event()
        self._waiting[table].add(event)
        try:
            yield event
        finally:
            self._waiting[table].discard(event)
            if not self._waiting[table]:
                del self._waiting[table]

    def tell(self, table: str) -> None:
        """Something has happened; other servers hear of it from the database."""
        for event in self._waiting.get(table, ()):
            event.set()

    def tell_all(self) -> None:
        """Nobody knows what was missed."""
        for table in list(self._waiting):
            self.tell(table)

    async def listen(self) -> None:
        """Hear from other servers, as long as this one runs; a database that was away is looked for again."""
        if not self._store.tells_others:
            return
        from psycopg import AsyncConnection, OperationalError

        address = self._store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            with suppress(OperationalError, OSError):
                async with await AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"listen {FOLLOWING}")
                    self.tell_all()
                    async for notice in connection.notifies():
                        self.tell(notice.payload)
            await asyncio.sleep(RETRY)
