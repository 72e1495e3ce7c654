"""Rules that can be played: a compiled game that starts, replays and migrates games.

A journal keeps the rules its game was started with. To be played under others it is migrated: its answers are given
again as far as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING

from edict.game.table.addresses import StateLayout
from edict.game.table.carry_over import Renamed, iter_readings
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.game_steps import GameTable
from edict.game.table.journal import Answer, Chapter, Header, Journal, read_journal
from edict.game.table.journal_files import Recorder
from edict.game.table.seeded_draws import MOST_SEED, SEED_BITS, create_seed
from edict.game.table.setup import check_players, check_settings
from edict.runtime.program import Program
from edict.runtime.program.program_translation import translate_program
from edict.support.report import Diagnostic, RulesError
from edict.support.translations import ENGLISH, use_language

if TYPE_CHECKING:
    from edict.compiler.sources.folders import Module

DICE = ("seeded", "typed")
CONTINUE_REMEDY = "continue from the answers before it, or play under the rules the game was started with"


@dataclass(frozen=True)
class Rules:
    """The rules of a game. They never change: threads may share them, each with its own games."""

    program: Program
    name: str  # name or path by which the game was loaded
    modules: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)  # diagnostics of the compiler
    # modules as they were read; every game keeps them with it
    sources: tuple[Module, ...] = field(default=(), compare=False, repr=False)
    chapter: Chapter | None = field(default=None, compare=False)  # the game of a campaign that a new game is

    @property
    def title(self) -> str:
        """Return the title of the game."""
        return self.program.title

    @cached_property
    def layout(self) -> StateLayout:
        """Return the layout of the state."""
        return StateLayout.from_program(self.program)

    @cached_property
    def bundle(self) -> str:
        """Return the sources packed into one text, or an empty text if they are unknown."""
        from edict.compiler.sources.packing import pack_modules

        return pack_modules(self.sources) if self.sources else ""

    def in_language(self, language: str) -> Rules:
        """Return the rules with their texts in another language; a text without a translation stays English.

        They play the same games; journals and their keys do not depend on the language.
        """
        from edict.compiler.sources.words_files import load_phrasebook

        if language == ENGLISH:
            return self
        with use_language(language):
            return replace(self, program=translate_program(self.program, load_phrasebook(self.sources, language)))

    def new_game(
        self,
        players: Sequence[str],
        seed: int | None = None,
        settings: Mapping[str, object] | None = None,
        dice: str = "seeded",
        journal: str | PathLike[str] | None = None,
        bots: Sequence[str] = (),
        plans: Sequence[str] = (),
    ) -> Game:
        """Start a game.

        Args:
            players: The names in seating order.
            seed: A number below 2**128; equal seeds give equal luck. None takes a new seed that nobody can guess.
            settings: Values by name; the others keep the rules' defaults.
            dice: "seeded", or "typed" to be asked for every die rolled on a real table.
            journal: A file to which the game is written as it goes.
            bots: The bot of each seat for the journal; the game itself ignores it.
            plans: The text of the plan of each seat's bot for the journal, likewise.

        Raises:
            GameError: An argument is invalid.
            RulesError: The rules fail at once.
        """
        if dice not in DICE:
            raise GameError(f"invalid value `{dice}` for dice", "write `seeded` or `typed`")
        seed = create_seed() if seed is None else seed
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
            raise GameError(f"invalid seed {seed!r}", f"it must be a whole number from 0 to 2**{SEED_BITS} - 1")
        program = self.program
        header = Header(
            self.name,
            self.modules,
            program.rules_hash,
            program.version,
            check_players(program, players),
            check_settings(program, settings or {}),
            seed,
            dice,
            tuple(bots),
            program.meaning,
            chapter=self.chapter,
            plans=tuple(plans),
        )
        game = Game.begin(GameTable.from_header(program, self.layout, header, self.bundle))
        if journal is not None:
            game.record(Recorder.create(fspath(journal), game.journal))
        return game

    def replay(self, journal: Journal | str | PathLike[str]) -> Game:
        """Replay the game in a journal under these rules up to its last answer.

        Raises `JournalError` if it was made under other rules or holds an answer that is not possible.
        """
        journal = journal if isinstance(journal, Journal) else read_journal(fspath(journal))
        game = self._start(journal)
        for number, answer in enumerate(journal.answers, 2):
            replay_answer(game, answer, answer.line or number, journal.place)
        return game

    def _start(self, journal: Journal) -> Game:
        """Start the game of a journal, without its answers. Raise `JournalError` if its setup is impossible."""
        table = GameTable.from_header(self.program, self.layout, self.checked(journal), journal.bundle)
        try:
            return Game.begin(table)
        except GameError as error:
            raise JournalError(error.reason, error.remedy, 1, journal.place) from None

    def resume(self, path: str | PathLike[str]) -> Game:
        """Replay the game in a journal's file and go on writing to the file.

        Raises `GameInUse` if another process plays it, `JournalError` as `replay` does.
        """
        recorder = Recorder.resume(path)
        try:
            game = self.replay(recorder.journal)
        except BaseException:
            recorder.close()
            raise
        game.record(recorder)
        return game

    def plays(self, header: Header) -> bool:
        """Return True if a header has the hash of these rules, or their `meaning` (same play, other text)."""
        program = self.program
        return header.rules == program.rules_hash or bool(header.meaning) and header.meaning == program.meaning

    def checked(self, journal: Journal) -> Header:
        """Return a journal's header with players and settings checked against these rules."""
        header, program = journal.header, self.program
        if not self.plays(header):
            raise JournalError(
                f"the game was played under other rules of {header.game} "
                f"(version {header.version}, {header.rules}; these are {program.version}, {program.rules_hash})",
                "`resume` shows what is different, and how to continue",
                1,
                journal.place,
            )
        try:
            settings = check_settings(program, header.settings)
            if check_players(program, header.players) != header.players:
                raise GameError("the list of players is not valid", "the file was changed or damaged")
        except GameError as error:
            raise JournalError(f"in the header: {error.reason}", error.remedy, 1, journal.place) from None
        if header.settings.keys() <= settings.keys():
            return header
        return replace(header, settings=settings)


