"""Strangers' rules are read and played in processes that may take only so long and so much, and can be ended.

A table has its process, which keeps its game, and is sent what others have added since. A table whose rules take more
than their share ends: it is not played on, and everything that was answered is kept.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from zlib import crc32

from edict.apps.web.live_tables import LiveTable, NoSuchTable, PlayableGame, TableRules
from edict.apps.web.store import Store
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import load_bundled_rules
from edict.support.processes.executor import get_executor
from edict.support.processes.tasks import TaskFailed, TaskLimits
from edict.support.translations import current_language, use_language

SHARE = TaskLimits(seconds=120.0, memory=1_500_000_000, busy=20, nice=10)
"""For one answer, one page, or the reading of the rules; the largest that ship take four seconds and 250 MB to read.
It is the processor's time that counts, so that no table ends because the machine has much to do."""
ROOMS = 2  # processes; the others wait
MOST_TABLES = 1000  # that are remembered: which have ended, and how far others are known to the processes
MOST_GAMES = 16  # that a process remembers
MOST_RULES = 8
_log = logging.getLogger(__name__)


class Ended(Exception):
    """The rules of the table took more than their share; the text says which, as a sentence without its end."""


class Forgotten(Exception):
    """The process does not know the table as far as the server believed."""


class _Away:
    """What the server knows of a table. known: how many lines its process has, as far as the server can tell."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.known = 0
        self.ended = ""


class Sandbox:
    """The processes, each for its share of the tables."""

    def __init__(self, store: Store, share: TaskLimits = SHARE) -> None:
        self._store = store
        self._pools = [get_executor().create_pool(1, share) for _ in range(ROOMS)]
        self._away: OrderedDict[str, _Away] = OrderedDict()
        self.tell: Callable[[str], None] = lambda table: None  # that a table has ended

    async def done(self, about: bytes, work: Callable[..., Any], *args: object) -> Any:
        """What a function of a module gives that plays strangers' rules; what is `about` the same goes to one process.

        Raises `TaskFailed`, and whatever the function does.
        """
        return await self._pools[crc32(about) % ROOMS].run(work, *args)

    async def ask(self, table: str, action: Callable[..., Any], *about: object) -> Any:
        """What a function of a table gives; lines that it adds are kept first.

        Raises `Ended`, `LineTaken` if somebody else has added a line meanwhile, and whatever the function does.
        """
        away = self._known(table)
        async with away.lock:
            if away.ended:
                raise Ended(away.ended)
            try:
                return await self._asked(table, away, action, about)
            except TaskFailed as problem:
                away.ended = f"its rules were stopped: {problem}"
                _log.warning("Table %s has ended: %s", table, away.ended)
                self.tell(table)
                raise Ended(away.ended) from None

    def close(self) -> None:
        for pool in self._pools:
            pool.shutdown()

    async def _asked(self, table: str, away: _Away, action: Callable[..., Any], about: tuple[object, ...]) -> Any:
        since, away.known = away.known, 0  # whatever happens now, it is not known how far the process is
        try:
            known, new, found = await self._sent(table, since, action, about)
        except Forgotten:
            known, new, found = await self._sent(table, 0, action, about)
        if new:
            await to_thread(self._store.add_lines, table, known, new)
        away.known = known + len(new)
        return found

    async def _sent(
        self, table: str, since: int, action: Callable[..., Any], about: tuple[object, ...]
    ) -> tuple[int, list[bytes], Any]:
        """How many lines the table has, which are to be added, and what the function gives."""
        lines = await to_thread(self._store.lines, table, since)
        if not lines and not since:
            raise NoSuchTable(table)
        new, found = await self.done(table.encode(), at_table, table, since, lines, current_language(), action, about)
        return since + len(lines), new, found

    def _known(self, table: str) -> _Away:
        found = self._away.setdefault(table, _Away())
        self._away.move_to_end(table)
        while len(self._away) > MOST_TABLES:
            self._away.popitem(last=False)
        return found


# --- in a separate process -----------------------------------------------------------------------


class _Sent:
    """The lines of a table, as far as they were sent; those that are added are kept apart."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.all = [*lines]
        self.new = list[bytes]()

    def leads_to(self, since: int, lines: Sequence[bytes]) -> bool:
        """Whether they go as far as a number, and what they hold from there on is how these lines begin."""
        return since <= len(self.all) and self.all[since:] == [*lines[: len(self.all) - since]]

    def lines(self, table: str, since: int = 0) -> Sequence[bytes]:
        return self.all[since:]

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None:
        for line in lines:
            self.new.append(line)
            self.all.append(line)


_games: OrderedDict[tuple[str, str], tuple[LiveTable, _Sent]] = OrderedDict()
_rules: OrderedDict[str, TableRules] = OrderedDict()


def at_table(
    table: str, since: int, lines: Sequence[bytes], language: str, action: Callable[..., Any], about: tuple[object, ...]
) -> tuple[list[bytes], Any]:
    """What a function of a table gives, whose lines from a number on these are, and the lines that it adds.

    Raises `Forgotten` if the lines before are not known.
    """
    try:
        with use_language(language):
            playing, sent = _followed(table, since, lines)
            sent.new = []
            found = action(playing, *about)
    except MemoryError:
        _games.clear()
        _rules.clear()
        raise
    return sent.new, found


def adopted(raw: bytes, bots: tuple[str, ...]) -> PlayableGame:
    """The game in a journal with the rules that it brings along. Raises as `PlayableGame.of` does."""
    journal = parse_journal(raw)
    return PlayableGame.of(journal, load_bundled_rules(journal), bots)


def _followed(table: str, since: int, lines: Sequence[bytes]) -> tuple[LiveTable, _Sent]:
    """The table up to the last of these lines."""
    known = table, current_language()
    found = _games.pop(known, None)  # if anything goes wrong, it is read anew
    if found is None or not found[1].leads_to(since, lines):
        if since:
            raise Forgotten
        sent = _Sent(lines)
        journal = parse_journal(b"".join(lines), table)
        found = LiveTable.read(table, journal, _ruled(journal).spoken, sent), sent
    playing, sent = found
    sent.all += lines[len(sent.all) - since :]
    playing.follow()
    _games[known] = found
    while len(_games) > MOST_GAMES:
        _games.popitem(last=False)
    return found


def _ruled(journal: Journal) -> TableRules:
    found = _rules.pop(journal.bundle, None) or TableRules(load_bundled_rules(journal), strange=True)
    _rules[journal.bundle] = found
    while len(_rules) > MOST_RULES:
        _rules.popitem(last=False)
    return found
