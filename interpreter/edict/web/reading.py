"""Rules that somebody brought along are read in a process of their own, which may take only so long and so much.

Everything under `Reader` runs in that process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.report import RulesError
from edict.sources.finding import catalogue
from edict.table.bundle import kept_rules
from edict.table.errors import GameError, JournalError
from edict.table.journal import Journal
from edict.table.rules import Rules, load_rules
from edict.web.uploads import WrongUpload, rules_with
from edict.web.workers import Bounds, Failed, Workers

BOUNDS = Bounds(seconds=30.0, memory=1_500_000_000)
"""For one set of rules; the largest that ships takes four seconds and 250 MB."""


class Reader:
    """Reads rules. Safe from any thread, and waits."""

    def __init__(self, bounds: Bounds = BOUNDS) -> None:
        self._workers = Workers(1, bounds)

    def uploaded(self, raw: bytes, game: str, modules: Sequence[str]) -> Rules:
        """A game with modules that ship and the one in a zip file. Raises `WrongUpload`."""
        try:
            found: Rules = self._workers.wait(rules_with, raw, game, tuple(modules))
        except Failed as problem:
            raise WrongUpload(f"its rules could not be read: {problem}") from None
        return found

    def kept(self, journal: Journal) -> Rules:
        """The rules of a journal: those that ship, if it was begun with these, or else those it brings along.

        Raises `GameError` or `RulesError`.
        """
        shipped = _shipped(journal)
        if shipped is not None:
            return shipped
        try:
            found: Rules = self._workers.wait(kept_rules, replace(journal, answers=()))
        except Failed as problem:
            raise JournalError(f"its rules could not be read: {problem}", "play it at the terminal") from None
        return found

    def close(self) -> None:
        self._workers.close()


def _shipped(journal: Journal) -> Rules | None:
    """Rules that are at hand and trusted, if the game was begun with them or brings none along."""
    header = journal.header
    if journal.keeps_rules or not {header.game, *header.modules} <= {*catalogue()}:
        return None
    try:
        found = load_rules(header.game, header.modules)
    except (RulesError, GameError):
        return None
    return found if journal.bundle in ("", found.bundle) else None  # with its look, which no hash covers
