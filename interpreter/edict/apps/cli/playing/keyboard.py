"""The commands that a person can type instead of an answer."""

from __future__ import annotations

from collections.abc import Callable

from edict.apps.cli.command_errors import PlayerLeaves
from edict.apps.cli.option_values import to_path
from edict.apps.cli.playing import questions
from edict.apps.cli.playing.session import Session
from edict.game.table.game_errors import GameError
from edict.game.table.journal_files import save_journal
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError

LOG_LINES = 20
HOW_TO_ANSWER = "Answer with the number or letter before an option, or with the beginning of one of its words."
HELP = (
    ("primer", "how to play, in brief"),
    ("?", "what all the options do"),
    ("? 3, ? NAME", "what one option, or anything in the game, does"),
    ("why 3, why NAME", "why an option is offered"),
    ("why not NAME", "why something is not offered"),
    ("why --exactly ...", "the same with the conditions in the rules, and where they are"),
    ("log [N]", "the last N lines of what happened, numbered"),
    ("why LINE, why last", "what led to a line of the log; #3 is always a line"),
    ("why score NAME", "where a score comes from"),
    ("why QUANTITY", "how a number in the rules is worked out now"),
    ("hint [5s]", "what the computer expects of each option, after a second of thought (or five)"),
    ("board", "the whole table"),
    ("undo", "take your last answer back"),
    ("save [FILE]", "where the game is saved; save a copy"),
    ("scene FILE", "what was played in this phase, as a test of the rules (a scene) in a new file"),
    ("quit", "stop; the game can be resumed"),
)


class Keyboard:
    """A reader of typed lines that runs commands until one line answers the question."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.commands: dict[str, Callable[[str], bool]] = {
            "undo": self.undo,
            "log": self.log,
            "board": self.board,
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
        name = self.session.game.players[seat]
        while True:
            typed = self.session.screen.ask(f"{name}> " if len(self.session.people) > 1 else "> ")
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
            say(f"`{typed}` could be {questions.join_choices(matches)}: type more of it.")
        else:
            hint = suggest_word(typed, [*(option.text for option in ask.options), *self.commands])
            help_text = hint or f"type {questions.describe_valid_answers(ask)}; help lists the commands."
            say(f"`{typed}` is not an answer here: {help_text}")
        return False

    # --- commands

    def explain(self, query: str) -> bool:
        """Explain options, or anything else with a name."""
        from edict.apps.cli.playing import help
        from edict.apps.cli.playing.why import layout_reasons

        session = self.session
        session.guard_all()
        session.screen.draw(layout_reasons(session.screen, help.explain(session, query)))
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
            remedy = f" ({error.remedy}.)" if error.remedy else ""
            session.screen.say(f"That cannot be taken back: {error.reason}.{remedy}")
            return False
        length = len(session.game.log)
        session.seen = {seat: min(seen, length) for seat, seen in session.seen.items()}
        session.seen_steps = {
            seat: min(message, len(session.game.answers) + 1) for seat, message in session.seen_steps.items()
        }
        session.passing = [session.screen.to_text(f"  {message}")]
        if not session.screen.alive:
            session.screen.say(*session.passing)
        return True

    def log(self, arguments: str) -> bool:
        """Print the last lines of the log, as many as requested."""
        session = self.session
        if arguments and not (arguments.isdecimal() and len(arguments) < 7):
            session.screen.say(f"`log {arguments}`: type a number of lines, as in `log 40`.")
            return False
        session.guard_all()
        lines = session.numbered_lines()
        session.screen.say(*lines[-(int(arguments) if arguments else LOG_LINES) or len(lines) :])
        session.numbered = True
        return False

    def why(self, arguments: str) -> bool:
        """Explain an option, a line of the log, or a number."""
        from edict.apps.cli.playing.why import answer_why, layout_reasons

        session = self.session
        session.guard_all()
        session.screen.draw(layout_reasons(session.screen, answer_why(session, arguments)))
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

    def save(self, arguments: str) -> bool:
        """Say where the game is saved, or save a copy to a file."""
        session = self.session
        if arguments:
            try:
                save_journal(to_path(arguments), session.game.journal)
                session.screen.say(f"Saved a copy to {arguments}.")
            except RequestError as error:
                session.screen.say(f"That did not work: {error.reason}; {error.remedy}.")
        elif session.path:
            session.screen.say(f"Every answer is saved to {session.path} at once.")
        else:
            session.screen.say("This game is not being saved; `save FILE` writes a copy to a file.")
        return False

    def scene(self, arguments: str) -> bool:
        """Write the answers of this phase to a file, as a scene."""
        from edict.apps.cli.recorded_scenes import record_to_file

        session = self.session
        if not arguments:
            session.screen.say("`scene FILE` writes what was played in this phase into a new file: a test of rules.")
            return False
        try:
            session.screen.say(record_to_file(session.game, to_path(arguments)))
        except RequestError as error:
            session.screen.say(f"That did not work: {error.reason}; {error.remedy}.")
        except OSError as error:
            session.screen.say(f"That did not work: {getattr(error, 'strerror', None) or error}.")
        return False

    def quit(self, arguments: str) -> bool:
        """Leave the game."""
        raise PlayerLeaves

    def help(self, arguments: str) -> bool:
        """List the commands."""
        from edict.apps.cli.playing.why import layout_reasons
        from edict.game.explanations.reasons_in_words import ReasonLine

        screen = self.session.screen
        width = max(len(command) for command, _ in HELP) + 2
        screen.say(HOW_TO_ANSWER)
        rows = [ReasonLine(f"{command:<{width}}{description}", level=1, hang=width) for command, description in HELP]
        screen.draw(layout_reasons(screen, rows))
        return False
