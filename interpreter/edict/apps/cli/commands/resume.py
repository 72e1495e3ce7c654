"""The command `resume`, which continues a saved game, also if its rules have changed.

If the rules have changed, the changes are shown and the answers are replayed under the current rules. If all answers
are still possible, the game continues. Otherwise the player can continue from the first impossible answer, continue
under the original rules, or leave the game. The previous content of the file is always kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from edict.agents.bots import BOTS
from edict.apps.cli import seating
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import STOPPED, PlayerLeaves, RulesErrorWithSources, UsageError, print_error
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.game_loop import PlaySettings, play_at_terminal
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.rules_by_name import load_translated_rules
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal_files import GameInUse, Recorder
from edict.game.table.rules import Migration, Rules, find_new_renames, load_bundled_rules, migrate_journal
from edict.support.morphology import to_sentence
from edict.support.report import RulesError, suggest_word
from edict.support.translations import current_language

NEW, OLD = "new", "old"
RULES_CHOICES = (NEW, OLD)
Way = Callable[[], Game | None]
BACKUP_SUFFIX = "before"  # of the backup made before the game continues under other rules


class RulesMismatch(JournalError):
    """An error of a game that cannot continue under its rules until a player decides how."""


def reopen_game(path: Path, rules: str, play_settings: PlaySettings, named: bool = True) -> Game | None:
    """Return the game in a file, which records further answers there; None if it is over and not named.

    Args:
        path: The file.
        rules: "new", "old" or empty.
        play_settings: The settings for play at this keyboard.
        named: Whether the player named this game.

    Raises:
        InUse: Another process plays the game.
        JournalError: The file is damaged.
        RulesMismatch: Somebody must decide how to continue, and nobody can be asked.
        PlayerLeaves: The player leaves the game as it is.
        RulesError: There are no rules to play it under.
    """
    if rules and rules not in RULES_CHOICES:
        raise UsageError(
            f"invalid value for --rules: `{rules}`", suggest_word(rules, RULES_CHOICES) or "write new or old"
        )
    recorder = Recorder.resume(path)
    try:
        reopening = _GameReopener(recorder, rules, play_settings, named)
        game = reopening.open_game()
        if game is not None:
            reopening.wait_until_read()
    except BaseException:
        recorder.close()
        raise
    if game is None:
        recorder.close()
    else:
        game.record(recorder)
    return game


class _GameReopener:
    def __init__(self, recorder: Recorder, rules: str, play_settings: PlaySettings, named: bool) -> None:
        self.recorder = recorder
        self.journal = recorder.journal
        self.rules = rules
        self.named = named
        self.screen = play_settings.make_screen(self.journal.header.players)
        self.has_output = False

    def say(self, *lines: str | Text) -> None:
        """Print lines, and note that the player has something to read before the board appears."""
        self.screen.say(*lines)
        self.has_output = True

    def wait_until_read(self) -> None:
        """Wait until the player has read the messages before the board replaces them."""
        if self.has_output and self.screen.alive:
            self.screen.ask("Press Enter. ")

    def open_game(self) -> Game | None:
        """Return the saved game under the rules to continue with; None for a finished game that was not named."""
        if warning := saved_games.describe_cut(self.journal):
            self.say(warning)
        if self.rules == OLD or (self.journal.keeps_rules and self.rules != NEW):
            return self.open_under_old_rules()
        header = self.journal.header
        try:
            current_rules = load_translated_rules(header.game, header.modules)
        except RulesErrorWithSources as error:
            return self.handle_broken_rules(error)
        if current_rules.plays(header):
            return self.open_under_same_rules(current_rules)
        return self.open_under_new_rules(current_rules)

    # --- the ways to go on

    def open_under_old_rules(self) -> Game | None:
        """Replay the game by the rules in its file and record that it keeps them; None if over and not named."""
        game = load_bundled_rules(self.journal).in_language(current_language()).replay(self.journal)
        if game.over and not self.named:
            return None
        if not self.journal.keeps_rules:
            self.recorder.record_pinned_rules()
        self.say("The game continues under the rules it was started with; --rules new switches to the current ones.")
        return game

    def open_under_same_rules(self, rules: Rules) -> Game | None:
        """Replay the game if the current rules play alike; ask how to continue if an answer is impossible."""
        migrated = migrate_journal(rules, self.journal, {})
        if migrated.rejected is not None:
            return self.handle_mismatch(rules, migrated)
        return migrated.game if self.named or not migrated.game.over else None

    def open_under_new_rules(self, current_rules: Rules) -> Game | None:
        """Migrate the game to changed rules, keeping a backup; a finished game keeps its old rules."""
        old_rules = self.load_old_rules()
        old_game = migrate_journal(old_rules, self.journal, {}).game if old_rules else None
        if old_game is not None and old_game.over:  # a finished game keeps its rules
            return old_game if self.named else None
        migrated = self.migrate_game(current_rules, old_rules)
        if not self.named and migrated.rejected is None and migrated.game.over:
            return None
        self.say(*describe_rule_changes(old_rules, current_rules))
        if migrated.rejected is not None:
            return self.handle_mismatch(current_rules, migrated, old_rules)
        backup = self.recorder.rewrite(migrated.game.journal, BACKUP_SUFFIX)
        if migrated.answers != 1:
            answers = f"All {migrated.answers} answers fit"
        else:
            answers = "Its one answer fits"
        self.say(f"{answers} the current rules, and the game continues under them.", _describe_backup(backup))
        return migrated.game

    def load_old_rules(self) -> Rules | None:
        """Return the rules that the game was started with, if its file holds them and they are readable."""
        try:
            return load_bundled_rules(self.journal)
        except (JournalError, RulesError):
            return None

    def migrate_game(self, current_rules: Rules, old_rules: Rules | None) -> Migration:
        """Replay the answers under the current rules with renames; raise `RulesMismatch` if it cannot start."""
        try:
            return migrate_journal(
                current_rules,
                self.journal,
                find_new_renames(current_rules.program, old_rules.program if old_rules else None),
            )
        except (GameError, RulesError) as error:
            reason = error.reason if isinstance(error, GameError) else error.first
            raise RulesMismatch(
                f"under the current rules the game cannot start: {reason}",
                self.describe_options(()),
                1,
                self.journal.place,
            ) from None

    # --- what does not fit

    def handle_broken_rules(self, error: RulesErrorWithSources) -> Game | None:
        """Offer the rules in the file if the current rules are broken."""
        if not self.journal.bundle:
            raise error
        reason = f"the current rules cannot be played: {error.first}"
        return self.ask_how_to_continue(
            RulesMismatch(reason, self.describe_options(()), 1, self.journal.place), {"old": self.open_under_old_rules}
        )

    def handle_mismatch(self, rules: Rules, migrated: Migration, old_rules: Rules | None = None) -> Game | None:
        """Continue from the last answer that fits, or the old rules, as the player or `--rules` decides."""
        answer = migrated.rejected
        assert answer is not None

        def continue_from_here() -> Game | None:
            """Drop the answers from the first impossible one on, keep a backup, and return the game."""
            backup = self.recorder.rewrite(migrated.game.journal, BACKUP_SUFFIX)
            dropped_count = len(self.journal.answers) - migrated.answers
            message = f"The game continues after answer {migrated.answers}; {dropped_count} later ones were dropped."
            self.say(message, _describe_backup(backup))
            return migrated.game

        ways: dict[str, Way] = {"go on": continue_from_here}
        if self.journal.bundle and not rules.plays(self.journal.header):
            ways["old"] = self.open_under_old_rules
        self.screen.say(*explain_mismatch(migrated))
        error = RulesMismatch(
            describe_mismatch(migrated, old_rules), self.describe_options(tuple(ways)), answer.line, self.journal.place
        )
        if self.rules == NEW:
            return continue_from_here()
        return self.ask_how_to_continue(error, ways)

    def ask_how_to_continue(self, error: RulesMismatch, ways: dict[str, Way]) -> Game | None:
        """Ask the player how to continue, or raise the error if there is no terminal."""
        if not sys.stdin.isatty():
            raise error
        self.screen.say("", to_sentence(error.reason), "")
        explanations = {
            "go on": "continue from there, and save a copy of the whole game",
            "old": "continue under the rules it was started with",
            "leave": "leave it as it is",
        }
        choices = {word: explanations[word] for word in (*ways, "leave")}
        self.screen.say(*(f"  {word:<6} {text}" for word, text in choices.items()))
        while True:
            typed = self.screen.ask("> ").casefold()
            matches = [word for word in choices if typed and word.startswith(typed)]
            if matches == ["leave"]:
                raise PlayerLeaves
            if len(matches) == 1:
                return ways[matches[0]]()
            self.screen.say(f"Type {', '.join(choices)}, or the start of one of them.")

    def describe_options(self, ways: tuple[str, ...]) -> str:
        """Return the options of `resume` that decide how to continue."""
        new_option = "--rules new continues from there and keeps the whole game in a copy"
        old_option = "--rules old continues under the rules the game was started with"
        remedies = [new_option] if "go on" in ways else []
        remedies += [old_option] if self.journal.bundle and ("old" in ways or not ways) else []
        return "; ".join(remedies) or "restore the old rules"


def _describe_backup(path: Path) -> str:
    return f"The original game is saved as {path}."


MAX_CHANGE_LINES = 40
Lines = list["str | Text"]


def describe_rule_changes(old_rules: Rules | None, new_rules: Rules) -> list[str]:
    """Return lines with the differences of the rules since the game was started."""
    from edict.apps.cli.commands.diff import format_differences
    from edict.prose.rulebook.annotated_rules import annotate_rules

    title = new_rules.title
    if old_rules is None:
        return [f"The rules of {title} have changed since this game was started; it does not contain the old ones."]
    sides = [annotate_rules(rules.sources).value for rules in (old_rules, new_rules)]
    if sides[0] is None or sides[1] is None:
        return [f"The rules of {title} have changed since this game was started."]
    lines = [text for _, text in islice(format_differences(sides[0], sides[1]), 1, None)]
    if not lines:
        return [f"The rules of {title} have been reordered since this game was started, but mean the same."]
    if len(lines) > MAX_CHANGE_LINES:
        more = [f"  ... and {len(lines) - MAX_CHANGE_LINES} more lines"]
    else:
        more = []
    return [f"The rules of {title} have changed since this game was started:", *lines[:MAX_CHANGE_LINES], *more, ""]


def describe_mismatch(migrated: Migration, old_rules: Rules | None) -> str:
    """Return which answer is impossible and why; the answer to a secret question stays hidden."""
    answer, game = migrated.rejected, migrated.game
    assert answer is not None
    player = game.players[answer.seat] if 0 <= answer.seat < len(game.players) else "dice"
    programs = [game.program, *([old_rules.program] if old_rules else [])]
    secrecy = [
        question.secret
        for candidate in programs
        for question in candidate.questions
        if question.name == answer.question
    ]
    secret = any(secrecy) or not secrecy
    if secret:
        shown_answer, reason = ("(secret)", "it is not possible")
    else:
        shown_answer, reason = (f"`{answer.key}`", migrated.reason)
    return f"answer {migrated.answers + 1} ({player}, `{answer.question}`: {shown_answer}) no longer fits: {reason}"


def explain_mismatch(migrated: Migration) -> list[Text]:
    """Return the rules that forbid the impossible answer, as far as they are public."""
    from edict.apps.cli.playing.why import layout_reasons
    from edict.game.explanations import reasons_in_words
    from edict.game.explanations.option_reasons import OptionExplainer

    game, answer = migrated.game, migrated.rejected
    if answer is None or game.over or game.seat < 0:
        return []
    ask = game.ask
    if ask.secret or (ask.question, ask.seat) != (answer.question, answer.seat):
        return []
    explainer = OptionExplainer(game, len(game.players))
    options = [option for option in explainer.candidates().options if option.key == answer.key]
    if len(options) != 1:
        return []
    lines = reasons_in_words.select_voice(reasons_in_words.describe_refused_option(explainer, options[0]), exactly=True)
    return layout_reasons(Screen(game.players), lines)


REMINDER = 12  # log entries that are repeated when a game is resumed

WhichRules = Annotated[
    str,
    typer.Option("--rules", metavar="new|old", help="Rules to continue with, if they have changed."),
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
    play_settings = PlaySettings(speed, simple=plain, takebacks=takebacks)
    skipped = 0
    for path in [saved_games.find_game(file)] if file else saved_games.require_games():
        try:
            game = reopen_game(path, rules, play_settings, named=bool(file))
        except PlayerLeaves as leave:
            return STOPPED if leave.interrupted else 0
        except (JournalError, RulesError) as error:
            if file or isinstance(error, GameInUse | RulesMismatch):
                raise
            _report_skipped_game(path, error)
            skipped += 1
            continue
        if game is not None:
            kinds = _resolve_bots(game, humans or (), bots or ())
            return play_at_terminal(game, kinds, path, play_settings, known_entries=max(0, len(game.log) - REMINDER))
    subject = "every other game" if skipped else "every game"
    raise UsageError(f"{subject} in {saved_games.folder()} is finished", "start another with `play`")


def _report_skipped_game(path: Path, error: JournalError | RulesError) -> None:
    """Report a saved game that is skipped because it cannot be continued."""
    if isinstance(error, RulesError):
        print_error(f"{path.name} is skipped: its rules cannot be played: {error.first}")
        return
    reason = f"line {error.line}: {error.reason}" if error.line else error.reason
    if error.line > 1:
        remedy = f"`{saved_games.format_command(path, 'games repair')}` recovers what it can"
    else:
        remedy = ""
    print_error(f"{path.name} is skipped: {reason}", remedy)


def _resolve_bots(game: Game, humans: Sequence[str], named_bots: Sequence[str]) -> tuple[str, ...]:
    """Return the kind of bot for each seat: as the journal has it, unless `--human` or `--bot KIND:NAME` change it."""
    saved_bots = game.journal.header.bots
    bots = list(saved_bots) if len(saved_bots) == len(game.players) else [""] * len(game.players)
    for name in humans:
        bots[seating.find_seat(name, game.players)] = ""
    specs = [seating.split_bot_spec(spec) for spec in named_bots]
    for _, name in specs:
        bots[seating.find_seat(name, game.players)] = ""
    seating.reject_code_bots(bots, "the saved game")
    for kind, name in specs:
        bots[seating.find_seat(name, game.players)] = kind
    return tuple(BOTS.validate(kind) if kind else "" for kind in bots)
