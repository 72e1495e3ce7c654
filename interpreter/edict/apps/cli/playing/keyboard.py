"""The commands that a person may type instead of an answer."""

from __future__ import annotations

from collections.abc import Callable

from edict.apps.cli.command_errors import Leave, UsageError
from edict.apps.cli.option_values import a_path
from edict.apps.cli.playing import questions
from edict.apps.cli.playing.session import Session
from edict.game.table.game_errors import GameError
from edict.game.table.journal_files import save_journal
from edict.support.report import suggest_word

LOG_LINES = 20
HOW = "Answer with the number or letter before an option, or with the beginning of one of its words."
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
    """Reads lines for a session until one of them answers the question."""

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

    def turn(self, seat: int) -> None:
        """Ask until the question is answered, or put otherwise because something was taken back."""
        name = self.session.game.players[seat]
        while True:
            typed = self.session.screen.ask(f"{name}> " if len(self.session.people) > 1 else "> ")
            if not typed:
                self.session.present(again=True)
                continue
            done = self.command(typed)
            if done is None:
                done = self.answer(typed)
            if done:
                return
            self.session.ask_again()

    def command(self, typed: str) -> bool | None:
        """Carry out a command; None if it is not one, True if the question must be asked again."""
        if typed.startswith("?"):
            return self.explain(typed[1:].strip())
        word, _, rest = typed.partition(" ")
        command = self.commands.get(word.casefold())
        if command is None or self.means_option(typed):
            return None
        return command(rest.strip())

    def means_option(self, typed: str) -> bool:
        """Whether an option is called exactly like a command."""
        game = self.session.game
        return game.seat >= 0 and any(option.text.casefold() == typed.casefold() for option in game.ask.options)

    def answer(self, typed: str) -> bool:
        """Answer with what was typed, or say in a line why that is not possible."""
        game, say = self.session.game, self.session.screen.say
        ask = game.ask
        found = questions.matching(ask, typed)
        if len(found) == 1:
            game.answer(found[0])
            return True
        if found:
            say(f"`{typed}` could be {questions.choices(found)}: type more of it.")
        else:
            near = suggest_word(typed, [*(option.text for option in ask.options), *self.commands])
            say(f"`{typed}` is not an answer here: {near or f'type {questions.wanted(ask)}; help lists the commands.'}")
        return False

    # --- commands

    def explain(self, about: str) -> bool:
        """What options do, or anything else that has a name."""
        from edict.apps.cli.playing import help
        from edict.apps.cli.playing.why import why_lines

        session = self.session
        session.guard_all()
        session.screen.draw(why_lines(session.screen, help.answered(session, about)))
        return False

    def primer(self, rest: str) -> bool:
        """How the game is played, in short."""
        from edict.apps.cli.playing.help import show_primer

        show_primer(self.session.screen, self.session.game)
        return False

    def undo(self, rest: str) -> bool:
        session = self.session
        try:
            told = session.game.take_back(session.holder, session.people, session.free)
        except GameError as problem:
            remedy = f" ({problem.remedy}.)" if problem.remedy else ""
            session.screen.say(f"That cannot be taken back: {problem.reason}.{remedy}")
            return False
        length = len(session.game.log)
        session.seen = {seat: min(seen, length) for seat, seen in session.seen.items()}
        session.steps = {seat: min(told, len(session.game.answers) + 1) for seat, told in session.steps.items()}
        session.passing = [session.screen.text(f"  {told}")]
        if not session.screen.alive:
            session.screen.say(*session.passing)
        return True

    def log(self, rest: str) -> bool:
        """The last lines of the log, as many as asked for."""
        session = self.session
        if rest and not (rest.isdecimal() and len(rest) < 7):
            session.screen.say(f"`log {rest}`: type a number of lines, as in `log 40`.")
            return False
        session.guard_all()
        lines = session.numbered_lines()
        session.screen.say(*lines[-(int(rest) if rest else LOG_LINES) or len(lines) :])
        session.numbered = True
        return False

    def why(self, rest: str) -> bool:
        """Why an option is there or not, what led to a line of the log, how a number is made up."""
        from edict.apps.cli.playing.why import answer, why_lines

        session = self.session
        session.guard_all()
        session.screen.draw(why_lines(session.screen, answer(session, rest)))
        return False

    def hint(self, rest: str) -> bool:
        """What a bot that thinks expects of each option."""
        from edict.apps.cli.playing.help import hint

        self.session.guard_all()
        return hint(self.session, rest)

    def board(self, rest: str) -> bool:
        self.session.show_board()
        return False

    def save(self, rest: str) -> bool:
        """Say where the game is saved, or save a copy of it somewhere else."""
        session = self.session
        if rest:
            try:
                save_journal(a_path(rest), session.game.journal)
                session.screen.say(f"Saved a copy to {rest}.")
            except (GameError, UsageError) as problem:
                session.screen.say(f"That did not work: {problem.reason}; {problem.remedy}.")
        elif session.path:
            session.screen.say(f"Every answer is saved to {session.path} at once.")
        else:
            session.screen.say("This game is not being saved; `save FILE` writes a copy to a file.")
        return False

    def scene(self, rest: str) -> bool:
        """Write what was played in this phase as a scene, a test of the rules."""
        from edict.apps.cli.recorded_scenes import to_file

        session = self.session
        if not rest:
            session.screen.say("`scene FILE` writes what was played in this phase into a new file: a test of rules.")
            return False
        try:
            session.screen.say(to_file(session.game, a_path(rest)))
        except UsageError as problem:
            session.screen.say(f"That did not work: {problem}; {problem.remedy}.")
        except OSError as problem:
            session.screen.say(f"That did not work: {getattr(problem, 'strerror', None) or problem}.")
        return False

    def quit(self, rest: str) -> bool:
        raise Leave

    def help(self, rest: str) -> bool:
        """All of it, each command on a line of its own."""
        from edict.apps.cli.playing.why import why_lines
        from edict.game.explanations.reasons_in_words import ReasonLine

        screen = self.session.screen
        width = max(len(command) for command, _ in HELP) + 2
        screen.say(HOW)
        rows = [ReasonLine(f"{command:<{width}}{words}", level=1, hang=width) for command, words in HELP]
        screen.draw(why_lines(screen, rows))
        return False
