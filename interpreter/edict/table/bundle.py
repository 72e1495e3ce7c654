"""The rules a game was begun with, as its journal keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.report import RulesError
from edict.table.errors import JournalError
from edict.table.journal import Journal
from edict.table.rules import Rules, load_rules

Load = Callable[[str, Sequence[str]], Rules]


def kept_rules(journal: Journal) -> Rules:
    """The rules a journal brings along. Raises `JournalError` if it has none or they are damaged."""
    from edict.front.compile import compile_modules
    from edict.sources.modules import rules_hash
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
