"""`replay`: prints a game from its journal, with what everybody may know, or everything once it is over."""

from __future__ import annotations

from pathlib import Path

from edict.cli.playing import campaigns, saves, why_lookup, why_lines
from edict.cli.playing.ending import ending
from edict.cli.loading import rules_of
from edict.cli.playing.screen import Screen
from edict.cli.playing.session import Session
from edict.table.rules import rules_for
from edict.table.journal import read_journal


def replay(file: Path, colour: bool = True, simple: bool = False, why: str = "") -> int:
    """Print the game in a file, or (`why`) what led to a line of it; returns the exit code."""
    journal = read_journal(saves.find(file))
    game = rules_for(journal, rules_of).replay(journal)
    screen = Screen(game.players, colour, simple)
    session = Session(game, screen, {})
    if why.strip():
        return _explain(session, why.strip())
    screen.say(f"{game.program.title}: {', '.join(game.players)}.", *campaigns.introduction(game))
    if game.over:
        screen.say(*session.numbered_lines())
        screen.draw(ending(screen, game, None))
        return 0
    screen.say(*session.numbered_lines())
    waiting = game.ask.player if game.seat >= 0 else "dice to be typed"
    screen.say(f"The game is not finished; after {len(journal.answers)} answers it waits for {waiting}.")
    return 0


def _explain(session: Session, about: str) -> int:
    """The answer to one question; a number is a line here, for nobody is answering."""
    said = why_lookup.line(session, about) if about.isdecimal() else why_lookup.answer(session, about)
    session.screen.draw(why_lines.lines(session.screen, said))
    return 0
