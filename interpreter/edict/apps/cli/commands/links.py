"""`games link` and `games open`: a saved game in a link, for others to go through or to answer, and back out of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import a_path
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import rules_of
from edict.apps.cli.who_plays import seat_of
from edict.game.table.branched_games import branch_game
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.game_links import (
    MARK,
    PLACE,
    GameLink,
    JournalComparison,
    JournalOrder,
    compare_answers,
    is_same_game,
    read_link,
)
from edict.game.table.journal import Journal, read_journal
from edict.game.table.journal_files import Recorder, save_journal
from edict.game.table.rules import load_rules_for, replay_answers
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal

Seat = Annotated[
    str,
    typer.Option(
        "--seat",
        metavar="NAME",
        help="For a game still going on: who shares it, as far as they know it [default: the only person].",
    ),
]
To = Annotated[
    str,
    typer.Option(
        "--to", metavar="NAME", help="Who answers next. The link then holds the whole game, secrets included."
    ),
]
Page = Annotated[str, typer.Option("--page", metavar="URL", help="Address of the page or server that opens the link.")]
Link = Annotated[str, typer.Argument(metavar="LINK", help="A link with a game in it.")]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save", parser=a_path, metavar="FILE", help="File to write [default: a new one among your saved games]."
    ),
]


def link(file: o.LastGame = None, seat: Seat = "", to: To = "", page: Page = "") -> int:
    """Print a link that holds a game; returns the exit code."""
    journal = read_journal(saved_games.find_game(file) if file is not None else saved_games.newest()[0])
    game = load_rules_for(journal, rules_of).replay(journal)
    if seat and to:
        raise UsageError("`--seat` and `--to` cannot be combined", "`--to` sends everything; leave one of them out")
    print(f"{page}{MARK}{_shared(game, journal, seat, to).encode()}")
    return 0


def _shared(game: Game, journal: Journal, seat: str, to: str) -> GameLink:
    players = journal.header.players
    if to:
        if game.over:
            raise UsageError("the game is over, so nobody has anything to answer", "leave out --to")
        return GameLink(journal, seat_of(to, players))
    if game.over:
        return GameLink(journal)
    return GameLink(replace(branch_game(game, _sharing(journal, seat)), keeps_rules=journal.keeps_rules))


def _sharing(journal: Journal, seat: str) -> int:
    """Who shares a game that goes on."""
    header = journal.header
    people = [at for at, name in enumerate(header.players) if not (at < len(header.bots) and header.bots[at])]
    if seat:
        return seat_of(seat, header.players)
    if len(people) != 1:
        raise UsageError(
            "the game is still going on, so it matters who shares it",
            "name that player with --seat, or with --to the one who answers next",
        )
    return people[0]


def open(link: Link, save_as: Save = None) -> int:
    """Save the game in a link, or add what is new in it to the game that is saved already; returns the exit code."""
    found = read_link(link)
    here = _saved(found.journal) if found.to >= 0 and save_as is None else None
    if here is None:
        path = save_as or saved_games.fresh(load_rules_for(found.journal, rules_of).title)
        if path is None:
            raise UsageError("games cannot be saved in your games folder", "name a file with --save")
        save_journal(path, found.journal)
        _tell(path, f"Saved as {path}, with {count_noun(len(found.journal.answers), 'answer')}.", found)
        return 0
    path, journal = here
    side = compare_answers(journal.answers, found.journal.answers)
    if side.order is JournalOrder.NEWER:
        _take_in(path, journal, side)
        _tell(path, f"{count_noun(len(side.new), 'answer')} added to {path}.", found)
        return 0
    if side.order is JournalOrder.SAME:
        _tell(path, f"{path} already has everything in this link.", found)
        return 0
    raise JournalError(*_refusal(side), place=str(path))


def _refusal(side: JournalComparison) -> tuple[str, str]:
    if side.order is JournalOrder.OLDER:
        return (
            f"it has gone on since this link, which ends after {count_noun(side.common, 'answer')}",
            "ask for the newest link",
        )
    return (
        f"the game in this link went differently after {count_noun(side.common, 'answer')}",
        "agree which of the two counts; `--save FILE` keeps this one beside it",
    )


def _saved(arrived: Journal) -> tuple[Path, Journal] | None:
    """The saved game that a link is about, if there is one."""
    for path in saved_games.every():
        try:
            journal = read_journal(path)
            if is_same_game(journal, arrived):
                return path, journal
        except GameError:
            continue  # `games` tells what is wrong with it
    return None


def _take_in(path: Path, journal: Journal, side: JournalComparison) -> None:
    """Write the new answers to a saved game. Raises `JournalError`, and writes none, if one is not possible."""
    replay_answers(load_rules_for(journal, rules_of).replay(journal), side.new, PLACE)
    recorder = Recorder.resume(path)
    try:
        for answer in side.new:
            recorder.answer(answer)
    finally:
        recorder.close()


def _tell(path: Path, said: str, found: GameLink) -> None:
    ways: Sequence[tuple[str, str]] = (("To continue", "resume"), ("To go through it", "games replay"))
    if found.to >= 0:
        said = f"{said} It is {found.journal.header.players[found.to]}'s turn."
    print(escape_terminal(said))
    for what, verb in ways:
        print(escape_terminal(f"{what}: {saved_games.command(path, verb)}"))
