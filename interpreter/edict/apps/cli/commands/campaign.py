"""The command `campaign`, and campaigns in `play`: their files, their next game, and its result."""

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
from edict.apps.cli.command_errors import UsageError, print_error, to_path
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.screen import Screen, layout_table
from edict.apps.cli.rules_by_name import replay_journal
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.game.table.campaigns import BEFORE, COUNTED, Campaign, CampaignEntry
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import Chapter, Journal, JournalReader, read_journal, read_journal_bytes
from edict.support.files import make_private_folder
from edict.support.morphology import count_noun, join_words
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError, suggest_word

MAX_NAME_BYTES = 100
MAX_VALUE_LENGTH = 400  # characters printed of a value

CampaignName = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        autocompletion=o.campaign_names,
        help="A campaign, by name or path [default: list them].",
    ),
]
UndoGame = Annotated[bool, typer.Option("--undo", help="Take back the last game, or the last --forget.")]
ForgetKeep = Annotated[str, typer.Option("--forget", metavar="KEEP", help="Reset KEEP for the next game.")]
UNLIMITED_WIDTH = 100_000  # columns; nothing is cut


def campaign(
    name: CampaignName = "", undo: UndoGame = False, forget: ForgetKeep = "", form: o.DataFormat = "text"
) -> int:
    """List all campaigns, print one, undo its last entry, or let the next game start a value afresh; return 0."""
    validate_format(form)
    if not name:
        if undo or forget:
            raise UsageError("missing campaign name", "add a name; `campaign` alone lists all campaigns")
        return _list_campaigns(form)
    shown_campaign = find_campaign(name)
    if undo and forget:
        raise UsageError("`--undo` and `--forget` cannot be combined", "use one of them")
    if undo:
        _report_undone(shown_campaign.undo(), shown_campaign.name)
    elif forget:
        shown_campaign.forget(forget)
        undo_command = f"{saved_games.program_name()} {shown_campaign.command} --undo"
        print(escape_terminal(f"`{forget}` will be reset for the next game. `{undo_command}` undoes that."))
    else:
        _print_campaign(shown_campaign, form)
    return 0


def _list_campaigns(output_format: str) -> int:
    """Print a table of all readable campaigns, or JSON; return 0."""
    campaigns = [campaign for path in saved_games.list_campaigns() if (campaign := _read_or_skip(path)) is not None]
    if output_format == JSON:
        print_document("campaigns", campaigns=[_campaign_data(campaign) for campaign in campaigns])
    elif campaigns:
        _print_table([("Campaign", "Game", "Games", "Last players", "Last played"), *map(_summary_row, campaigns)])
    else:
        print(
            escape_terminal(
                f"There are no campaigns. `{saved_games.program_name()} play GAME --campaign NAME` starts one."
            )
        )
    return 0


def _read_or_skip(path: Path) -> Campaign | None:
    """Read a campaign, or report a damaged one and return None."""
    try:
        return read_campaign(path)
    except JournalError as error:
        print_error(f"{path.stem} is skipped: {error.reason}", error.remedy)
        return None


def _summary_row(campaign: Campaign) -> tuple[str, ...]:
    """Return a campaign's cells: name, game, number of games, players and date of the last one, or `-`."""
    last = campaign.games[-1] if campaign.games else None
    return (
        campaign.name,
        campaign.game,
        str(len(campaign.games)),
        join_words(last.players) if last else "-",
        last.written if last else "-",
    )


def _print_campaign(campaign: Campaign, output_format: str) -> None:
    """Print a campaign's games with results, and the values that the next game begins with; or JSON."""
    if output_format == JSON:
        print_document("campaign", **_campaign_data(campaign))
        return
    print(escape_terminal(f"{campaign.name}: {campaign.game}, {count_noun(len(campaign.games), 'game')}"))
    if campaign.entries:
        print()
        _print_table(
            [("", "Played", "Result", "Won by"), *(_entry_row(campaign.games, entry) for entry in campaign.entries)]
        )
    print("\nThe next game begins with:" if campaign.told else "\nNothing has been carried over yet.")
    for line in format_carried_values(campaign.told):
        print(escape_terminal(line))


def _entry_row(games: Sequence[CampaignEntry], entry: CampaignEntry) -> tuple[str, ...]:
    """Return an entry's cells: number, date, scores and winners; `-` for one that resets a carried value."""
    if entry.forgot:
        return "-", entry.written, f"`{entry.forgot}` starts afresh", ""
    scores = ", ".join(f"{name} {score}" for name, score in entry.scores.items())
    return str(games.index(entry) + 1), entry.written, scores, join_words(entry.winners) or "nobody"


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print a table at its full width."""
    for line in layout_table([[Text(cell) for cell in row] for row in rows], UNLIMITED_WIDTH, [False] * len(rows[0])):
        print(escape_terminal(line.plain.rstrip()))


def _report_undone(entry: CampaignEntry, name: str) -> None:
    """Print what taking back an entry means: a game no longer counts, or a value is carried over again."""
    if entry.forgot:
        print(escape_terminal(f"`{entry.forgot}` is carried over again in the campaign {name}."))
    else:
        print(
            escape_terminal(
                f"The game that {join_words(entry.players)} finished on {entry.written} no longer counts in {name}."
            )
        )


def _campaign_data(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign as JSON data: name, file, game and entries, without the values they carry over."""
    entries = [{key: value for key, value in entry.to_data().items() if key != "told"} for entry in campaign.entries]
    return {
        "name": campaign.name,
        "file": str(campaign.path),
        "game": campaign.game,
        "games": len(campaign.games),
        "entries": entries,
    }


