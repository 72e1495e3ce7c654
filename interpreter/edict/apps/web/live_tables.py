"""A table that is being played: a game in memory, and the lines in which it is kept.

The same in the server, for rules that ship, and in the processes for strangers' rules.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Protocol

from edict.apps.web.page_elements import Shown
from edict.apps.web.table_pictures import Recent, picture
from edict.apps.web.themes import Theme
from edict.compiler.sources.appearance import look_of
from edict.compiler.sources.folders import Passage
from edict.compiler.sources.module_lookup import catalogue
from edict.compiler.sources.words_files import in_language
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.clock import PlayerClocks
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import TIME, Answer, ChecksumChain, Journal, early_answers_to_data, parse_early_answers
from edict.game.table.rules import Rules, load_rules, replay_answer
from edict.game.table.simultaneous import SimultaneousQuestions
from edict.runtime.program.opcodes import CHANCE
from edict.support.report import RulesError
from edict.support.translations import ENGLISH, current_language


class AnsweredAlready(Exception):
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


NOBODY = Link("", "", ONLOOKER, "")


def people_of(links: Iterable[Link]) -> list[int]:
    """The seats that bots do not answer for."""
    return [link.seat for link in links if link.seat >= 0 and not link.bot]


class StoredLines(Protocol):
    """Where the lines of tables are kept: the store, or what a process was sent of it."""

    def lines(self, table: str, since: int = 0) -> Sequence[bytes]: ...

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None: ...


class StoredJournal:
    """Adds a game's answers to the lines that are kept, and takes in those that others have added.

    timed: lines say when they were written. `last` is what the last one says.
    """

    def __init__(self, kept: StoredLines, table: str, timed: bool) -> None:
        self.kept = kept
        self.table = table
        self.chain = ChecksumChain()
        self.last: dict[str, Any] = {}
        self._timed = timed
        self._following = False

    @property
    def version(self) -> int:
        """How many lines the game has taken in."""
        return self.chain.lines

    def answer(self, answer: Answer) -> None:
        self._add(answer.to_data())

    def undo(self, answers: int) -> None:
        self._add({"undo": answers})

    def hold(self, seat: int, answers: Sequence[Answer]) -> None:
        """All that a seat has answered before its turn."""
        self._add(early_answers_to_data(seat, answers))

    def close(self) -> None:
        """There is nothing to let go of."""

    def follow(self, game: Game) -> Iterator[None]:
        """Bring a game up to what is kept, line by line."""
        for line in self.kept.lines(self.table, self.version):
            data = self.chain.parse_line(line.rstrip(b"\n"))
            self._following = True
            try:
                self._take(game, data)
            finally:
                self._following = False
            self.chain.append(line)
            self.last = data
            yield

    def _take(self, game: Game, data: dict[str, Any]) -> None:
        if "undo" in data:
            game.back_by(data["undo"])
        elif "answer" in data:
            answer = Answer(data["seat"], data["question"], data["answer"])
            replay_answer(game, answer, self.version + 1, self.table)

    def _add(self, data: dict[str, Any]) -> None:
        if self._following:
            return
        if self._timed:
            data = data | {TIME: round(time.time(), 1)}
        trial = self.chain.copy()
        self.kept.add_lines(self.table, self.version, [trial.append_data(data)])
        self.chain, self.last = trial, data


class TableRules:
    """Rules, and how the game looks that is played by them. strange: not only rules that ship."""

    def __init__(self, rules: Rules, strange: bool, language: str = ENGLISH) -> None:
        self.rules = rules
        self.language = language
        self.strange = strange
        self._languages: dict[str, TableRules] = {ENGLISH: self}

    @property
    def spoken(self) -> TableRules:
        """The same in the language that is spoken."""
        language = current_language()
        found = self._languages.get(language)
        if found is None:
            said = self.rules.in_language(language)
            self._languages[language] = found = self if said is self.rules else TableRules(said, self.strange, language)
        return found

    @cached_property
    def book(self) -> tuple[Passage, ...]:
        """What authors say in the rulebook."""
        modules = in_language(self.rules.sources, self.language)
        return tuple(passage for module in modules for passage in module.manifest.book)

    @cached_property
    def drawing(self) -> Theme:
        return Theme(look_of(assign_renames(self.rules.sources)), self.rules.program)


REMEMBERED = 3
"""Versions of a table of which it is remembered what was shown to each seat."""


class LiveTable:
    """A table in memory. Everything about it is done while its lock is held.

    clocks: how long the players have left, if the table has clocks.
    """

    def __init__(self, table: str, rules: TableRules, game: Game, journal: StoredJournal) -> None:
        self.id, self.rules, self.game, self.journal = table, rules, game, journal
        self.lock = threading.RLock()
        self.recent = Recent()
        clock = game.table.header.clock
        self.clocks = PlayerClocks(clock, len(game.players)) if clock is not None else None
        self._came = [0]  # the version at which there were so many answers
        self._undone = 0  # the last one at which some were taken back
        self._answered: dict[int, int] = {}  # and at which a seat answered, also before its turn
        self._held: dict[int, tuple[Answer, ...]] = {}
        self._shown: OrderedDict[str, Shown] = OrderedDict()
        game.record(journal)

    @staticmethod
    def read(table: str, journal: Journal, rules: TableRules, kept: StoredLines) -> LiveTable:
        """The table whose journal was read. Raises `JournalError` or `RulesError` if it cannot be played."""
        game = rules.rules.replay(replace(journal, answers=()))
        found = LiveTable(table, rules, game, StoredJournal(kept, table, game.table.header.clock is not None))
        found.follow()
        return found

    @property
    def drawing(self) -> Theme:
        """How the game looks."""
        return self.rules.drawing

    @property
    def version(self) -> int:
        """How many lines the table's journal has: what an answer must name, so that none is given twice."""
        return self.journal.version

    # --- answering

    def follow(self) -> None:
        """Bring the table up to what is kept."""
        for _ in self.journal.follow(self.game):
            self._noted()

    def answer(self, key: str) -> None:
        """Answer the game's question. Raises as `Game.answer` does."""
        self.game.answer(key)
        self._noted()

    def take_back(self, seat: int, people: Sequence[int]) -> None:
        """Take back a seat's last answer. Raises as `Game.take_back` does."""
        self.game.take_back(seat, people)
        self._noted()

    def hold(self, seat: int, answers: Sequence[Answer]) -> None:
        """Hold what a seat has answered before its turn, in place of what it had."""
        self.journal.hold(seat, answers)
        self._noted()

    def _noted(self) -> None:
        """Something was added to the journal."""
        data = self.journal.last
        if "undo" in data:
            del self._came[-data["undo"] :]
            self._undone = self.version
            self._held.clear()
        elif "held" in data:
            seat, self._held[seat] = parse_early_answers(data)
            self._answered[seat] = self.version
        elif "answer" in data:
            answer = Answer(data["seat"], data["question"], data["answer"])
            self._came.append(self.version)
            self._answered[answer.seat] = self.version
            held = self._held.get(answer.seat, ())
            self._held[answer.seat] = held[1:] if held[:1] == (answer,) else ()
        elif len(self._came) == 1:
            self._came = [self.version]
        if self.clocks is not None and TIME in data:
            asked = self.waiting
            self.clocks.advance_to(data[TIME], self.at_once.seats or asked, asked, len(self._came) - 1, "undo" in data)

    # --- who is asked

    @property
    def at_once(self) -> SimultaneousQuestions:
        """Those who are asked at the same time, now."""
        found: SimultaneousQuestions = self.recent.at(self.version).get(("at once", self.version), self._at_once)
        return found

    def _at_once(self) -> SimultaneousQuestions:
        found = SimultaneousQuestions(self.game, {})
        if found.start_depth is None:
            return found
        began = max(self._came[found.start_depth], self._undone)
        return SimultaneousQuestions(
            self.game, {seat: held for seat, held in self._held.items() if self._answered[seat] > began}
        )

    def held(self, seat: int) -> tuple[Answer, ...]:
        """What a seat has answered before its turn."""
        return (*self.at_once.held.get(seat, ()),)[: len(self.at_once.early_answers(seat))]

    @property
    def waiting(self) -> tuple[int, ...]:
        """Whose answers are waited for; nobody's for typed dice, and when the game is over."""
        return self.at_once.pending_seats or (
            (self.game.seat,) if self.game.seat >= 0 and not self.at_once.seats else ()
        )

    def stands_since(self, seat: int) -> int:
        """The version at which what a seat can answer, or take back, came to be as it is."""
        began = self.at_once.start_depth
        if began is None:
            return self.version
        return max(self._came[began], self._undone, self._answered.get(seat, 0))

    def turn_since(self, seat: int) -> int:
        """The version at which it came to be the turn of a seat that is asked: nobody else has answered since."""
        if self.at_once.start_depth is not None:
            return self._came[self.at_once.start_depth]
        step = self.game.last_step
        while step.before is not None and step.seat in (seat, CHANCE):
            step = step.before
        return self._came[step.depth]

    def out_of_time(self, seat: int) -> bool:
        """Whether a player's time is up."""
        clocks = self.clocks
        if clocks is None or seat < 0 or clocks.clock.each_turn and seat not in clocks.running:
            return False
        return clocks.seconds_left(seat, time.time()) <= 0

    # --- looking

    def seen_by(self, seat: int | None) -> Game:
        """The game as a seat plays it: at its own question, if it is asked at the same time as others."""
        ahead = self.at_once.game_at_question(seat) if seat is not None else None
        return ahead or self.game

    def done(self, seat: int | None) -> bool:
        """Whether a seat has answered all that it is asked, and others have not."""
        return seat in self.at_once.seats and seat not in self.waiting

    def remember(self, shown: Shown) -> Shown:
        """What somebody's browser shows from now on."""
        self._shown[shown.mark] = shown
        while len(self._shown) > REMEMBERED * (len(self.game.players) + 1):
            self._shown.popitem(last=False)
        return shown

    def shown(self, mark: str) -> Shown | None:
        """What a browser shows that names this mark; None if that is not known any more."""
        return self._shown.get(mark)

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat may see (None: what everybody may), as JSON."""
        return to_json_data(build_view_data(self.seen_by(seat), seat)) | self._asked(seat)

    def picture(self, seat: int | None) -> dict[str, Any]:
        """What a page shows of it."""
        recent = self.recent.at(self.version)
        made: dict[str, Any] = recent.get(("picture", self.version, seat), lambda: self._picture(seat, recent))
        return made

    def _picture(self, seat: int | None, recent: Recent) -> dict[str, Any]:
        shown = picture(self.seen_by(seat), seat, recent) | self._asked(seat)
        names = [self.game.players[one] for one in self.waiting]
        return shown | ({"waiting": names} if names else {})

    def _asked(self, seat: int | None) -> dict[str, Any]:
        """What a view of the game must say otherwise where several are asked at the same time."""
        asked = self.waiting if self.at_once.seats else ()
        if not asked or seat in asked:
            return {}
        return {"question": None, "waiting_for": self.game.players[asked[0]]}


@dataclass(frozen=True)
class PlayableGame:
    """A game that can be played at a table, as it is kept there. `bots` answers for each seat, "" is a person."""

    title: str
    lines: tuple[bytes, ...]
    bots: tuple[str, ...]

    @staticmethod
    def of(journal: Journal, rules: Rules, bots: tuple[str, ...]) -> PlayableGame:
        """A game with its rules. Raises `JournalError` or `RulesError` if it cannot be played."""
        if not journal.bundle:
            journal = replace(journal, bundle=rules.bundle)
        if not journal.bundle:
            raise JournalError("its rules are too large to be kept with the game", "play it at the terminal")
        rules.replay(journal)
        return PlayableGame(rules.title, tuple(journal.to_bytes().splitlines(keepends=True)), bots)


# --- rules that are trusted ------------------------------------------------------------------------


MOST_RULES = 64  # sets of rules kept in memory


def shipped(journal: Journal) -> TableRules | None:
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
def _named(game: str, modules: tuple[str, ...]) -> TableRules | None:
    try:
        return TableRules(load_rules(game, modules), strange=False)
    except (RulesError, GameError):
        return None
