"""A table that is being played: a game in memory, and the lines in which it is kept.

The same in the server, for rules that ship, and in the processes for strangers' rules.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Protocol

from edict.report import RulesError
from edict.sources.module_lookup import catalogue
from edict.sources.appearance import look_of
from edict.sources.folders import Passage
from edict.sources.words_files import in_language
from edict.table.errors import GameError, JournalError
from edict.table.game import Game
from edict.table.journal import Answer, Journal, Reading, ChecksumChain
from edict.table.view_data import as_json, view_data
from edict.table.rules import Rules, load_rules, repeat
from edict.translations import ENGLISH, spoken
from edict.web.table_pictures import Recent, picture
from edict.web.themes import Theme


class Late(Exception):
    """The question was answered already, or it is somebody else's."""


class NoSuchTable(Exception):
    """The store has no table of this name."""


class NoSuchMoment(Exception):
    """The game has not come so far; the text says how far it has."""


class NotAsked(Exception):
    """The seat is not asked anything; the text says so."""


HOST, ONLOOKER = -1, -2  # seats of links that answer for nobody


@dataclass(frozen=True, slots=True)
class Link:
    """What the key of a link opens: a seat (HOST and ONLOOKER are none); `bot` answers for it, if it is not empty.

    sealed: the host plays, so seats have to be taken, and the game's file stays closed. taken: somebody has this one.
    """

    key: str
    table: str
    seat: int
    bot: str
    sealed: bool = False
    taken: bool = False

    @property
    def free(self) -> bool:
        """Whether it opens nothing but a seat to be taken."""
        return self.sealed and not self.taken and self.seat >= 0 and not self.bot

    @property
    def looks_as(self) -> int | None:
        """The seat whose view it shows; None for those who see what everybody may."""
        return self.seat if self.seat >= 0 else None


class Lines(Protocol):
    """Where the lines of tables are kept: the store, or what a process was sent of it."""

    def lines(self, table: str, since: int = 0) -> Sequence[bytes]: ...

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None: ...


class StoredJournal:
    """Adds a game's answers to the lines that are kept, and takes in those that others have added."""

    def __init__(self, kept: Lines, table: str, chain: ChecksumChain) -> None:
        self.kept = kept
        self.table = table
        self.chain = chain
        self._following = False

    @property
    def version(self) -> int:
        """How many lines the game has taken in."""
        return self.chain.lines

    def answer(self, answer: Answer) -> None:
        self._add(answer.to_data())

    def undo(self, answers: int) -> None:
        self._add({"undo": answers})

    def close(self) -> None:
        """There is nothing to let go of."""

    def follow(self, game: Game) -> None:
        """Bring a game up to what is kept."""
        self._following = True
        try:
            for line in self.kept.lines(self.table, self.version):
                self._take(game, self.chain.read(line.rstrip(b"\n")))
                self.chain.append(line)
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
        trial = self.chain.copy()
        self.kept.add_lines(self.table, self.version, [trial.line(data)])
        self.chain = trial


class Ruled:
    """Rules, and how the game looks that is played by them. strange: not only rules that ship."""

    def __init__(self, rules: Rules, strange: bool, language: str = ENGLISH) -> None:
        self.rules = rules
        self.language = language
        self.strange = strange
        self._languages: dict[str, Ruled] = {ENGLISH: self}

    @property
    def spoken(self) -> Ruled:
        """The same in the language that is spoken."""
        language = spoken()
        found = self._languages.get(language)
        if found is None:
            said = self.rules.in_language(language)
            self._languages[language] = found = self if said is self.rules else Ruled(said, self.strange, language)
        return found

    @cached_property
    def book(self) -> tuple[Passage, ...]:
        """What authors say in the rulebook."""
        modules = in_language(self.rules.sources, self.language)
        return tuple(passage for module in modules for passage in module.manifest.book)

    @cached_property
    def drawing(self) -> Theme:
        return Theme(look_of(self.rules.sources), self.rules.program)


@dataclass
class LiveTable:
    """A table in memory. Everything about it is done while its lock is held."""

    id: str
    rules: Ruled
    game: Game
    journal: StoredJournal
    lock: threading.RLock = field(default_factory=threading.RLock)
    recent: Recent = field(default_factory=Recent)

    @staticmethod
    def read(table: str, reading: Reading, rules: Ruled, kept: Lines) -> LiveTable:
        """The table whose lines were read. Raises `JournalError` or `RulesError` if it cannot be played."""
        game, journal = rules.rules.replay(reading.journal), StoredJournal(kept, table, reading.chain)
        game.record(journal)
        return LiveTable(table, rules, game, journal)

    @property
    def drawing(self) -> Theme:
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


@dataclass(frozen=True)
class Begun:
    """A game that can be played at a table, as it is kept there. `bots` answers for each seat, "" is a person."""

    title: str
    lines: tuple[bytes, ...]
    bots: tuple[str, ...]

    @staticmethod
    def of(journal: Journal, rules: Rules, bots: tuple[str, ...]) -> Begun:
        """A game with its rules. Raises `JournalError` or `RulesError` if it cannot be played."""
        if not journal.bundle:
            journal = replace(journal, bundle=rules.bundle)
        if not journal.bundle:
            raise JournalError("its rules are too large to be kept with the game", "play it at the terminal")
        rules.replay(journal)
        return Begun(rules.title, tuple(journal.to_bytes().splitlines(keepends=True)), bots)


# --- rules that are trusted ------------------------------------------------------------------------


MOST_RULES = 64  # sets of rules kept in memory


def shipped(journal: Journal) -> Ruled | None:
    """Rules that are at hand and trusted, if the game was begun with them or brings none along."""
    header = journal.header
    if journal.keeps_rules or not {header.game, *header.modules} <= _at_hand():
        return None
    found = _named(header.game, header.modules)
    same = found is not None and journal.bundle in ("", found.rules.bundle)  # with its look, which no hash covers
    return found if same else None


@cache
def _at_hand() -> frozenset[str]:
    """The names of all rules that ship."""
    return frozenset(catalogue())


@lru_cache(maxsize=MOST_RULES)
def _named(game: str, modules: tuple[str, ...]) -> Ruled | None:
    try:
        return Ruled(load_rules(game, modules), strange=False)
    except (RulesError, GameError):
        return None
