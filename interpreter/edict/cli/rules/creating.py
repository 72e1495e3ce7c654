"""`new`: a module of one's own to begin with, written from the template of a game."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from string import Template

from edict import resources
from edict.cli.errors import UsageError
from edict.cli.loading import default_game, rules_of, steady
from edict.cli.playing.saves import program
from edict.front.finding import catalogue, find, looks_like_path
from edict.front.folders import Manifest, read_manifest
from edict.rendering import plain
from edict.report import listed

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
    folder = Path(wanted).expanduser()
    name = folder.absolute().name if wanted.strip() else ""
    _check_name(name)
    _check_free(folder)
    base = _base(game)
    texts = {file: _filled(base, file, name) for file in sorted(base.template.rglob("*")) if file.is_file()}
    for file, text in texts.items():
        _write(folder / file.relative_to(base.template), text)
    print(_told(folder, base, [file.relative_to(base.template).as_posix() for file in texts]))
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
    folder = find(steady(game or default_game())).unwrap()
    manifest = read_manifest(folder).unwrap()
    if manifest.kind != "game":
        games = listed(name for name, (_, known) in catalogue().items() if known.kind == "game")
        remedy = f"name a game ({games}), and write `over: [{manifest.name}]` into the new module's manifest"
        raise UsageError(f"`{manifest.name}` is a {manifest.kind}, and not a game", remedy)
    own = folder / TEMPLATE
    named = game if looks_like_path(game) else "" if manifest.name == default_game() else manifest.name
    return Base(manifest, own if own.is_dir() else resources.grammar() / TEMPLATE, named)


# --- writing -----------------------------------------------------------------------------------


def _filled(base: Base, file: Path, name: str) -> str:
    text = file.read_text(encoding="utf-8")
    words = {"NAME": name, "TITLE": name.replace("-", " ").capitalize(), "GAME": base.manifest.name}
    words["GAME_TITLE"] = base.manifest.title
    if "$PLAYERS" in text:
        words["PLAYERS"] = str(_fewest(base))
    return Template(text).safe_substitute(words)


def _fewest(base: Base) -> int:
    return rules_of(base.named or base.manifest.name).program.least_players


def _write(file: Path, text: str) -> None:
    """A new file; `OSError` where none can be."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as stream:
        stream.write(text)


def _told(folder: Path, base: Base, files: list[str]) -> str:
    """What was written, and what to type next."""
    bare = folder == Path(folder.name)
    named = shlex.quote(folder.name if bare else str(folder) if looks_like_path(str(folder)) else f"./{folder}")
    game = f"{shlex.quote(base.named)} " if base.named else ""
    calls = (f"check {named}", f"test {named}", f"play {game}--with {named}")
    return plain("\n".join([f"Written to {folder}: {', '.join(files)}. Now:", *(f"  {program()} {c}" for c in calls)]))
