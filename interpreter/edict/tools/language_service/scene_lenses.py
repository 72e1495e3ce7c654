"""Scenes for an author of rules: which ones mention a thing, where they write a name, and their results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import overlay_texts
from edict.compiler.syntax import tree as t
from edict.game.scenes.coverage import SceneCoverage, SceneTrace, find_unplayed_items, measure_coverage
from edict.game.scenes.scene_files import FOLDER, Path_, Scene, ScenePage, iter_scene_sources, parse_page
from edict.game.scenes.scene_reports import ModuleReport, PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.support.morphology import count_noun, split_title
from edict.support.records import dataclass
from edict.support.report import Diagnostic
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import Location, ModuleSceneResults, SceneLens, SceneOutcome
from edict.tools.language_service.document_structure import build_outline
from edict.tools.language_service.workspace import Workspace

# keys with text for people, in which names of rules are not looked for
_PROSE_KEYS = frozenset(("name", "source", "log", "example", "because"))


def iter_scene_pages(space: Workspace, folder: Path) -> Iterator[ScenePage]:
    """Yield the scene files of a module that can be read."""
    with space.with_unsaved_texts():
        sources = list(iter_scene_sources(folder))
    yield from (page for source in sources if (page := _parse_with_cache(folder, source)) is not None)


@lru_cache(maxsize=256)
def _parse_with_cache(folder: Path, source: Source) -> ScenePage | None:
    """Return a parsed scene file, cached because rules change far more often than scenes."""
    return parse_page(folder, source).value


def list_scenes(space: Workspace, path: Path) -> tuple[Location, ...]:
    """Return the scenes in a file; none if it is not a scene file, or cannot be read."""
    rules = space.get_rules(path)
    if rules is None or path.parent.name != FOLDER:
        return ()
    scenes = (scene for page in iter_scene_pages(space, rules.folder) for scene in page.iter_scenes())
    places = (Location(scene_path(rules.folder, scene), scene.span) for scene in scenes)
    return tuple(place for place in places if place.path == path.resolve())


def list_lenses(space: Workspace, path: Path, fresh: bool = True) -> tuple[SceneLens, ...]:
    """Return a lens with the scenes of the module that mention it, for each mentioned thing of a file.

    Args:
        space: The workspace.
        path: A rule file.
        fresh: Analyze the current texts. If False, an older analysis will do, which takes no time.
    """
    rules = space.get_rules(path)
    analysis = rules.get_analysis(fresh) if rules is not None else None
    if rules is None or analysis is None:
        return ()
    scenes = [scene_text for page in iter_scene_pages(space, rules.folder) for scene_text in _list_scene_texts(page)]
    result = []
    for entry in build_outline(space, path):
        definition = analysis.definitions.get(entry.name)
        if isinstance(definition, t.Thing):
            names, pattern = [*_iter_titles(definition)], _compile_title_pattern(definition)
            # cheaper than the pattern
            candidates = (scene for scene in scenes if any(name in scene.text for name in names))
            mentions = tuple((scene.name, scene.where) for scene in candidates if pattern.search(scene.text))
            if mentions:
                result += [SceneLens(entry.name_span, entry.name, mentions, rules.folder)]
            else:
                result += []
    return tuple(result)


@dataclass(frozen=True)
class _SceneText:
    """A scene, with everything that is written in it."""

    name: str
    text: str
    where: Location


@lru_cache(maxsize=256)
def _list_scene_texts(page: ScenePage) -> tuple[_SceneText, ...]:
    """Return name, searchable text and location of each scene in a file."""
    scenes = [*page.iter_scenes()]
    return tuple(
        _SceneText(scene.name, _join_texts(scene), Location(scene_path(page.folder, scene), scene.span))
        for scene in scenes
    )


def _iter_titles(thing: t.Thing) -> Iterator[str]:
    """Yield the titles and the name of a thing."""
    yield from (title for title in (*split_title(thing.title), thing.name.word) if title)


def _compile_title_pattern(thing: t.Thing) -> re.Pattern[str]:
    """Return a pattern for the titles and the name of a thing, as whole words."""
    names = {re.escape(title) for title in _iter_titles(thing)}
    return re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(names, key=len, reverse=True))})(?![\w-])")


def _join_texts(scene: Scene) -> str:
    """Return all keys and scalar values of a scene, one a line, to search for names."""
    return "\n".join(str(value) for _, value in _iter_scalars(scene.data))


def _iter_scalars(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Yield every key and scalar value with its path; the path of a key ends in the key."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key), key
            yield from _iter_scalars(value, (*path, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _iter_scalars(value, (*path, number))
    else:
        yield path, data


def scene_path(folder: Path, scene: Scene) -> Path:
    """Return the file of a scene."""
    return folder.resolve() / scene.page.source.name.partition("/")[2]


def find_scene_mentions(space: Workspace, folder: Path, definition: t.Definition) -> Iterator[Location]:
    """Yield where the scenes of a module write the name of a definition.

    Yields nothing if the name is also its title, since scenes then mean the title.
    """
    name = definition.name.word
    if name.casefold() in {form.casefold() for form in split_title(definition.title)}:
        return
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for page in iter_scene_pages(space, folder):
        path = folder.resolve() / page.source.name.partition("/")[2]
        for number in sorted(_find_lines(page, name)):
            text = page.source.text.split("\n")[number - 1]
            for match in word.finditer(text.partition(" #")[0]):
                yield Location(path, Span(page.source.name, number, match.start() + 1, number, match.end() + 1))


def _find_lines(page: ScenePage, name: str) -> set[int]:
    """Return the lines with a key or value that contains the name, except prose."""
    line_numbers: set[int] = set()
    for path, value in _iter_scalars(page.data):
        if name in str(value) and not _PROSE_KEYS & set(map(str, path)):
            if path and path[-1] == value:
                span = page.written.keys.get(path)
            else:
                span = page.written.span_of(path)
            line_numbers |= {span.line} if span is not None else set()
    return line_numbers


# --- playing scenes with the unsaved texts ---------------------------------------------------------


NEVER_PLAYED = "not covered by any scene"


def prepare_scene_run(
    space: Workspace, path: Path, only: tuple[str, ...] = ()
) -> Callable[[], ModuleSceneResults] | None:
    """Return a function that plays the scenes of a module with the current texts, and may run in another thread.

    Returns None for a file outside of modules.

    Args:
        space: The workspace.
        path: A file of the module.
        only: Names of the scenes to play. If there are none, all are played, and unplayed places are found.
    """
    rules = space.get_rules(path)
    if rules is None:
        return None
    folder, texts = rules.folder, dict(space.unsaved)
    own = {s.name: s for m in rules.modules if m.folder.resolve() == folder.resolve() for s in m.sources}

    def run() -> ModuleSceneResults:
        """Play the scenes with unsaved texts, all of them or those in `only`; coverage is measured only for all."""
        trace = None if only else SceneTrace()
        with overlay_texts(texts):
            report = run_module(str(folder), only=(lambda scene: scene.name in only) if only else None, trace=trace)
        coverage = measure_coverage(trace, own) if trace is not None else SceneCoverage(())
        return _to_results(folder, report, coverage, own)

    return run


def _to_results(
    folder: Path, report: ModuleReport, coverage: SceneCoverage, own_sources: dict[str, Source]
) -> ModuleSceneResults:
    """Convert the report of a module's scenes and the coverage of its own sources to results for editors."""
    scenes = tuple(_to_outcome(folder, scene) for scene in report.scenes)
    unplayed = tuple(sorted(_iter_unplayed_places(folder, coverage, own_sources)))
    return ModuleSceneResults(
        folder, scenes, unplayed, tuple(_format_diagnostic(diagnostic) for diagnostic in report.diagnostics)
    )


