"""Bots of the host's own at tables: each seat's bot has a process, so that it remembers the game and harms nobody's.

Only those that the host has named are asked: a name in the store, or in a game somebody sent, runs no code.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from edict.bots.agents import Spec
from edict.bots.guest import Guest
from edict.table.chance import bot_seed
from edict.web.deeds import Turn

THINKING = 8  # at once; the others wait
KEPT = 16  # processes of bots that wait for their turn; those that waited longest end, and remember nothing
_log = logging.getLogger(__name__)

_Seat = tuple[str, int, str]
"""A table, a seat, and the bot as it is named."""


class Guests:
    """The bots that sit at tables, by their seats."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THINKING, "guest")
        self._waiting: OrderedDict[_Seat, Guest] = OrderedDict()
        self._lock = threading.Lock()

    async def answer(self, turn: Turn, table: str) -> str:
        """The key of a bot's answer to a question."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, turn, table)

    def sit_at(self, table: str) -> bool:
        """Whether any of them waits for its turn at a table."""
        with self._lock:
            return any(seat[0] == table for seat in self._waiting)

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

    def _called(self, seat: _Seat, turn: Turn) -> Guest:
        """The bot of a seat, which nobody else asks until it is back."""
        with self._lock:
            found = self._waiting.pop(seat, None)
        if found is None:
            table, number, kind = seat
            spec = replace(Spec.read(kind), apart=True)
            assert turn.seen is not None
            found = Guest(turn.seen.program, bot_seed(turn.seed, number), spec)
            found.tell = lambda fault: _log.warning("Table %s: the bot %s; a random option is chosen", table, fault)
        return found

    def _back(self, seat: _Seat, guest: Guest) -> None:
        with self._lock:
            self._waiting[seat] = guest
            gone = [self._waiting.popitem(last=False)[1] for _ in range(len(self._waiting) - KEPT)]
        for one in gone:
            one.end()
