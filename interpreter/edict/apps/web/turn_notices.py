"""Tells those who want it that it is their turn, also when no page of the table is open.

It is told some seconds after a turn has begun, so that nobody is told who answers at once; and once, however many
servers share the store. A message says what everybody at the table may know: which game it is, and whose turn.
"""

from __future__ import annotations

import asyncio
import json
import logging
from asyncio import to_thread
from collections.abc import Callable, Sequence
from contextvars import Context
from functools import cached_property

from edict.apps.web import table_actions, web_push
from edict.apps.web.live_tables import NoSuchTable, people_of
from edict.apps.web.notice_store import NoticeStore, Subscriber
from edict.apps.web.open_tables import Tables
from edict.apps.web.sandbox import Ended
from edict.apps.web.store import StoreError
from edict.apps.web.table_actions import Notice
from edict.game.table.game_errors import GameError
from edict.support.report import RulesError
from edict.support.translations import use_language

PAUSE = 8.0  # seconds after a turn has begun
AT_ONCE = 4  # messages on their way: a push service that takes long keeps no thread from those who play
_log = logging.getLogger(__name__)


class TurnNotices:
    """Looks whose turn it is at tables where something has happened.

    reachable: whether a push service at an address may be asked.
    """

    def __init__(
        self, tables: Tables, pause: float = PAUSE, reachable: Callable[[str], bool] = web_push.is_public
    ) -> None:
        self.store = NoticeStore(tables.store)
        self._tables = tables
        self._pause = pause
        self._reachable = reachable
        self._alarms: dict[str, tuple[int, asyncio.TimerHandle]] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def public_key(self) -> str:
        """What browsers are given, so that they take messages of this server alone; empty if it sends none."""
        return self.store.keys(web_push.new_keys).public if web_push.installed() else ""

    def look(self, table: str, version: int) -> None:
        """Something has happened at a table (0: nobody knows its version): see after a while whose turn it is."""
        if not web_push.installed():
            return
        earlier = self._alarms.get(table)
        if earlier is not None:
            if 0 < version <= earlier[0]:
                return
            earlier[1].cancel()
        loop = asyncio.get_running_loop()
        self._alarms[table] = version, loop.call_later(self._pause, self._begin, table, context=Context())

    @cached_property
    def _sending(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(AT_ONCE)

    def close(self) -> None:
        for _, alarm in self._alarms.values():
            alarm.cancel()
        for task in self._telling:
            task.cancel()

    def _begin(self, table: str) -> None:
        del self._alarms[table]
        task = asyncio.get_running_loop().create_task(self._tell(table))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, table: str) -> None:
        try:
            receivers = await to_thread(self.store.of, table)
            for language in dict.fromkeys(one.language for one in receivers):
                with use_language(language):
                    await self._tell_all(table, [one for one in receivers if one.language == language])
        except (NoSuchTable, Ended):
            pass
        except (RulesError, GameError, StoreError) as problem:
            _log.warning("Nobody could be told whose turn it is at table %s: %s", table, problem)
        except Exception:
            _log.exception("Telling whose turn it is at table %s failed", table)

    async def _tell_all(self, table: str, receivers: Sequence[Subscriber]) -> None:
        """Tell those who read the language that is spoken."""
        links = await to_thread(self._tables.store.links, table)
        seats = {link.key: link.seat for link in links}
        asked: list[Notice] = await self._tables.ask(table, table_actions.notices, people_of(links))
        notices = {one.seat: one for one in asked}
        for one in receivers:
            if one.seat_key not in seats:  # the seat was handed on
                await to_thread(self.store.drop, one.number)
            elif (notice := notices.get(seats[one.seat_key])) is not None and notice.since > one.told:
                async with self._sending:
                    await to_thread(self._send, table, one, notice)

    def _send(self, table: str, to: Subscriber, notice: Notice) -> None:
        if not self.store.claim(to.number, notice.since):
            return
        text = json.dumps({"table": table, "title": notice.title, "text": notice.text}, ensure_ascii=False)
        try:
            if not self._reachable(to.receiver.endpoint):
                raise web_push.Unsent("its push service has no address on the internet")
            web_push.send(to.receiver, self.store.keys(web_push.new_keys), table, text)
        except web_push.SubscriptionGone:
            self.store.drop(to.number)
        except web_push.Unsent as problem:
            _log.warning("A browser could not be told whose turn it is at table %s: %s", table, problem)