def _to_outcome(folder: Path, result: PlayedScene) -> SceneOutcome:
    """Return name, place and messages of a played scene: its diagnostics, then each failed expectation."""
    differences = (
        f"{difference.what}: expected {difference.expected}, found {difference.found}"
        for difference in result.differences
    )
    where = Location(scene_path(folder, result.scene), result.scene.span)
    return SceneOutcome(result.scene.name, where, (*map(_format_diagnostic, result.diagnostics), *differences))


def _format_diagnostic(diagnostic: Diagnostic) -> str:
    """Return the title of a diagnostic, with its help behind a semicolon if it has one."""
    if diagnostic.help:
        return f"{diagnostic.title}; {diagnostic.help}"
    return diagnostic.title


def _iter_unplayed_places(
    folder: Path, coverage: SceneCoverage, own_sources: dict[str, Source]
) -> Iterator[tuple[Location, str]]:
    """Yield location and message of every line or branch that no scene played, up to the end of its line."""
    for file in coverage.files:
        lines = own_sources[file.file].lines
        for line, column, missing_part in find_unplayed_items(file):
            text = lines[line - 1] if line <= len(lines) else ""
            start = column or len(text) - len(text.lstrip()) + 1
            path = folder.resolve() / file.file.partition("/")[2]
            yield (
                Location(path, Span(file.file, line, start, line, max(len(text), start) + 1)),
                f"{NEVER_PLAYED}: {missing_part}",
            )


def lens_title(lens: SceneLens, results: ModuleSceneResults | None) -> str:
    """Return the title of a lens: the number of scenes and, if they were played, how many failed."""
    number = len(lens.scenes)
    count_text = count_noun(number, "scene")
    if results is not None:
        passed_by_scene = {_scene_key(scene.where): scene.ok for scene in results.scenes}
    else:
        passed_by_scene = {}
    outcomes = [passed_by_scene[_scene_key(where)] for _, where in lens.scenes if _scene_key(where) in passed_by_scene]
    if not outcomes:
        return count_text
    failed = outcomes.count(False)
    if failed:
        return f"{count_text}: {failed} failed"
    if len(outcomes) == number:
        return f"{count_text}: passed"
    return count_text


def _scene_key(where: Location) -> tuple[Path, int]:
    """Return a key for a scene, as no line holds two."""
    return where.path, where.span.line


def list_unplayed_places(
    results: ModuleSceneResults | None, path: Path, first: int, last: int
) -> tuple[tuple[Location, str], ...]:
    """Return the places in some lines of a file that no scene has reached."""
    unplayed = results.unplayed if results is not None else ()
    return tuple(place for place in unplayed if place[0].path == path.resolve() and first <= place[0].span.line <= last)
