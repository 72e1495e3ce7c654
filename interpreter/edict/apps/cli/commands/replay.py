"""The commands `games replay`, `games view` and `games watch`, which print or follow a saved game."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.commands.campaign import describe_campaign
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.board import ending_lines
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.playing.why import answer_why as why_answer
from edict.apps.cli.playing.why import layout_reasons
from edict.apps.cli.rules_by_name import load_rules_with_notes, replay_journal
from edict.apps.cli.seating import find_seat
from edict.apps.cli.shared_options import JSON, print_document, print_json, validate_format
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.journal import Journal, read_journal
from edict.game.table.rules import Rules, load_rules_for, replay_answer
from edict.support import rendering
from edict.support.translations import current_language

Seat = Annotated[
    str,
    typer.Option("--seat", metavar="NAME", help="Player whose view to print [default: only what everyone can see]."),
]
Why = Annotated[
    str,
    typer.Option(
        "--why",
        metavar="LINE|last|...",
        help="Explain a log line, or anything else `why` can explain; `--exactly` may follow.",
    ),
]


def replay(file: o.Journal, why: Why = "", plain: o.Plain = False, form: o.DataFormat = "text") -> int:
    """Print the log of a game, or explain a line of it; returns the exit code."""
    validate_format(form)
    journal = _read_with_warning(saved_games.find_game(file))
    game = load_rules_for(journal, load_rules_with_notes).in_language(current_language()).replay(journal)
    screen = Screen(game.players, simple=plain)
    session = Session(game, screen, {})
    if form == JSON:
        if why:
            raise UsageError("--why cannot be combined with --format json", "use only one of them")
        print_document(
            "replay",
            game=game.program.title,
            players=list(game.players),
            over=game.over,
            log=[str(line) for line in session.log_lines()],
        )
        return 0
    if why.strip():
        return _explain(session, why.strip())
    screen.say(f"{game.program.title}: {', '.join(game.players)}.", *describe_campaign(game))
    if game.over:
        screen.say(*session.number_log_lines())
        screen.draw(ending_lines(screen, game, None))
        return 0
    screen.say(*session.number_log_lines())
    waiting = game.ask.player if game.seat >= 0 else "dice to be typed"
    screen.say(f"The game is not finished; after {len(journal.answers)} answers it waits for {waiting}.")
    return 0


def _read_with_warning(path: Path) -> Journal:
    """Read a journal, with a warning on standard error if its last line was cut off."""
    journal = read_journal(path)
    if cut := saved_games.describe_cut(journal):
        print(rendering.escape_terminal(f"warning: {cut}"), file=sys.stderr)
    return journal


def _explain(session: Session, query: str) -> int:
    """Explain a line of the log, given its number, or anything else that `why` explains; return 0."""
    numbered = query.partition(" ")[0].isdecimal()  # a number can only be a line of the log here
    lines = why_answer(session, f"#{query}" if numbered else query)
    session.screen.draw(layout_reasons(session.screen, lines))
    return 0


def view(file: o.LastGame = None, player: Seat = "") -> int:
    """Print a game as data, as one seat may see it; returns the exit code."""
    journal = _read_with_warning(saved_games.find_game(file) if file is not None else saved_games.require_games()[0])
    seat = find_seat(player, journal.header.players) if player else None
    game = replay_journal(journal)
    print_json(to_json_data(build_view_data(game, seat)))
    return 0


POLL_INTERVAL = 0.3  # seconds between reads of the file's stamp


class Spectator:
    """A viewer of a game that another process plays, which rereads its file when it changes."""

    def __init__(self, path: Path, simple: bool = False) -> None:
        self.path = path
        self._stamp = _stamp_of(path)
        self.journal = read_journal(path)
        self.rules = self._rules()
        self.screen = Screen(self.journal.header.players, simple=simple)
        self.session = Session(self._replay_game(len(self.journal.answers)), self.screen, {})

    @property
    def game(self) -> Game:
        """Return the game as of the last read."""
        return self.session.game

    def follow(self) -> None:
        """Print the events of the game until it is over."""
        self.screen.say(f"{self.game.program.title}: {', '.join(self.game.players)}. Ctrl-C stops watching.")
        self.session.tell()
        while not self.game.over:
            self._wait_for_change()
            self.update()
        self.screen.draw(ending_lines(self.screen, self.game, None))

    def update(self) -> None:
        """Reread the file, print events since the last call, and say if answers were taken back."""
        self._stamp = _stamp_of(self.path)
        journal = read_journal(self.path)
        common = _alike(self.journal, journal)
        has_new_header = journal.header != self.journal.header
        old_journal, self.journal = self.journal, journal
        if has_new_header:
            self.rules = self._rules()
            self.screen.say("The game continues under different rules.")
        if has_new_header or common < len(old_journal.answers):
            self.session.game = self._replay_game(common)
            log_length = len(self.session.game.log)
            self.session.seen = {seat: min(seen, log_length) for seat, seen in self.session.seen.items()}
            self.screen.say("Answers were taken back." if not has_new_header else "")
        for answer in journal.answers[common:]:
            replay_answer(self.game, answer, answer.line, journal.place)
        self.session.tell()

    def _rules(self) -> Rules:
        return load_rules_for(self.journal, load_rules_with_notes).in_language(current_language())

    def _replay_game(self, count: int) -> Game:
        """Return the game after a number of answers."""
        return self.rules.replay(replace(self.journal, answers=self.journal.answers[:count]))

    def _wait_for_change(self) -> None:
        """Sleep until the size or modification time of the game's file changes."""
        while _stamp_of(self.path) == self._stamp:
            time.sleep(POLL_INTERVAL)


def watch(file: o.LastGame = None, plain: o.Plain = False) -> int:
    """Follow a game until it is over, or Ctrl-C; returns the exit code."""
    path = saved_games.find_game(file) if file else saved_games.require_games()[0]
    onlooker = Spectator(path, plain)
    try:
        onlooker.follow()
    except KeyboardInterrupt:
        onlooker.screen.say("", "Stopped watching.")
    return 0


def _alike(first: Journal, second: Journal) -> int:
    """Return the number of equal answers at the beginning of two journals; 0 if their headers differ."""
    if first.header != second.header:
        return 0
    keys = [[(answer.seat, answer.question, answer.key) for answer in journal.answers] for journal in (first, second)]
    pairs = zip(*keys, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(map(len, keys)))


def _stamp_of(path: Path) -> tuple[int, int]:
    """Return size and modification time of a file; a changed stamp means new content."""
    try:
        state = path.stat()
    except OSError:  # the read that follows reports the error
        return -1, 0
    return state.st_size, state.st_mtime_ns
