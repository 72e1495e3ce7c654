"""`new`: a module of your own to begin with, written from the template of a game; or a game of your own.
`transcribe`: a form for the cards of a module, to be filled in from the box.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from edict.cli import completion
from edict.cli.errors import UsageError, WrongRules
from edict.cli.option_values import a_path
from edict.cli.playing.saved_games import program
from edict.cli.rules_by_name import default_game, shipped_game, steady, texts_of
from edict.rendering import plain
from edict.report import RulesError, listed
from edict.sources.module_lookup import looks_like_path
from edict.sources.folders import MANIFEST, read_manifest
from edict.sources.input_limits import BLANK
from edict.sources.module_set import find
from edict.studio import templates
from edict.studio.scaffolding import Base, base_for, over, own_game
from edict.studio.scaffolding import form_texts
from edict.studio.variant_files import check_module

NewModule = Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="The new folder, for a module or a game.")]
Over = Annotated[
    str,
    typer.Option(
        "--over", metavar="GAME", autocompletion=completion.game_names,
        help="The game to build on [default: that of this folder, or the one that ships].",
    ),
]
OwnGame = Annotated[bool, typer.Option("--game", help="Start a game of your own instead of a module.")]
ModuleToCopy = Annotated[
    str,
    typer.Argument(metavar="MODULE", autocompletion=completion.module_names, help="A module, by name or path."),
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FOLDER", help="The new folder.")]


def new(name: NewModule, over: Over = "", game: OwnGame = False) -> int:
    """Write a module or a game that can be checked, tested and played at once; returns the exit code."""
    return _new_game(name, over) if game else _new_module(name, over)


def _new_module(wanted: str, game: str) -> int:
    """Write a module that can be checked, tested and played at once; returns the exit code."""
    folder, name = _free(wanted)
    base = base_for(steady(game or default_game()))
    texts = over(base, name)
    templates.write(folder, texts)
    named, found = _named(folder), _game(base, game)
    laid = f"{shlex.quote(found)} " if found else ""
    print(_written(folder, texts, (f"check {named}", f"test {named}", f"play {laid}--with {named}")))
    return 0


def _new_game(wanted: str, over: str) -> int:
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


def transcribe(name: ModuleToCopy, folder: Output = "") -> int:
    """Write the form into a new folder; returns the exit code."""
    try:
        forms = form_texts(name, game=default_game())
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of([default_game(), name])) from None
    target = a_path(folder) if folder else Path(f"{_called(name)}-transcribed")
    if target.exists():
        raise UsageError(f"`{target}` already exists", "name another folder with --output")
    for file, text in forms.items():
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_text(text, encoding="utf-8")
    place = target if target.is_absolute() else f"./{target}"
    cards = listed((file for file in forms if file != MANIFEST), "and")
    print(f"Written to {target}: fill in every {BLANK} of {cards}, then play --with {place}")
    return 0


def _called(name: str) -> str:
    """The module's own name, by whatever name or path it was given."""
    return read_manifest(find(name).unwrap()).unwrap().name
