"""The commands `games` and `games repair`: the list of saved games, and recovery of a damaged one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.game.table import journal_files
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Journal, read_journal
from edict.game.table.rules import Rules, load_rules_for
from edict.game.table.view import View
from edict.support import locks
from edict.support.morphology import count_noun, join_words
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
