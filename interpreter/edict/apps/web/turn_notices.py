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

from edict.apps.web import table_actions, web_push
from edict.apps.web.live_tables import NoSuchTable, list_human_seats
from edict.apps.web.notice_store import NoticeStore, Subscriber
from edict.apps.web.open_tables import Tables
from edict.apps.web.sandbox import EndedTableError
from edict.apps.web.store import StoreError
from edict.apps.web.table_actions import TurnNotice
from edict.game.table.game_errors import GameError
from edict.support.report import RulesError
from edict.support.translations import use_language

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
