"""The commands `games`, `repair`, `link` and `open`: saved games, recovery of a damaged one, and games as links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, to_path
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import load_rules_with_notes, replay_journal
from edict.apps.cli.seating import find_seat
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.game.table import journal_files
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
from edict.game.table.rules import Rules, load_rules_for, replay_answers
from edict.game.table.view import View
from edict.support import locks
from edict.support.morphology import count_noun, join_words
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError

MAX_LISTED = 10  # without --all; each listed game is replayed for its scores


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A saved game in the list, as everybody may see it."""

    name: str
    file: str
    played: str  # time of the last change
    game: str = ""
    modules: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    scores: tuple[int | None, ...] = ()  # public scores; None for a hidden one
    answers: int = 0
    status: tuple[str, ...] = ()  # lines of public panels
    phases: tuple[str, ...] = ()
    waits_for: str = ""
    winners: tuple[str, ...] = ()
    over: bool = False
    in_use: str = ""  # who plays it now
    campaign: str = ""
    number: int = 0  # its number in the campaign, from 1
    problem: str = ""  # why it cannot be shown
    cut_off: bool = False  # its last line is incomplete and left out


Every = Annotated[bool, typer.Option("--all", help="List all saved games, not only the last ten.")]


def games(context: typer.Context, every: Every = False, form: o.DataFormat = "text") -> int:
    """List the saved games, the one played last first, unless a command follows; returns the exit code."""
    validate_format(form)
    if context.invoked_subcommand is not None:
        if every or form == JSON:
            inner = context.invoked_subcommand
            reason = f"--all and --format apply to the list of games, not to `{inner}`"
            raise UsageError(reason, f"write options of `{inner}` after its name")
        return 0
    try:
        files = saved_games.require_games()
    except UsageError:
        files = []
    shown = files if every else files[:MAX_LISTED]
    load = _make_cached_loader()
    if form == JSON:
        print_document("games", games=[asdict(_read_saved_game(path, load)) for path in shown])
        return 0
    for path in shown:
        print("\n".join(escape_terminal(line) for line in _format_game(_read_saved_game(path, load))), flush=True)
    if not files:
        print(
            escape_terminal(
                f"No saved games in {saved_games.folder()}. `{saved_games.program_name()} play` starts one."
            )
        )
    elif len(files) > len(shown):
        print(f"{len(files) - len(shown)} older games not shown; --all lists every game.")
    return 0


def _make_cached_loader() -> Callable[[Journal], Rules]:
    """Return a function that loads the rules of a journal and caches them."""
    cache: dict[tuple[str, bool], Rules] = {}

    def load(journal: Journal) -> Rules:
        """Return the rules of a journal, loaded once for each hash of rules and source of them."""
        key = journal.header.rules, journal.keeps_rules
        if key not in cache:
            cache[key] = load_rules_for(journal, load_rules_with_notes)
        return cache[key]

    return load


def _read_saved_game(path: Path, load: Callable[[Journal], Rules]) -> SavedGame:
    """Replay a saved game; return its public state, or the problem for which it cannot be played."""
    played = datetime.fromtimestamp(path.stat().st_mtime)
    make = partial(SavedGame, path.stem, str(path), f"{played:%Y-%m-%d %H:%M}")
    try:
        journal = read_journal(path)
        header = journal.header
        make = partial(make, header.game, header.modules, header.players, header.bots)
        return _with_state(make, load(journal).replay(journal), path, bool(journal.cut_off))
    except GameError as error:
        return make(problem=error.reason, in_use=_describe_holder(path))
    except RulesError as error:
        return make(problem=str(error.first), in_use=_describe_holder(path))


def _with_state(make: Callable[..., SavedGame], game: Game, path: Path, cut_off: bool) -> SavedGame:
    """Build a saved game with what everybody may know: scores, phases, status, whose turn, winners."""
    public = View(game, len(game.players))  # a seat that does not exist sees what is public
    scores = tuple(public.compute(game.program.score, seat) for seat in range(len(game.players)))
    return make(
        scores=scores,
        answers=len(game.journal.answers),
        phases=tuple(game.phases),
        status=tuple(_status_lines(public)),
        waits_for="" if game.over else game.ask.player,
        winners=game.result.winners if game.result else (),
        over=game.over,
        in_use=_describe_holder(path),
        cut_off=cut_off,
        **_campaign_fields(game),
    )


