"""Resuming a game: under its rules if they are unchanged, otherwise as the player decides.

Where the rules have changed, the changes are shown, and the answers are given again under the current rules. If all of
them fit, the game continues. At the first that does not, it can continue from there, or under the rules it was
begun with, or be left. What a file held before is always kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from edict.cli.errors import Leave, UsageError, WrongRules
from edict.cli.loading import rules_of
from edict.cli.playing import changes
from edict.cli.playing.screen import Screen
from edict.report import RulesError, did_you_mean
from edict.table.rules import kept_rules, Migrated, migrate, renamed_since, Rules
from edict.table.errors import GameError, JournalError
from edict.table.game import Game
from edict.table.journal import Journal
from edict.table.journal_files import Recorder

NEW, OLD = "new", "old"
WAYS = (NEW, OLD)
Way = Callable[[], Game | None]
ENDING = "before"  # of a file that is kept when its game continues under other rules


class Unfitting(JournalError):
    """The game cannot simply go on: somebody has to say how."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a game is taken up: under which rules ("": as seems right), and how to talk about it."""

    rules: str = ""
    colour: bool = True
    simple: bool = False

    def screen(self, journal: Journal) -> Screen:
        return Screen(journal.header.players, self.colour, self.simple)


def reopened(path: Path, manner: Manner, named: bool = True) -> Game | None:
    """The game in a file, to be written there as it is played; None if nobody named it and it is over.

    Raises `InUse` if it is being played, `JournalError` if it is damaged, `Unfitting` if nobody can be asked what to
    do, `Leave` if the player declines, `RulesError` if there are no rules to play it under.
    """
    if manner.rules and manner.rules not in WAYS:
        remedy = did_you_mean(manner.rules, WAYS) or "write new or old"
        raise UsageError(f"invalid value for --rules: `{manner.rules}`", remedy)
    recorder = Recorder.resume(path)
    try:
        reopening = _Reopening(recorder, manner, named)
        game = reopening.game()
        if game is not None:
            reopening.let_read()
    except BaseException:
        recorder.close()
        raise
    if game is None:
        recorder.close()
    else:
        game.record(recorder)
    return game


