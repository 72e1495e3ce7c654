"""Tables that are being played: each a game in memory, brought up to what the store holds before anything is asked.

Those with rules that ship are played here, in threads; those with strangers' rules in processes (`sandbox`).
"""

from __future__ import annotations

import threading
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from edict.apps.web.live_tables import AnsweredAlready, Link, LiveTable, NoSuchTable, PlayableGame, shipped
from edict.apps.web.sandbox import Sandbox, adopted
from edict.apps.web.store import LineTaken, Store
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Journal, parse_journal
from edict.support.processes.tasks import TaskFailed
from edict.support.translations import current_language

HEAD = 3  # lines of a journal that may say something of its rules
TRIES = 5  # how often something is done anew because a line was added meanwhile
MOST_IN_MEMORY = 1000
"""Tables. The one that nobody has looked at for longest is put away; the store has it."""


class Tables:
    """The tables of a store."""

    def __init__(self, store: Store, sandbox: Sandbox) -> None:
        self.store = store
        self._sandbox = sandbox
        self._playing: OrderedDict[tuple[str, str], LiveTable] = OrderedDict()
        self._strange: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    async def open(self, begun: PlayableGame, sealed: bool = False) -> list[Link]:
        """A table for a game, which keeps its rules; returns the links to it. sealed: its host plays."""
        _, links = await to_thread(self.store.add_table, begun.title, begun.lines, begun.bots, sealed)
        return links

    async def adopt(self, raw: bytes, kinds: tuple[str, ...], sealed: bool = False) -> list[Link]:
        """A table for the game in a journal; bots of these kinds keep their seats. Raises as `PlayableGame.of` does."""
        head = await to_thread(_head, raw.splitlines(keepends=True))
        header, rules = head.header, await to_thread(shipped, head)
        named = header.bots if len(header.bots) == len(header.players) else ("",) * len(header.players)
        bots = tuple(bot if bot in kinds else "" for bot in named)
        if rules is not None:
            return await self.open(
                await to_thread(lambda: PlayableGame.of(parse_journal(raw), rules.rules, bots)), sealed
            )
        try:
            return await self.open(await self._sandbox.done(raw, adopted, raw, bots), sealed)
        except TaskFailed as problem:
            raise JournalError(f"its rules were stopped: {problem}", "play it at the terminal") from None

    async def ask(self, table: str, action: Callable[..., Any], *about: object, version: int = 0) -> Any:
        """What a function of a table (see `table_actions`) gives for the table as it is now.

        version: what it has at least, so that nothing is read for who has that in memory; 0 if nobody knows.
        Raises `NoSuchTable`, `Ended`, `AnsweredAlready` if somebody else was faster, and whatever the function does.
        """
        at_hand = (table, current_language()) in self._playing
        strange = not at_hand and (table in self._strange or await to_thread(self._is_strange, table))
        for _ in range(TRIES):
            with suppress(LineTaken):  # perhaps by somebody who is asked at the same time
                if strange:
                    return await self._sandbox.ask(table, action, *about)
                return await to_thread(self._here, table, action, about, version)
        raise AnsweredAlready

    def playing(self, table: str, version: int = 0) -> LiveTable:
        """A table with rules that ship, as it is now, in the language that is spoken. Raises `NoSuchTable`.

        version: what it has at least; 0 if nobody knows.
        """
        known = table, current_language()
        with self._lock:
            found = self._playing.get(known)
            if found is not None:
                self._playing.move_to_end(known)
        if found is None:
            journal = parse_journal(b"".join(self._lines(table)), table)
            rules = shipped(journal)
            assert rules is not None, "strangers' rules are not played in the server"
            found = self._remembered(known, LiveTable.read(table, journal, rules.spoken, self.store))
        with found.lock:
            if not 0 < version <= found.version:
                found.follow()
        return found

    def _here(self, table: str, action: Callable[..., Any], about: tuple[object, ...], version: int) -> Any:
        playing = self.playing(table, version)
        with playing.lock:
            return action(playing, *about)

    def _is_strange(self, table: str) -> bool:
        """Whether a table is played by strangers' rules."""
        if shipped(_head(self._lines(table))) is not None:
            return False
        with self._lock:
            self._strange[table] = None
            while len(self._strange) > MOST_IN_MEMORY:
                self._strange.popitem(last=False)
        return True

    def _lines(self, table: str) -> list[bytes]:
        lines = self.store.lines(table)
        if not lines:
            raise NoSuchTable(table)
        return lines

    def _remembered(self, known: tuple[str, str], playing: LiveTable) -> LiveTable:
        with self._lock:
            found = self._playing.setdefault(known, playing)
            while len(self._playing) > MOST_IN_MEMORY:
                self._playing.popitem(last=False)
        return found


def _head(lines: Sequence[bytes]) -> Journal:
    """What a journal says of its rules, without its answers. Raises `JournalError`."""
    return parse_journal(b"".join(lines[:HEAD]))
