"""`games`: the games that are kept, with who plays, how they stand and when they were played last. `games repair`
recovers what is valid in a damaged one.
"""

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
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import rules_of
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

MOST = 10  # games that are listed unless all are wanted: each is played again, to tell how it stands


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A saved game. `scores` are those everybody may know; `number`: which game of its campaign it is.

    `problem` says why it cannot be shown. `cut_off`: its last line was cut off, and is left out.
    """

    name: str
    file: str
    played: str
    game: str = ""
    modules: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    scores: tuple[int | None, ...] = ()
    answers: int = 0
    status: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    waits_for: str = ""
    winners: tuple[str, ...] = ()
    over: bool = False
    in_use: str = ""
    campaign: str = ""
    number: int = 0
    problem: str = ""
    cut_off: bool = False


Every = Annotated[bool, typer.Option("--all", help="List all saved games, not only the last ten.")]


def games(context: typer.Context, every: Every = False, form: o.DataFormat = "text") -> int:
    """List the saved games, the one played last first, unless a command follows; returns the exit code."""
    checked_form(form)
    if context.invoked_subcommand is not None:
        if every or form == JSON:
            inner = context.invoked_subcommand
            reason = f"--all and --format stand before `{inner}`, but belong to the list of games"
            raise UsageError(reason, f"write what `{inner}` takes after its name")
        return 0
    try:
        files = saved_games.newest()
    except UsageError:
        files = []
    shown = files if every else files[:MOST]
    load = _remembering()
    if form == JSON:
        print_json([asdict(_saved_game(path, load)) for path in shown])
        return 0
    for path in shown:
        print("\n".join(escape_terminal(line) for line in _lines_of(_saved_game(path, load))), flush=True)
    if not files:
        print(
            escape_terminal(f"No games are saved in {saved_games.folder()}. `{saved_games.program()} play` starts one.")
        )
    elif len(files) > len(shown):
        print(f"{len(files) - len(shown)} older games are not shown; --all lists every game.")
    return 0


def _remembering() -> Callable[[Journal], Rules]:
    """Rules are read once, however many games are played by them."""
    known: dict[tuple[str, bool], Rules] = {}

    def load(journal: Journal) -> Rules:
        key = journal.header.rules, journal.keeps_rules
        if key not in known:
            known[key] = load_rules_for(journal, rules_of)
        return known[key]

    return load


def _saved_game(path: Path, load: Callable[[Journal], Rules]) -> SavedGame:
    played = datetime.fromtimestamp(path.stat().st_mtime)
    begun = partial(SavedGame, path.stem, str(path), f"{played:%Y-%m-%d %H:%M}")
    try:
        journal = read_journal(path)
        header = journal.header
        begun = partial(begun, header.game, header.modules, header.players, header.bots)
        return _standing(begun, load(journal).replay(journal), path, bool(journal.cut_off))
    except GameError as problem:
        return begun(problem=problem.reason, in_use=_holder(path))
    except RulesError as problem:
        return begun(problem=str(problem.first), in_use=_holder(path))


def _standing(begun: Callable[..., SavedGame], game: Game, path: Path, cut_off: bool) -> SavedGame:
    """How a game stands, as everybody may know it."""
    public = View(game, len(game.players))  # a seat that nobody has
    scores = tuple(public.compute(game.program.score, seat) for seat in range(len(game.players)))
    return begun(
        scores=scores,
        answers=len(game.journal.answers),
        phases=tuple(game.phases),
        status=tuple(_status(public)),
        waits_for="" if game.over else game.ask.player,
        winners=game.result.winners if game.result else (),
        over=game.over,
        in_use=_holder(path),
        cut_off=cut_off,
        **_in_campaign(game),
    )


def _in_campaign(game: Game) -> dict[str, str | int]:
    chapter = game.table.header.chapter
    return {"campaign": Path(chapter.campaign).stem, "number": chapter.number} if chapter else {}


def _status(public: View) -> Iterator[str]:
    """The lines that lie on the table for everybody."""
    for panel in public.panels():
        yield from panel.above
        yield from (" ".join(filter(None, (row.title, *row.cells))) for row in panel.rows if panel.shape == "lines")


def _holder(path: Path) -> str:
    """Who plays the game just now, as `by process 7 since ...`; nothing if nobody does."""
    if not locks.lock_path(path).exists():
        return ""
    try:
        locks.Lock(path).release()
    except locks.FileLockedError as held:
        return held.holder
    except OSError:
        pass  # it cannot be locked, so nobody has locked it
    return ""


# --- in plain words --------------------------------------------------------------------------------


def _lines_of(kept: SavedGame) -> Iterator[str]:
    yield f"{kept.name}  (last played {kept.played})"
    if kept.game:
        over = f" with {join_words(kept.modules)}" if kept.modules else ""
        which = f", game {kept.number} of the campaign {kept.campaign}" if kept.campaign else ""
        yield f"  {kept.game}{over}{which}: {join_words(_players(kept))}"
    yield f"  {_state(kept)}{f'; being played {kept.in_use}' if kept.in_use else ''}"
    if kept.cut_off and not kept.in_use:  # else it may be a line that is being written
        yield "  Its last line was cut off, and is left out."


def _players(kept: SavedGame) -> Iterator[str]:
    scores: Sequence[int | None] = kept.scores or [None] * len(kept.players)
    for name, bot, score in zip(kept.players, kept.bots or [""] * len(kept.players), scores, strict=True):
        yield f"{name}{f' ({bot} bot)' if bot else ''}{f' {score}' if score is not None else ''}"


def _state(kept: SavedGame) -> str:
    if kept.problem:
        return f"cannot be played: {kept.problem}"
    if kept.over:
        return f"finished; {join_words(kept.winners) or 'nobody'} won"
    who = "the dice" if kept.waits_for == "chance" else kept.waits_for
    where = (*kept.status[:1], " > ".join(kept.phases), f"waiting for {who}")
    return ", ".join(filter(None, where))


def repair(file: o.Journal) -> int:
    """Keep what is valid in the file of a game, and print what was saved and what was lost; returns the exit code."""
    path = saved_games.find_game(file)
    done = journal_files.repair_journal(path)
    answers = len(done.journal.answers)
    saved = count_noun(answers, "answer")
    if done.backup is None:
        print(escape_terminal(f"{path} is not damaged: the game is complete, with {saved}."))
        return 0
    lost = f"line {done.line}" if done.lost == 1 else f"{done.lost} lines, starting with line {done.line}"
    print(escape_terminal(f"Saved: the game up to line {done.line - 1}, with {saved}."))
    print(escape_terminal(f"Lost: {lost} ({done.reason})."))
    print(escape_terminal(f"The damaged file is kept as {done.backup}."))
    print(escape_terminal(f"To continue: {saved_games.command(path)}"))
    return 0
