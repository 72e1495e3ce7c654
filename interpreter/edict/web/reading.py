"""Which rules are trusted: those that ship are played in the server, all others in processes of their own."""

from __future__ import annotations

from functools import cache, lru_cache

from edict.report import RulesError
from edict.sources.finding import catalogue
from edict.table.errors import GameError
from edict.table.journal import Journal
from edict.table.rules import load_rules
from edict.web.playing import Ruled

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
