"""Runs of the scenes beside a variant: which passed, which failed and where, and which rules none has played."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.sources.module_lookup import read_texts
from edict.game.scenes.coverage import CoverageCount, SceneCoverage, SceneTrace, find_unplayed_items, measure_coverage
from edict.game.scenes.scene_reports import PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.support.processes.tasks import ReportFunction
from edict.support.records import dataclass
from edict.support.report import Diagnostic, RulesError
from edict.support.text import Source
from edict.tools.studio.background import BackgroundRun
from edict.tools.studio.variant_files import Snapshot, compile_variant

PASSED, FAILED, WRONG = "passed", "failed", "wrong"
MAX_LOG_LINES = 40  # of a failed scene


@dataclass(frozen=True, slots=True)
class FailedExpectation:
    """A difference between a scene and the game."""

    what: str
    expected: str
    found: str
    line: int  # line of the scene that expects it


@dataclass(frozen=True, slots=True)
class SceneMistake:
    """An error in the text of a scene."""

    line: int
    title: str
    help: str


@dataclass(frozen=True, slots=True)
class ScenePlayResult:
    """The result of one scene."""

    name: str
    file: str
    line: int
    outcome: str  # passed, failed, or wrong (it cannot be played)
    failing: tuple[FailedExpectation, ...]
    wrong: tuple[SceneMistake, ...]
    log: tuple[str, ...]  # end of the game's log, if it failed
    seconds: float


@dataclass(frozen=True, slots=True)
class UnplayedPlace:
    """A place in the rules that no scene has played."""

    file: str
    line: int
    column: int  # from 1; 0 for the whole line
    what: str  # what never happened, such as `never played` or `never yes`
    text: str


@dataclass(frozen=True, slots=True)
class VariantCoverage:
    """Coverage of the variant's own rules by its scenes."""

    percent: float
    things: CoverageCount
    lines: CoverageCount
    branches: CoverageCount
    never: tuple[UnplayedPlace, ...]


@dataclass(frozen=True, slots=True)
class SceneReport:
    """The results of all scenes of a variant."""

    scenes: tuple[ScenePlayResult, ...]
    problems: tuple[Diagnostic, ...]  # of files that cannot be read and rules that cannot be played
    covered: VariantCoverage | None
    seconds: float

    @property
    def ok(self) -> bool:
        """True if nothing is wrong and all scenes passed."""
        return not self.problems and all(scene.outcome == PASSED for scene in self.scenes)


class SceneRun(BackgroundRun[SceneReport]):
    """A run of a variant's scenes in a separate process; stop it at the next edit."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(_report_scenes, snapshot)


def _report_scenes(snapshot: Snapshot, report: ReportFunction[SceneReport]) -> None:
    report(run_scenes(snapshot))


def run_scenes(snapshot: Snapshot) -> SceneReport:
    """Play all scenes of a variant in this process. Wrong scenes or rules are reported and raise nothing."""
    trace = SceneTrace()
    with snapshot.with_unsaved_texts():
        report = run_module(snapshot.folder, trace=trace)
        sources = read_texts([snapshot.folder])
    results = tuple(map(_to_result, report.scenes))
    return SceneReport(results, report.diagnostics, _measure_coverage(snapshot, trace, sources), report.seconds)


def _to_result(scene_run: PlayedScene) -> ScenePlayResult:
    """Convert a played scene, with failed expectations and mistakes; the end of its log only if it failed."""
    scene = scene_run.scene
    failing = (
        FailedExpectation(item.what, item.expected, item.found, item.span.line) for item in scene_run.differences
    )
    mistakes = (SceneMistake(item.span.line, item.title, item.help) for item in scene_run.diagnostics)
    if scene_run.ok:
        outcome = PASSED
    elif scene_run.diagnostics:
        outcome = WRONG
    else:
        outcome = FAILED
    log = tuple(entry.text for entry in scene_run.log[-MAX_LOG_LINES:]) if outcome == FAILED else ()
    return ScenePlayResult(
        scene.name,
        path_in_module(scene.span.file),
        scene.span.line,
        outcome,
        tuple(failing),
        tuple(mistakes),
        log,
        scene_run.seconds,
    )


def path_in_module(file: str) -> str:
    """Return the path of a file within its module from its name in spans."""
    return file.partition("/")[2]


# --- coverage ------------------------------------------------------------------------------------------


def _measure_coverage(snapshot: Snapshot, trace: SceneTrace, sources: dict[str, Source]) -> VariantCoverage | None:
    """Return the coverage; None while the rules cannot be played."""
    try:
        trace.get_counting_code(compile_variant(snapshot).program)  # counts rules that no scene plays, as not covered
    except RulesError:
        return None
    coverage = measure_coverage(trace, sources)
    return VariantCoverage(
        coverage.percent,
        coverage.things,
        coverage.lines,
        coverage.branches,
        tuple(_iter_unplayed_places(coverage, sources)),
    )


def _iter_unplayed_places(coverage: SceneCoverage, sources: dict[str, Source]) -> Iterator[UnplayedPlace]:
    """Yield the lines and branches that no scene played, each with its text."""
    for file in coverage.files:
        lines = sources[file.file].text.split("\n")
        for line, column, missing_part in find_unplayed_items(file):
            yield UnplayedPlace(
                path_in_module(file.file), line, column, missing_part, lines[line - 1][max(column - 1, 0) :].strip()
            )
