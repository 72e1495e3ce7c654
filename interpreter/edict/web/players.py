"""The seats that bots hold at tables: whenever one of them is asked, a worker thinks, and its answer is given."""

from __future__ import annotations

import asyncio

from edict.table.errors import GameError
from edict.web.news import News
from edict.web.tables import Late, Tables
from edict.web.thinking import executor, think

PAUSE = 0.6  # seconds before a bot answers, so that people can follow


class Bots:
    """Looks after tables whose next answer is a bot's."""

    def __init__(self, tables: Tables, news: News, workers: int) -> None:
        self._tables = tables
        self._news = news
        self._executor = executor(workers)
        self._busy: dict[str, asyncio.Task[None]] = {}

    def look(self, table: str) -> None:
        """See whether a bot is asked at this table; one turn of bots at a time."""
        if table not in self._busy:
            task = asyncio.get_running_loop().create_task(self._turns(table))
            self._busy[table] = task
            task.add_done_callback(lambda _: self._busy.pop(table, None))

    def close(self) -> None:
        for task in self._busy.values():
            task.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _turns(self, table: str) -> None:
        loop = asyncio.get_running_loop()
        while True:
            waiting = await asyncio.to_thread(self._waiting, table)
            if waiting is None:
                return
            raw, seat, kind, version = waiting
            await asyncio.sleep(PAUSE)
            key = await loop.run_in_executor(self._executor, think, raw, seat, kind)
            try:
                await asyncio.to_thread(self._tables.answer, table, seat, version, key)
            except (Late, GameError):
                continue
            finally:
                self._news.tell(table)

    def _waiting(self, table: str) -> tuple[bytes, int, str, int] | None:
        """The journal, the seat that is asked, its bot and the version; None if it is a person's turn or the game is over."""
        playing = self._tables.playing(table)
        with playing.lock:
            game, version = playing.game, playing.version
            kinds = {link.seat: link.bot for link in self._tables.store.links(table)}
            kind = kinds.get(game.seat, "")
            return (game.journal.to_bytes(), game.seat, kind, version) if kind and not game.over else None
