"""The seats that bots hold at tables: whenever one of them is asked, a process thinks, and its answer is given."""

from __future__ import annotations

import asyncio
import logging

from edict.report import RulesError
from edict.table.errors import GameError
from edict.web.news import News
from edict.web.store import StoreError
from edict.web.tables import Late, NoSuchTable, Tables
from edict.web.thinking import Thinkers
from edict.web.workers import Failed

PAUSE = 0.6  # seconds before a bot answers, so that people can follow
TRIES = 3  # how often in a row a bot may fail before its table waits for somebody to look
_log = logging.getLogger(__name__)


class Bots:
    """Looks after tables whose next answer is a bot's."""

    def __init__(self, tables: Tables, news: News, thinkers: Thinkers, pause: float = PAUSE) -> None:
        self._tables = tables
        self._news = news
        self._thinkers = thinkers
        self._pause = pause
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    def look(self, table: str) -> None:
        """See whether a bot is asked at this table; one turn of bots at a time."""
        if table in self._busy:
            self._again.add(table)  # it may just have found that no bot is asked
            return
        task = asyncio.get_running_loop().create_task(self._turns(table))
        self._busy[table] = task
        task.add_done_callback(lambda _: self._done(table))

    def close(self) -> None:
        for task in list(self._busy.values()):
            task.cancel()

    def _done(self, table: str) -> None:
        task = self._busy.pop(table)
        if table in self._again and not task.cancelled():
            self._again.discard(table)
            self.look(table)

    async def _turns(self, table: str) -> None:
        failed = 0
        while failed < TRIES:
            self._again.discard(table)
            try:
                if not await self._turn(table):
                    return
                failed = 0
            except Late:
                continue  # somebody took an answer back, or another server was faster
            except NoSuchTable:
                return
            except (Failed, GameError, RulesError, StoreError) as problem:
                failed += 1
                _log.warning("A bot at table %s could not answer: %s", table, problem)
            except Exception:
                _log.exception("A bot at table %s failed", table)
                return

    async def _turn(self, table: str) -> bool:
        """Let a bot answer; False if it is a person's turn or the game is over."""
        waiting = await asyncio.to_thread(self._waiting, table)
        if waiting is None:
            return False
        raw, seat, kind, version = waiting
        await asyncio.sleep(self._pause)
        key = await self._thinkers.answer(raw, seat, kind)
        self._news.tell(table, await asyncio.to_thread(self._tables.answer, table, seat, version, key))
        return True

    def _waiting(self, table: str) -> tuple[bytes, int, str, int] | None:
        """The journal, the seat that is asked, its bot, and the version; None if no bot is asked."""
        playing = self._tables.playing(table)
        with playing.lock:
            game, version = playing.game, playing.version
            kinds = {link.seat: link.bot for link in self._tables.store.links(table)}
            kind = kinds.get(game.seat, "") if game.seat >= 0 else ""
            return (game.journal.to_bytes(), game.seat, kind, version) if kind and not game.over else None
