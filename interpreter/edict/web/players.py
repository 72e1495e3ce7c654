"""The seats that bots hold at tables: whenever one of them is asked, a process thinks, and its answer is given."""

from __future__ import annotations

import asyncio
import logging

from edict.bots import BOTS
from edict.report import RulesError
from edict.table.errors import GameError
from edict.web.deeds import Turn, answer, over, turn
from edict.web.guests import Guests
from edict.web.news import News
from edict.web.playing import Late, NoSuchTable
from edict.web.store import StoreError
from edict.web.strangers import Ended
from edict.web.tables import Tables
from edict.web.thinking import Thinkers
from edict.processes.pool import Failed

PAUSE = 0.6  # seconds before a bot answers, so that people can follow
TRIES = 3  # how often in a row a bot may fail before its table waits for somebody to look
_log = logging.getLogger(__name__)


class Bots:
    """Looks after tables whose next answer is a bot's.

    offered: the kinds that may be asked; code of somebody's own runs only if it is among them.
    """

    def __init__(
        self, tables: Tables, news: News, thinkers: Thinkers, offered: tuple[str, ...], pause: float = PAUSE
    ) -> None:
        self._tables = tables
        self._news = news
        self._thinkers = thinkers
        self._offered = offered
        self._guests = Guests()
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
        self._guests.close()

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
            except (NoSuchTable, Ended):
                self._guests.leave(table)
                return
            except (Failed, GameError, RulesError, StoreError) as problem:
                failed += 1
                _log.warning("A bot at table %s could not answer: %s", table, problem)
            except Exception:
                _log.exception("A bot at table %s failed", table)
                return

    async def _turn(self, table: str) -> bool:
        """Let a bot answer; False if it is a person's turn or the game is over."""
        kinds = {link.seat: link.bot for link in await asyncio.to_thread(self._tables.store.links, table)}
        asked: Turn | None = await self._tables.ask(table, turn, kinds)
        if asked is None:
            if self._guests.sit_at(table) and await self._tables.ask(table, over):
                self._guests.leave(table)
            return False
        await asyncio.sleep(self._pause)
        key = await self._answer(table, asked)
        self._news.tell(table, await self._tables.ask(table, answer, asked.seat, asked.version, key))
        return True

    async def _answer(self, table: str, asked: Turn) -> str:
        if not BOTS.is_code(asked.kind):
            return await self._thinkers.answer(asked)
        if asked.kind not in self._offered:
            raise Failed(f"it is `{asked.kind}`, code that this server was not started with (--bot)")
        return await self._guests.answer(asked, table)
