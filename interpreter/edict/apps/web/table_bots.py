"""The seats that bots hold at tables: whenever one of them is asked, a process thinks, and its answer is given.

A bot of the host's own has a process for each seat, so that it remembers the game and harms nobody's. Only those that
the host has named are asked: a name in the store, or in a game somebody sent, runs no code.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from dataclasses import replace

from edict.agents.bots import BOTS
from edict.agents.bots.agents import Spec
from edict.agents.bots.guest import GuestBot
from edict.apps.web.bot_processes import BotProcesses
from edict.apps.web.live_tables import AnsweredAlready, NoSuchTable
from edict.apps.web.new_tables import STAND_IN
from edict.apps.web.open_tables import Tables
from edict.apps.web.sandbox import Ended
from edict.apps.web.store import StoreError
from edict.apps.web.table_actions import Next, Turn, answer_in_turn, go_on
from edict.game.table.game_errors import GameError
from edict.game.table.seeded_draws import bot_seed
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError

# --- bots of the host's own ------------------------------------------------------------------------


ASKED_AT_ONCE = 8  # at once; the others wait
KEPT = 16  # processes of bots that wait for their turn; those that waited longest end, and remember nothing
_log = logging.getLogger(__name__)

_Seat = tuple[str, int, str]
"""A table, a seat, and the bot as it is named."""


class UserBots:
    """The bots that sit at tables, by their seats."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(ASKED_AT_ONCE, "guest")
        self._waiting: OrderedDict[_Seat, GuestBot] = OrderedDict()
        self._lock = threading.Lock()

    async def answer(self, turn: Turn, table: str) -> str:
        """The key of a bot's answer to a question."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, turn, table)

    def leave(self, table: str) -> None:
        """The game at a table is over."""
        with self._lock:
            gone = [self._waiting.pop(seat) for seat in list(self._waiting) if seat[0] == table]
        for guest in gone:
            guest.end()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for table, _, _ in list(self._waiting):
            self.leave(table)

    def _answer(self, turn: Turn, table: str) -> str:
        assert turn.seen is not None
        seat = (table, turn.seat, turn.kind)
        guest = self._called(seat, turn)
        try:
            return turn.keys[guest.reply(turn.seen, len(turn.keys))]
        finally:
            self._back(seat, guest)

    def _called(self, seat: _Seat, turn: Turn) -> GuestBot:
        """The bot of a seat, which nobody else asks until it is back."""
        with self._lock:
            found = self._waiting.pop(seat, None)
        if found is None:
            table, number, kind = seat
            spec = replace(Spec.read(kind), apart=True)
            assert turn.seen is not None
            found = GuestBot(turn.seen.program, bot_seed(turn.seed, number), spec)
            found.tell = lambda fault: _log.warning("Table %s: the bot %s; a random option is chosen", table, fault)
        return found

    def _back(self, seat: _Seat, guest: GuestBot) -> None:
        with self._lock:
            self._waiting[seat] = guest
            gone = [self._waiting.popitem(last=False)[1] for _ in range(len(self._waiting) - KEPT)]
        for one in gone:
            one.end()


# --- all bots --------------------------------------------------------------------------------------


PAUSE = 0.6  # seconds before a bot answers, so that people can follow
LATER = 0.1  # seconds after the end of somebody's time
TRIES = 3  # how often in a row a bot may fail before its table waits for somebody to look


class TableBots:
    """Looks after tables whose next answer is a bot's, or of somebody whose time is up.

    tell: of a table and its version, when something has happened there.
    offered: the kinds that may be asked; code of somebody's own runs only if it is among them.
    """

    def __init__(
        self,
        tables: Tables,
        tell: Callable[[str, int], None],
        processes: BotProcesses,
        offered: tuple[str, ...],
        pause: float = PAUSE,
    ) -> None:
        self._tables = tables
        self._tell = tell
        self._bot_processes = processes
        self._offered = offered
        self._guests = UserBots()
        self._pause = pause
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._alarms: dict[str, asyncio.TimerHandle] = {}

    def look(self, table: str) -> None:
        """See whether a bot is asked at this table; one turn of bots at a time."""
        if table in self._busy:
            self._again.add(table)  # it may just have found that no bot is asked
            return
        task = asyncio.get_running_loop().create_task(self._turns(table), context=Context())  # bots read English
        self._busy[table] = task
        task.add_done_callback(lambda _: self._done(table))

    def close(self) -> None:
        for task in list(self._busy.values()):
            task.cancel()
        for alarm in self._alarms.values():
            alarm.cancel()
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
            except AnsweredAlready:
                continue  # somebody took an answer back, or another server was faster
            except (NoSuchTable, Ended):
                self._guests.leave(table)
                return
            except (TaskFailed, GameError, RulesError, StoreError) as problem:
                failed += 1
                _log.warning("A bot at table %s could not answer: %s", table, problem)
            except Exception:
                _log.exception("A bot at table %s failed", table)
                return

    async def _turn(self, table: str) -> bool:
        """Let a bot answer; False if it is a person's turn or the game is over."""
        links = await asyncio.to_thread(self._tables.store.links, table)
        kinds = {link.seat: link.bot for link in links if link.seat >= 0}
        then: Next = await self._tables.ask(table, go_on, kinds, STAND_IN)
        self._tell(table, then.version)
        if then.asked is None:
            self._wake(table, then.deadline)
            if then.over:
                self._guests.leave(table)
            return False
        await asyncio.sleep(self._pause)
        people = [seat for seat, bot in kinds.items() if not bot]
        key = await self._answer(table, then.asked)
        about = then.asked.seat, then.asked.version, key, people
        self._tell(table, await self._tables.ask(table, answer_in_turn, *about))
        return True

    def _wake(self, table: str, after: float | None) -> None:
        """Look again when somebody's time is up there."""
        earlier = self._alarms.pop(table, None)
        if earlier is not None:
            earlier.cancel()
        if after is not None:
            self._alarms[table] = asyncio.get_running_loop().call_later(after + LATER, self._woken, table)

    def _woken(self, table: str) -> None:
        self._alarms.pop(table, None)
        self.look(table)

    async def _answer(self, table: str, asked: Turn) -> str:
        if not BOTS.is_code(asked.kind):
            return await self._bot_processes.answer(asked)
        if asked.kind not in self._offered:
            raise TaskFailed(f"it is `{asked.kind}`, code that this server was not started with (--bot)")
        return await self._guests.answer(asked, table)
