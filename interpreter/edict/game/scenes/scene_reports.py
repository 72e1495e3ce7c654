"""The results of scenes and their reports: text for people, JUnit XML for CI, data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from edict.game.scenes.scene_files import Scene
from edict.game.scenes.scene_player import SceneDifference
from edict.game.table.log_entries import Entry
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal, render_diagnostic, render_diagnostics
from edict.support.report import Diagnostic
from edict.support.text import Source

SUITE, CASE, SUITES = "testsuite", "testcase", "testsuites"
MOST_LOG_LINES = 40  # log lines shown of a failed scene, its last ones


@dataclass(frozen=True, slots=True)
class PlayedScene:
    """The result of one scene."""

    scene: Scene
    seconds: float
    differences: tuple[SceneDifference, ...] = ()  # facts that are not as the scene expects
    diagnostics: tuple[Diagnostic, ...] = ()  # reasons why it could not be played
    log: tuple[Entry, ...] = ()
    otherwise: bool = False  # it passes without the further modules and fails with them

    @property
    def ok(self) -> bool:
        """Return True if the scene passed."""
        return not self.differences and not self.diagnostics

    @property
    def is_wording(self) -> bool:
        """Return True if it failed, but only because people read something else in what was played."""
        return not self.diagnostics and bool(self.differences) and all(part.is_wording for part in self.differences)


@dataclass(frozen=True)
class ModuleReport:
    """The results of all scenes of a module."""

    name: str
    scenes: tuple[PlayedScene, ...]
    diagnostics: tuple[Diagnostic, ...]  # of files and rules that cannot be read at all
    seconds: float
    sources: dict[str, Source] = field(default_factory=dict, repr=False)
    left_out: int = 0  # not selected, or after the first failure
    modules: tuple[str, ...] = ()  # over all scenes, in addition to those they name

    @property
    def ok(self) -> bool:
        """Return True if no scene failed and everything could be read."""
        return not self.diagnostics and not self.failures

    @property
    def failures(self) -> tuple[PlayedScene, ...]:
        """Return the scenes that failed."""
        return tuple(played for played in self.scenes if not played.ok and not played.otherwise)

    @property
    def different(self) -> tuple[PlayedScene, ...]:
        """Return the scenes that only the further modules change; they do not count as failed."""
        return tuple(played for played in self.scenes if played.otherwise)

    @property
    def passed_count(self) -> int:
        """Return the number of scenes that passed."""
        return sum(played.ok for played in self.scenes)

    def text(self, logs: bool = True) -> str:
        """Return the report as text; `logs` includes the logs of failed scenes."""
        return format_report(self, logs)


# --- in plain words ------------------------------------------------------------------------------


def format_report(report: ModuleReport, logs: bool = True) -> str:
    """Format a report: what cannot be read, each failed scene, and a line of counts."""
    parts = [render_diagnostics(report.diagnostics, report.sources)] if report.diagnostics else []
    parts += ["\n".join(format_failure(played, report, logs)) + "\n" for played in report.failures]
    if report.different:
        parts += ["\n".join(format_different(different, report) for different in report.different) + "\n"]
    else:
        parts += []
    return "\n".join([*parts, format_summary(report)]) + "\n"


def format_summary(report: ModuleReport) -> str:
    """Format the line of counts, such as `142 scenes passed, 1 failed, in 3.1 s`."""
    if not report.scenes and not report.diagnostics and not report.left_out:
        return "no scenes"
    counts = [f"{count_noun(report.passed_count, 'scene')} passed"]
    for number, word in (
        (len(report.failures), "failed"),
        (len(report.different), f"different with {_module_names(report)}"),
        (report.left_out, "skipped"),
    ):
        counts += [f"{number} {word}"] if number else []
    if report.diagnostics:
        counts.append(f"{count_noun(len(report.diagnostics), 'problem')} found before running scenes")
    return f"{', '.join(counts)}, in {report.seconds:.1f} s"


def format_failure(played: PlayedScene, report: ModuleReport, logs: bool) -> Iterator[str]:
    """Iterate over the lines on a failed scene: its place, differences and log."""
    scene = played.scene
    source = f" ({scene.source})" if scene.source else ""
    yield escape_terminal(f"FAILED {scene.span.file}:{scene.span.line}  {scene.name}{source}")
    for diagnostic in played.diagnostics:
        yield from ("  " + line for line in render_diagnostic(diagnostic, report.sources).rstrip().split("\n"))
    yield from format_differences(played)
    if logs and played.log:
        hidden = len(played.log) - MOST_LOG_LINES
        yield (
            "  what happened:" if hidden <= 0 else f"  what happened (first {count_noun(hidden, 'line')} not shown):"
        )
        yield from (escape_terminal(f"    {entry.text}") for entry in played.log[-MOST_LOG_LINES:])


def format_different(played: PlayedScene, report: ModuleReport) -> str:
    """Format a scene that further modules change, with its first difference.

    Example: `Ann can only: Palisade and Build nothing; with my-variant also Bakery`.
    """
    first = next(iter(played.differences), None)
    if first:
        difference = f"{first.what}: {first.expected}; with {_module_names(report)} {first.found}"
    else:
        difference = ""
    text = difference or played.diagnostics[0].title
    return escape_terminal(
        f"DIFFERENT {played.scene.span.file}:{played.scene.span.line}  {played.scene.name}\n  {text}"
    )


def _module_names(report: ModuleReport) -> str:
    """Join the further modules' names by `and`, without their folders."""
    return " and ".join(Path(name).name for name in report.modules)


