"""Resuming a game: under its rules if they are unchanged, otherwise as the player decides.

Where the rules have changed, the changes are shown, and the answers are given again under the current rules. If all of
them fit, the game continues. At the first that does not, it can continue from there, or under the rules it was
begun with, or be left. What a file held before is always kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from edict.apps.cli import shared_options as o
from edict.apps.cli import who_plays
from edict.apps.cli.command_errors import STOPPED, Leave, UsageError, WrongRules, print_error
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.game_loop import PlaySettings, at_the_table
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.rules_by_name import spoken_rules_of
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal_files import GameInUse, Recorder
from edict.game.table.rules import Migration, Rules, find_new_renames, load_bundled_rules, migrate_journal
from edict.support.morphology import to_sentence
from edict.support.report import RulesError, suggest_word
from edict.support.translations import current_language

NEW, OLD = "new", "old"
WAYS = (NEW, OLD)
Way = Callable[[], Game | None]
ENDING = "before"  # of a file that is kept when its game continues under other rules


class Unfitting(JournalError):
    """The game cannot simply go on: somebody has to say how."""


def reopened(path: Path, rules: str, manner: PlaySettings, named: bool = True) -> Game | None:
    """The game in a file, to be written there as it is played; None if nobody named it and it is over.

    Raises `GameInUse` if it is being played, `JournalError` if it is damaged, `Unfitting` if nobody can be asked what
    to do, `Leave` if the player declines, `RulesError` if there are no rules to play it under.
    """
    if rules and rules not in WAYS:
        raise UsageError(f"invalid value for --rules: `{rules}`", suggest_word(rules, WAYS) or "write new or old")
    recorder = Recorder.resume(path)
    try:
        reopening = _Reopening(recorder, rules, manner, named)
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
    def __init__(self, recorder: Recorder, rules: str, manner: PlaySettings, named: bool) -> None:
        self.recorder = recorder
        self.journal = recorder.journal
        self.rules = rules
        self.named = named
        self.screen = manner.screen(self.journal.header.players)
        self.told = False

    def say(self, *lines: str | Text) -> None:
        self.screen.say(*lines)
        self.told = True

    def let_read(self) -> None:
        """What was reported is read before the board is drawn over it."""
        if self.told and self.screen.alive:
            self.screen.ask("Press Enter. ")

    def game(self) -> Game | None:
        if cut := saved_games.describe_cut(self.journal):
            self.say(cut)
        if self.rules == OLD or (self.journal.keeps_rules and self.rules != NEW):
            return self.under_old_rules()
        header = self.journal.header
        try:
            now = spoken_rules_of(header.game, header.modules)
        except WrongRules as wrong:
            return self.without_rules(wrong)
        if now.plays(header):
            return self.as_it_was(now)
        return self.under_new_rules(now)

    # --- the ways to go on

    def under_old_rules(self) -> Game | None:
        game = load_bundled_rules(self.journal).in_language(current_language()).replay(self.journal)
        if game.over and not self.named:
            return None
        if not self.journal.keeps_rules:
            self.recorder.record_pinned_rules()
        self.say("The game continues under the rules it was started with; --rules new switches to the current ones.")
        return game

    def as_it_was(self, rules: Rules) -> Game | None:
        migrated = migrate_journal(rules, self.journal, {})
        if migrated.rejected is not None:
            return self.stopped(rules, migrated)
        return migrated.game if self.named or not migrated.game.over else None

    def under_new_rules(self, now: Rules) -> Game | None:
        before = self.rules_before()
        old = migrate_journal(before, self.journal, {}).game if before else None
        if old is not None and old.over:  # nothing is left to be played by other rules
            return old if self.named else None
        migrated = self.migrated(now, before)
        if not self.named and migrated.rejected is None and migrated.game.over:
            return None
        self.say(*rule_changes(before, now))
        if migrated.rejected is not None:
            return self.stopped(now, migrated, before)
        kept = self.recorder.rewrite(migrated.game.journal, ENDING)
        answers = f"All {migrated.answers} answers fit" if migrated.answers != 1 else "Its one answer fits"
        self.say(f"{answers} the rules as they are now, and the game continues under them.", _kept_in(kept))
        return migrated.game

    def rules_before(self) -> Rules | None:
        """The rules the game was begun with, if it holds them and they can still be read."""
        try:
            return load_bundled_rules(self.journal)
        except (JournalError, RulesError):
            return None

    def migrated(self, now: Rules, before: Rules | None) -> Migration:
        try:
            return migrate_journal(now, self.journal, find_new_renames(now.program, before.program if before else None))
        except (GameError, RulesError) as problem:
            reason = problem.reason if isinstance(problem, GameError) else problem.first
            raise Unfitting(
                f"under the current rules the game cannot even start: {reason}",
                self.remedy(()),
                1,
                self.journal.place,
            ) from None

    # --- what does not fit

    def without_rules(self, wrong: WrongRules) -> Game | None:
        """The rules cannot be had as they are now; perhaps the game has brought its own."""
        if not self.journal.bundle:
            raise wrong
        reason = f"the current rules cannot be played: {wrong.first}"
        return self.decided(Unfitting(reason, self.remedy(()), 1, self.journal.place), {"old": self.under_old_rules})

    def stopped(self, rules: Rules, migrated: Migration, before: Rules | None = None) -> Game | None:
        """An answer does not fit; what fits before it may be gone on from."""
        answer = migrated.rejected
        assert answer is not None

        def go_on() -> Game | None:
            kept = self.recorder.rewrite(migrated.game.journal, ENDING)
            left = len(self.journal.answers) - migrated.answers
            told = f"The game continues after answer {migrated.answers}; {left} later ones were dropped."
            self.say(told, _kept_in(kept))
            return migrated.game

        ways: dict[str, Way] = {"go on": go_on}
        if self.journal.bundle and not rules.plays(self.journal.header):
            ways["old"] = self.under_old_rules
        self.screen.say(*why_misfit(migrated))
        problem = Unfitting(misfit(migrated, before), self.remedy(tuple(ways)), answer.line, self.journal.place)
        return go_on() if self.rules == NEW else self.decided(problem, ways)

    def decided(self, problem: Unfitting, ways: dict[str, Way]) -> Game | None:
        """Ask what to do, if anybody is there."""
        if not sys.stdin.isatty():
            raise problem
        self.screen.say("", to_sentence(problem.reason), "")
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


def _kept_in(path: Path) -> str:
    return f"The game as it was is kept in {path}."


MOST_LINES = 40
Lines = list["str | Text"]


def rule_changes(before: Rules | None, now: Rules) -> list[str]:
    """What is different in the rules since a game was begun."""
    from edict.apps.cli.commands.diff import compared
    from edict.prose.rulebook.annotated_rules import annotate_rules

    title = now.title
    if before is None:
        return [f"The rules of {title} have changed since this game was started; it does not contain the old ones."]
    sides = [annotate_rules(rules.sources).value for rules in (before, now)]
    if sides[0] is None or sides[1] is None:
        return [f"The rules of {title} have changed since this game was started."]
    lines = [text for _, text in islice(compared(sides[0], sides[1]), 1, None)]
    if not lines:
        return [f"The rules of {title} have been reordered since this game was started, but mean the same."]
    more = [f"  ... and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return [f"The rules of {title} have changed since this game was started:", *lines[:MOST_LINES], *more, ""]


def misfit(migrated: Migration, before: Rules | None) -> str:
    """The answer that does not fit, and why; of one to a question that is or was secret, only that."""
    answer, game = migrated.rejected, migrated.game
    assert answer is not None
    who = game.players[answer.seat] if 0 <= answer.seat < len(game.players) else "dice"
    programs = [game.program, *([before.program] if before else [])]
    known = [question.secret for one in programs for question in one.questions if question.name == answer.question]
    secret = any(known) or not known
    what, reason = ("(secret)", "it is not possible") if secret else (f"`{answer.key}`", migrated.reason)
    return f"answer {migrated.answers + 1} ({who}, `{answer.question}`: {what}) no longer fits: {reason}"


def why_misfit(migrated: Migration) -> list[Text]:
    """The rules by which the answer is no option, as far as everybody may know."""
    from edict.apps.cli.playing.why import why_lines
    from edict.game.explanations import reasons_in_words
    from edict.game.explanations.option_reasons import OptionExplainer

    game, answer = migrated.game, migrated.rejected
    if answer is None or game.over or game.seat < 0:
        return []
    ask = game.ask
    if ask.secret or (ask.question, ask.seat) != (answer.question, answer.seat):
        return []
    asked = OptionExplainer(game, len(game.players))
    found = [option for option in asked.candidates().options if option.key == answer.key]
    if len(found) != 1:
        return []
    lines = reasons_in_words.select_voice(reasons_in_words.describe_refused(asked, found[0]), exactly=True)
    return why_lines(Screen(game.players), lines)


REMINDER = 12  # entries of the log told again to somebody who comes back

WhichRules = Annotated[
    str,
    typer.Option("--rules", metavar="new|old", help="If the rules have changed: which ones to continue with."),
]


def resume(
    file: o.LastGame = None,
    humans: o.Humans = None,
    bots: o.Bots = None,
    rules: WhichRules = "",
    speed: o.Speed = "",
    plain: o.Plain = False,
    takebacks: o.Takebacks = "",
) -> int:
    """Continue a game; returns the exit code."""
    manner = PlaySettings(speed, simple=plain, takebacks=takebacks)
    skipped = 0
    for path in [saved_games.find_game(file)] if file else saved_games.newest():
        try:
            game = reopened(path, rules, manner, named=bool(file))
        except Leave as leaving:
            return STOPPED if leaving.stopped else 0
        except (JournalError, RulesError) as problem:
            if file or isinstance(problem, GameInUse | Unfitting):
                raise
            _skipped(path, problem)
            skipped += 1
            continue
        if game is not None:
            kinds = _bots_of(game, humans or (), bots or ())
            return at_the_table(game, kinds, path, manner, told=max(0, len(game.log) - REMINDER))
    which = "every other game" if skipped else "every game"
    raise UsageError(f"{which} in {saved_games.folder()} is finished", "start another with `play`")


def _skipped(path: Path, problem: JournalError | RulesError) -> None:
    """A game that cannot be gone on with does not stand in the way of the others."""
    if isinstance(problem, RulesError):
        print_error(f"{path.name} is skipped: its rules cannot be played: {problem.first}")
        return
    reason = f"line {problem.line}: {problem.reason}" if problem.line else problem.reason
    remedy = f"`{saved_games.command(path, 'games repair')}` recovers what it can" if problem.line > 1 else ""
    print_error(f"{path.name} is skipped: {reason}", remedy)


def _bots_of(game: Game, humans: Sequence[str], named_bots: Sequence[str]) -> tuple[str, ...]:
    """Who answers for each seat from now on: as the journal says, unless `--human` or `--bot KIND:NAME` do."""
    kept = game.journal.header.bots
    bots = list(kept) if len(kept) == len(game.players) else [""] * len(game.players)
    for name in humans:
        bots[who_plays.seat_of(name, game.players)] = ""
    named = [who_plays.kind_and_name(spec) for spec in named_bots]
    for _, name in named:
        bots[who_plays.seat_of(name, game.players)] = ""
    who_plays.trusted(bots, "the saved game")
    for kind, name in named:
        bots[who_plays.seat_of(name, game.players)] = kind
    return tuple(who_plays.checked_kind(kind) if kind else "" for kind in bots)
