"""The tables in play: games in memory, each brought up to date from the store before it is used.

Tables with rules that ship run here, in threads; those with strangers' rules run in processes (`sandbox`).
"""

from __future__ import annotations

import threading
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from edict.apps.web.live_tables import AnsweredAlready, Link, LiveTable, NoSuchTable, PlayableGame, find_shipped_rules
from edict.apps.web.sandbox import Sandbox, load_playable_game
from edict.apps.web.store import LineConflict, Store
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Journal, parse_journal
from edict.support.processes.tasks import TaskFailed
from edict.support.translations import current_language

HEAD = 3  # lines of a journal that may say something of its rules
TRIES = 5  # attempts while other processes add lines
MOST_IN_MEMORY = 1000  # tables; the least recently used one is evicted and remains in the store


class Tables:
    """The tables of a store."""

    def __init__(self, store: Store, sandbox: Sandbox) -> None:
        self.store = store
        self._sandbox = sandbox
        self._playing: OrderedDict[tuple[str, str], LiveTable] = OrderedDict()
        self._strange: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    async def open(self, playable: PlayableGame, sealed: bool = False) -> list[Link]:
        """Add a table for a game to the store, and return its links.

        Args:
            playable: The game and the bots in its seats.
            sealed: True if the host plays, too, and may not see everything.
        """
        _, links = await to_thread(self.store.add_table, playable.title, playable.lines, playable.bots, sealed)
        return links

    async def adopt(self, raw: bytes, kinds: tuple[str, ...], sealed: bool = False) -> list[Link]:
        """Add a table for the game in a journal, and return its links; bots of these kinds keep their seats.

        Raises as `PlayableGame.of` does.
        """
        head = await to_thread(_parse_head, raw.splitlines(keepends=True))
        header, rules = head.header, await to_thread(find_shipped_rules, head)
        if len(header.bots) == len(header.players):
            header_bots = header.bots
        else:
            header_bots = ("",) * len(header.players)
        bots = tuple(bot if bot in kinds else "" for bot in header_bots)
        if rules is not None:
            return await self.open(
                await to_thread(lambda: PlayableGame.from_journal(parse_journal(raw), rules.rules, bots)), sealed
            )
        try:
            return await self.open(await self._sandbox.run(raw, load_playable_game, raw, bots), sealed)
        except TaskFailed as problem:
            raise JournalError(f"its rules were stopped: {problem}", "play it at the terminal") from None

    async def ask(self, table: str, action: Callable[..., Any], *about: object, version: int = 0) -> Any:
        """Call a function with the current state of a table (see `table_actions`), and return its result.

        Args:
            table: The table's id.
            action: The function, whose first argument is the `LiveTable`.
            about: Its other arguments.
            version: The version that the table has at least, which saves a read if memory is that new; 0 if unknown.

        Raises:
            NoSuchTable: The store has no such table.
            Ended: The table was ended before its game was over.
            AnsweredAlready: Others kept adding lines first.
            Exception: Whatever the function raises.
        """
        at_hand = (table, current_language()) in self._playing
        is_strange = not at_hand and (table in self._strange or await to_thread(self._is_strange, table))
        for _ in range(TRIES):
            with suppress(LineConflict):  # perhaps by a player who is asked at the same time
                if is_strange:
                    return await self._sandbox.ask(table, action, *about)
                return await to_thread(self._call_in_thread, table, action, about, version)
            version = 0  # the store has lines that memory lacks
        raise AnsweredAlready

    def get_current(self, table: str, version: int = 0) -> LiveTable:
        """Return a table with rules that ship, brought up to date, in the language of the request.

        Args:
            table: The table's id.
            version: The version that the table has at least; 0 if unknown.

        Raises:
            NoSuchTable: The store has no such table.
        """
        cache_key = table, current_language()
        with self._lock:
            playing = self._playing.get(cache_key)
            if playing is not None:
                self._playing.move_to_end(cache_key)
        if playing is None:
            journal = parse_journal(b"".join(self._read_lines(table)), table)
            rules = find_shipped_rules(journal)
            assert rules is not None, "strangers' rules are not played in the server"
            playing = self._cache_table(cache_key, LiveTable.load(table, journal, rules.localized, self.store))
        with playing.lock:
            if not 0 < version <= playing.version:
                playing.apply_new_lines()
        return playing

    def _call_in_thread(self, table: str, action: Callable[..., Any], about: tuple[object, ...], version: int) -> Any:
        """Call an action with the table at `version` or later and more arguments, under the table's lock."""
        playing = self.get_current(table, version)
        with playing.lock:
            return action(playing, *about)

    def _is_strange(self, table: str) -> bool:
        """Return True if a table is played by strangers' rules, and remember it."""
        if find_shipped_rules(_parse_head(self._read_lines(table))) is not None:
            return False
        with self._lock:
            self._strange[table] = None
            while len(self._strange) > MOST_IN_MEMORY:
                self._strange.popitem(last=False)
        return True

    def _read_lines(self, table: str) -> list[bytes]:
        """Return the lines of a table's journal. Raises `NoSuchTable` if it has none."""
        lines = self.store.lines(table)
        if not lines:
            raise NoSuchTable(table)
        return lines

    def _cache_table(self, cache_key: tuple[str, str], playing: LiveTable) -> LiveTable:
        """Return the table cached under a key, this one if there is none, and drop the longest unused."""
        with self._lock:
            cached = self._playing.setdefault(cache_key, playing)
            while len(self._playing) > MOST_IN_MEMORY:
                self._playing.popitem(last=False)
        return cached


def _parse_head(lines: Sequence[bytes]) -> Journal:
    """Return a journal with its header and rules, without answers. Raises `JournalError`."""
    return parse_journal(b"".join(lines[:HEAD]))
