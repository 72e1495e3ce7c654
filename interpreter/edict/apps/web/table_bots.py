"""Bots that play at tables: when one is asked, a process chooses its answer, which is then given at the table.

A user's bot has a process for each seat, so that it remembers the game and cannot harm other games. Only bots that the
host named at the start run: a bot's name in the store or in an uploaded game does not start code.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from dataclasses import replace

from edict.agents.bots import BOTS
from edict.agents.bots.guest_bot import GuestBot
from edict.agents.bots.user_bots import BotSpec
from edict.apps.web.bot_processes import BotProcesses
from edict.apps.web.live_tables import AnsweredAlready, Link, NoSuchTable
from edict.apps.web.new_tables import STAND_IN
from edict.apps.web.open_tables import Tables
from edict.apps.web.sandbox import EndedTableError
from edict.apps.web.store import StoreError
from edict.apps.web.table_actions import BotTurn, TableProgress, advance_table, answer_in_turn
from edict.game.table.game_errors import GameError
from edict.game.table.seeded_draws import bot_seed
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError

# --- bots of the host's own ------------------------------------------------------------------------


MAX_THINKING = 8  # users' bots that choose at the same time; the others wait
MAX_IDLE_BOTS = 16  # idle bots that keep their processes; the longest idle are ended and forget the game
_log = logging.getLogger(__name__)

_BotSeat = tuple[str, int, str]  # a table, a seat, and the name of its bot


class UserBots:
    """Users' bots at tables, each in a process for its seat."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_THINKING, "guest")
        self._idle: OrderedDict[_BotSeat, GuestBot] = OrderedDict()
        self._lock = threading.Lock()

    async def choose_answer(self, turn: BotTurn, table: str) -> str:
        """Return the key of the option that a seat's bot chooses.

        Args:
            turn: The question.
            table: The ID of the table.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._choose_answer, turn, table)

    def end_table(self, table: str) -> None:
        """End the idle bots of a table whose game is over."""
        with self._lock:
            ended_bots = [self._idle.pop(seat) for seat in list(self._idle) if seat[0] == table]
        for bot in ended_bots:
            bot.terminate()

    def close(self) -> None:
        """End all idle bots without waiting for the others."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for table, _, _ in list(self._idle):
            self.end_table(table)

    def _choose_answer(self, turn: BotTurn, table: str) -> str:
        """Return the key of the option that a user's bot chooses; the bot is reserved meanwhile."""
        assert turn.seen is not None
        seat = (table, turn.seat, turn.kind)
        bot = self._check_out(seat, turn)
        try:
            return turn.keys[bot.answer(turn.seen, len(turn.keys))]
        finally:
            self._check_in(seat, bot)

    def _check_out(self, seat: _BotSeat, turn: BotTurn) -> GuestBot:
        """Return the bot of a seat, started if needed, and reserve it for the caller until `_check_in`."""
        with self._lock:
            bot = self._idle.pop(seat, None)
        if bot is None:
            table, number, kind = seat
            spec = replace(BotSpec.parse(kind), separate_process=True)
            assert turn.seen is not None
            bot = GuestBot(turn.seen.program, bot_seed(turn.seed, number), spec)
            bot.on_fault = lambda fault: _log.warning("Table %s: the bot %s; a random option is chosen", table, fault)
        return bot

    def _check_in(self, seat: _BotSeat, bot: GuestBot) -> None:
        """Make the bot of a seat available again, and end the longest idle ones if there are too many."""
        with self._lock:
            self._idle[seat] = bot
            ended_bots = [self._idle.popitem(last=False)[1] for _ in range(len(self._idle) - MAX_IDLE_BOTS)]
        for ended_bot in ended_bots:
            ended_bot.terminate()


# --- all bots --------------------------------------------------------------------------------------


PAUSE = 0.6  # seconds before a bot answers, so that people can follow
ALARM_DELAY = 0.1  # seconds between the end of a player's time and the alarm
MAX_FAILURES = 3  # failures in a row after which a table's bots wait for the next `start_turns`


