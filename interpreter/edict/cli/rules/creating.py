"""`new`: a module of one's own to begin with, written from the template of a game; or a game of one's own."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from edict import resources
from edict.cli.errors import UsageError
from edict.cli.loading import default_game, rules_of, shipped_game, steady
from edict.cli.paths import a_path
from edict.cli.playing.saves import program
from edict.cli.rules import template
from edict.sources.finding import catalogue, find, looks_like_path
from edict.sources.folders import Manifest, read_manifest
from edict.rendering import plain
from edict.report import listed
from edict.resources import command

GAME = "game"  # the folder of the grammar that holds a game to begin with
TEMPLATE = "template"  # the folder of a game that `new` copies, and of the grammar for games that have none
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
LONGEST = 60


@dataclass(frozen=True, slots=True)
class Base:
    """The game a module is to be laid over: its manifest, its template, and how one names it."""

    manifest: Manifest
    template: Path
    named: str


def new(wanted: str, game: str) -> int:
    """Write a module that can be checked, tested and played at once; gives the exit code."""
    folder = a_path(wanted) if wanted.strip() else Path()
    name = folder.absolute().name if wanted.strip() else ""
    _check_name(name)
    _check_free(folder)
    base = _base(game)
    texts = _filled(base, template.read(base.template, base.template.parent), name)
    template.write(folder, texts)
    named = _named(folder)
    game = f"{shlex.quote(base.named)} " if base.named else ""
    print(_written(folder, texts, (f"check {named}", f"test {named}", f"play {game}--with {named}")))
    return 0


def new_game(wanted: str, over: str) -> int:
    """Write a game of one's own that can be checked, tested and played at once; gives the exit code."""
    if over:
        raise UsageError("--game and --over exclude each other", "leave one out: a new game is laid over no other")
    folder = a_path(wanted) if wanted.strip() else Path()
    name = folder.absolute().name if wanted.strip() else ""
    _check_name(name)
    _check_free(folder)
    home = resources.grammar() / GAME / TEMPLATE
    words = {"NAME": name, "TITLE": _title(name), "COMMAND": command()}
    texts = {file: Template(text).safe_substitute(words) for file, text in template.read(home, home.parent).items()}
    template.write(folder, texts)
    named = _named(folder)
    print(_written(folder, texts, (f"check {named}", f"test {named}", f"play {named}")))
    return 0


# --- may it be so? -----------------------------------------------------------------------------


def _check_name(name: str) -> None:
    if not NAME.match(name) or len(name) > LONGEST:
        tidy = "-".join(re.findall(r"[a-z0-9]+", name.casefold())).lstrip("0123456789-")[:LONGEST].rstrip("-")
        remedy = f"write small letters, and - between words, as in `{tidy or 'my-variant'}`"
        raise UsageError(f"`{name}` cannot be the name of a module", remedy)
    if name in catalogue():
        raise UsageError(f"`{name}` is the name of rules that come with the package", "take another name")


def _check_free(folder: Path) -> None:
    """Nothing is ever written over; an empty folder will do."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if os.path.lexists(folder):
        raise UsageError(f"`{folder}` exists already", "take another name; what is there stays as it is")


def _base(game: str) -> Base:
    wanted = game or default_game()
    folder = find(steady(wanted)).unwrap()
    manifest = read_manifest(folder).unwrap()
    if manifest.kind != "game":
        games = listed(name for name, (_, known) in catalogue().items() if known.kind == "game")
        remedy = f"name a game ({games}), and write `over: [{manifest.name}]` into the new module's manifest"
        raise UsageError(f"`{manifest.name}` is a {manifest.kind}, and not a game", remedy)
    own = folder / TEMPLATE
    named = wanted if looks_like_path(wanted) else "" if manifest.name == shipped_game() else manifest.name
    return Base(manifest, own if os.path.lexists(own) else resources.grammar() / TEMPLATE, named)


# --- writing -----------------------------------------------------------------------------------


def _filled(base: Base, texts: Mapping[Path, str], name: str) -> dict[Path, str]:
    """The texts with the names of the game and of the new module in them."""
    words = {"NAME": name, "TITLE": _title(name), "GAME": base.manifest.name, "COMMAND": command()}
    words["GAME_TITLE"] = base.manifest.title
    if any("$PLAYERS" in text for text in texts.values()):
        words["PLAYERS"] = str(_fewest(base))
    longest = max(map(len, words.values()))
    most = sum(len(text) + text.count("$") * longest for text in texts.values())
    template.check_size(most, base.template, base.template.parent)
    return {file: Template(text).safe_substitute(words) for file, text in texts.items()}


def _fewest(base: Base) -> int:
    return rules_of(base.named or base.manifest.name).program.least_players


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _named(folder: Path) -> str:
    """How the new folder is named on the command line."""
    bare = folder == Path(folder.name)
    return shlex.quote(folder.name if bare else str(folder) if looks_like_path(str(folder)) else f"./{folder}")


def _written(folder: Path, texts: Mapping[Path, str], calls: Iterable[str]) -> str:
    """What was written, and what to type next."""
    files = ", ".join(file.as_posix() for file in texts)
    return plain("\n".join([f"Written to {folder}: {files}. Now:", *(f"  {program()} {call}" for call in calls)]))
