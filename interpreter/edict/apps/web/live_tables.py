"""A table in play: a game in memory, and the stored journal lines that it follows and adds to.

The server uses it for rules that ship, and the processes for strangers' rules use it for all others.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from typing import Any, Protocol

from edict.apps.web.page_elements import RenderedTable
from edict.apps.web.table_pictures import RenderCache, build_picture
from edict.apps.web.themes import Theme
from edict.compiler.sources.appearance import combine_looks
from edict.compiler.sources.folders import Passage, iter_passages
from edict.compiler.sources.module_lookup import load_catalogue
from edict.compiler.sources.words_files import translate_modules
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
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.translations import ENGLISH, current_language


class AnsweredAlready(Exception):
    """Raised when a question is answered already, or asked of another seat."""


class NoSuchTable(Exception):
    """Raised when the store has no table with an ID."""


class NoSuchMoment(Exception):
    """Raised when a game has fewer answers than requested; the text tells how many it has."""


class NotAsked(Exception):
    """Raised when a seat has no question to answer; the text is for the player."""


HOST, ONLOOKER = -1, -2  # values of `Link.seat` for links that answer for no seat


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a table; whoever knows its key may use it."""

    key: str
    table: str
    seat: int  # a seat, HOST or ONLOOKER
    bot: str  # the kind of bot that answers for the seat; empty for a person
    sealed: bool = False  # the host plays too: seats have to be taken, and the game's file stays closed until the end
    taken: bool = False  # a person has taken the seat

    @property
    def free(self) -> bool:
        """Return True if the link opens nothing but a seat that a person can still take."""
        return self.sealed and not self.taken and self.seat >= 0 and not self.bot

    @property
    def viewing_seat(self) -> int | None:
        """Return the seat whose view the link shows, or None for the view that is open to everybody."""
        return self.seat if self.seat >= 0 else None


# stands for the viewer's own link in HTML that is rendered once for several viewers
PLACEHOLDER_LINK = Link("", "", ONLOOKER, "")


def list_human_seats(links: Iterable[Link]) -> list[int]:
    """Return the seats of these links that people answer for, not bots."""
    return [link.seat for link in links if link.seat >= 0 and not link.bot]


class LineStore(Protocol):
    """Stores the journal lines of tables: the database, or the part of it that was sent to a process."""

    def lines(self, table: str, since: int = 0) -> Sequence[bytes]:
        """Return the lines of a table from index `since` on."""

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None:
        """Add lines to a table, the first at index `number`.

        Raises:
            LineConflict: The table has a line of this index already.
        """


class StoredJournal:
    """The journal of a table in a store: writes a game's answers as lines, and applies lines that others have added.

    Args:
        timed: Whether new lines get a time stamp.

    Attributes:
        last: The data of the last line.
    """

    def __init__(self, line_store: LineStore, table: str, timed: bool) -> None:
        self.line_store = line_store
        self.table = table
        self.chain = ChecksumChain()
        self.last: dict[str, Any] = {}
        self._timed = timed
        self._following = False

    @property
    def version(self) -> int:
        """Return how many lines were written or applied."""
        return self.chain.lines

    def answer(self, answer: Answer) -> None:
        """Write the line of an answer."""
        self._append(answer.to_data())

    def undo(self, answers: int) -> None:
        """Write the line of an undo that takes back this many answers."""
        self._append({"undo": answers})

    def hold(self, seat: int, answers: Sequence[Answer]) -> None:
        """Write all answers that a seat has given before its turn, in place of those written before."""
        self._append(early_answers_to_data(seat, answers))

    def close(self) -> None:
        """Do nothing: there is no file to close."""

    def apply_new_lines(self, game: Game) -> Iterator[None]:
        """Read the lines stored since the last call, and apply each to the game; yield after each."""
        for line in self.line_store.lines(self.table, self.version):
            data = self.chain.parse_line(line.rstrip(b"\n"))
            self._following = True
            try:
                self._apply(game, data)
            finally:
                self._following = False
            self.chain.append(line)
            self.last = data
            yield

    def _apply(self, game: Game, data: dict[str, Any]) -> None:
        """Apply the data of one stored line, an answer or an undo, to a game; other lines change nothing."""
        if "undo" in data:
            game.back_by(data["undo"])
        elif "answer" in data:
            answer = Answer(data["seat"], data["question"], data["answer"])
            replay_answer(game, answer, self.version + 1, self.table)

    def _append(self, data: dict[str, Any]) -> None:
        """Add a line to the store, with the time if kept; do nothing while stored lines are being applied."""
        if self._following:
            return
        if self._timed:
            data = data | {TIME: round(time.time(), 1)}
        chain = self.chain.copy()
        self.line_store.add_lines(self.table, self.version, [chain.append_data(data)])
        self.chain, self.last = chain, data