class _Reopening:
    def __init__(self, recorder: Recorder, manner: Manner, named: bool) -> None:
        self.recorder = recorder
        self.journal = recorder.journal
        self.manner = manner
        self.named = named
        self.screen = manner.screen(self.journal)
        self.told = False

    def say(self, *lines: str | Text) -> None:
        self.screen.say(*lines)
        self.told = True

    def let_read(self) -> None:
        """What was reported is read before the board is drawn over it."""
        if self.told and self.screen.alive:
            self.screen.ask("Press Enter. ")

    def game(self) -> Game | None:
        if self.journal.cut_off:
            self.say(f"{self.journal.place}: the last line was cut off; the game continues from the answer before it.")
        if self.manner.rules == OLD or (self.journal.keeps_rules and self.manner.rules != NEW):
            return self.under_old_rules()
        header = self.journal.header
        try:
            now = rules_of(header.game, header.modules)
        except WrongRules as wrong:
            return self.without_rules(wrong)
        if now.plays(header):
            return self.as_it_was(now)
        return self.under_new_rules(now)

    # --- the ways to go on

    def under_old_rules(self) -> Game | None:
        game = kept_rules(self.journal).replay(self.journal)
        if game.over and not self.named:
            return None
        if not self.journal.keeps_rules:
            self.recorder.keep_rules()
        self.say("The game continues under the rules it was started with; --rules new switches to the current ones.")
        return game

    def as_it_was(self, rules: Rules) -> Game | None:
        migrated = migrate(rules, self.journal, {})
        if migrated.stopped is not None:
            return self.stopped(rules, migrated)
        return migrated.game if self.named or not migrated.game.over else None

    def under_new_rules(self, now: Rules) -> Game | None:
        before = self.rules_before()
        old = migrate(before, self.journal, {}).game if before else None
        if old is not None and old.over:  # nothing is left to be played by other rules
            return old if self.named else None
        migrated = self.migrated(now, before)
        if not self.named and migrated.stopped is None and migrated.game.over:
            return None
        self.say(*changes.rule_changes(before, now))
        if migrated.stopped is not None:
            return self.stopped(now, migrated, before)
        kept = self.recorder.rewrite(migrated.game.journal, ENDING)
        answers = f"All {migrated.answers} answers fit" if migrated.answers != 1 else "Its one answer fits"
        self.say(f"{answers} the rules as they are now, and the game continues under them.", _kept(kept))
        return migrated.game

    def rules_before(self) -> Rules | None:
        """The rules the game was begun with, if it holds them and they can still be read."""
        try:
            return kept_rules(self.journal)
        except (JournalError, RulesError):
            return None

    def migrated(self, now: Rules, before: Rules | None) -> Migrated:
        try:
            return migrate(now, self.journal, renamed_since(now.program, before.program if before else None))
        except (GameError, RulesError) as problem:
            reason = problem.reason if isinstance(problem, GameError) else problem.first
            raise Unfitting(
                f"under the current rules the game cannot even start: {reason}", self.remedy(()), 1,
                self.journal.place,
            ) from None

    # --- what does not fit

    def without_rules(self, wrong: WrongRules) -> Game | None:
        """The rules cannot be had as they are now; perhaps the game has brought its own."""
        if not self.journal.bundle:
            raise wrong
        reason = f"the current rules cannot be played: {wrong.first}"
        return self.decided(Unfitting(reason, self.remedy(()), 1, self.journal.place), {"old": self.under_old_rules})

    def stopped(self, rules: Rules, migrated: Migrated, before: Rules | None = None) -> Game | None:
        """An answer does not fit; what fits before it may be gone on from."""
        answer = migrated.stopped
        assert answer is not None

        def go_on() -> Game | None:
            kept = self.recorder.rewrite(migrated.game.journal, ENDING)
            left = len(self.journal.answers) - migrated.answers
            after = f"The game continues after answer {migrated.answers}"
            self.say(f"{after}; {left} later ones were dropped.", _kept(kept))
            return migrated.game

        ways: dict[str, Way] = {"go on": go_on}
        if self.journal.bundle and not rules.plays(self.journal.header):
            ways["old"] = self.under_old_rules
        self.screen.say(*changes.why(migrated))
        problem = Unfitting(changes.misfit(migrated, before), self.remedy(tuple(ways)), answer.line, self.journal.place)
        return go_on() if self.manner.rules == NEW else self.decided(problem, ways)

    def decided(self, problem: Unfitting, ways: dict[str, Way]) -> Game | None:
        """Ask what to do, if anybody is there."""
        if not sys.stdin.isatty():
            raise problem
        self.screen.say("", f"{problem.reason[:1].upper()}{problem.reason[1:]}.", "")
        explained = {
            "go on": "continue from there; the whole game is kept in a copy",
            "old": "continue under the rules it was started with",
            "leave": "leave it as it is",
        }
        known = {word: explained[word] for word in (*ways, "leave")}
        self.screen.say(*(f"  {word:<6} {text}" for word, text in known.items()))
        while True:
            typed = self.screen.ask("> ").casefold()
            found = [word for word in known if typed and word.startswith(typed)]
            if found == ["leave"]:
                raise Leave
            if len(found) == 1:
                return ways[found[0]]()
            self.screen.say(f"Type {', '.join(known)}, or the beginning of one of them.")

    def remedy(self, ways: tuple[str, ...]) -> str:
        """What can be typed instead, when nobody can be asked."""
        new = "--rules new continues from there and keeps the whole game in a copy"
        old = "--rules old continues under the rules the game was started with"
        offered = [new] if "go on" in ways else []
        offered += [old] if self.journal.bundle and ("old" in ways or not ways) else []
        return "; ".join(offered) or "put the rules back as they were"


def _kept(path: Path) -> str:
    return f"The game as it was is kept in {path}."
