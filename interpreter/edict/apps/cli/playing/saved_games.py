"""The folder of saved games, one file each, named after the game and the time it began; and of campaigns."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from edict.apps.cli.command_errors import UsageError
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Journal
from edict.game.table.setup import check_name
from edict.runtime.program.option_keys import to_stable_slug
from edict.support.files import write_atomically
from edict.support.morphology import count_noun, quote_words
from edict.support.report import suggest_word
from edict.support.resources import COMMANDS, data_folder
from edict.support.resources import command_name as typed

SUFFIX = ".jsonl"
PLAYER_FILE = "player.txt"  # the name of whoever plays here


def folder() -> Path:
    """Return the folder of saved games, which `EDICT_GAMES` or `XDG_DATA_HOME` can change."""
    named = os.environ.get("EDICT_GAMES")
    return Path(named) if named else data_folder() / "games"


def load_player_name() -> str:
    """Return the name of the person who plays here, or an empty text before it was asked for."""
    try:
        return check_name((folder() / PLAYER_FILE).read_bytes()[:1000].decode().strip())
    except (OSError, UnicodeDecodeError, GameError):
        return ""


def store_player_name(name: str) -> None:
    """Store the name of the person who plays here, if the folder is writable."""
    with contextlib.suppress(OSError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(folder() / PLAYER_FILE, f"{name}\n")


def choose_new_file(title: str, taken: Collection[Path] = ()) -> Path | None:
    """Return a path for a new game that does not exist and is not in `taken`; None if games cannot be saved."""
    games_folder = folder()
    try:
        games_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(games_folder, os.W_OK):
            return None
    except OSError:
        return None
    stem = f"{to_stable_slug(title) or 'game'}-{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (f"{stem}{f'-{number}' if number else ''}{SUFFIX}" for number in range(1000))
    return next(
        (path for path in (games_folder / name for name in names) if path not in taken and not path.exists()), None
    )


def require_games() -> list[Path]:
    """Return the saved games, the last played first; raise `UsageError` if there is none."""
    games = list_games()
    if not games:
        raise UsageError(f"no game is saved in {folder()}", "start one with `play`, or name the file of a game")
    return games


def find_by_prefix(prefix: str) -> list[Path]:
    """Return the saved games whose file names begin with a text and a hyphen."""
    return [path for path in list_games() if path.name.startswith(f"{prefix}-")]


def list_games() -> list[Path]:
    """Return the saved games, the last played first; none if the folder is unreadable."""
    try:
        return sorted(folder().glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    except OSError:
        return []


def find_game(name: Path) -> Path:
    """Return the file of a game, by path, name, or an unambiguous beginning of a name.

    Raises `UsageError` if there is no such game.
    """
    if len(name.parts) == 1:
        candidates = [folder() / f"{name}{suffix}" for suffix in ("", SUFFIX)]
    else:
        candidates = []
    found = next((path for path in (name, *candidates) if path.exists()), None)
    if found is not None:
        return found
    names = [path.stem for path in list_games()]
    matches = [game_name for game_name in names if len(name.parts) == 1 and game_name.startswith(str(name))]
    if len(matches) == 1:
        return folder() / f"{matches[0]}{SUFFIX}"
    suggestion = f"there are {quote_words(matches)}" if matches else suggest_word(str(name), names)
    raise UsageError(f"there is no game `{name}`", suggestion or f"`{typed()} games` lists the saved games")


def format_command(path: Path, verb: str = "resume") -> str:
    """Return the command that resumes the game in a file, or does something else with it."""
    game_name = path.stem if path.parent == folder() else str(path)
    return f"{program_name()} {verb} {shlex.quote(game_name)}"


def describe_cut(journal: Journal) -> str:
    """Return a warning that the last line of a journal was cut off, as by a crash; empty if it is whole."""
    if not journal.cut_off:
        return ""
    remaining = count_noun(len(journal.answers), "answer")
    return f"{journal.place}: the last line was cut off and is ignored; the game has the {remaining} before it."


def program_name() -> str:
    """Return how to call this command again from here."""
    called = Path(sys.argv[0])
    if shutil.which(typed()):
        return typed()
    return os.path.relpath(called) if called.stem in COMMANDS else "python -m edict"


def campaigns_folder() -> Path:
    """Return the folder of campaigns, within that of saved games."""
    return folder() / "campaigns"


def list_campaigns() -> list[Path]:
    """Return the files of campaigns, by name."""
    return sorted(campaigns_folder().glob(f"*{SUFFIX}"))