class TableRules:
    """The rules of a table in one language, and the look of their game.

    Args:
        untrusted: Whether they are strangers' rules, not only rules that ship.
    """

    def __init__(self, rules: Rules, untrusted: bool, language: str = ENGLISH) -> None:
        self.rules = rules
        self.language = language
        self.untrusted = untrusted
        self._languages: dict[str, TableRules] = {ENGLISH: self}

    @property
    def localized(self) -> TableRules:
        """Return these rules in the language of the current request."""
        language = current_language()
        table_rules = self._languages.get(language)
        if table_rules is None:
            translated = self.rules.in_language(language)
            if translated is self.rules:
                self._languages[language] = table_rules = self
            else:
                self._languages[language] = table_rules = TableRules(translated, self.untrusted, language)
        return table_rules

    @cached_property
    def rulebook_passages(self) -> tuple[Passage, ...]:
        """Return the passages that the authors of the rules wrote for the rulebook."""
        modules = translate_modules(self.rules.sources, self.language)
        return tuple(passage for _, passage in iter_passages(modules))

    @cached_property
    def theme(self) -> Theme:
        """Return the look of the game."""
        return Theme(combine_looks(assign_renames(self.rules.sources)), self.rules.program)


RENDERINGS_PER_VIEWPOINT = 3  # renderings of a table that are remembered, for each seat and for onlookers


