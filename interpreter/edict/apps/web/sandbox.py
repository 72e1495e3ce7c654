"""Sandbox for strangers' rules: they are loaded and played only in processes with limits on time and memory.

Each table belongs to one process, which caches its game and is sent the lines that were added since. A table whose
rules exceed the limits ends: it cannot be continued, but all of its answers stay in the store.
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

# for one answer, one page, or the loading of rules; the largest rules that ship need four seconds and 250 MB to load.
# Processor time counts, so that a busy machine does not end tables
TASK_LIMITS = TaskLimits(seconds=120.0, memory=1_500_000_000, busy=20, nice=10)
PROCESS_COUNT = 2  # processes, each with its share of the tables
MAX_TRACKED_TABLES = 1000  # tables whose end and progress the server remembers
MAX_CACHED_GAMES = 16  # in each process
MAX_CACHED_RULES = 8  # in each process
_log = logging.getLogger(__name__)


class EndedTableError(Exception):
    """The table's rules exceeded a limit; the text says which, as a sentence without its full stop."""


class MissingLines(Exception):
    """The process lacks lines of a table that the server believed it had."""


class _WorkerTable:
    """The server's knowledge of a table that a process plays."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.synced_lines = 0
        self.end_reason = ""


class Sandbox:
    """The processes for strangers' rules, each with its share of the tables.

    `on_table_ended` is called with the ID of a table that has just ended.

    Args:
        store: The store of the tables.
        limits: The limits of one call.
    """

    def __init__(self, store: Store, limits: TaskLimits = TASK_LIMITS) -> None:
        self._store = store
        self._pools = [get_executor().create_pool(1, limits) for _ in range(PROCESS_COUNT)]
        self._tables: OrderedDict[str, _WorkerTable] = OrderedDict()
        self.on_table_ended: Callable[[str], None] = lambda table: None  # that a table has ended

    async def run(self, affinity_key: bytes, work: Callable[..., Any], *args: object) -> Any:
        """Run a function of a module in one of the processes, and return its result.

        Args:
            affinity_key: Calls with the same key go to the same process.
            work: The function, which may play strangers' rules.
            *args: Its arguments.

        Raises:
            TaskFailed: The process died or exceeded a limit. Exceptions of the function are raised as well.
        """
        return await self._pools[crc32(affinity_key) % PROCESS_COUNT].run(work, *args)

    async def ask(self, table: str, action: Callable[..., Any], *args: object) -> Any:
        """Run a function of `table_actions` at a table in a sandbox process, store its new lines, return its result.

        Args:
            table: The ID of the table.
            action: A function like those of `table_actions`.
            *args: Its further arguments.

        Raises:
            EndedTableError: The table's rules exceeded a limit, now or before.
            NoSuchTable: The store has no such table.
            LineConflict: Another process added a line meanwhile. Exceptions of the function are raised as well.
        """
        worker_table = self._get_worker_table(table)
        async with worker_table.lock:
            if worker_table.end_reason:
                raise EndedTableError(worker_table.end_reason)
            try:
                return await self._call_and_store(table, worker_table, action, args)
            except TaskFailed as error:
                worker_table.end_reason = f"its rules were stopped: {error}"
                _log.warning("Table %s has ended: %s", table, worker_table.end_reason)
                self.on_table_ended(table)
                raise EndedTableError(worker_table.end_reason) from None

    def close(self) -> None:
        """Stop the processes."""
        for pool in self._pools:
            pool.shutdown()

    async def _call_and_store(
        self, table: str, worker_table: _WorkerTable, action: Callable[..., Any], args: tuple[object, ...]
    ) -> Any:
        """Call an action in the process with the lines it lacks, store the lines it adds, and return its result."""
        # after a failure it is unknown which lines the process has
        since, worker_table.synced_lines = (
            worker_table.synced_lines,
            0,
        )
        try:
            line_count, new_lines, result = await self._send_call(table, since, action, args)
        except MissingLines:
            line_count, new_lines, result = await self._send_call(table, 0, action, args)
        if new_lines:
            await to_thread(self._store.add_lines, table, line_count, new_lines)
        worker_table.synced_lines = line_count + len(new_lines)
        return result

    async def _send_call(
        self, table: str, since: int, action: Callable[..., Any], args: tuple[object, ...]
    ) -> tuple[int, list[bytes], Any]:
        """Run `action` at a table in its process; return (stored lines, lines to add, result of `action`)."""
        lines = await to_thread(self._store.lines, table, since)
        if not lines and not since:
            raise NoSuchTable(table)
        new_lines, result = await self.run(
            table.encode(), run_at_table, table, since, lines, current_language(), action, args
        )
        return since + len(lines), new_lines, result

    def _get_worker_table(self, table: str) -> _WorkerTable:
        """Return the record of the lines that the process has of a table; forget the longest unused tables."""
        worker_table = self._tables.setdefault(table, _WorkerTable())
        self._tables.move_to_end(table)
        while len(self._tables) > MAX_TRACKED_TABLES:
            self._tables.popitem(last=False)
        return worker_table


# --- in a separate process -----------------------------------------------------------------------


class _JournalBuffer:
    """The lines of a table that this process knows, as `LineStore`.

    Lines that are added are collected for the server.
    """

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.all_lines = [*lines]
        self.new_lines = list[bytes]()

    def can_continue_with(self, since: int, lines: Sequence[bytes]) -> bool:
        """Return True if lines from number `since` on overlap or follow the known ones without contradiction.

        Args:
            since: The number of the first line that was sent.
            lines: The lines that were sent.
        """
        return since <= len(self.all_lines) and self.all_lines[since:] == [*lines[: len(self.all_lines) - since]]

    def lines(self, table: str, since: int = 0) -> Sequence[bytes]:
        """Return the lines from index `since` on; there is only one table."""
        return self.all_lines[since:]

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None:
        """Add lines to the journal, and to `new_lines`, which the caller stores."""
        for line in lines:
            self.new_lines.append(line)
            self.all_lines.append(line)


_cached_games: OrderedDict[tuple[str, str], tuple[LiveTable, _JournalBuffer]] = OrderedDict()
_cached_rules: OrderedDict[str, TableRules] = OrderedDict()


def run_at_table(
    table: str, since: int, lines: Sequence[bytes], language: str, action: Callable[..., Any], args: tuple[object, ...]
) -> tuple[list[bytes], Any]:
    """Call a function with a table, in the process that plays it.

    Args:
        table: The ID of the table.
        since: The number of the first line that was sent.
        lines: The lines of the table's journal from there on.
        language: The language of the request.
        action: A function like those of `table_actions`.
        args: Its further arguments.

    Returns:
        The lines that the function added, and its result.

    Raises:
        MissingLines: This process lacks the lines before `since`.
    """
    try:
        with use_language(language):
            playing, buffer = _load_current_table(table, since, lines)
            buffer.new_lines = []
            result = action(playing, *args)
    except MemoryError:
        _cached_games.clear()
        _cached_rules.clear()
        raise
    return buffer.new_lines, result


def load_playable_game(raw: bytes, bots: tuple[str, ...]) -> PlayableGame:
    """Return the game in a journal, with the rules that the journal contains. Raises as `PlayableGame.of` does.

    Args:
        raw: The journal.
        bots: The bot of each seat; empty for a person.
    """
    journal = parse_journal(raw)
    return PlayableGame.from_journal(journal, load_bundled_rules(journal), bots)


def _load_current_table(table: str, since: int, lines: Sequence[bytes]) -> tuple[LiveTable, _JournalBuffer]:
    """Return the table with all of these lines played, and its buffer."""
    cache_key = table, current_language()
    entry = _cached_games.pop(cache_key, None)  # removed, so that the game is loaded again after an error
    if entry is None or not entry[1].can_continue_with(since, lines):
        if since:
            raise MissingLines
        buffer = _JournalBuffer(lines)
        journal = parse_journal(b"".join(lines), table)
        entry = LiveTable.load(table, journal, _load_rules(journal).localized, buffer), buffer
    playing, buffer = entry
    buffer.all_lines += lines[len(buffer.all_lines) - since :]
    playing.apply_new_lines()
    _cached_games[cache_key] = entry
    while len(_cached_games) > MAX_CACHED_GAMES:
        _cached_games.popitem(last=False)
    return entry


def _load_rules(journal: Journal) -> TableRules:
    """Return the rules bundled in a journal as untrusted, from a cache of those used last."""
    rules = _cached_rules.pop(journal.bundle, None) or TableRules(load_bundled_rules(journal), untrusted=True)
    _cached_rules[journal.bundle] = rules
    while len(_cached_rules) > MAX_CACHED_RULES:
        _cached_rules.popitem(last=False)
    return rules
