"""The commands `games link` and `games open`: a saved game as a link, and back from a link to a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import find_seat
from edict.apps.cli.shared_options import to_path
from edict.game.table.game import Game, build_branch
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
        help="For an unfinished game: share only what this player knows [default: the only person].",
    ),
]
To = Annotated[
    str,
    typer.Option(
        "--to", metavar="NAME", help="Player to move next. The link then holds the whole game, including secrets."
    ),
]
Page = Annotated[str, typer.Option("--page", metavar="URL", help="Address of the page or server that opens the link.")]
Link = Annotated[str, typer.Argument(metavar="LINK", help="A link to a game.")]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save", parser=to_path, metavar="FILE", help="File to write [default: a new one among your saved games]."
    ),
]


def link(file: o.LastGame = None, seat: Seat = "", to: To = "", page: Page = "") -> int:
    """Print a link that holds a game; returns the exit code."""
    journal = read_journal(saved_games.find_game(file) if file is not None else saved_games.require_games()[0])
    game = load_rules_for(journal, load_rules_with_notes).replay(journal)
    if seat and to:
        raise UsageError("`--seat` and `--to` cannot be combined", "`--to` sends everything; use only one of them")
    print(f"{page}{MARK}{_build_link(game, journal, seat, to).encode()}")
    return 0


def _build_link(game: Game, journal: Journal, seat: str, to: str) -> GameLink:
    """Return the link: the whole game for its next player or if it is over, else one seat's view of it."""
    players = journal.header.players
    if to:
        if game.over:
            raise UsageError("the game is over, so nobody moves next", "drop --to")
        return GameLink(journal, find_seat(to, players))
    if game.over:
        return GameLink(journal)
    return GameLink(replace(build_branch(game, _find_sharing_seat(journal, seat)), keeps_rules=journal.keeps_rules))


def _find_sharing_seat(journal: Journal, seat: str) -> int:
    """Return the seat that shares a game in progress; raises `UsageError`."""
    header = journal.header
    people = [
        seat_number
        for seat_number, name in enumerate(header.players)
        if not (seat_number < len(header.bots) and header.bots[seat_number])
    ]
    if seat:
        return find_seat(seat, header.players)
    if len(people) != 1:
        raise UsageError(
            "the game is not over, so say who shares it",
            "name that player with --seat, or the player to move next with --to",
        )
    return people[0]


def open(link: Link, save_as: Save = None) -> int:
    """Save the game in a link, or add what is new in it to the game that is saved already; returns the exit code."""
    game_link = read_link(link)
    saved = _find_saved_game(game_link.journal) if game_link.to >= 0 and save_as is None else None
    if saved is None:
        path = save_as or saved_games.choose_new_file(load_rules_for(game_link.journal, load_rules_with_notes).title)
        if path is None:
            raise UsageError("cannot save to your games folder", "name a file with --save")
        save_journal(path, game_link.journal)
        _print_message(
            path, f"Saved as {path}, with {count_noun(len(game_link.journal.answers), 'answer')}.", game_link
        )
        return 0
    path, journal = saved
    comparison = compare_answers(journal.answers, game_link.journal.answers)
    if comparison.order is JournalOrder.NEWER:
        _append_answers(path, journal, comparison)
        _print_message(path, f"{count_noun(len(comparison.new), 'answer')} added to {path}.", game_link)
        return 0
    if comparison.order is JournalOrder.SAME:
        _print_message(path, f"{path} already has everything in this link.", game_link)
        return 0
    raise JournalError(*_describe_conflict(comparison), place=str(path))


def _describe_conflict(comparison: JournalComparison) -> tuple[str, str]:
    """Return why a link cannot extend the saved game (older, or a different course), and the remedy."""
    if comparison.order is JournalOrder.OLDER:
        return (
            f"it has gone on since this link, which ends after {count_noun(comparison.common, 'answer')}",
            "ask for the newest link",
        )
    return (
        f"the game in this link went differently after {count_noun(comparison.common, 'answer')}",
        "agree which one to keep; `--save FILE` saves this one separately",
    )


def _find_saved_game(linked_journal: Journal) -> tuple[Path, Journal] | None:
    """Return the saved game that a journal from a link belongs to, if there is one."""
    for path in saved_games.list_games():
        try:
            journal = read_journal(path)
            if is_same_game(journal, linked_journal):
                return path, journal
        except GameError:
            continue  # `games` reports what is wrong with it
    return None


def _append_answers(path: Path, journal: Journal, comparison: JournalComparison) -> None:
    """Append the new answers to a saved game. Raises `JournalError`, before writing, if one is not possible."""
    replay_answers(load_rules_for(journal, load_rules_with_notes).replay(journal), comparison.new, PLACE)
    recorder = Recorder.resume(path)
    try:
        for answer in comparison.new:
            recorder.answer(answer)
    finally:
        recorder.close()


def _print_message(path: Path, message: str, game_link: GameLink) -> None:
    """Print a message about a saved game, whose turn it is, and the commands to resume and replay it."""
    next_steps: Sequence[tuple[str, str]] = (("To continue", "resume"), ("To read its log", "games replay"))
    if game_link.to >= 0:
        message = f"{message} It is {game_link.journal.header.players[game_link.to]}'s turn."
    print(escape_terminal(message))
    for purpose, verb in next_steps:
        print(escape_terminal(f"{purpose}: {saved_games.format_command(path, verb)}"))