def replay_answers(game: Game, answers: Iterable[Answer], place: str) -> None:
    """Give a game these answers, one after the other. Raises `JournalError` at the first that is not possible."""
    for number, answer in enumerate(answers, len(game.answers) + 2):  # the header comes first
        replay_answer(game, answer, number, place)


def replay_answer(game: Game, answer: Answer, line: int, place: str) -> None:
    """Give a game the answer in a line of a journal, under its current or a former name. Raises `JournalError`."""
    if game.over:
        raise JournalError("an answer after the end of the game", CONTINUE_REMEDY, line, place)
    ask = game.ask
    if game.program.renamed and (answer.question != ask.question or answer.key not in ask.keys):
        answer = translate_answer(game, answer, dict(game.program.renamed))
    if (answer.seat, answer.question) != (ask.seat, ask.question):
        raise JournalError(
            f"it answers `{answer.question}` for seat {answer.seat}, but `{ask.question}` was asked of seat {ask.seat}",
            CONTINUE_REMEDY,
            line,
            place,
        )
    try:
        game.answer(answer.key)
    except GameError as error:
        raise JournalError(error.reason, CONTINUE_REMEDY, line, place) from None


def load_rules(name: str | PathLike[str], modules: Sequence[str] = ()) -> Rules:
    """Compile a game by name or path. Raises `RulesError` with every error found."""
    from edict.compiler.pipeline.compile import compile_modules
    from edict.compiler.sources.module_set import gather_modules

    gathered = gather_modules(fspath(name), modules)
    outcome = gathered.and_then(compile_modules)
    return Rules(outcome.unwrap(), fspath(name), tuple(modules), outcome.diagnostics, gathered.unwrap())


# --- the rules a saved game is played under -------------------------------------------------------------

RulesLoader = Callable[[str, Sequence[str]], Rules]


