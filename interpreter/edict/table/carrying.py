"""A game carried over to other rules: its answers given again, as far as they still can be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edict.report import RulesError
from edict.table.errors import JournalError
from edict.table.game import Game
from edict.table.journal import Answer, Header, Journal
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


def carry(rules: Rules, journal: Journal) -> Carried:
    """The game of a journal under these rules, up to the first answer that is not possible under them.

    Raises `GameError` if its players or settings cannot be, `RulesError` if the rules fail at once.
    """
    game = Game.begin(Table.laid(rules.program, rules.layout, _header(rules, journal.header)))
    for number, answer in enumerate(journal.answers):
        try:
            repeat(game, answer, answer.line, journal.place)
        except JournalError as problem:
            return Carried(game, number, answer, problem.reason)
        except RulesError as fault:
            return Carried(game, number, answer, fault.diagnostics[0].title)
    return Carried(game, len(journal.answers))


def _header(rules: Rules, old: Header) -> Header:
    """The same table under other rules; settings they do not know are left out."""
    program = rules.program
    known = {setting.name for setting in program.settings}
    settings = checked_settings(program, {name: value for name, value in old.settings.items() if name in known})
    players = checked_players(program, old.players)
    return replace(
        old, players=players, rules=program.rules_hash, version=program.version, settings=settings,
        modules=rules.modules, game=rules.name,
    )  # fmt: skip
