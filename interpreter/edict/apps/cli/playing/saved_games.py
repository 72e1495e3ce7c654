"""Where games are kept: a file each, named after the game and the moment it began; and campaigns, among them."""

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
PLAYER = "player.txt"  # the name of whoever plays here


def folder() -> Path:
    """Where a person's saved games belong; `EDICT_GAMES` or `XDG_DATA_HOME` may say otherwise."""
    named = os.environ.get("EDICT_GAMES")
    return Path(named) if named else data_folder() / "games"


def player() -> str:
    """The name of the person who plays here; nothing before they have been asked."""
    try:
        return check_name((folder() / PLAYER).read_bytes()[:1000].decode().strip())
    except (OSError, UnicodeDecodeError, GameError):
        return ""


def keep_player(name: str) -> None:
    """Remember the name, if anything can be kept here."""
    with contextlib.suppress(OSError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(folder() / PLAYER, f"{name}\n")


def fresh(title: str, taken: Collection[Path] = ()) -> Path | None:
    """A file that does not exist yet, and is none of those `taken`; None where nothing can be kept."""
    home = folder()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK):
            return None
    except OSError:
        return None
    stem = f"{to_stable_slug(title) or 'game'}-{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (f"{stem}{f'-{number}' if number else ''}{SUFFIX}" for number in range(1000))
    return next((path for path in (home / name for name in names) if path not in taken and not path.exists()), None)


def newest() -> list[Path]:
    """The games kept, the one played last first; raises `UsageError` if there is none."""
    found = every()
    if not found:
        raise UsageError(f"no game is saved in {folder()}", "start one with `play`, or name the file of a game")
    return found


def named(beginning: str) -> list[Path]:
    """The games kept whose names begin so."""
    return [path for path in every() if path.name.startswith(f"{beginning}-")]


def every() -> list[Path]:
    """The games kept, the one played last first."""
    try:
        return sorted(folder().glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    except OSError:
        return []


def find_game(name: Path) -> Path:
    """The file of a game, by path, name, or an unambiguous beginning of a name.

    Raises `UsageError` where there is no such game.
    """
    kept = [folder() / f"{name}{ending}" for ending in ("", SUFFIX)] if len(name.parts) == 1 else []
    found = next((path for path in (name, *kept) if path.exists()), None)
    if found is not None:
        return found
    names = [path.stem for path in every()]
    begun = [one for one in names if len(name.parts) == 1 and one.startswith(str(name))]
    if len(begun) == 1:
        return folder() / f"{begun[0]}{SUFFIX}"
    near = f"there are {quote_words(begun)}" if begun else suggest_word(str(name), names)
    raise UsageError(f"there is no game `{name}`", near or f"`{typed()} games` lists the saved games")


def command(path: Path, verb: str = "resume") -> str:
    """What to type to continue the game in a file, or to do something else with it."""
    short = path.stem if path.parent == folder() else str(path)
    return f"{program()} {verb} {shlex.quote(short)}"


def describe_cut(journal: Journal) -> str:
    """Say that the last line of a journal was cut off, as when a process dies while it writes; "" if it is whole."""
    if not journal.cut_off:
        return ""
    left = count_noun(len(journal.answers), "answer")
    return f"{journal.place}: the last line was cut off and is left out; the game has the {left} before it."


def program() -> str:
    """How this command can be called again from here."""
    called = Path(sys.argv[0])
    if shutil.which(typed()):
        return typed()
    return os.path.relpath(called) if called.stem in COMMANDS else "python -m edict"


def campaigns_folder() -> Path:
    """Where a person's campaigns belong: among their games."""
    return folder() / "campaigns"


def kept_campaigns() -> list[Path]:
    """The files of the campaigns there are, by name."""
    return sorted(campaigns_folder().glob(f"*{SUFFIX}"))
