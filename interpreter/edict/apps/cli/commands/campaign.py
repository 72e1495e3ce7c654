"""`campaign`, and campaigns at the terminal: where they are kept, what a game of one begins with, what it leaves."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer
from rich.text import Text

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, print_error
from edict.apps.cli.option_values import JSON, a_path, checked_form, print_json
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.screen import Screen, table
from edict.apps.cli.rules_by_name import rules_of
from edict.game.table.campaigns import BEFORE, COUNTED, Campaign, CampaignEntry
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import Chapter, Journal, JournalReader, read_journal, read_journal_bytes
from edict.game.table.rules import load_rules_for
from edict.support.morphology import count_noun, join_words
from edict.support.private_files import make_private_folder
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError, suggest_word

LONGEST_NAME = 100
MOST_TOLD = 400  # characters of what one keep carried over

CampaignName = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        autocompletion=o.campaign_names,
        help="A campaign, by name or path [default: list them].",
    ),
]
UndoGame = Annotated[bool, typer.Option("--undo", help="Take back the last game, or the last --forget.")]
ForgetKeep = Annotated[str, typer.Option("--forget", metavar="KEEP", help="Start KEEP afresh in the next game.")]
WIDEST = 100_000  # columns of a table: nothing of it is cut


def campaign(
    name: CampaignName = "", undo: UndoGame = False, forget: ForgetKeep = "", form: o.DataFormat = "text"
) -> int:
    """List campaigns, show one, or go back in it; returns the exit code."""
    checked_form(form)
    if not name:
        if undo or forget:
            raise UsageError("no campaign is named", "write its name; `campaign` alone lists them")
        return _list(form)
    found = find_campaign(name)
    if undo and forget:
        raise UsageError("`--undo` and `--forget` cannot be combined", "use one of them")
    if undo:
        _tell_undone(found.undo(), found.name)
    elif forget:
        found.forget(forget)
        back = f"{saved_games.program()} {found.command} --undo"
        print(escape_terminal(f"`{forget}` starts afresh in the next game. `{back}` takes that back."))
    else:
        _show(found, form)
    return 0


def _list(form: str) -> int:
    found = [one for path in saved_games.kept_campaigns() if (one := _read(path)) is not None]
    if form == JSON:
        print_json([_data(one) for one in found])
    elif found:
        _print([("Campaign", "Game", "Games", "Last players", "Last played"), *map(_summary, found)])
    else:
        print(
            escape_terminal(f"There are no campaigns. `{saved_games.program()} play GAME --campaign NAME` starts one.")
        )
    return 0


def _read(path: Path) -> Campaign | None:
    """None for a damaged one, which is said and does not stand in the way of the others."""
    try:
        return read_campaign(path)
    except JournalError as problem:
        print_error(f"{path.stem} is skipped: {problem.reason}", problem.remedy)
        return None


def _summary(one: Campaign) -> tuple[str, ...]:
    last = one.games[-1] if one.games else None
    return (
        one.name,
        one.game,
        str(len(one.games)),
        join_words(last.players) if last else "-",
        last.written if last else "-",
    )


def _show(one: Campaign, form: str) -> None:
    if form == JSON:
        print_json(_data(one))
        return
    print(escape_terminal(f"{one.name}: {one.game}, {count_noun(len(one.games), 'game')}"))
    if one.entries:
        print()
        _print([("", "Played", "Result", "Won by"), *(_row(one.games, entry) for entry in one.entries)])
    print("\nThe next game begins with:" if one.told else "\nNothing has been carried over yet.")
    for line in carried_lines(one.told):
        print(escape_terminal(line))


def _row(games: Sequence[CampaignEntry], entry: CampaignEntry) -> tuple[str, ...]:
    if entry.forgot:
        return "-", entry.written, f"`{entry.forgot}` starts afresh", ""
    scores = ", ".join(f"{name} {score}" for name, score in entry.scores.items())
    return str(games.index(entry) + 1), entry.written, scores, join_words(entry.winners) or "nobody"


def _print(rows: Sequence[Sequence[str]]) -> None:
    """A table, its columns as wide as they need be."""
    for line in table([[Text(cell) for cell in row] for row in rows], WIDEST, [False] * len(rows[0])):
        print(escape_terminal(line.plain.rstrip()))


def _tell_undone(entry: CampaignEntry, name: str) -> None:
    if entry.forgot:
        print(escape_terminal(f"`{entry.forgot}` is carried over again in the campaign {name}."))
    else:
        print(
            escape_terminal(
                f"The game that {join_words(entry.players)} finished on {entry.written} no longer counts in {name}."
            )
        )


def _data(one: Campaign) -> dict[str, Any]:
    entries = [{key: value for key, value in entry.to_data().items() if key != "told"} for entry in one.entries]
    return {"name": one.name, "file": str(one.path), "game": one.game, "games": len(one.games), "entries": entries}


def campaign_file(name: str) -> Path:
    """The file of a campaign, by its name or by a path. Raises `UsageError`."""
    path = a_path(name)
    if name.startswith("~") or "/" in name or os.sep in name or path.suffix == saved_games.SUFFIX:
        return path
    if not name.isprintable() or name.startswith((".", "-")) or len(name.encode()) > LONGEST_NAME:
        raise UsageError(f"a campaign cannot be called `{name}`", "use a short name of letters and digits")
    return saved_games.campaigns_folder() / f"{name}{saved_games.SUFFIX}"


def read_campaign(path: Path | str) -> Campaign:
    """The campaign in a file, which may not have begun. Raises `JournalError` if it is damaged."""
    where = Path(path)
    home = saved_games.campaigns_folder().absolute()
    return Campaign.read(where, where.stem if where.absolute().parent == home else str(where))


def find_campaign(name: str) -> Campaign:
    """A campaign that has begun. Raises `UsageError` if there is none of that name."""
    campaign = read_campaign(campaign_file(name))
    if not campaign.lines:
        near = suggest_word(name, [path.stem for path in saved_games.kept_campaigns()])
        raise UsageError(f"there is no campaign `{name}`", near or f"`play --campaign {name}` starts it")
    return campaign


def settled_campaign(name: str, screen: Screen) -> Campaign:
    """The campaign that the next game belongs to, with every game counted that has come to its end.

    A game is written down after its last answer; where the process died in between, it is done here.
    """
    path = campaign_file(name)
    if path.parent == saved_games.campaigns_folder():
        with contextlib.suppress(OSError):  # whoever writes there says what is wrong
            make_private_folder(saved_games.campaigns_folder())
    for file, journal in _open_games(read_campaign(path)):
        game = _finished(journal)
        if game is not None and read_campaign(path).count(game) == COUNTED:
            screen.say(f"The game {file.stem} was finished and now counts in the campaign {path.stem}.")
    return read_campaign(path)


def _open_games(campaign: Campaign) -> Iterator[tuple[Path, Journal]]:
    """The saved games that go on from where the campaign stands, the one played last first."""
    for file in saved_games.every():
        try:
            first, end, _ = read_journal_bytes(file).partition(b"\n")
            chapter = JournalReader(first + end, str(file)).header.chapter
            if chapter is not None and _goes_on(campaign, chapter):
                yield file, read_journal(file)
        except JournalError:
            continue  # `games` tells what is wrong with it


def _goes_on(campaign: Campaign, chapter: Chapter) -> bool:
    """Whether the campaign waits for this game."""
    here = Path(chapter.campaign) == campaign.path.absolute()
    return here and chapter.after == campaign.last and chapter.identity not in campaign.known


def _finished(journal: Journal) -> Game | None:
    try:
        game = load_rules_for(journal, rules_of).replay(journal)
    except (GameError, RulesError):
        return None
    return game if game.over else None


# --- at the table


def campaign_introduction(game: Game) -> list[str]:
    """Which game of which campaign this is, and what was carried over to it; nothing else is needed to say that."""
    chapter = game.table.header.chapter
    if chapter is None:
        return []
    lasting = game.table.lasting
    words = lasting.describe_values(lasting.translate_values(chapter.values))
    which = f"Game {chapter.number} of the campaign {Path(chapter.campaign).stem}."
    return [which, *(["Carried over from the game before:", *carried_lines(words)] if words else [])]


def campaign_warning(game: Game) -> list[str]:
    """That a game will not count, before it is played on in vain."""
    chapter = game.table.header.chapter
    if chapter is None or game.over:
        return []
    try:
        campaign = read_campaign(chapter.campaign)
    except JournalError as problem:
        return [f"It will not count: {problem.place}: {problem.reason}."]
    if not campaign.lines:
        return [f"It will not count: there is no campaign at {campaign.path}."]
    went_on = not _goes_on(campaign, chapter)
    return ["It will not count: the campaign has gone on since this game began."] if went_on else []


def carried_lines(words: dict[str, tuple[str, str]]) -> list[str]:
    """What was carried over, a line a keep; of very many values the first."""
    width = max((len(title) for title, _ in words.values()), default=0)
    return [f"  {title.ljust(width)}  {shorten(text, MOST_TOLD, placeholder=' ...')}" for title, text in words.values()]


def concluded_campaign(game: Game) -> list[str]:
    """Write down what a finished game came to, if it is one of a campaign; gives what there is to say of it.

    Raises `GameError` if it does not count.
    """
    chapter = game.table.header.chapter
    if chapter is None:
        return []
    campaign = read_campaign(chapter.campaign)
    came = campaign.count(game)
    if came == COUNTED:
        words = read_campaign(campaign.path).told
        return ["", f"Carried over to the next game of the campaign {campaign.name}:", *carried_lines(words)]
    if came == BEFORE:
        return ["", f"This game already counts in the campaign {campaign.name}."]
    return ["", f"This game was taken back from the campaign {campaign.name}, so it does not count."]
