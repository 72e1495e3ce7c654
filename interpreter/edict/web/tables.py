"""Tables that are being played: each a game in memory, brought up to what the store holds before anything is asked of it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from edict.front.look import look_of
from edict.table.bundle import kept_rules, rules_for
from edict.table.errors import JournalError
from edict.table.game import Game
from edict.table.journal import Answer, Journal, Reading
from edict.table.rules import Rules, repeat
from edict.table.sealing import Seal
from edict.table.viewdata import as_json
from edict.table.viewing import view_data
from edict.web.drawing import Drawing
from edict.web.store import Link, Store, Taken

MOST_IN_MEMORY = 1000
"""Tables. The one that nobody has looked at for longest is put away; the store has it."""


class Late(Exception):
    """The question was answered already, or it is somebody else's."""


class NoSuchTable(Exception):
    """The store has no table of this name."""


class StoredJournal:
    """Adds a game's answers to the lines in the store, and takes in those that others have added."""

    def __init__(self, store: Store, table: str, seal: Seal) -> None:
        self.store = store
        self.table = table
        self.seal = seal
        self._following = False

    @property
    def version(self) -> int:
        """How many lines the game has taken in."""
        return self.seal.lines

    def answer(self, answer: Answer) -> None:
        self._add(answer.to_data())

    def undo(self, answers: int) -> None:
        self._add({"undo": answers})

    def close(self) -> None:
        """There is nothing to let go of."""

    def follow(self, game: Game) -> None:
        """Bring a game up to what the store holds."""
        self._following = True
        try:
            for line in self.store.lines(self.table, self.version):
                self._take(game, self.seal.opened(line.rstrip(b"\n")))
                self.seal.took(line)
        finally:
            self._following = False

    def _take(self, game: Game, data: dict[str, Any]) -> None:
        if "undo" in data:
            game.back_by(data["undo"])
        elif "answer" in data:
            answer = Answer(data["seat"], data["question"], data["answer"])
            repeat(game, answer, self.version + 1, self.table)

    def _add(self, data: dict[str, Any]) -> None:
        if self._following:
            return
        trial = self.seal.copy()
        self.store.add_lines(self.table, self.version, [trial.sealed(data)])
        self.seal = trial


@dataclass
class Playing:
    """A table in memory. Everything about it is done while its lock is held."""

    id: str
    rules: Rules
    game: Game
    journal: StoredJournal
    lock: threading.RLock = field(default_factory=threading.RLock)
    seen: dict[int | None, tuple[int, dict[str, Any]]] = field(default_factory=dict)

    @cached_property
    def drawing(self) -> Drawing:
        """How the game looks."""
        return Drawing(look_of(self.rules.sources), self.rules.program)

    @property
    def version(self) -> int:
        """How many lines the table's journal has: what an answer must name, so that none is given twice."""
        return self.journal.version

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat may see (None: what everybody may), as JSON; made once for each state of the game."""
        version, data = self.seen.get(seat, (-1, {}))
        if version != self.version:
            data = as_json(view_data(self.game, seat))
            self.seen[seat] = (self.version, data)
        return data


class Tables:
    """The tables of a store. Safe from any thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._playing: OrderedDict[str, Playing] = OrderedDict()
        self._rules: dict[str, Rules] = {}
        self._lock = threading.Lock()

    def open(self, rules: Rules, players: Sequence[str], bots: Sequence[str], **setup: Any) -> tuple[str, list[Link]]:
        """A new table; `setup` as `Rules.new_game` takes it. Raises `GameError` for what cannot be."""
        game = rules.new_game(players, bots=bots, **setup)
        self._rules[rules.program.rules_hash] = rules
        return self.adopt(game.journal)

    def adopt(self, journal: Journal) -> tuple[str, list[Link]]:
        """A table for a game that was begun elsewhere. Raises `JournalError` or `RulesError` if it cannot be played."""
        lines = journal.to_bytes().splitlines(keepends=True)
        header = journal.header
        bots = header.bots if len(header.bots) == len(header.players) else ("",) * len(header.players)
        rules = self._rules_of(journal)
        rules.replay(journal)
        return self.store.add_table(rules.title, lines, bots)

    def playing(self, table: str) -> Playing:
        """A table as it stands now. Raises `NoSuchTable`."""
        with self._lock:
            found = self._playing.get(table)
            if found is not None:
                self._playing.move_to_end(table)
        if found is None:
            found = self._loaded(table)
        with found.lock:
            found.journal.follow(found.game)
        return found

    def answer(self, table: str, seat: int, version: int, key: str) -> None:
        """Answer for a seat the question that stood at this version.

        Raises `Late` if it stands no longer or is asked of another, `GameError` if that is no answer to it.
        """
        playing = self.playing(table)
        with playing.lock:
            if playing.version != version or playing.game.over or playing.game.seat != seat:
                raise Late
            try:
                playing.game.answer(key)
            except Taken:
                raise Late from None

    def undo(self, table: str, seat: int, version: int) -> None:
        """Take back the last answer, which must be this seat's own. Raises `Late`, or `GameError` with the reason."""
        playing = self.playing(table)
        with playing.lock:
            if playing.version != version or playing.game.last_step.seat != seat:
                raise Late
            try:
                playing.game.undo()
            except Taken:
                raise Late from None

    def _loaded(self, table: str) -> Playing:
        lines = self.store.lines(table)
        if not lines:
            raise NoSuchTable(table)
        reading = Reading(b"".join(lines), table)
        rules = self._rules_of(reading.journal.checked())
        game = rules.replay(reading.journal)
        journal = StoredJournal(self.store, table, reading.seal)
        game.record(journal)
        with self._lock:
            found = self._playing.setdefault(table, Playing(table, rules, game, journal))
            while len(self._playing) > MOST_IN_MEMORY:
                self._playing.popitem(last=False)
        return found

    def _rules_of(self, journal: Journal) -> Rules:
        """The rules the game was begun with: those it holds, so that no change elsewhere reaches a table."""
        known = self._rules.get(journal.header.rules)
        if known is None:
            try:
                known = kept_rules(journal)
            except JournalError:
                known = rules_for(journal)
            self._rules[journal.header.rules] = known
        return known
