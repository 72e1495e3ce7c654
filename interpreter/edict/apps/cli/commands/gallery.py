"""The command `gallery`, which lists what ships and the user's own rules with the features each shows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from edict.apps.cli import shared_options as o
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.compiler.sources.own_rules import iter_unreadable
from edict.prose.rulebook import game_gallery as shown
from edict.prose.rulebook.game_gallery import GalleryEntry
from edict.support import resources
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal


def gallery(form: o.DataFormat = "text") -> int:
    """Print the games and recipes of the gallery; return 1 if one of the user's own cannot be read, else 0."""
    as_json = validate_format(form) == JSON
    skipped = list(iter_unreadable())
    exhibits = shown.build_gallery()
    if as_json:
        print_document("gallery", entries=[asdict(exhibit) | {"folder": str(exhibit.folder)} for exhibit in exhibits])
    else:
        print("\n".join(escape_terminal(line) for line in _gallery_lines(exhibits)))
    for file, reason in skipped:
        print(escape_terminal(f"{file} is left out: {reason}"), file=sys.stderr)
    return 1 if skipped else 0


def _gallery_lines(exhibits: Sequence[GalleryEntry]) -> Iterator[str]:
    """Yield the entries under their groups' headings, and where to put one's own."""
    for group in shown.GROUPS:
        group_entries = [entry for entry in exhibits if entry.group == group]
        yield from [group, ""] if group_entries else []
        for entry in group_entries:
            yield from _entry_lines(entry)
    yield f"To add your own, put its folder or a zip file into {resources.user_rules_folder()}"
    command = resources.command_name()
    yield f"To look up a word: {command} explain bag. To see pictures: {command} serve, then Gallery."


def _entry_lines(entry: GalleryEntry) -> Iterator[str]:
    """Yield an entry's lines: title, players and length, its sentence, what it shows, and the command to play it."""
    if entry.players:
        players = f"{entry.players} {'player' if entry.players == '1' else 'players'}, "
    else:
        players = ""
    yield f"  {entry.title}: {players}{count_noun(entry.lines, 'line')}"
    yield from [f"    {entry.sentence}"] if entry.sentence else []
    yield from [f"    Shows {', '.join(entry.shows)}."] if entry.shows else []
    yield f"    {resources.command_name()} play {_play_arguments(entry)}"
    yield ""


def _play_arguments(entry: GalleryEntry) -> str:
    """Return the arguments of `play` for an entry; recipes are named by folder, as their names are not global."""
    name = shlex.quote(str(entry.folder)) if entry.group == shown.RECIPES else entry.name
    return name if entry.kind == "game" else f"--with {name}"
