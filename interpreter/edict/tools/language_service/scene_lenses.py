"""Scenes as the rules' author sees them: which speak of a thing, where they write a name, and how they go if played."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import laid_over
from edict.compiler.syntax import tree as t
from edict.game.scenes.coverage import SceneCoverage, SceneTrace, find_unplayed, measure_coverage
from edict.game.scenes.scene_files import FOLDER, Path_, Scene, ScenePage, iter_scene_sources, parse_page
from edict.game.scenes.scene_reports import ModuleReport, PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.support.morphology import count_noun, split_title
from edict.support.report import Diagnostic
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import Lens, Location, SceneResult, SceneResults
from edict.tools.language_service.document_structure import outline
from edict.tools.language_service.workspace import Workspace

_PROSE = frozenset(("name", "source", "log", "example", "because"))
"""What is written for people: names of the rules are not looked for there."""


def pages(space: Workspace, folder: Path) -> Iterator[ScenePage]:
    """The files of scenes of a module that can be read."""
    with space.laid():
        sources = list(iter_scene_sources(folder))
    yield from (page for source in sources if (page := _page(folder, source)) is not None)


@lru_cache(maxsize=256)
def _page(folder: Path, source: Source) -> ScenePage | None:
    """What a file of scenes says. Rules are changed far more often than their scenes, which take long to read."""
    return parse_page(folder, source).value


def in_file(space: Workspace, path: Path) -> tuple[Location, ...]:
    """The scenes that a file holds; none for a file that is none of scenes, or cannot be read."""
    rules = space.rules(path)
    if rules is None or path.parent.name != FOLDER:
        return ()
    found = (scene for page in pages(space, rules.folder) for scene in page.iter_scenes())
    places = (Location(file_of(rules.folder, scene), scene.span) for scene in found)
    return tuple(place for place in places if place.path == path.resolve())


def lenses(space: Workspace, path: Path, anew: bool = True) -> tuple[Lens, ...]:
    """Over each thing of a file, the scenes of its module that speak of it.

    Unless it is wanted `anew`, things as they were understood last will do, which takes no time.
    """
    rules = space.rules(path)
    known = rules.analysis(anew) if rules is not None else None
    if rules is None or known is None:
        return ()
    scenes = [told for page in pages(space, rules.folder) for told in _told(page)]
    found = []
    for one in outline(space, path):
        definition = known.definitions.get(one.name)
        if isinstance(definition, t.Thing):
            names, called = [*_names(definition)], _called(definition)
            theirs = (scene for scene in scenes if any(name in scene.text for name in names))  # the quicker question
            placed = tuple((scene.name, scene.where) for scene in theirs if called.search(scene.text))
            found += [Lens(one.name_span, one.name, placed, rules.folder)] if placed else []
    return tuple(found)


@dataclass(frozen=True)
class _Told:
    """A scene: all that is written in it, and where it stands."""

    name: str
    text: str
    where: Location


@lru_cache(maxsize=256)
def _told(page: ScenePage) -> tuple[_Told, ...]:
    scenes = [*page.iter_scenes()]
    return tuple(_Told(one.name, _texts(one), Location(file_of(page.folder, one), one.span)) for one in scenes)


def _names(thing: t.Thing) -> Iterator[str]:
    """The titles and the name of a thing."""
    yield from (one for one in (*split_title(thing.title), thing.name.word) if one)


def _called(thing: t.Thing) -> re.Pattern[str]:
    """The same, as whole words."""
    names = {re.escape(one) for one in _names(thing)}
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
    if name.casefold() in {form.casefold() for form in split_title(definition.title)}:
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


# --- scenes played by the texts as they stand in the editor ---------------------------------------


NEVER = "no scene has played this"


def job(space: Workspace, path: Path, only: tuple[str, ...] = ()) -> Callable[[], SceneResults] | None:
    """What plays the scenes of the module a file belongs to; it may be called in another thread.

    The texts count as they are now. `only`: the names of the scenes wanted; all, if none are named, and then also
    what none of them has played is found. None for a file that lies in no module's folder.
    """
    rules = space.rules(path)
    if rules is None:
        return None
    folder, texts = rules.folder, dict(space.unsaved)
    own = {s.name: s for m in rules.modules if m.folder.resolve() == folder.resolve() for s in m.sources}

    def played() -> SceneResults:
        trace = None if only else SceneTrace()
        with laid_over(texts):
            report = run_module(str(folder), only=(lambda scene: scene.name in only) if only else None, trace=trace)
        coverage = measure_coverage(trace, own) if trace is not None else SceneCoverage(())
        return _results(folder, report, coverage, own)

    return played


def _results(folder: Path, report: ModuleReport, coverage: SceneCoverage, own: dict[str, Source]) -> SceneResults:
    scenes = tuple(_ran(folder, scene) for scene in report.scenes)
    unplayed = tuple(sorted(_unplayed(folder, coverage, own)))
    return SceneResults(folder, scenes, unplayed, tuple(_said(diagnostic) for diagnostic in report.diagnostics))


def _ran(folder: Path, played: PlayedScene) -> SceneResult:
    differences = (f"{one.what}: expected {one.expected}, found {one.found}" for one in played.differences)
    where = Location(file_of(folder, played.scene), played.scene.span)
    return SceneResult(played.scene.name, where, (*map(_said, played.diagnostics), *differences))


def _said(found: Diagnostic) -> str:
    return f"{found.title}; {found.help}" if found.help else found.title


def _unplayed(folder: Path, coverage: SceneCoverage, own: dict[str, Source]) -> Iterator[tuple[Location, str]]:
    for file in coverage.files:
        lines = own[file.file].lines
        for line, column, never in find_unplayed(file):
            text = lines[line - 1] if line <= len(lines) else ""
            start = column or len(text) - len(text.lstrip()) + 1
            path = folder.resolve() / file.file.partition("/")[2]
            yield Location(path, Span(file.file, line, start, line, max(len(text), start) + 1)), f"{NEVER}: {never}"


def counted(lens: Lens, results: SceneResults | None) -> str:
    """What stands above a thing: how many scenes speak of it and, once they were played, how they went."""
    number = len(lens.scenes)
    told = count_noun(number, "scene")
    went = {_line(scene.where): scene.ok for scene in results.scenes} if results is not None else {}
    known = [went[_line(where)] for _, where in lens.scenes if _line(where) in went]
    if not known:
        return told
    failed = known.count(False)
    return f"{told}: {failed} failed" if failed else f"{told}: passed" if len(known) == number else told


def _line(where: Location) -> tuple[Path, int]:
    """By which a scene is known, as no line holds two."""
    return where.path, where.span.line


def unplayed_in(results: SceneResults | None, path: Path, first: int, last: int) -> tuple[tuple[Location, str], ...]:
    """The places in a stretch of lines of a file that no scene has come to."""
    found = results.unplayed if results is not None else ()
    return tuple(one for one in found if one[0].path == path.resolve() and first <= one[0].span.line <= last)
