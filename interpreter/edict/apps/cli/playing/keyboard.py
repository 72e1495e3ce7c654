"""The commands that a person can type instead of an answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from edict.apps.cli.command_errors import PlayerLeaves, to_path
from edict.apps.cli.playing import questions
from edict.apps.cli.playing.screen import wrap_hanging
from edict.apps.cli.playing.session import Session
from edict.game.table.game_errors import GameError
from edict.game.table.journal_files import save_journal
from edict.support.morphology import capitalize
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError
from edict.support.translations import N_
from edict.support.translations.texts import join_texts, translate

LOG_LINES = 20
HOW_TO_ANSWER = N_("Type a number or letter from the list, or the start of a word.")
FAILED = N_("That did not work: {reason}.")
HELP = (
    ("primer", N_("how to play, in brief")),
    ("?", N_("what each choice does")),
    (N_("? 3, ? NAME"), N_("what one choice, or anything else in the game, does")),
    (N_("why 3, why NAME"), N_("why you can choose it, or why you can't")),
    (N_("why not NAME"), N_("why you can't choose it")),
    ("why --exactly ...", N_("the same, with rule conditions and line numbers")),
    ("log [N]", N_("the numbered game log, or its last N lines")),
    (N_("why LINE, why last"), N_("what led to a line of the log; write #3 for line 3")),
    (N_("why score NAME"), N_("where a score comes from")),
    (N_("why QUANTITY"), N_("how a number in the rules is worked out")),
    ("hint [5s]", N_("how good the computer thinks each choice is")),
    ("board", N_("the whole board")),
    (N_("sheet [NAME]"), N_("everything of your own, or of another player")),
    ("undo", N_("take back your last move")),
    (N_("save [FILE]"), N_("where the game is saved, or save a copy")),
    (N_("scene FILE"), N_("save this phase as a test of the rules (a scene)")),
    ("quit", N_("leave; you can resume the game later")),
)


class Keyboard:
    """A reader of typed lines that runs commands until one line answers the question."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.commands: dict[str, Callable[[str], bool]] = {
            "undo": self.undo,
            "log": self.log,
            "board": self.board,
            "sheet": self.sheet,
            "save": self.save,
            "quit": self.quit,
            "help": self.help,
            "exit": self.quit,
            "why": self.why,
            "scene": self.scene,
            "hint": self.hint,
            "primer": self.primer,
        }

    def read_answer(self, seat: int) -> None:
        """Read lines until the question is answered or an undo changes it."""
        name, screen = self.session.game.players[seat], self.session.screen
        while True:
            screen.on_resize = partial(self.session.present, again=True)
            try:
                typed = screen.ask(f"{name}> " if len(self.session.people) > 1 else "> ")
            finally:
                screen.on_resize = None
            if not typed:
                self.session.present(again=True)
                continue
            done = self.run_command(typed)
            if done is None:
                done = self.answer(typed)
            if done:
                return
            self.session.ask_again()

    def run_command(self, typed: str) -> bool | None:
        """Run a typed command. Return None if it is none, True if the turn must start again, else False."""
        if typed.startswith("?"):
            return self.explain(typed[1:].strip())
        word, _, rest = typed.partition(" ")
        command = self.commands.get(word.casefold())
        if command is None or self.is_option(typed):
            return None
        return command(rest.strip())

    def is_option(self, typed: str) -> bool:
        """Return True if an option has exactly the typed text."""
        game = self.session.game
        return game.seat >= 0 and any(option.text.casefold() == typed.casefold() for option in game.ask.options)

    def answer(self, typed: str) -> bool:
        """Answer with the typed option and return True, or print why it is not possible and return False."""
        game, say = self.session.game, self.session.screen.say
        ask = game.ask
        matches = questions.match_options(ask, typed)
        if len(matches) == 1:
            game.answer(matches[0])
            return True
        if matches:
            say(questions.describe_ambiguity(typed, matches))
        else:
            hint = suggest_word(typed, [*(option.text for option in ask.options), *self.commands])
            if hint:
                help_text = capitalize(hint)
            else:
                help_text = translate("Type {answers}.", answers=questions.describe_valid_answers(ask))
            say(translate("`{typed}` isn't one of the choices. {help}", typed=typed, help=help_text))
        return False

    # --- commands

    def explain(self, query: str) -> bool:
        """Explain options, or anything else with a name."""
        from edict.apps.cli.playing import help
        from edict.apps.cli.playing.why import layout_reasons

        session = self.session
        session.guard_all()
        session.show(layout_reasons(session.screen, help.explain(session, query)))
        return False

    def primer(self, arguments: str) -> bool:
        """Show how to play."""
        from edict.apps.cli.playing.help import show_primer

        show_primer(self.session.screen, self.session.game)
        return False

    def undo(self, arguments: str) -> bool:
        """Take back the player's last answer, or say why that is not possible."""
        session = self.session
        try:
            message = session.game.take_back(session.holder, session.people, session.free_takebacks)
        except GameError as error:
            refusal = translate("You can't undo that: {reason}.", reason=error.reason)
            session.screen.say(f"{refusal} ({error.remedy}.)" if error.remedy else refusal)
            return False
        length = len(session.game.log)
        session.seen = {seat: min(seen, length) for seat, seen in session.seen.items()}
        session.seen_steps = {
            seat: min(message, len(session.game.answers) + 1) for seat, message in session.seen_steps.items()
        }
        session.messages = [session.screen.to_text(f"  {message}")]
        if not session.screen.alive:
            session.screen.say(*session.messages)
        return True

    def log(self, arguments: str) -> bool:
        """Print the last lines of the log, as many as requested."""
        session = self.session
        if arguments and not (arguments.isdecimal() and len(arguments) < 7):
            session.screen.say(translate("`log {typed}`: type a number of lines, as in `log 40`.", typed=arguments))
            return False
        session.guard_all()
        lines = session.number_log_lines()
        shown, width = lines[-(int(arguments) if arguments else LOG_LINES) or len(lines) :], session.screen.width
        session.show(shown if session.screen.simple else [part for line in shown for part in wrap_hanging(line, width)])
        session.numbered = True
        return False

    def why(self, arguments: str) -> bool:
        """Explain an option, a line of the log, or a number."""
        from edict.apps.cli.playing.why import answer_why, layout_reasons

        session = self.session
        session.guard_all()
        session.show(layout_reasons(session.screen, answer_why(session, arguments)))
        return False

    def hint(self, arguments: str) -> bool:
        """Print what a searching bot expects of each option."""
        from edict.apps.cli.playing.help import give_hint

        self.session.guard_all()
        return give_hint(self.session, arguments)

    def board(self, arguments: str) -> bool:
        """Show the whole board."""
        self.session.show_board()
        return False

    def sheet(self, arguments: str) -> bool:
        """Show everything that a player has, with the effect of each thing."""
        session, players = self.session, self.session.game.players
        seats = [seat for seat, name in enumerate(players) if name.casefold().startswith(arguments.casefold())]
        if not arguments:
            session.show_sheet(session.holder)
        elif len(seats) == 1:
            session.show_sheet(seats[0])
        else:
            message = N_("`sheet {typed}`: type the name of a player, {names}.")
            session.screen.say(translate(message, typed=arguments, names=join_texts(players, "or")))
        return False

    def save(self, arguments: str) -> bool:
        """Say where the game is saved, or save a copy to a file."""
        session = self.session
        if arguments:
            try:
                save_journal(to_path(arguments), session.game.journal)
                session.screen.say(translate("Saved a copy to {path}.", path=arguments))
            except RequestError as error:
                session.screen.say(translate(FAILED, reason=f"{error.reason}; {error.remedy}"))
        elif session.path:
            session.screen.say(translate("The game is saved after every move, in {path}.", path=session.path))
        else:
            session.screen.say(translate("This game is not saved. `save FILE` saves a copy."))
        return False

    def scene(self, arguments: str) -> bool:
        """Write the answers of this phase to a file, as a scene."""
        from edict.apps.cli.recorded_scenes import record_to_file

        session = self.session
        if not arguments:
            usage = translate("Add a file name: `scene FILE` saves this phase as a test of the rules.")
            session.screen.say(usage)
            return False
        try:
            session.screen.say(record_to_file(session.game, to_path(arguments)))
        except RequestError as error:
            session.screen.say(translate(FAILED, reason=f"{error.reason}; {error.remedy}"))
        except OSError as error:
            session.screen.say(translate(FAILED, reason=getattr(error, "strerror", None) or error))
        return False

    def quit(self, arguments: str) -> bool:
        """Leave the game."""
        raise PlayerLeaves

    def help(self, arguments: str) -> bool:
        """List the commands."""
        from edict.apps.cli.playing.why import layout_reasons
        from edict.game.explanations.reasons_in_words import ReasonLine

        screen = self.session.screen
        rows_in_words = [(translate(command), translate(description)) for command, description in HELP]
        width = max(len(command) for command, _ in rows_in_words) + 2
        rows = [
            ReasonLine(f"{command:<{width}}{description}", level=1, hang=width)
            for command, description in rows_in_words
        ]
        how = screen.to_text(translate(HOW_TO_ANSWER))
        self.session.show([*wrap_hanging(how, screen.width), *layout_reasons(screen, rows)])
        return False
