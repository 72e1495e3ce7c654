"""Rules that can be played: a compiled game, ready to start games and to play old ones again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path

from edict.program import Program
from edict.report import Diagnostic
from edict.machine.mixing import MASK
from edict.table.chance import fresh_seed
from edict.table.errors import GameError, JournalError
from edict.table.game import Game
from edict.table.journal import REMOVE, Answer, Header, Journal, Recorder, read_journal
from edict.table.layout import Layout
from edict.table.start import checked_players, checked_settings
from edict.table.steps import Table

DICE = ("seeded", "typed")


@dataclass(frozen=True)
class Rules:
    """The rules of a game. `name` and `modules` are what they were loaded by, `warnings` what was found."""

    program: Program
    name: str
    modules: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def title(self) -> str:
        return self.program.title

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.program)

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

        players: their names in seating order. seed: 0 to 2**64 - 1, the same one gives the same luck; None takes a
        new one. settings: by name, the rest as the rules have them. dice: "seeded", or "typed" to be asked for every
        die rolled on a real table. journal: a file to be written as the game goes. bots: what the journal is to
        say of who answers for each seat; the game itself does not care.

        Raises `GameError` for anything wrong with these, `RulesError` if the rules fail at once.
        """
        if dice not in DICE:
            raise GameError(f"dice cannot be {dice!r}", 'they are "seeded" or "typed"')
        seed = fresh_seed() if seed is None else seed
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MASK:
            raise GameError(f"the seed cannot be {seed!r}", "it is a whole number from 0 to 2**64 - 1")
        program = self.program
        header = Header(
            self.name, self.modules, program.rules_hash, program.version, checked_players(program, players),
            checked_settings(program, settings or {}), seed, dice, tuple(bots),
        )  # fmt: skip
        game = Game.begin(Table.laid(program, self.layout, header))
        if journal is not None:
            game.record(Recorder.create(fspath(journal), game.journal))
        return game

    def replay(self, journal: Journal | str | PathLike[str]) -> Game:
        """The game a journal tells, played again under these rules up to its last answer.

        Raises `JournalError` if it was made under other rules or holds an answer that is not possible.
        """
        journal = journal if isinstance(journal, Journal) else read_journal(fspath(journal))
        game = Game.begin(Table.laid(self.program, self.layout, self.checked(journal)))
        for number, answer in enumerate(journal.answers, 2):
            repeat(game, answer, answer.line or number, journal.place)
        return game

    def resume(self, path: str | PathLike[str]) -> Game:
        """The game in a journal, which goes on being written to that file."""
        journal = read_journal(fspath(path))
        game = self.replay(journal)
        game.record(Recorder.resume(Path(path), journal))
        return game

    def checked(self, journal: Journal) -> Header:
        """The journal's header, if these rules can play it."""
        header, program = journal.header, self.program
        if header.rules != program.rules_hash:
            raise JournalError(
                f"the game was played under other rules of {header.game} "
                f"(version {header.version}, {header.rules}; these are {program.version}, {program.rules_hash})",
                "play it with the rules and modules it was made with",
                1,
                journal.place,
            )
        try:
            checked_settings(program, header.settings)
            if checked_players(program, header.players) != header.players or not 0 <= header.seed <= MASK:
                raise GameError("the players or the seed cannot be right", "the file was changed or damaged")
        except GameError as problem:
            raise JournalError(f"in the header: {problem.reason}", problem.remedy, 1, journal.place) from None
        return header


def repeat(game: Game, answer: Answer, line: int, place: str) -> None:
    """Give a game the answer in a line of a journal."""
    if game.over:
        raise JournalError("an answer after the end of the game", REMOVE, line, place)
    ask = game.ask
    if (answer.seat, answer.question) != (ask.seat, ask.question):
        raise JournalError(
            f"it answers `{answer.question}` for seat {answer.seat}, but `{ask.question}` was asked of seat {ask.seat}",
            REMOVE,
            line,
            place,
        )
    try:
        game.answer(answer.key)
    except GameError as problem:
        raise JournalError(problem.reason, REMOVE, line, place) from None


def load_rules(name: str | PathLike[str], modules: Sequence[str] = ()) -> Rules:
    """Compile a game by name or path; raises `RulesError` with everything found wrong."""
    from edict.front.compile import compile_rules

    outcome = compile_rules(fspath(name), tuple(modules))
    program = outcome.unwrap()
    return Rules(program, fspath(name), tuple(modules), outcome.diagnostics)