class LiveTable:
    """A table in memory. Hold its lock for everything that you do with it.

    Attributes:
        recent: A cache of page parts for the present version.
        clocks: The players' clocks; None if the table has none.
    """

    def __init__(self, table: str, rules: TableRules, game: Game, journal: StoredJournal) -> None:
        self.id, self.rules, self.game, self.journal = table, rules, game, journal
        self.lock = threading.RLock()
        self.recent = RenderCache()
        clock = game.table.header.clock
        self.clocks = PlayerClocks(clock, len(game.players)) if clock is not None else None
        self._answer_versions = [0]  # item n: the version at which there were n answers
        self._undo_version = 0  # the version of the last undo
        self._seat_versions: dict[int, int] = {}  # the version of each seat's last answer, also before its turn
        self._held_by_seat: dict[int, tuple[Answer, ...]] = {}
        self._renderings: OrderedDict[str, RenderedTable] = OrderedDict()
        game.record(journal)

    @staticmethod
    def load(table: str, journal: Journal, rules: TableRules, line_store: LineStore) -> LiveTable:
        """Create a table from the start of its journal and the lines in a store.

        Raises:
            JournalError: An answer is not possible.
            RulesError: The rules fail.
        """
        game = rules.rules.replay(replace(journal, answers=()))
        table_in_play = LiveTable(
            table, rules, game, StoredJournal(line_store, table, game.table.header.clock is not None)
        )
        table_in_play.apply_new_lines()
        return table_in_play

    @property
    def theme(self) -> Theme:
        """Return the look of the game."""
        return self.rules.theme

    @property
    def version(self) -> int:
        """Return the number of lines in the table's journal.

        Requests to answer name the version that they saw, so that no question is answered twice.
        """
        return self.journal.version

    # --- answering

    def apply_new_lines(self) -> None:
        """Apply the lines that other processes have added to the store."""
        for _ in self.journal.apply_new_lines(self.game):
            self._index_last_line()

    def answer(self, key: str) -> None:
        """Answer the game's question with the key of an option. Raises as `Game.answer` does."""
        self.game.answer(key)
        self._index_last_line()

    def take_back(self, seat: int, people: Sequence[int]) -> None:
        """Take back a seat's last answer. Raises as `Game.take_back` does."""
        self.game.take_back(seat, people)
        self._index_last_line()

    def hold_answers(self, seat: int, answers: Sequence[Answer]) -> None:
        """Hold the answers that a seat has given before its turn, in place of those held before."""
        self.journal.hold(seat, answers)
        self._index_last_line()

    def _index_last_line(self) -> None:
        """Update the versions, the held answers and the clocks after a line was added to the journal."""
        data = self.journal.last
        if "undo" in data:
            del self._answer_versions[-data["undo"] :]
            self._undo_version = self.version
            self._held_by_seat.clear()
        elif "held" in data:
            seat, self._held_by_seat[seat] = parse_early_answers(data)
            self._seat_versions[seat] = self.version
        elif "answer" in data:
            answer = Answer(data["seat"], data["question"], data["answer"])
            self._answer_versions.append(self.version)
            self._seat_versions[answer.seat] = self.version
            held = self._held_by_seat.get(answer.seat, ())
            self._held_by_seat[answer.seat] = held[1:] if held[:1] == (answer,) else ()
        elif len(self._answer_versions) == 1:
            self._answer_versions = [self.version]
        if self.clocks is not None and TIME in data:
            pending_seats = self.waiting
            self.clocks.advance_to(
                data[TIME],
                self.simultaneous_questions.seats or pending_seats,
                pending_seats,
                len(self._answer_versions) - 1,
                "undo" in data,
            )

    # --- who is asked

    @property
    def simultaneous_questions(self) -> SimultaneousQuestions:
        """Return the simultaneous questions of the present version."""
        questions: SimultaneousQuestions = self.recent.switch_version(self.version).get_or_make(
            ("at once", self.version), self._find_simultaneous_questions
        )
        return questions

    def _find_simultaneous_questions(self) -> SimultaneousQuestions:
        """Return the questions asked at once, with the answers held since they began or since the last undo."""
        questions = SimultaneousQuestions(self.game, {})
        if questions.start_depth is None:
            return questions
        begin_version = max(self._answer_versions[questions.start_depth], self._undo_version)
        return SimultaneousQuestions(
            self.game,
            {seat: held for seat, held in self._held_by_seat.items() if self._seat_versions[seat] > begin_version},
        )

    def list_early_answers(self, seat: int) -> tuple[Answer, ...]:
        """Return the valid answers that a seat has given before its turn."""
        return (*self.simultaneous_questions.held.get(seat, ()),)[
            : len(self.simultaneous_questions.early_answers(seat))
        ]

    @property
    def waiting(self) -> tuple[int, ...]:
        """Return the seats whose answers are awaited; empty when dice are to be typed and when the game is over."""
        return self.simultaneous_questions.pending_seats or (
            (self.game.seat,) if self.game.seat >= 0 and not self.simultaneous_questions.seats else ()
        )

    def find_last_change_version(self, seat: int) -> int:
        """Return the first version at which the seat's question and its possible undo were as now."""
        start_depth = self.simultaneous_questions.start_depth
        if start_depth is None:
            return self.version
        return max(self._answer_versions[start_depth], self._undo_version, self._seat_versions.get(seat, 0))

    def turn_start_version(self, seat: int) -> int:
        """Return the version at which the turn of a seat that is asked began; no other player has answered since."""
        if self.simultaneous_questions.start_depth is not None:
            return self._answer_versions[self.simultaneous_questions.start_depth]
        step = self.game.last_step
        while step.before is not None and step.seat in (seat, CHANCE):
            step = step.before
        return self._answer_versions[step.depth]

    def is_out_of_time(self, seat: int) -> bool:
        """Return True if a player's time is up."""
        clocks = self.clocks
        if clocks is None or seat < 0 or clocks.clock.each_turn and seat not in clocks.running:
            return False
        return clocks.seconds_left(seat, time.time()) <= 0

    # --- looking

    def get_game_for(self, seat: int | None) -> Game:
        """Return the game as a seat plays it: at the seat's own question if several seats are asked simultaneously."""
        if seat is not None:
            game_at_question = self.simultaneous_questions.game_at_question(seat)
        else:
            game_at_question = None
        return game_at_question or self.game

    def is_waiting_for_others(self, seat: int | None) -> bool:
        """Return True if a seat has answered all of its simultaneous questions, and other seats have not."""
        return seat in self.simultaneous_questions.seats and seat not in self.waiting

    def remember_rendering(self, rendering: RenderedTable) -> RenderedTable:
        """Store a rendering by its mark, so that later updates send only changes to it, and return it."""
        self._renderings[rendering.mark] = rendering
        while len(self._renderings) > RENDERINGS_PER_VIEWPOINT * (len(self.game.players) + 1):
            self._renderings.popitem(last=False)
        return rendering

    def find_rendering(self, mark: str) -> RenderedTable | None:
        """Return the rendering with a mark, or None if it is forgotten."""
        return self._renderings.get(mark)

    def build_view(self, seat: int | None) -> dict[str, Any]:
        """Return the view of a seat (None for what everybody may see) as JSON data."""
        return to_json_data(build_view_data(self.get_game_for(seat), seat)) | self._question_overrides(seat)

    def get_page_data(self, seat: int | None) -> dict[str, Any]:
        """Return the view that the templates of a table's page take, cached for the present version."""
        recent = self.recent.switch_version(self.version)
        page_data: dict[str, Any] = recent.get_or_make(
            ("picture", self.version, seat), lambda: self._build_page_data(seat, recent)
        )
        return page_data

    def _build_page_data(self, seat: int | None, recent: RenderCache) -> dict[str, Any]:
        """Return the view of a seat as templates need it, with the names of players whose answers are awaited."""
        page_data = build_picture(self.get_game_for(seat), seat, recent) | self._question_overrides(seat)
        names = [self.game.players[pending_seat] for pending_seat in self.waiting]
        return page_data | ({"waiting": names} if names else {})

    def _question_overrides(self, seat: int | None) -> dict[str, Any]:
        """Return `question` None and `waiting_for` for a seat that answered while others still have to; else {}."""
        pending_seats = self.waiting if self.simultaneous_questions.seats else ()
        if not pending_seats or seat in pending_seats:
            return {}
        return {"question": None, "waiting_for": self.game.players[pending_seats[0]]}


