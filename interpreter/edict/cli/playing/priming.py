"""The primer at the table: offered before the first game, and shown on request."""

from __future__ import annotations

import sys

from edict.cli.playing import saves, why_lines
from edict.table.why_options import Said
from edict.cli.playing.screen import Screen
from edict.report import RulesError
from edict.table.game import Game
from edict.table.wording import slug

OFFER = "Press Enter to begin, or type `primer` to read how to play. "


def offered(screen: Screen, game: Game, people: bool) -> None:
    """Offer the primer once: before the first saved game of these rules, if a person plays."""
    if not people or not sys.stdin.isatty() or _played_before(game):
        return
    screen.say(f"This is the first game of {game.program.title} here.")
    if screen.ask(OFFER):
        show_primer(screen, game)
        screen.ask("Press Enter to begin. ")


def _played_before(game: Game) -> bool:
    """Whether another game of these rules is kept; this one is already."""
    return len(saves.named(slug(game.program.title))) > 1


def show_primer(screen: Screen, game: Game) -> None:
    """The primer, a screen at a time."""
    from edict.cli.rules.primer import primer_lines

    header = game.journal.header
    try:
        lines = primer_lines(header.game, header.modules)
    except RulesError:
        screen.say("These rules are no longer where they were, so there is no primer.")
        return
    said = [Said(line.strip(), level=int(line.startswith(" "))) for line in lines]
    drawn = why_lines.lines(screen, said)
    page = screen.height - 2 if screen.alive else len(drawn)
    for start in range(0, len(drawn), page):
        if start:
            screen.wait()
        screen.draw(drawn[start : start + page])
