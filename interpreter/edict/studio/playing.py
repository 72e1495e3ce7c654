"""Games of a variant: begun, taken up at a moment, and continued when its rules have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from edict.studio.opening import OpeningScene, begin_at, kept, openings
from edict.studio.snapshot import Snapshot
from edict.table.rules import Migrated, migrate, Rules
from edict.table.game import Game
from edict.table.journal import Journal


@dataclass(frozen=True, slots=True)
class GoneOn:
    """A game under other rules: its first `answers` of `of` answers hold there. `said`: what to tell who plays.

    changed: whether the rules are others at all; if not, the journal is the one that was given.
    """

    journal: Journal
    answers: int
    of: int
    changed: bool
    said: str


def begin(
    rules: Rules,
    players: Sequence[str],
    bots: Sequence[str] = (),
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Journal:
    """A new game, which keeps the rules it is played under.

    players: their names by seat. bots: for each seat the bot that answers for it, "" for a person; none named: all are
    people. Raises `GameError` for what cannot be played so, `RulesError` if the rules fail at once.
    """
    return kept(rules.new_game(players, seed, settings, bots=bots).journal)


def moment(journal: Journal, answers: int) -> Journal:
    """The game as it was after this many answers."""
    return replace(journal, answers=journal.answers[: max(answers, 0)])


def go_on(journal: Journal, rules: Rules, seen: Snapshot) -> GoneOn:
    """The game under the rules as they are now, up to the first answer that they do not allow.

    rules: those of the variant as it was `seen`; a game that began at a scene begins there again, as it is now.
    Raises `GameError` or `StudioError` if it cannot even begin under them, `RulesError` if they fail at once.
    """
    whole = len(journal.answers)
    if journal.header.rules == rules.program.rules_hash:
        return GoneOn(journal, whole, whole, False, "The rules are the same.")
    if journal.header.opening is not None:
        journal = _reopened(journal, rules, seen)
    migrated = migrate(rules, replace(journal, keeps_rules=False))
    return GoneOn(kept(migrated.game.journal), migrated.answers, whole, True, _said(migrated, whole))


def _reopened(journal: Journal, rules: Rules, seen: Snapshot) -> Journal:
    """The same answers, in a game that begins at the same scene under other rules."""
    old = journal.header
    assert old.opening is not None
    begun = begin_at(seen, rules, *old.opening.about, bots=old.bots, seed=old.seed)
    return replace(begun, answers=journal.answers)


def _said(migrated: Migrated, whole: int) -> str:
    stopped = migrated.stopped
    if stopped is None:
        return "The game continues under the new rules."
    left = whole - migrated.answers
    dropped = "it and the answers after it were dropped" if left > 1 else "it was dropped"
    return (
        f"Under the new rules, answer {migrated.answers + 1} of {whole} ({_who(migrated.game, stopped.seat)}: "
        f"{stopped.key}) is no longer possible: {migrated.reason}. The game continues from there; {dropped}."
    )


def _who(game: Game, seat: int) -> str:
    return game.players[seat] if 0 <= seat < len(game.players) else "dice"


__all__ = ["GoneOn", "OpeningScene", "begin", "begin_at", "go_on", "kept", "moment", "openings"]