@dataclass(frozen=True)
class PlayableGame:
    """A game that was found playable, as the store keeps it."""

    title: str
    lines: tuple[bytes, ...]  # of its journal
    bots: tuple[str, ...]  # kind of bot by seat; empty for a person

    @staticmethod
    def from_journal(journal: Journal, rules: Rules, bots: tuple[str, ...]) -> PlayableGame:
        """Return the game of a journal, with its rules packed into the journal.

        Raises:
            JournalError: The answers are not possible, or the rules are too large to pack.
            RulesError: The rules fail.
        """
        if not journal.bundle:
            journal = replace(journal, bundle=rules.bundle)
        if not journal.bundle:
            raise JournalError("its rules are too large to be kept with the game", "play it at the terminal")
        rules.replay(journal)
        return PlayableGame(rules.title, tuple(journal.to_bytes().splitlines(keepends=True)), bots)


# --- rules that are trusted ------------------------------------------------------------------------


MOST_RULES = 64  # sets of rules that ship that are kept in memory


def find_shipped_rules(journal: Journal) -> TableRules | None:
    """Return the rules of a game if all of them ship and the journal brings no others along, else None.

    Such rules are trusted and need no process of their own.
    """
    header = journal.header
    if journal.keeps_rules or not {header.game, *header.modules} <= _list_shipped_names():
        return None
    table_rules = _load_shipped_rules(header.game, header.modules)
    # includes the look, which no hash covers
    is_same = table_rules is not None and journal.bundle in (
        "",
        table_rules.rules.bundle,
    )
    return table_rules if is_same else None


@cache
def _list_shipped_names() -> frozenset[str]:
    """Return the names of all games and modules that ship."""
    return frozenset(load_catalogue())


@lru_cache(maxsize=MOST_RULES)
def _load_shipped_rules(game: str, modules: tuple[str, ...]) -> TableRules | None:
    """Return shipped rules for a table; None if they cannot be loaded."""
    try:
        return TableRules(load_rules(game, modules), untrusted=False)
    except (RulesError, GameError):
        return None
