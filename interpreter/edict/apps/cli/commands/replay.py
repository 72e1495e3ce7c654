"""`games replay`, `games view` and `games watch`: a saved game printed for people or as data, or followed while it is
played.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.commands.campaign import campaign_introduction
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.board import ending
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.playing.why import answer as why_answer
from edict.apps.cli.playing.why import why_lines
from edict.apps.cli.rules_by_name import rules_of
from edict.apps.cli.who_plays import seat_of
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.journal import Journal, read_journal
from edict.game.table.rules import Rules, load_rules_for, replay_answer
from edict.support import rendering
from edict.support.translations import current_language

Seat = Annotated[
    str, typer.Option("--seat", metavar="NAME", help="The player who looks [default: only what everybody may see].")
]
Why = Annotated[
    str,
    typer.Option(
        "--why",
        metavar="LINE|last|...",
        help="Explain a line of the log, or whatever `why` explains; `--exactly` may follow.",
    ),
]


def replay(file: o.Journal, why: Why = "", plain: o.Plain = False, form: o.DataFormat = "text") -> int:
    """Print the log of a game, or explain a line of it; returns the exit code."""
    checked_form(form)
    journal = _read(saved_games.find_game(file))
    game = load_rules_for(journal, rules_of).in_language(current_language()).replay(journal)
    screen = Screen(game.players, simple=plain)
    session = Session(game, screen, {})
    if form == JSON:
        if why:
            raise UsageError("--why cannot be combined with --format json", "leave one of them out")
        print_json(
            {
                "game": game.program.title,
                "players": list(game.players),
                "over": game.over,
                "log": [str(line) for line in session.log_lines()],
            }
        )
        return 0
    if why.strip():
        return _explain(session, why.strip())
    screen.say(f"{game.program.title}: {', '.join(game.players)}.", *campaign_introduction(game))
    if game.over:
        screen.say(*session.numbered_lines())
        screen.draw(ending(screen, game, None))
        return 0
    screen.say(*session.numbered_lines())
    waiting = game.ask.player if game.seat >= 0 else "dice to be typed"
    screen.say(f"The game is not finished; after {len(journal.answers)} answers it waits for {waiting}.")
    return 0


def _read(path: Path) -> Journal:
    """Read a journal, and warn on standard error if its last line was cut off."""
    journal = read_journal(path)
    if cut := saved_games.describe_cut(journal):
        print(rendering.escape_terminal(f"warning: {cut}"), file=sys.stderr)
    return journal


def _explain(session: Session, about: str) -> int:
    """What `why` says of a line, by its number, or of anything else."""
    numbered = about.partition(" ")[0].isdecimal()  # there are no options whose numbers these could be
    said = why_answer(session, f"#{about}" if numbered else about)
    session.screen.draw(why_lines(session.screen, said))
    return 0


def view(file: o.LastGame = None, player: Seat = "") -> int:
    """Print a game as data, as one seat may see it; returns the exit code."""
    journal = _read(saved_games.find_game(file) if file is not None else saved_games.newest()[0])
    seat = seat_of(player, journal.header.players) if player else None
    game = load_rules_for(journal, rules_of).replay(journal)
    print_json(to_json_data(build_view_data(game, seat)))
    return 0


LOOK = 0.3  # seconds between two looks at the file


class Spectator:
    """Somebody who looks on while a game is played elsewhere: its file is read again whenever it has changed."""

    def __init__(self, path: Path, simple: bool = False) -> None:
        self.path = path
        self._read = _stamp_of(path)
        self.journal = read_journal(path)
        self.rules = self._rules()
        self.screen = Screen(self.journal.header.players, simple=simple)
        self.session = Session(self._played(len(self.journal.answers)), self.screen, {})

    @property
    def game(self) -> Game:
        return self.session.game

    def follow(self) -> None:
        """Tell what happens until the game is over."""
        self.screen.say(f"{self.game.program.title}: {', '.join(self.game.players)}. Ctrl-C stops watching.")
        self.session.tell()
        while not self.game.over:
            self._wait()
            self.look()
        self.screen.draw(ending(self.screen, self.game, None))

    def look(self) -> None:
        """Read the file again, and tell what is new."""
        self._read = _stamp_of(self.path)
        journal = read_journal(self.path)
        same = _alike(self.journal, journal)
        anew = journal.header != self.journal.header
        before, self.journal = self.journal, journal
        if anew:
            self.rules = self._rules()
            self.screen.say("The game continues under different rules.")
        if anew or same < len(before.answers):
            self.session.game = self._played(same)
            known = len(self.session.game.log)
            self.session.seen = {seat: min(seen, known) for seat, seen in self.session.seen.items()}
            self.screen.say("Answers were taken back." if not anew else "")
        for answer in journal.answers[same:]:
            replay_answer(self.game, answer, answer.line, journal.place)
        self.session.tell()

    def _rules(self) -> Rules:
        return load_rules_for(self.journal, rules_of).in_language(current_language())

    def _played(self, answers: int) -> Game:
        """The game after so many answers."""
        return self.rules.replay(replace(self.journal, answers=self.journal.answers[:answers]))

    def _wait(self) -> None:
        """Until the file has changed."""
        while _stamp_of(self.path) == self._read:
            time.sleep(LOOK)


def watch(file: o.LastGame = None, plain: o.Plain = False) -> int:
    """Follow a game until it is over, or Ctrl-C; returns the exit code."""
    path = saved_games.find_game(file) if file else saved_games.newest()[0]
    onlooker = Spectator(path, plain)
    try:
        onlooker.follow()
    except KeyboardInterrupt:
        onlooker.screen.say("", "Stopped watching.")
    return 0


def _alike(one: Journal, other: Journal) -> int:
    """How many answers at the beginning are the same; none of games that began differently."""
    if one.header != other.header:
        return 0
    keys = [[(answer.seat, answer.question, answer.key) for answer in journal.answers] for journal in (one, other)]
    pairs = zip(*keys, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(map(len, keys)))


def _stamp_of(path: Path) -> tuple[int, int]:
    try:
        state = path.stat()
    except OSError:  # reading it will tell why
        return -1, 0
    return state.st_size, state.st_mtime_ns