def _campaign_fields(game: Game) -> dict[str, str | int]:
    """Return the name of a game's campaign and its number in it; empty if it belongs to none."""
    chapter = game.table.header.chapter
    if chapter:
        return {"campaign": Path(chapter.campaign).stem, "number": chapter.number}
    return {}


def _status_lines(public: View) -> Iterator[str]:
    """Yield the lines of the public panels: those above a panel, and the rows of panels of lines."""
    for panel in public.panels():
        yield from panel.above
        yield from (" ".join(filter(None, (row.title, *row.cells))) for row in panel.rows if panel.shape == "lines")


def _describe_holder(path: Path) -> str:
    """Return who plays the game now, such as "by process 7 since ..."; empty if nobody does."""
    if not locks.lock_path(path).exists():
        return ""
    try:
        locks.Lock(path).release()
    except locks.FileLockedError as lock_error:
        return lock_error.holder
    except OSError:
        pass  # it cannot be locked, so nobody has locked it
    return ""


# --- in plain words --------------------------------------------------------------------------------


def _format_game(saved_game: SavedGame) -> Iterator[str]:
    """Yield a saved game's lines: name and date, game with modules and players, and its state."""
    yield f"{saved_game.name}  (last played {saved_game.played})"
    if saved_game.game:
        modules = f" with {join_words(saved_game.modules)}" if saved_game.modules else ""
        if saved_game.campaign:
            campaign = f", game {saved_game.number} of the campaign {saved_game.campaign}"
        else:
            campaign = ""
        yield f"  {saved_game.game}{modules}{campaign}: {join_words(_format_players(saved_game))}"
    yield f"  {_describe_state(saved_game)}{f'; being played {saved_game.in_use}' if saved_game.in_use else ''}"
    if saved_game.cut_off and not saved_game.in_use:  # otherwise the line may still be in the middle of a write
        yield "  Its last line was cut off and is ignored."


def _format_players(saved_game: SavedGame) -> Iterator[str]:
    """Yield each player as `NAME (KIND bot) SCORE`, without the parts that do not apply."""
    scores: Sequence[int | None] = saved_game.scores or [None] * len(saved_game.players)
    for name, bot, score in zip(
        saved_game.players, saved_game.bots or [""] * len(saved_game.players), scores, strict=True
    ):
        yield f"{name}{f' ({bot} bot)' if bot else ''}{f' {score}' if score is not None else ''}"


def _describe_state(saved_game: SavedGame) -> str:
    """Return why a saved game cannot be played, who won it, or its status, phase and whom it waits for."""
    if saved_game.problem:
        return f"cannot be played: {saved_game.problem}"
    if saved_game.over:
        return f"finished; {join_words(saved_game.winners) or 'nobody'} won"
    player = "the dice" if saved_game.waits_for == "chance" else saved_game.waits_for
    parts = (*saved_game.status[:1], " > ".join(saved_game.phases), f"waiting for {player}")
    return ", ".join(filter(None, parts))


def repair(file: o.Journal) -> int:
    """Keep what is valid in the file of a game, and print what was saved and what was lost; returns the exit code."""
    path = saved_games.find_game(file)
    result = journal_files.repair_journal(path)
    answers = len(result.journal.answers)
    saved = count_noun(answers, "answer")
    if result.backup is None:
        print(escape_terminal(f"{path} is not damaged: the game is complete, with {saved}."))
        return 0
    if result.lost == 1:
        lost_lines = f"line {result.line}"
    else:
        lost_lines = f"{result.lost} lines, starting with line {result.line}"
    print(escape_terminal(f"Saved: the game up to line {result.line - 1}, with {saved}."))
    print(escape_terminal(f"Lost: {lost_lines} ({result.reason})."))
    print(escape_terminal(f"The damaged file is kept as {result.backup}."))
    print(escape_terminal(f"To continue: {saved_games.format_command(path)}"))
    return 0


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
    game = replay_journal(journal)
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
    replay_answers(replay_journal(journal), comparison.new, PLACE)
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
