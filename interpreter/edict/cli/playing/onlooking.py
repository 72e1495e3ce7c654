"""`watch`: following a game while it is played elsewhere, with what everybody may know."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from edict.cli.loading import rules_of
from edict.cli.playing import saves
from edict.cli.playing.ending import ending
from edict.cli.playing.screen import Screen
from edict.cli.playing.session import Session
from edict.table.rules import rules_for, Rules, repeat
from edict.table.game import Game
from edict.table.journal import Journal, read_journal

LOOK = 0.3  # seconds between two looks at the file


class Onlooker:
    """Follows a journal. `rules` are reloaded only if the game is restarted under different ones."""

    def __init__(self, path: Path, colour: bool = True, simple: bool = False) -> None:
        self.path = path
        self._read = _stamp(path)
        self.journal = read_journal(path)
        self.rules = self._rules()
        self.screen = Screen(self.journal.header.players, colour, simple)
        self.session = Session(self._played(len(self.journal.answers)), self.screen, {})

    @property
    def game(self) -> Game:
        return self.session.game

    def follow(self) -> None:
        """Tell what is played until the game is over."""
        self.screen.say(f"{self.game.program.title}: {', '.join(self.game.players)}. Ctrl-C stops watching.")
        self.session.tell()
        while not self.game.over:
            self._wait()
            self.look()
        self.screen.draw(ending(self.screen, self.game, None))

    def look(self) -> None:
        """Read the file once more, and print what is new in it."""
        self._read = _stamp(self.path)
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
            repeat(self.game, answer, answer.line, journal.place)
        self.session.tell()

    def _rules(self) -> Rules:
        return rules_for(self.journal, rules_of)

    def _played(self, answers: int) -> Game:
        """The game up to so many of its answers."""
        return self.rules.replay(replace(self.journal, answers=self.journal.answers[:answers]))

    def _wait(self) -> None:
        """Until the file is another than it was when it was read."""
        while _stamp(self.path) == self._read:
            time.sleep(LOOK)


def watch(file: Path | None, colour: bool = True, simple: bool = False) -> int:
    """Print a game while it is played; returns the exit code."""
    path = saves.find(file) if file else saves.newest()[0]
    onlooker = Onlooker(path, colour, simple)
    try:
        onlooker.follow()
    except KeyboardInterrupt:
        onlooker.screen.say("", "Stopped watching.")
    return 0


def _alike(one: Journal, other: Journal) -> int:
    """How many answers both begin with."""
    if one.header != other.header:
        return 0
    keys = [[(answer.seat, answer.question, answer.key) for answer in journal.answers] for journal in (one, other)]
    pairs = zip(*keys, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(map(len, keys)))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        state = path.stat()
    except OSError:  # reading it will tell why
        return -1, 0
    return state.st_size, state.st_mtime_ns
