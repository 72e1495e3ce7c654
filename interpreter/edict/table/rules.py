"""Rules that can be played: a compiled game, ready to start games and to play old ones again.

A journal keeps the rules its game was begun with. To be played under others it is migrated: its answers are given
again, as far as they still can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING

from edict.program import Program
from edict.report import Diagnostic, RulesError
from edict.table.addresses import Layout
from edict.table.carry_over import Renamed, readings
from edict.table.game import Game
from edict.table.game_errors import GameError, JournalError
from edict.table.game_steps import Table
from edict.table.journal import Answer, Chapter, Header, Journal, read_journal
from edict.table.journal_files import Recorder
from edict.table.seeded_luck import MOST_SEED, SEED_BITS, fresh_seed
from edict.table.setup import checked_players, checked_settings

if TYPE_CHECKING:
    from edict.sources.folders import Module

DICE = ("seeded", "typed")
PLAY_ON = "continue from the answers before it, or play under the rules the game was started with"


@dataclass(frozen=True)
class Rules:
    """The rules of a game. `name` and `modules` are what they were loaded by, `warnings` what was found.

    `sources` are the modules as they were read, which every game keeps with it. `chapter`: which game of a campaign a
    new game is. Rules never change: threads may share them, each with games of its own.
    """

    program: Program
    name: str
    modules: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    sources: tuple[Module, ...] = field(default=(), compare=False, repr=False)
    chapter: Chapter | None = field(default=None, compare=False)

    @property
    def title(self) -> str:
        return self.program.title

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.program)

    @cached_property
    def bundle(self) -> str:
        """The rules in one text, from which they can be read again; empty if that is not known."""
        from edict.sources.packing import pack

        return pack(self.sources) if self.sources else ""

    def in_language(self, language: str) -> Rules:
        """The same rules with the words they have in another language; as they are, if these cannot be read.

        They play the same games: journals, and what they are kept under, tell nothing of it.
        """
        from edict.front.compile import compile_modules
        from edict.sources.words_files import in_language

        said = in_language(self.sources, language)
        program = compile_modules(said).value if said is not self.sources else None
        if program is None:
            return self
        return replace(self, program=_kept_alike(program, self.program))

    def new_game(
        self,
        players: Sequence[str],
        seed: int | None = None,
        settings: Mapping[str, object] | None = None,
        dice: str = "seeded",
        journal: str | PathLike[str] | None = None,
        bots: Sequence[str] = (),
    ) -> Game:
        """Start a game.

        players: their names in seating order. seed: below 2**128, the same one gives the same luck; None takes a new
        one that nobody can guess. settings: by name, the rest as the rules have them. dice: "seeded", or "typed" to be
        asked for every die rolled on a real table. journal: a file to be written as the game goes. bots: what the
        journal is to say of who answers for each seat; the game itself does not care.

        Raises `GameError` for anything wrong with these, `RulesError` if the rules fail at once.
        """
        if dice not in DICE:
            raise GameError(f"invalid value `{dice}` for dice", "write `seeded` or `typed`")
        seed = fresh_seed() if seed is None else seed
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
            raise GameError(f"invalid seed {seed!r}", f"it must be a whole number from 0 to 2**{SEED_BITS} - 1")
        program = self.program
        header = Header(
            self.name, self.modules, program.rules_hash, program.version, checked_players(program, players),
            checked_settings(program, settings or {}), seed, dice, tuple(bots), program.meaning,
            chapter=self.chapter,
        )  # fmt: skip
        game = Game.begin(Table.laid(program, self.layout, header, self.bundle))
        if journal is not None:
            game.record(Recorder.create(fspath(journal), game.journal))
        return game

    def replay(self, journal: Journal | str | PathLike[str]) -> Game:
        """The game in a journal, played again under these rules up to its last answer.

        Raises `JournalError` if it was made under other rules or holds an answer that is not possible.
        """
        journal = journal if isinstance(journal, Journal) else read_journal(fspath(journal))
        game = self._begun(journal)
        for number, answer in enumerate(journal.answers, 2):
            repeat(game, answer, answer.line or number, journal.place)
        return game

    def _begun(self, journal: Journal) -> Game:
        table = Table.laid(self.program, self.layout, self.checked(journal), journal.bundle)
        try:
            return Game.begin(table)
        except GameError as problem:
            raise JournalError(problem.reason, problem.remedy, 1, journal.place) from None

    def resume(self, path: str | PathLike[str]) -> Game:
        """The game in a journal, which goes on being written to that file.

        Raises `InUse` if another process plays it, `JournalError` as `replay` does.
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
        """Whether a game was begun under these rules, or such as mean the same."""
        program = self.program
        return header.rules == program.rules_hash or bool(header.meaning) and header.meaning == program.meaning

    def checked(self, journal: Journal) -> Header:
        """The journal's header, if these rules can play it."""
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
            settings = checked_settings(program, header.settings)
            if checked_players(program, header.players) != header.players:
                raise GameError("the list of players is not valid", "the file was changed or damaged")
        except GameError as problem:
            raise JournalError(f"in the header: {problem.reason}", problem.remedy, 1, journal.place) from None
        return header if header.settings.keys() <= settings.keys() else replace(header, settings=settings)


def _kept_alike(said: Program, program: Program) -> Program:
    """A program in other words, with the names under which games of the first are kept: some are made of its words."""
    questions = tuple(
        replace(one, name=first.name, keys=first.keys, decline_key=first.decline_key)
        for one, first in zip(said.questions, program.questions, strict=True)
    )
    return replace(said, questions=questions, rules_hash=program.rules_hash, meaning=program.meaning)


