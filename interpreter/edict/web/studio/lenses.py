"""What stands above the things of a file: their scenes with the last results, and what no scene has played."""

from __future__ import annotations

from typing import Any

from edict.service import outlining, running
from edict.service.scenes import lenses
from edict.service.values import Location, Ran, Results
from edict.studio.scene_runs import PASSED, ScenesFound
from edict.text import Span
from edict.web.studio.desk import Desk

Data = dict[str, Any]


def above(desk: Desk, file: str, found: ScenesFound | None) -> list[Data]:
    """By the line of each definition that has something above it. `found`: how the scenes went, if known."""
    results, path = _results(desk, found) if found is not None else None, desk.path(file)
    with desk.asking() as space:
        spoken = {one.span.line: one for one in lenses(space, path)}
        outline = outlining.outline(space, path)
    made = []
    for one in outline:
        lens = spoken.get(one.name_span.line)
        unplayed = running.unplayed_in(results, path, one.span.line, one.span.end_line)
        if lens is not None or unplayed:
            scenes = [{"name": name, **_place(desk, where)} for name, where in lens.scenes] if lens is not None else []
            said = running.counted(lens, results) if lens is not None else ""
            places = [{"what": what, **_place(desk, where)} for where, what in unplayed]
            line = {"line": one.span.line, "end": one.span.end_line, "said": said}
            made.append({**line, "scenes": scenes, "unplayed": places})
    return made


def _results(desk: Desk, found: ScenesFound) -> Results:
    played = (Ran(s.name, _at(desk, s.file, s.line), () if s.outcome == PASSED else (s.outcome,)) for s in found.scenes)
    never = found.covered.never if found.covered is not None else ()
    return Results(desk.folder, tuple(played), tuple((_at(desk, n.file, n.line, n.column), n.what) for n in never))


def _at(desk: Desk, file: str, line: int, column: int = 1) -> Location:
    return Location(desk.path(file), Span(file, line, max(column, 1), line, max(column, 1)))


def _place(desk: Desk, where: Location) -> Data:
    return {"file": desk.named(where.path), "line": where.span.line, "column": where.span.column}
