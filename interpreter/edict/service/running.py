"""Scenes played while somebody works on rules: by the texts as they stand in the editor, with what none has played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from edict.report import Diagnostic
from edict.scenes.coverage import Coverage, Trace, measure, missing
from edict.scenes.scene_reports import Played, Report
from edict.scenes.scene_runner import run_module
from edict.service.scene_lenses import file_of
from edict.service.answer_types import Lens, Location, Ran, Results
from edict.service.workspace import Workspace
from edict.sources.folders import laid_over
from edict.text import Source, Span

NEVER = "no scene has played this"


def job(space: Workspace, path: Path, only: tuple[str, ...] = ()) -> Callable[[], Results] | None:
    """What plays the scenes of the module a file belongs to; it may be called in another thread.

    The texts count as they are now. `only`: the names of the scenes wanted; all, if none are named, and then also
    what none of them has played is found. None for a file that lies in no module's folder.
    """
    rules = space.rules(path)
    if rules is None:
        return None
    folder, texts = rules.folder, dict(space.unsaved)
    own = {s.name: s for m in rules.modules if m.folder.resolve() == folder.resolve() for s in m.sources}

    def played() -> Results:
        trace = None if only else Trace()
        with laid_over(texts):
            report = run_module(str(folder), only=(lambda scene: scene.name in only) if only else None, trace=trace)
        coverage = measure(trace, own) if trace is not None else Coverage(())
        return _results(folder, report, coverage, own)

    return played


def _results(folder: Path, report: Report, coverage: Coverage, own: dict[str, Source]) -> Results:
    scenes = tuple(_ran(folder, one) for one in report.scenes)
    unplayed = tuple(sorted(_unplayed(folder, coverage, own)))
    return Results(folder, scenes, unplayed, tuple(_said(one) for one in report.diagnostics))


def _ran(folder: Path, played: Played) -> Ran:
    differences = (f"{one.what}: expected {one.expected}, found {one.found}" for one in played.differences)
    where = Location(file_of(folder, played.scene), played.scene.span)
    return Ran(played.scene.name, where, (*map(_said, played.diagnostics), *differences))


def _said(found: Diagnostic) -> str:
    return f"{found.title}; {found.help}" if found.help else found.title


def _unplayed(folder: Path, coverage: Coverage, own: dict[str, Source]) -> Iterator[tuple[Location, str]]:
    for file in coverage.files:
        lines = own[file.file].lines
        for line, column, never in missing(file):
            text = lines[line - 1] if line <= len(lines) else ""
            start = column or len(text) - len(text.lstrip()) + 1
            path = folder.resolve() / file.file.partition("/")[2]
            yield Location(path, Span(file.file, line, start, line, max(len(text), start) + 1)), f"{NEVER}: {never}"


def counted(lens: Lens, results: Results | None) -> str:
    """What stands above a thing: how many scenes speak of it and, once they were played, how they went."""
    number = len(lens.scenes)
    told = f"{number} scene{'s' if number > 1 else ''}"
    went = {_line(one.where): one.ok for one in results.scenes} if results is not None else {}
    known = [went[_line(where)] for _, where in lens.scenes if _line(where) in went]
    if not known:
        return told
    failed = known.count(False)
    return f"{told}: {failed} failed" if failed else f"{told}: passed" if len(known) == number else told


def _line(where: Location) -> tuple[Path, int]:
    """By which a scene is known, as no line holds two."""
    return where.path, where.span.line


def unplayed_in(results: Results | None, path: Path, first: int, last: int) -> tuple[tuple[Location, str], ...]:
    """The places in a stretch of lines of a file that no scene has come to."""
    found = results.unplayed if results is not None else ()
    return tuple(one for one in found if one[0].path == path.resolve() and first <= one[0].span.line <= last)
