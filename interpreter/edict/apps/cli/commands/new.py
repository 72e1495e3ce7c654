"""`new`: a module of your own to begin with, written from the template of a game; a game of your own; or a form for the
cards of a module, to be filled in from the box.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, WrongRules
from edict.apps.cli.option_values import a_path
from edict.apps.cli.playing.saved_games import program
from edict.apps.cli.rules_by_name import default_game, shipped_game, steady, texts_of
from edict.compiler.sources.folders import MANIFEST
from edict.compiler.sources.input_limits import BLANK
from edict.compiler.sources.module_lookup import looks_like_path
from edict.support.morphology import quote_words
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.tools.studio import templates
from edict.tools.studio.scaffolding import Base, base_for, form_texts, over, own_game
from edict.tools.studio.variant_files import check_module

NewFolder = Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="The new folder, for a module or a game.")]
OwnGame = Annotated[bool, typer.Option("--own-game", help="Start a game of your own instead of a module.")]
Form = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="MODULE",
        autocompletion=o.module_names,
        help="Write a form for the cards of this module, to be filled in from the box.",
    ),
]


def new(name: NewFolder, game: o.Game = "", own_game: OwnGame = False, form: Form = "") -> int:
    """Write a module or a game that can be checked, tested and played at once, or a form; returns the exit code."""
    if own_game and (game or form):
        raise UsageError(f"--own-game and {'--game' if game else '--form'} cannot be combined", "leave one of them out")
    return _new_game(name) if own_game else _new_form(name, form, game) if form else _new_module(name, game)


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


def _new_game(wanted: str) -> int:
    """Write a new game that can be checked, tested and played at once; returns the exit code."""
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
    return escape_terminal(
        "\n".join([f"Written to {folder}: {files}. Now:", *(f"  {program()} {call}" for call in calls)])
    )


def _new_form(wanted: str, module: str, game: str) -> int:
    """Write the form for a module's cards; returns the exit code."""
    folder, name = _free(wanted)
    over = steady(game or default_game())
    try:
        texts = form_texts(module, name, over)
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of([over, module])) from None
    templates.write(folder, {Path(file): text for file, text in texts.items()})
    cards = quote_words((file for file in texts if file != MANIFEST), "and")
    print(escape_terminal(f"Written to {folder}: fill in every {BLANK} of {cards}, then play --with {_named(folder)}"))
    return 0
