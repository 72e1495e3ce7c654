"""Edict: an engine in which the rules of a board game are data.

    import edict
    rules = edict.load("kuhn-poker")
    game = rules.new_game(players=["Ann", "Brian"], seed=7)
    while not game.over:
        game.answer(game.ask.options[0])
    print(game.result, game.log[-5:])

`load` raises `RulesError`, games raise `GameError`, journals `JournalError` (a `GameError`, which is a
`ValueError`); each says what is wrong and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from edict.report import Diagnostic, RulesError
    from edict.table.errors import GameError, JournalError
    from edict.table.game import Game
    from edict.table.journal import Journal
    from edict.table.log import Entry
    from edict.table.options import Ask, Option
    from edict.table.result import Result
    from edict.table.rules import Rules
    from edict.table.view import View

__version__ = "0.1.0"

# Names by the module that defines them, imported when first used: `import edict` costs next to nothing.
_HOMES = {
    "Ask": "edict.table.options",
    "Diagnostic": "edict.report",
    "Entry": "edict.table.log",
    "Game": "edict.table.game",
    "GameError": "edict.table.errors",
    "Journal": "edict.table.journal",
    "JournalError": "edict.table.errors",
    "Option": "edict.table.options",
    "Result": "edict.table.result",
    "Rules": "edict.table.rules",
    "RulesError": "edict.report",
    "View": "edict.table.view",
}

__all__ = [
    "Ask", "Diagnostic", "Entry", "Game", "GameError", "Journal", "JournalError", "Option", "Result", "Rules",
    "RulesError", "View", "load", "replay", "resume",
]  # fmt: skip


def load(name: str | PathLike[str], modules: Sequence[str] = ()) -> Rules:
    """Load the rules of a game by name or by the path of its folder, with modules laid over them.

    Raises `RulesError`, whose `diagnostics` say what is wrong, where, and what to do about it.
    """
    from edict.table.rules import load_rules

    return load_rules(name, modules)


def replay(journal: Journal | str | PathLike[str], rules: Rules | None = None) -> Game:
    """Play the game in a journal (or the file of one) again, up to its last answer.

    Without `rules` they are loaded as the journal names them, or, if those have changed, as it keeps them. Raises
    `JournalError` when the journal cannot be read, was made under other rules, or holds an answer that is not possible.
    """
    from edict.table.bundle import rules_for
    from edict.table.journal import Journal as Read
    from edict.table.journal import read_journal

    read = journal if isinstance(journal, Read) else read_journal(journal)
    return (rules or rules_for(read)).replay(read)


def resume(path: str | PathLike[str], rules: Rules | None = None) -> Game:
    """Go on with the game in a journal's file; further answers are added to the file.

    Until `Game.close` no other process can: it gets `InUse`, a `JournalError`.
    """
    from edict.table.bundle import rules_for
    from edict.table.journal import read_journal

    return (rules or rules_for(read_journal(path))).resume(path)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module `edict` has no `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
