"""`new`: a module of your own to begin with, written from the template of a game; or a game of your own."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from edict.cli.errors import UsageError
from edict.cli.loading import default_game, shipped_game, steady
from edict.cli.paths import a_path
from edict.cli.playing.saves import program
from edict.studio import templates
from edict.studio.scaffolding import Base, base_for, over, own_game
from edict.studio.variant_files import check_module
from edict.sources.finding import looks_like_path
from edict.rendering import plain


def new(wanted: str, game: str) -> int:
    """Write a module that can be checked, tested and played at once; returns the exit code."""
    folder, name = _free(wanted)
    base = base_for(steady(game or default_game()))
    texts = over(base, name)
    templates.write(folder, texts)
    named, found = _named(folder), _game(base, game)
    laid = f"{shlex.quote(found)} " if found else ""
    print(_written(folder, texts, (f"check {named}", f"test {named}", f"play {laid}--with {named}")))
    return 0


def new_game(wanted: str, over: str) -> int:
    """Write a new game that can be checked, tested and played at once; returns the exit code."""
    if over:
        raise UsageError("--game and --over cannot be combined", "leave one of them out")
    folder, name = _free(wanted)
    texts = own_game(name)
    templates.write(folder, texts)
    named = _named(folder)
    print(_written(folder, texts, (f"check {named}", f"test {named}", f"play {named}")))
    return 0


def _free(wanted: str) -> tuple[Path, str]:
    """The new folder, and its name; nothing is ever written over, but an empty folder will do."""
    folder = a_path(wanted) if wanted.strip() else Path()
    name = folder.absolute().name if wanted.strip() else ""
    check_module(name)
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"`{folder}` already exists", "choose another name; existing files are not overwritten")
    return folder, name


def _game(base: Base, game: str) -> str:
    """How the game is named when it is played; nothing for the one that ships."""
    if looks_like_path(game or default_game()):
        return game or default_game()
    return "" if base.manifest.name == shipped_game() else base.manifest.name


def _named(folder: Path) -> str:
    """How the new folder is named on the command line."""
    bare = folder == Path(folder.name)
    return shlex.quote(folder.name if bare else str(folder) if looks_like_path(str(folder)) else f"./{folder}")


def _written(folder: Path, texts: Mapping[Path, str], calls: Iterable[str]) -> str:
    """What was written, and what to type next."""
    files = ", ".join(file.as_posix() for file in texts)
    return plain("\n".join([f"Written to {folder}: {files}. Now:", *(f"  {program()} {call}" for call in calls)]))