def campaign_file(name: str) -> Path:
    """Return the file of a campaign, given its name or a path. Raises `UsageError`."""
    path = to_path(name)
    if name.startswith("~") or "/" in name or os.sep in name or path.suffix == saved_games.SUFFIX:
        return path
    if not name.isprintable() or name.startswith((".", "-")) or len(name.encode()) > MAX_NAME_BYTES:
        raise UsageError(f"invalid campaign name `{name}`", "use a short name of letters and digits")
    return saved_games.campaigns_folder() / f"{name}{saved_games.SUFFIX}"


def read_campaign(path: Path | str) -> Campaign:
    """Return the campaign in a file, which need not exist yet. Raises `JournalError` if it is damaged."""
    file = Path(path)
    home = saved_games.campaigns_folder().absolute()
    return Campaign.read(file, file.stem if file.absolute().parent == home else str(file))


def find_campaign(name: str) -> Campaign:
    """Return an existing campaign. Raises `UsageError` if there is none of that name."""
    campaign = read_campaign(campaign_file(name))
    if not campaign.lines:
        suggestion = suggest_word(name, [path.stem for path in saved_games.list_campaigns()])
        raise UsageError(f"there is no campaign `{name}`", suggestion or f"`play --campaign {name}` starts it")
    return campaign


def settle_campaign(name: str, screen: Screen) -> Campaign:
    """Return the campaign that the next game belongs to, after counting its finished games.

    A game is counted after its last answer. If the process died in between, it is counted here.
    """
    path = campaign_file(name)
    if path.parent == saved_games.campaigns_folder():
        with contextlib.suppress(OSError):  # the later write reports the error
            make_private_folder(saved_games.campaigns_folder())
    for file, journal in _find_pending_games(read_campaign(path)):
        game = _replay_finished_game(journal)
        if game is not None and read_campaign(path).count(game) == COUNTED:
            screen.say(f"The game {file.stem} was finished and now counts in the campaign {path.stem}.")
    return read_campaign(path)


def _find_pending_games(campaign: Campaign) -> Iterator[tuple[Path, Journal]]:
    """Yield the saved games that continue the campaign from its current state, the last played first."""
    for file in saved_games.list_games():
        try:
            first, end, _ = read_journal_bytes(file).partition(b"\n")
            chapter = JournalReader(first + end, str(file)).header.chapter
            if chapter is not None and _awaits_game(campaign, chapter):
                yield file, read_journal(file)
        except JournalError:
            continue  # `games` reports what is wrong with it


def _awaits_game(campaign: Campaign, chapter: Chapter) -> bool:
    """Return True if a saved game began from the campaign's present state, and is not yet counted in it."""
    same_campaign = Path(chapter.campaign) == campaign.path.absolute()
    return same_campaign and chapter.after == campaign.last and chapter.identity not in campaign.known


def _replay_finished_game(journal: Journal) -> Game | None:
    """Return the game of a journal if it is over and can be replayed."""
    try:
        game = replay_journal(journal)
    except (GameError, RulesError):
        return None
    return game if game.over else None


# --- at the table


def describe_campaign(game: Game) -> list[str]:
    """Return lines that say which game of which campaign this is and which values it began with."""
    chapter = game.table.header.chapter
    if chapter is None:
        return []
    lasting = game.table.lasting
    carried = lasting.describe_values(lasting.translate_values(chapter.values))
    heading = f"Game {chapter.number} of the campaign {Path(chapter.campaign).stem}."
    return [heading, *(["Carried over from the game before:", *format_carried_values(carried)] if carried else [])]


def describe_campaign_warning(game: Game) -> list[str]:
    """Return a line that says why this game will not count, if so, before the players continue it."""
    chapter = game.table.header.chapter
    if chapter is None or game.over:
        return []
    try:
        campaign = read_campaign(chapter.campaign)
    except JournalError as error:
        return [f"It will not count: {error.place}: {error.reason}."]
    if not campaign.lines:
        return [f"It will not count: there is no campaign at {campaign.path}."]
    is_stale = not _awaits_game(campaign, chapter)
    if is_stale:
        return ["It will not count: the campaign has moved on since this game began."]
    return []


def format_carried_values(carried: dict[str, tuple[str, str]]) -> list[str]:
    """Return a line for each value that is carried over, shortened if it is long."""
    width = max((len(title) for title, _ in carried.values()), default=0)
    return [
        f"  {title.ljust(width)}  {shorten(text, MAX_VALUE_LENGTH, placeholder=' ...')}"
        for title, text in carried.values()
    ]


def record_campaign_result(game: Game) -> list[str]:
    """Count a finished game in its campaign, if it belongs to one, and return lines that report it.

    Raises `GameError` if it does not count.
    """
    chapter = game.table.header.chapter
    if chapter is None:
        return []
    campaign = read_campaign(chapter.campaign)
    outcome = campaign.count(game)
    if outcome == COUNTED:
        carried = read_campaign(campaign.path).told
        return ["", f"Carried over to the next game of the campaign {campaign.name}:", *format_carried_values(carried)]
    if outcome == BEFORE:
        return ["", f"This game already counts in the campaign {campaign.name}."]
    return ["", f"This game was taken back from the campaign {campaign.name}, so it does not count."]