def load_bundled_rules(journal: Journal) -> Rules:
    """Compile the rules packed in a journal. Raises `JournalError` if it has none or they are damaged."""
    from edict.compiler.pipeline.compile import compile_modules
    from edict.compiler.sources.module_set import hash_rules
    from edict.compiler.sources.packing import unpack_modules

    header = journal.header
    if not journal.bundle:
        remedy = "play it under the current rules"
        raise JournalError("the game does not contain the rules it was started with", remedy, place=journal.place)
    modules = unpack_modules(journal.bundle).value
    if modules is None or hash_rules(modules) != header.rules:
        remedy = "play it under the current rules"
        raise JournalError("the rules kept in the game are damaged", remedy, place=journal.place)
    outcome = compile_modules(modules)
    return Rules(outcome.unwrap(), header.game, header.modules, outcome.diagnostics, modules)


def load_rules_for(journal: Journal, load: RulesLoader = load_rules) -> Rules:
    """Return the rules that a game was started with, from wherever they are found.

    If they are not found, returns the current rules of that name. Raises `RulesError` if there are none.
    """
    if journal.keeps_rules:
        return load_bundled_rules(journal)
    header = journal.header
    try:
        current = load(header.game, header.modules)
    except RulesError:
        if not journal.bundle:
            raise
        return load_bundled_rules(journal)
    if current.plays(header) or not journal.bundle:
        return current
    return load_bundled_rules(journal)


# --- migration to other rules ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Migration:
    """The result of a migration."""

    game: Game
    answers: int  # number of answers that could be given again
    rejected: Answer | None = None  # the first answer that is not possible
    reason: str = ""


def migrate_journal(rules: Rules, journal: Journal, renamed: Renamed | None = None) -> Migration:
    """Replay a journal under other rules up to the first answer that they do not allow.

    Args:
        rules: The new rules.
        journal: The journal.
        renamed: New names by old; by default those that the rules declare.

    Raises:
        GameError: The players or settings do not fit the new rules.
        RulesError: The rules fail at once.
    """
    renamed = dict(rules.program.renamed) if renamed is None else renamed
    if rules.plays(journal.header):
        header = journal.header
    else:
        header = _migrate_header(rules, journal.header, renamed)
    bundle = journal.bundle if header is journal.header else rules.bundle
    game = Game.begin(GameTable.from_header(rules.program, rules.layout, header, bundle))
    for number, answer in enumerate(journal.answers):
        try:
            replay_answer(game, translate_answer(game, answer, renamed), answer.line, journal.place)
        except JournalError as error:
            return Migration(game, number, answer, error.reason)
        except RulesError as error_:
            return Migration(game, number, answer, error_.diagnostics[0].title)
    return Migration(game, len(journal.answers))


def find_new_renames(now: Program, before: Program | None) -> Renamed:
    """Return new names by old ones for renames that `before` does not have; all of them without `before`."""
    known = set(before.renamed) if before else set()
    return dict(pair for pair in now.renamed if pair not in known)


def translate_answer(game: Game, answer: Answer, renamed: Renamed) -> Answer:
    """Return an answer under the current names of the pending question and its options."""
    if not renamed or game.over:
        return answer
    ask = game.ask
    keys_by_folded = {key.casefold(): key for key in ask.keys}
    question = next((name for name in iter_readings(answer.question, renamed) if name == ask.question), answer.question)
    keys = (key.casefold() for key in iter_readings(answer.key, renamed))
    return replace(
        answer, question=question, key=next((keys_by_folded[key] for key in keys if key in keys_by_folded), answer.key)
    )


def _migrate_header(rules: Rules, old: Header, renamed: Renamed) -> Header:
    """Return a header for other rules without the settings they do not know."""
    program = rules.program
    if old.opening is not None:
        remedy = "start it there again, or play under its own rules"
        raise GameError("the game began in the middle, under different rules", remedy)
    known = {setting.name for setting in program.settings}
    former = {name: now for name, now in program.renamed if name not in known} | dict(renamed)
    renamed_settings = {former.get(name, name): value for name, value in old.settings.items()}
    settings = check_settings(program, {name: value for name, value in renamed_settings.items() if name in known})
    players = check_players(program, old.players)
    return replace(
        old,
        players=players,
        rules=program.rules_hash,
        version=program.version,
        settings=settings,
        modules=rules.modules,
        game=rules.name,
        meaning=program.meaning,
    )