def format_differences(played: PlayedScene) -> Iterator[str]:
    """Iterate over the lines on differences, expected above found."""
    for difference in played.differences:
        yield escape_terminal(f"  {difference.what} (line {difference.span.line})")
        yield escape_terminal(f"    - expected  {difference.expected}")
        yield escape_terminal(f"    + found     {difference.found}")
        if difference.help:
            yield escape_terminal(f"  help: {difference.help}")


# --- for build servers -------------------------------------------------------------------------


def to_junit(*reports: ModuleReport) -> str:
    """Return the reports as JUnit XML."""
    counts = [_count_tests(report) for report in reports]
    total = {key: str(sum(count[key] for count in counts)) for key in ("tests", "failures", "errors")}
    spent = sum(report.seconds for report in reports)
    root = ElementTree.Element(SUITES, {"name": "scenes", "time": f"{spent:.3f}", **total})
    for report, count in zip(reports, counts, strict=True):
        _add_suite(root, report, count)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _count_tests(report: ModuleReport) -> dict[str, int]:
    """Count the tests; errors in files and rules count as one test that could not run."""
    return {
        "tests": len(report.scenes) + bool(report.diagnostics),
        "failures": sum(not p.diagnostics for p in report.failures),
        "errors": sum(bool(p.diagnostics) for p in report.failures) + bool(report.diagnostics),
        "skipped": len(report.different),
    }


def _add_suite(root: ElementTree.Element, report: ModuleReport, counts: dict[str, int]) -> None:
    """Add a JUnit test suite for a module: an error if its rules cannot be read, then a case for each scene."""
    attributes = {key: str(count) for key, count in counts.items()}
    suite = ElementTree.SubElement(
        root, SUITE, {"name": escape_terminal(report.name), "time": f"{report.seconds:.3f}", **attributes}
    )
    if report.diagnostics:
        case = ElementTree.SubElement(suite, CASE, classname=escape_terminal(report.name), name="reading", time="0")
        error = ElementTree.SubElement(
            case, "error", type="rules", message=escape_terminal(report.diagnostics[0].title)
        )
        error.text = escape_terminal(render_diagnostics(report.diagnostics, report.sources))
    for played in report.scenes:
        _add_case(suite, played, report)


def _add_case(suite: ElementTree.Element, played: PlayedScene, report: ModuleReport) -> None:
    """Add a JUnit test case for a scene, as passed, skipped (only further modules change it), failure or error."""
    scene = played.scene
    case = ElementTree.SubElement(
        suite,
        CASE,
        classname=escape_terminal(scene.span.file.removesuffix(".yaml").replace("/", ".")),
        name=escape_terminal(scene.name),
        file=escape_terminal(scene.span.file),
        line=str(scene.span.line),
        time=f"{played.seconds:.4f}",
    )
    if played.otherwise:
        ElementTree.SubElement(case, "skipped", message=escape_terminal(f"different with {_module_names(report)}"))
    elif not played.ok:
        first = [*(d.title for d in played.diagnostics), *(d.what for d in played.differences)][0]
        kind = "error" if played.diagnostics else "failure"
        element = ElementTree.SubElement(case, kind, type="scene", message=escape_terminal(first))
        element.text = "\n".join(format_failure(played, report, logs=True))


# --- for programs ---------------------------------------------------------------------------------


def to_data(report: ModuleReport) -> dict[str, object]:
    """Return a report as data for programs; `seconds` is the time of all scenes together."""
    return {
        "name": report.name,
        "with": list(report.modules),
        "ok": report.ok,
        "passed": report.passed_count,
        "failed": len(report.failures),
        "otherwise": len(report.different),
        "left_out": report.left_out,
        "seconds": round(report.seconds, 3),
        "diagnostics": [*map(_diagnostic_to_data, report.diagnostics)],
        "scenes": [_scene_to_data(played) for played in report.scenes],
    }


def _scene_to_data(played: PlayedScene) -> dict[str, object]:
    """Return a scene's result as data: `passed`, `otherwise` or `failed`, with differences and diagnostics."""
    scene = played.scene
    if played.ok:
        outcome = "passed"
    elif played.otherwise:
        outcome = "otherwise"
    else:
        outcome = "failed"
    return {
        "name": scene.name,
        "file": scene.span.file,
        "line": scene.span.line,
        "outcome": outcome,
        "seconds": round(played.seconds, 4),
        "differences": [
            {
                "what": difference.what,
                "expected": difference.expected,
                "found": difference.found,
                "line": difference.span.line,
                "help": escape_terminal(difference.help),
            }
            for difference in played.differences
        ],
        "diagnostics": [*map(_diagnostic_to_data, played.diagnostics)],
    }


def _diagnostic_to_data(diagnostic: Diagnostic) -> dict[str, object]:
    """Return a diagnostic's code, severity, texts without terminal escapes, and place as data."""
    place = {"file": diagnostic.span.file, "line": diagnostic.span.line, "column": diagnostic.span.column}
    texts = {"title": escape_terminal(diagnostic.title), "help": escape_terminal(diagnostic.help)}
    return {"code": diagnostic.code, "severity": diagnostic.severity, **texts, **place}
