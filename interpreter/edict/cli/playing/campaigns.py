"""Campaigns at the terminal: where they are kept, what a game of one begins with, and what it leaves to the next."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from edict.cli.errors import UsageError
from edict.cli.loading import rules_of
from edict.cli.playing import saves
from edict.cli.playing.screen import Screen
from edict.paths import BadPath, typed_path
from edict.private_files import make_folder
from edict.report import RulesError, did_you_mean
from edict.table.rules import rules_for
from edict.table.campaign import BEFORE, COUNTED, Campaign
from edict.table.journal import Chapter, Journal, Reading, read_bytes, read_journal
from edict.table.errors import GameError, JournalError
from edict.table.game import Game

LONGEST_NAME = 100
MOST_TOLD = 400  # characters of what one keep carried over


def folder() -> Path:
    """Where a person's campaigns belong: among their games."""
    return saves.folder() / "campaigns"


def place(name: str) -> Path:
    """The file of a campaign, by its name or by a path. Raises `UsageError`."""
    try:
        path = typed_path(name)
    except BadPath as bad:
        raise UsageError(bad.reason, bad.remedy) from None
    if name.startswith("~") or "/" in name or os.sep in name or path.suffix == saves.SUFFIX:
        return path
    if not name.isprintable() or name.startswith((".", "-")) or len(name.encode()) > LONGEST_NAME:
        raise UsageError(f"a campaign cannot be called `{name}`", "use a short name of letters and digits")
    return folder() / f"{name}{saves.SUFFIX}"


def read(path: Path | str) -> Campaign:
    """The campaign in a file, which may not have begun. Raises `JournalError` if it is damaged."""
    where = Path(path)
    return Campaign.read(where, where.stem if where.absolute().parent == folder().absolute() else str(where))


def find(name: str) -> Campaign:
    """A campaign that has begun. Raises `UsageError` if there is none of that name."""
    campaign = read(place(name))
    if not campaign.lines:
        near = did_you_mean(name, [path.stem for path in kept()])
        raise UsageError(f"there is no campaign `{name}`", near or f"`play --campaign {name}` starts it")
    return campaign


def kept() -> list[Path]:
    """The files of the campaigns there are, by name."""
    return sorted(folder().glob(f"*{saves.SUFFIX}"))


def settled(name: str, screen: Screen) -> Campaign:
    """The campaign that the next game belongs to, with every game counted that has come to its end.

    A game is written down after its last answer; where the process died in between, it is done here.
    """
    path = place(name)
    if path.parent == folder():
        with contextlib.suppress(OSError):  # whoever writes there says what is wrong
            make_folder(folder())
    for file, journal in _open(read(path)):
        game = _finished(journal)
        if game is not None and read(path).count(game) == COUNTED:
            screen.say(f"The game {file.stem} was finished and now counts in the campaign {path.stem}.")
    return read(path)


def _open(campaign: Campaign) -> Iterator[tuple[Path, Journal]]:
    """The saved games that go on from where the campaign stands, the one played last first."""
    for file in saves.every():
        try:
            first, end, _ = read_bytes(file).partition(b"\n")
            chapter = Reading(first + end, str(file)).header.chapter
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
        game = rules_for(journal, rules_of).replay(journal)
    except (GameError, RulesError):
        return None
    return game if game.over else None


# --- at the table


def introduction(game: Game) -> list[str]:
    """Which game of which campaign this is, and what was carried over to it; nothing else is needed to say that."""
    chapter = game.table.header.chapter
    if chapter is None:
        return []
    lasting = game.table.lasting
    words = lasting.told(lasting.in_these_rules(chapter.values))
    which = f"Game {chapter.number} of the campaign {Path(chapter.campaign).stem}."
    return [which, *(["Carried over from the game before:", *lines(words)] if words else [])]


def warning(game: Game) -> list[str]:
    """That a game will not count, before it is played on in vain."""
    chapter = game.table.header.chapter
    if chapter is None or game.over:
        return []
    try:
        campaign = read(chapter.campaign)
    except JournalError as problem:
        return [f"It will not count: {problem.place}: {problem.reason}."]
    if not campaign.lines:
        return [f"It will not count: there is no campaign at {campaign.path}."]
    went_on = not _goes_on(campaign, chapter)
    return ["It will not count: the campaign has gone on since this game began."] if went_on else []


def lines(words: dict[str, tuple[str, str]]) -> list[str]:
    """What was carried over, a line a keep; of very many values the first."""
    width = max((len(title) for title, _ in words.values()), default=0)
    return [f"  {title.ljust(width)}  {shorten(text, MOST_TOLD, placeholder=' ...')}" for title, text in words.values()]


def concluded(game: Game) -> list[str]:
    """Write down what a finished game came to, if it is one of a campaign; gives what there is to say of it.

    Raises `GameError` if it does not count.
    """
    chapter = game.table.header.chapter
    if chapter is None:
        return []
    campaign = read(chapter.campaign)
    came = campaign.count(game)
    if came == COUNTED:
        words = read(campaign.path).told
        return ["", f"Carried over to the next game of the campaign {campaign.name}:", *lines(words)]
    if came == BEFORE:
        return ["", f"This game already counts in the campaign {campaign.name}."]
    return ["", f"This game was taken back from the campaign {campaign.name}, so it does not count."]
