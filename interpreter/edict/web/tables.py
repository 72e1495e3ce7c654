"""Tables that are being played: each a game in memory, brought up to what the store holds before anything is asked."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from edict.sources.look import look_of
from edict.program.opcodes import CHANCE
from edict.table.errors import GameError, JournalError
from edict.table.game import Game
from edict.table.journal import Answer, Journal, Reading, parse_journal
from edict.table.rules import Rules, repeat
from edict.table.sealing import Seal
from edict.table.taking_back import take_back
from edict.table.viewdata import as_json
from edict.table.viewing import view_data
from edict.web.drawing import Drawing
from edict.web.picture import picture
from edict.web.reading import Reader
from edict.web.recent import Recent
from edict.web.store import Link, Store, Taken

MOST_IN_MEMORY = 1000
"""Tables. The one that nobody has looked at for longest is put away; the store has it."""
MOST_RULES = 64  # sets of rules kept in memory


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


class Ruled:
    """Rules, and how the game looks that is played by them."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    @cached_property
    def drawing(self) -> Drawing:
        return Drawing(look_of(self.rules.sources), self.rules.program)


@dataclass
class Playing:
    """A table in memory. Everything about it is done while its lock is held."""

    id: str
    rules: Ruled
    game: Game
    journal: StoredJournal
    lock: threading.RLock = field(default_factory=threading.RLock)
    recent: Recent = field(default_factory=Recent)

    @property
    def drawing(self) -> Drawing:
        """How the game looks."""
        return self.rules.drawing

    @property
    def version(self) -> int:
        """How many lines the table's journal has: what an answer must name, so that none is given twice."""
        return self.journal.version

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat may see (None: what everybody may), as JSON."""
        return as_json(view_data(self.game, seat))

    def picture(self, seat: int | None) -> dict[str, Any]:
        """What a page shows of it."""
        return picture(self.game, seat, self.recent.at(self.version))


class Tables:
    """The tables of a store. Safe from any thread."""

    def __init__(self, store: Store, reader: Reader) -> None:
        self.store = store
        self._playing: OrderedDict[str, Playing] = OrderedDict()
        self._rules = KeptRules(reader)
        self._lock = threading.Lock()

    def open(self, journal: Journal, rules: Rules, bots: tuple[str, ...]) -> list[Link]:
        """A table for a game, begun here or elsewhere, which keeps its rules; returns the links to it.

        Raises `JournalError` or `RulesError` if it cannot be played.
        """
        if not journal.bundle:
            journal = replace(journal, bundle=rules.bundle)
        if not journal.bundle:
            raise JournalError("its rules are too large to be kept with the game", "play it at the terminal")
        self._rules.add(journal, rules).rules.replay(journal)
        _, links = self.store.add_table(rules.title, journal.to_bytes().splitlines(keepends=True), bots)
        return links

    def adopt(self, raw: bytes, kinds: tuple[str, ...]) -> list[Link]:
        """A table for the game in a journal; bots of these kinds keep their seats. Raises as `open` does."""
        journal = parse_journal(raw)
        header = journal.header
        named = header.bots if len(header.bots) == len(header.players) else ("",) * len(header.players)
        return self.open(journal, self._rules.of(journal).rules, tuple(bot if bot in kinds else "" for bot in named))

    def playing(self, table: str) -> Playing:
        """A table as it is now. Raises `NoSuchTable`."""
        with self._lock:
            found = self._playing.get(table)
            if found is not None:
                self._playing.move_to_end(table)
        if found is None:
            found = self._loaded(table)
        with found.lock:
            found.journal.follow(found.game)
        return found

    def answer(self, table: str, seat: int, version: int, key: str) -> int:
        """Answer for a seat the question that stood at this version; returns the new version.

        Dice of a real table anybody at it may type. Raises `Late` if the question stands no longer or is asked of
        another, `GameError` if that is no answer to it.
        """

        def deed(playing: Playing) -> None:
            if playing.game.over or playing.game.seat not in (seat, CHANCE):
                raise Late
            playing.game.answer(key)

        return self._do(table, seat, version, deed)

    def undo(self, table: str, seat: int, version: int) -> int:
        """Take back this seat's last answer, and what bots answered since, unless anything was revealed by it.

        Returns the new version. Raises `Late`, or `GameError` with the reason.
        """

        def deed(playing: Playing) -> None:
            people = [link.seat for link in self.store.links(table) if link.seat >= 0 and not link.bot]
            take_back(playing.game, seat, people)

        return self._do(table, seat, version, deed)

    def _do(self, table: str, seat: int, version: int, deed: Callable[[Playing], None]) -> int:
        playing = self.playing(table)
        with playing.lock:
            if seat < 0:
                raise GameError("only those who have a seat can do that", "ask the host for the link of a seat")
            if playing.version != version:
                raise Late
            try:
                deed(playing)
            except Taken:
                raise Late from None
            return playing.version

    def _loaded(self, table: str) -> Playing:
        lines = self.store.lines(table)
        if not lines:
            raise NoSuchTable(table)
        reading = Reading(b"".join(lines), table)
        rules = self._rules.of(reading.journal.checked())
        game = rules.rules.replay(reading.journal)
        journal = StoredJournal(self.store, table, reading.seal)
        game.record(journal)
        with self._lock:
            found = self._playing.setdefault(table, Playing(table, rules, game, journal))
            while len(self._playing) > MOST_IN_MEMORY:
                self._playing.popitem(last=False)
        return found


class KeptRules:
    """The rules that journals hold, read once for each set of them; those not asked for longest are forgotten."""

    def __init__(self, reader: Reader, most: int = MOST_RULES) -> None:
        self._reader = reader
        self._most = most
        self._known: OrderedDict[str, Ruled] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, journal: Journal) -> Ruled:
        """The rules the game was begun with, so that no change elsewhere reaches it. Raises as `Reader.kept`."""
        with self._lock:
            found = self._known.get(journal.header.rules)
        return found or self.add(journal, self._reader.kept(journal))  # without the lock: others need not wait

    def add(self, journal: Journal, rules: Rules) -> Ruled:
        """Remember the rules of a journal, which have been read already."""
        with self._lock:
            found = self._known.setdefault(journal.header.rules, Ruled(rules))
            self._known.move_to_end(journal.header.rules)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return found