def repeat_all(game: Game, answers: Iterable[Answer], place: str) -> None:
    """Give a game these answers, one after the other. Raises `JournalError` at the first that is not possible."""
    for number, answer in enumerate(answers, len(game.answers) + 2):  # the header comes first
        repeat(game, answer, number, place)


def repeat(game: Game, answer: Answer, line: int, place: str) -> None:
    """Give a game the answer in a line of a journal, under the names it had then or has now."""
    if game.over:
        raise JournalError("an answer after the end of the game", PLAY_ON, line, place)
    ask = game.ask
    if game.program.renamed and (answer.question != ask.question or answer.key not in ask.keys):
        answer = translated(game, answer, dict(game.program.renamed))
    if (answer.seat, answer.question) != (ask.seat, ask.question):
        raise JournalError(
            f"it answers `{answer.question}` for seat {answer.seat}, but `{ask.question}` was asked of seat {ask.seat}",
            PLAY_ON,
            line,
            place,
        )
    try:
        game.answer(answer.key)
    except GameError as problem:
        raise JournalError(problem.reason, PLAY_ON, line, place) from None


def load_rules(name: str | PathLike[str], modules: Sequence[str] = ()) -> Rules:
    """Compile a game by name or path; raises `RulesError` with everything found wrong."""
    from edict.front.compile import compile_modules
    from edict.sources.module_set import gather

    gathered = gather(fspath(name), modules)
    outcome = gathered.then(compile_modules)
    return Rules(outcome.unwrap(), fspath(name), tuple(modules), outcome.diagnostics, gathered.unwrap())


# --- the rules a saved game is played under -------------------------------------------------------------

Load = Callable[[str, Sequence[str]], Rules]


def kept_rules(journal: Journal) -> Rules:
    """The rules a journal brings along. Raises `JournalError` if it has none or they are damaged."""
    from edict.front.compile import compile_modules
    from edict.sources.module_set import rules_hash
    from edict.sources.packing import unpack

    header = journal.header
    if not journal.bundle:
        remedy = "play it under the current rules"
        raise JournalError("the game does not contain the rules it was started with", remedy, place=journal.place)
    modules = unpack(journal.bundle).value
    if modules is None or rules_hash(modules) != header.rules:
        remedy = "play it under the current rules"
        raise JournalError("the rules kept in the game are damaged", remedy, place=journal.place)
    outcome = compile_modules(modules)
    return Rules(outcome.unwrap(), header.game, header.modules, outcome.diagnostics, modules)


def rules_for(journal: Journal, load: Load = load_rules) -> Rules:
    """The rules a game is played under: those it was begun with, wherever they are found.

    Where they are not found, those of the same name as they are now. Raises `RulesError` if there are none either.
    """
    if journal.keeps_rules:
        return kept_rules(journal)
    header = journal.header
    try:
        now = load(header.game, header.modules)
    except RulesError:
        if not journal.bundle:
            raise
        return kept_rules(journal)
    return now if now.plays(header) or not journal.bundle else kept_rules(journal)


# --- migration to other rules ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Migrated:
    """The game under the new rules, and the first answer that could not be given again, with the reason."""

    game: Game
    answers: int
    stopped: Answer | None = None
    reason: str = ""


def migrate(rules: Rules, journal: Journal, renamed: Renamed | None = None) -> Migrated:
    """The game of a journal under these rules, up to the first answer that is not possible under them.

    renamed: by default what the rules say was renamed. Raises `GameError` if its players or settings cannot be,
    `RulesError` if the rules fail at once.
    """
    renamed = dict(rules.program.renamed) if renamed is None else renamed
    header = journal.header if rules.plays(journal.header) else _header(rules, journal.header, renamed)
    bundle = journal.bundle if header is journal.header else rules.bundle
    game = Game.begin(Table.laid(rules.program, rules.layout, header, bundle))
    for number, answer in enumerate(journal.answers):
        try:
            repeat(game, translated(game, answer, renamed), answer.line, journal.place)
        except JournalError as problem:
            return Migrated(game, number, answer, problem.reason)
        except RulesError as fault:
            return Migrated(game, number, answer, fault.diagnostics[0].title)
    return Migrated(game, len(journal.answers))


def renamed_since(now: Program, before: Program | None) -> Renamed:
    """What is called otherwise in these rules than in those before; without them, all that was ever renamed."""
    known = set(before.renamed) if before else set()
    return dict(pair for pair in now.renamed if pair not in known)


def translated(game: Game, answer: Answer, renamed: Renamed) -> Answer:
    """The answer under the names that the question a game waits for, and its options, have now."""
    if not renamed or game.over:
        return answer
    ask = game.ask
    offered = {key.casefold(): key for key in ask.keys}
    question = next((name for name in readings(answer.question, renamed) if name == ask.question), answer.question)
    keys = (key.casefold() for key in readings(answer.key, renamed))
    return replace(answer, question=question, key=next((offered[key] for key in keys if key in offered), answer.key))


def _header(rules: Rules, old: Header, renamed: Renamed) -> Header:
    """The same table under other rules; settings they do not know are left out."""
    program = rules.program
    if old.opening is not None:
        remedy = "start it there again, or play under its own rules"
        raise GameError("the game began in the middle, under different rules", remedy)
    known = {setting.name for setting in program.settings}
    former = {name: now for name, now in program.renamed if name not in known} | dict(renamed)
    named = {former.get(name, name): value for name, value in old.settings.items()}
    settings = checked_settings(program, {name: value for name, value in named.items() if name in known})
    players = checked_players(program, old.players)
    return replace(
        old, players=players, rules=program.rules_hash, version=program.version, settings=settings,
        modules=rules.modules, game=rules.name, meaning=program.meaning,
    )  # fmt: skip
