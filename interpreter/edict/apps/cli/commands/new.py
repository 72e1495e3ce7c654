"""The command `new`, which creates a module from a template, a game, or a form for a module's cards."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError, to_path
from edict.apps.cli.playing.saved_games import program_name
from edict.apps.cli.rules_by_name import default_game, load_sources, read_shipped_game_name, to_stable_name
from edict.compiler.sources.folders import MANIFEST
from edict.compiler.sources.input_limits import BLANK
from edict.compiler.sources.module_lookup import looks_like_path
from edict.support.morphology import quote_words
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.tools.studio import scaffolding
from edict.tools.studio.scaffolding import BaseGame, build_form_files, build_own_game, fill_template, load_base_game
from edict.tools.studio.variant_files import check_module_name

NewFolder = Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="Folder to create.")]
OwnGame = Annotated[bool, typer.Option("--own-game", help="Create a game instead of a module.")]
Form = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="MODULE",
        autocompletion=o.module_names,
        help="Create a form for this module's cards, to fill in from the box.",
    ),
]


Package = Annotated[
    bool,
    typer.Option(
        "--package", help="Also write a `pyproject.toml`, to publish the module; an existing module gets only that."
    ),
]


def new(
    name: NewFolder, game: o.Game = "", own_game: OwnGame = False, form: Form = "", package: Package = False
) -> int:
    """Create a module, or a game with `own_game`, or a form for cards with `form`; return the exit code."""
    if package:
        return _new_package(name, game, own_game, form)
    if own_game and (game or form):
        raise UsageError(f"--own-game and {'--game' if game else '--form'} cannot be combined", "use only one of them")
    if own_game:
        return _new_game(name)
    if form:
        return _new_form(name, form, game)
    return _new_module(name, game)


def _new_package(name: str, game: str, own_game: bool, form: str) -> int:
    """Create a module or game, unless it is there already, and what makes it a package; return the exit code."""
    from edict.tools.packages import require_engine, write_project

    folder = to_path(name)
    if (folder / MANIFEST).is_file():
        if game or own_game or form:
            raise UsageError(f"`{folder}` already exists", "drop the other options to add only a `pyproject.toml`")
    elif code := new(name, game, own_game, form):
        return code
    else:
        require_engine(folder)
    files = quote_words(write_project(folder), "and")
    print(escape_terminal(f"Wrote {files}. When it is ready:\n  {program_name()} build {_folder_argument(folder)}"))
    return 0


def _new_module(folder_name: str, game: str) -> int:
    """Create a module that can be checked, tested and played at once; return the exit code."""
    folder, name = _validate_new_folder(folder_name)
    base = load_base_game(to_stable_name(game or default_game()))
    game_argument = _game_argument(base, game)
    game_part = f"{shlex.quote(game_argument)} " if game_argument else ""
    return _write_playable(folder, fill_template(base, name), f"play {game_part}--with")


def _new_game(folder_name: str) -> int:
    """Create a game that can be checked, tested and played at once; return the exit code."""
    folder, name = _validate_new_folder(folder_name)
    return _write_playable(folder, build_own_game(name), "play")


def _write_playable(folder: Path, texts: Mapping[Path, str], play: str) -> int:
    """Write the files of a module and print what to try next; `play` lacks only the folder. Return the exit code."""
    scaffolding.write_files(folder, texts)
    argument = _folder_argument(folder)
    calls = (f"check {argument}", f"test {argument}", f"study {argument} --never", f"{play} {argument}")
    print(_describe_written_files(folder, texts, calls))
    return 0


def _validate_new_folder(folder_name: str) -> tuple[Path, str]:
    """Return the new folder and its name; raise `UsageError` unless it is missing or empty."""
    folder = to_path(folder_name) if folder_name.strip() else Path()
    name = folder.absolute().name if folder_name.strip() else ""
    check_module_name(name)
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"`{folder}` already exists", "choose another name; existing files are not overwritten")
    return folder, name


def _game_argument(base: BaseGame, game: str) -> str:
    """Return the game as an argument of `play`; empty for the one that ships."""
    if looks_like_path(game or default_game()):
        return game or default_game()
    return "" if base.manifest.name == read_shipped_game_name() else base.manifest.name


def _folder_argument(folder: Path) -> str:
    """Return the folder as an argument on the command line."""
    text = str(folder)
    if folder != Path(folder.name) and not looks_like_path(text):
        text = f"./{text}"
    return shlex.quote(text)


def _describe_written_files(folder: Path, texts: Mapping[Path, str], calls: Iterable[str]) -> str:
    """Return a message with the written files and the commands to try next."""
    files = ", ".join(file.as_posix() for file in texts)
    return escape_terminal(
        "\n".join([f"Created {folder} with {files}. Next steps:", *(f"  {program_name()} {call}" for call in calls)])
    )


def _new_form(folder_name: str, module: str, game: str) -> int:
    """Write the form for a module's cards; return the exit code."""
    folder, name = _validate_new_folder(folder_name)
    game_name = to_stable_name(game or default_game())
    try:
        texts = build_form_files(module, name, game_name)
    except RulesError as error:
        raise RulesErrorWithSources(error.diagnostics, load_sources([game_name, module])) from None
    scaffolding.write_files(folder, {Path(file): text for file, text in texts.items()})
    cards = quote_words((file for file in texts if file != MANIFEST), "and")
    print(
        escape_terminal(
            f"Created {folder}. Fill in each {BLANK} in {cards}, then run `{program_name()} play --with "
            f"{_folder_argument(folder)}`"
        )
    )
    return 0
