"""`gallery`: what ships and the user's own, to play and to read, with what each shows of the language."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from edict.apps.cli import shared_options as o
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.compiler.sources.own_rules import left_out
from edict.prose.rulebook import game_gallery as shown
from edict.prose.rulebook.game_gallery import GalleryEntry
from edict.support import resources
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal


def gallery(form: o.DataFormat = "text") -> int:
    """Print the gallery; returns the exit code: 1 if something among the user's own cannot be read."""
    as_json = checked_form(form) == JSON
    wrong = list(left_out())
    exhibits = shown.build_gallery()
    if as_json:
        print_json([asdict(one) | {"folder": str(one.folder)} for one in exhibits])
    else:
        print("\n".join(escape_terminal(line) for line in _told(exhibits)))
    for file, reason in wrong:
        print(escape_terminal(f"{file} is left out: {reason}"), file=sys.stderr)
    return 1 if wrong else 0


def _told(exhibits: Sequence[GalleryEntry]) -> Iterator[str]:
    for group in shown.GROUPS:
        some = [one for one in exhibits if one.group == group]
        yield from [group, ""] if some else []
        for one in some:
            yield from _lines(one)
    yield f"Your own: put its folder, or a zip file of it, into {resources.user_rules_folder()}"
    command = resources.command_name()
    yield f"To look up a word: {command} explain bag. For the pictures: {command} serve, then Gallery."


def _lines(one: GalleryEntry) -> Iterator[str]:
    players = f"{one.players} {'player' if one.players == '1' else 'players'}, " if one.players else ""
    yield f"  {one.title}: {players}{count_noun(one.lines, 'line')}"
    yield from [f"    {one.sentence}"] if one.sentence else []
    yield from [f"    Shows {', '.join(one.shows)}."] if one.shows else []
    yield f"    {resources.command_name()} play {_playing(one)}"
    yield ""


def _playing(one: GalleryEntry) -> str:
    """How it is named to be played: recipes have no names that are found everywhere."""
    name = shlex.quote(str(one.folder)) if one.group == shown.RECIPES else one.name
    return name if one.kind == "game" else f"--with {name}"
