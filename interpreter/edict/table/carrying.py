"""A game carried over to other rules: its answers given again, as far as they still can be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edict.program import Program
from edict.report import RulesError
from edict.table.errors import GameError, JournalError
from edict.table.game import Game
from edict.table.journal import Answer, Header, Journal
from edict.table.renaming import Renamed, readings
from edict.table.rules import Rules, repeat
from edict.table.start import checked_players, checked_settings
from edict.table.steps import Table


@dataclass(frozen=True, slots=True)
class Carried:
    """The game under the new rules, and the first answer that could not be given again, with the reason."""

    game: Game
    answers: int
    stopped: Answer | None = None
    reason: str = ""


def carry(rules: Rules, journal: Journal, renamed: Renamed | None = None) -> Carried:
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
            return Carried(game, number, answer, problem.reason)
        except RulesError as fault:
            return Carried(game, number, answer, fault.diagnostics[0].title)
    return Carried(game, len(journal.answers))


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
    named = {renamed.get(name, name): value for name, value in old.settings.items()}
    settings = checked_settings(program, {name: value for name, value in named.items() if name in known})
    players = checked_players(program, old.players)
    return replace(
        old, players=players, rules=program.rules_hash, version=program.version, settings=settings,
        modules=rules.modules, game=rules.name, meaning=program.meaning,
    )  # fmt: skip
