"""The scenes beside a variant, played as its texts stand: what passed, what failed and where, what none has played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.sources.module_lookup import texts
from edict.game.scenes.coverage import CoverageCount, SceneCoverage, SceneTrace, find_unplayed, measure_coverage
from edict.game.scenes.scene_reports import PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.support.processes.tasks import ReportFunction
from edict.support.report import Diagnostic, RulesError
from edict.support.text import Source
from edict.tools.studio.background import Run
from edict.tools.studio.snapshots import Snapshot, rules_of

PASSED, FAILED, WRONG = "passed", "failed", "wrong"
MOST_LOG = 40  # lines of what happened in a scene that failed


@dataclass(frozen=True, slots=True)
class Failing:
    """Something that is not as a scene says, and the line on which it says so."""

    what: str
    expected: str
    found: str
    line: int


@dataclass(frozen=True, slots=True)
class SceneMistake:
    """Something in a scene that cannot be understood: its line, what it is, and what to do about it."""

    line: int
    title: str
    help: str


@dataclass(frozen=True, slots=True)
class SceneResult:
    """How one scene went. outcome: passed, failed, or wrong (it cannot be played). log: what happened, if it failed."""

    name: str
    file: str
    line: int
    outcome: str
    failing: tuple[Failing, ...]
    wrong: tuple[SceneMistake, ...]
    log: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Never:
    """What no scene has played: its place, what was never so (`never played`, `never yes`), and the text there.

    column: from 1; 0 for all of the line.
    """

    file: str
    line: int
    column: int
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Covered:
    """How much of the variant's own rules its scenes have played."""

    percent: float
    things: CoverageCount
    lines: CoverageCount
    branches: CoverageCount
    never: tuple[Never, ...]


@dataclass(frozen=True, slots=True)
class ScenesFound:
    """How the scenes of a variant went. `problems` are of files that cannot be read and rules that cannot be played."""

    scenes: tuple[SceneResult, ...]
    problems: tuple[Diagnostic, ...]
    covered: Covered | None
    seconds: float

    @property
    def ok(self) -> bool:
        return not self.problems and all(scene.outcome == PASSED for scene in self.scenes)


class SceneRun(Run[ScenesFound]):
    """The scenes of a variant, being played in a process of their own; to be stopped at the next edit."""

    def __init__(self, seen: Snapshot) -> None:
        super().__init__(_run, seen)


def _run(seen: Snapshot, tell: ReportFunction[ScenesFound]) -> None:
    tell(run_scenes(seen))


def run_scenes(seen: Snapshot) -> ScenesFound:
    """Play them here and now. Nothing is raised for scenes or rules that are wrong."""
    trace = SceneTrace()
    with seen.laid():
        report = run_module(seen.folder, trace=trace)
        sources = texts([seen.folder])
    results = tuple(map(_result, report.scenes))
    return ScenesFound(results, report.diagnostics, _covered(seen, trace, sources), report.seconds)


def _result(played: PlayedScene) -> SceneResult:
    scene = played.scene
    failing = (Failing(one.what, one.expected, one.found, one.span.line) for one in played.differences)
    wrong = (SceneMistake(one.span.line, one.title, one.help) for one in played.diagnostics)
    outcome = PASSED if played.ok else WRONG if played.diagnostics else FAILED
    log = tuple(entry.text for entry in played.log[-MOST_LOG:]) if outcome == FAILED else ()
    return SceneResult(
        scene.name, inside(scene.span.file), scene.span.line, outcome, tuple(failing), tuple(wrong), log, played.seconds
    )


def inside(file: str) -> str:
    """A file as it is called in its module's folder."""
    return file.partition("/")[2]


# --- what was never played -----------------------------------------------------------------------------


def _covered(seen: Snapshot, trace: SceneTrace, sources: dict[str, Source]) -> Covered | None:
    """None while the rules cannot be played."""
    try:
        trace.counted_code(rules_of(seen).program)  # rules that no scene plays are not covered, so they must be counted
    except RulesError:
        return None
    found = measure_coverage(trace, sources)
    return Covered(found.percent, found.things, found.lines, found.branches, tuple(_never(found, sources)))


def _never(coverage: SceneCoverage, sources: dict[str, Source]) -> Iterator[Never]:
    for file in coverage.files:
        lines = sources[file.file].text.split("\n")
        for line, column, what in find_unplayed(file):
            yield Never(inside(file.file), line, column, what, lines[line - 1][max(column - 1, 0) :].strip())