class TableBots:
    """The bots of all tables: answers for bots' seats, and for people whose time is up.

    Args:
        tables: The tables.
        tell: Called with a table and its version after a change.
        processes: The processes of bots that ship.
        offered: The kinds of bots that may run; a user's code runs only if it is among them.
        pause: Seconds before a bot answers.
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
        self._user_bots = UserBots()
        self._pause = pause
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._alarms: dict[str, asyncio.TimerHandle] = {}

    def start_turns(self, table: str, version: int = 0, links: Sequence[Link] = ()) -> None:
        """Let bots answer at a table, in the background, as long as they are asked.

        If this already runs for the table, it runs once more afterwards.

        Args:
            table: The table's id.
            version: The version that the table has at least; 0 if unknown.
            links: The table's links, if they were read just now.
        """
        if table in self._busy:
            self._again.add(table)  # the running turns may already have found that no bot is asked
            return
        task = asyncio.get_running_loop().create_task(
            self._play_turns(table, version, links), context=Context()
        )  # bots read English
        self._busy[table] = task
        task.add_done_callback(lambda _: self._finish_turns(table))

    def close(self) -> None:
        """Cancel all turns and alarms."""
        for task in list(self._busy.values()):
            task.cancel()
        for alarm in self._alarms.values():
            alarm.cancel()
        self._user_bots.close()

    def _finish_turns(self, table: str) -> None:
        """Forget the finished task of a table; start another if turns were requested meanwhile."""
        task = self._busy.pop(table)
        if table in self._again and not task.cancelled():
            self._again.discard(table)
            self.start_turns(table)

    async def _play_turns(self, table: str, version: int, links: Sequence[Link]) -> None:
        """Let bots answer until a person is asked; stop at the end or after `MAX_FAILURES` failures in a row."""
        failures = 0
        while failures < MAX_FAILURES:
            self._again.discard(table)
            try:
                if not await self._play_turn(table, version, links):
                    return
                failures, version, links = 0, 0, ()
            except AnsweredAlready:
                version, links = 0, ()
                continue  # an answer was taken back, or another server was faster
            except (NoSuchTable, EndedTableError):
                self._user_bots.end_table(table)
                return
            except (TaskFailed, GameError, RulesError, StoreError) as error:
                failures += 1
                _log.warning("A bot at table %s could not answer: %s", table, error)
            except Exception:
                _log.exception("A bot at table %s failed", table)
                return

    async def _play_turn(self, table: str, version: int, links: Sequence[Link]) -> bool:
        """Let a bot answer at this version or a later one; return False if a person is asked or the game is over."""
        links = links or await asyncio.to_thread(self._tables.store.list_links, table)
        kinds = {link.seat: link.bot for link in links if link.seat >= 0}
        progress: TableProgress = await self._tables.ask(table, advance_table, kinds, STAND_IN, version=version)
        self._tell(table, progress.version)
        if progress.bot_turn is None:
            self._set_alarm(table, progress.time_left)
            if progress.over:
                self._user_bots.end_table(table)
            return False
        await asyncio.sleep(self._pause)
        people = [seat for seat, bot in kinds.items() if not bot]
        key = await self._choose_answer(table, progress.bot_turn)
        args = progress.bot_turn.seat, progress.bot_turn.version, key, people
        self._tell(table, await self._tables.ask(table, answer_in_turn, *args))
        return True

    def _set_alarm(self, table: str, after: float | None) -> None:
        """Replace the table's alarm with one after so many seconds; None for no alarm."""
        old_alarm = self._alarms.pop(table, None)
        if old_alarm is not None:
            old_alarm.cancel()
        if after is not None:
            self._alarms[table] = asyncio.get_running_loop().call_later(after + ALARM_DELAY, self._handle_alarm, table)

    def _handle_alarm(self, table: str) -> None:
        """Let bots play at a table when its alarm rings."""
        self._alarms.pop(table, None)
        self.start_turns(table)

    async def _choose_answer(self, table: str, turn: BotTurn) -> str:
        """Return the key of a bot's answer; users' code plays only if the server was started with it."""
        if not BOTS.is_user_code(turn.kind):
            return await self._bot_processes.answer(turn)
        if turn.kind not in self._offered:
            raise TaskFailed(f"it is `{turn.kind}`, code that this server was not started with (--bot)")
        return await self._user_bots.choose_answer(turn, table)
