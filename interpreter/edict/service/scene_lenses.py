"""Scenes as the rules' author sees them: which speak of a thing, and where they write a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edict.language import tree as t
from edict.words.titles import forms
from edict.scenes.scene_files import FOLDER, Path_, Scene, ScenePage, read_page, scene_files
from edict.service.document_structure import outline
from edict.service.answer_types import Lens, Location
from edict.service.workspace import Workspace
from edict.text import Span

_PROSE = frozenset(("name", "source", "log", "example", "because"))
"""What is written for people: names of the rules are not looked for there."""


def pages(space: Workspace, folder: Path) -> Iterator[ScenePage]:
    """The files of scenes of a module that can be read."""
    with space.laid():
        read = [read_page(folder, file) for file in scene_files(folder).value or ()]
    yield from (page.value for page in read if page.value is not None)


def in_file(space: Workspace, path: Path) -> tuple[Location, ...]:
    """The scenes that a file holds; none for a file that is none of scenes, or cannot be read."""
    rules = space.rules(path)
    if rules is None or path.parent.name != FOLDER:
        return ()
    found = (scene for page in pages(space, rules.folder) for scene in page.scenes())
    places = (Location(file_of(rules.folder, scene), scene.span) for scene in found)
    return tuple(place for place in places if place.path == path.resolve())


def lenses(space: Workspace, path: Path) -> tuple[Lens, ...]:
    """Over each thing of a file, the scenes of its module that speak of it."""
    rules = space.rules(path)
    known = rules.understood() if rules is not None else None
    if rules is None or known is None:
        return ()
    scenes = [(scene, _texts(scene)) for page in pages(space, rules.folder) for scene in page.scenes()]
    found = []
    for one in outline(space, path):
        definition = known.definitions.get(one.name)
        if isinstance(definition, t.Thing):
            called = _called(definition)
            theirs = [scene for scene, text in scenes if called.search(text)]
            placed = tuple((scene.name, Location(file_of(rules.folder, scene), scene.span)) for scene in theirs)
            found += [Lens(one.name_span, one.name, placed, rules.folder)] if placed else []
    return tuple(found)


def _called(thing: t.Thing) -> re.Pattern[str]:
    """The titles and the name of a thing, as whole words."""
    names = {re.escape(one) for one in (*forms(thing.title), thing.name.word) if one}
    return re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(names, key=len, reverse=True))})(?![\w-])")


def _texts(scene: Scene) -> str:
    return "\n".join(str(value) for _, value in _scalars(scene.data))


def _scalars(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every text and key, each with the way to it; a key ends in itself."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key), key
            yield from _scalars(value, (*path, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _scalars(value, (*path, number))
    else:
        yield path, data


def file_of(folder: Path, scene: Scene) -> Path:
    """The file a scene stands in."""
    return folder.resolve() / scene.page.source.name.partition("/")[2]


def scene_mentions(space: Workspace, folder: Path, definition: t.Definition) -> Iterator[Location]:
    """Where the scenes of a module write a name; what has the name as its title is meant by that, and stays."""
    name = definition.name.word
    if name.casefold() in {form.casefold() for form in forms(definition.title)}:
        return
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for page in pages(space, folder):
        path = folder.resolve() / page.source.name.partition("/")[2]
        for number in sorted(_lines(page, name)):
            text = page.source.text.split("\n")[number - 1]
            for found in word.finditer(text.partition(" #")[0]):
                yield Location(path, Span(page.source.name, number, found.start() + 1, number, found.end() + 1))


def _lines(page: ScenePage, name: str) -> set[int]:
    """The lines with a text or key in which the name stands, outside of prose."""
    found: set[int] = set()
    for path, value in _scalars(page.data):
        if name in str(value) and not _PROSE & set(map(str, path)):
            span = page.written.keys.get(path) if path and path[-1] == value else page.written.place(path)
            found |= {span.line} if span is not None else set()
    return found
