"""The results of scenes, and the report on them: plain text for people, JUnit's XML for machines, data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from edict.game.scenes.scene_files import Scene
from edict.game.scenes.scene_player import SceneDifference
from edict.game.table.log_entries import Entry
from edict.support.morphology import count_noun
from edict.support.rendering import plain, render, render_all
from edict.support.report import Diagnostic
from edict.support.text import Source

SUITE, CASE, SUITES = "testsuite", "testcase", "testsuites"
LONGEST_LOG = 40  # lines of what happened that are shown; what went wrong is mostly near the end


@dataclass(frozen=True, slots=True)
class Played:
    """How one scene went. `diagnostics` say why it could not be played, `differences` what was not as it says.

    `otherwise`: it goes as it says without the modules that were laid over it besides, and not with them.
    """

    scene: Scene
    seconds: float
    differences: tuple[SceneDifference, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    log: tuple[Entry, ...] = ()
    otherwise: bool = False

    @property
    def ok(self) -> bool:
        return not self.differences and not self.diagnostics


@dataclass(frozen=True)
class ModuleReport:
    """All scenes of a module. `diagnostics` are of files and rules that cannot be read at all."""

    name: str
    scenes: tuple[Played, ...]
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    sources: dict[str, Source] = field(default_factory=dict, repr=False)
    left_out: int = 0  # not wanted, or after the first failure
    modules: tuple[str, ...] = ()  # laid over all scenes besides those they name

    @property
    def ok(self) -> bool:
        return not self.diagnostics and not self.failures

    @property
    def failures(self) -> tuple[Played, ...]:
        return tuple(played for played in self.scenes if not played.ok and not played.otherwise)

    @property
    def otherwise(self) -> tuple[Played, ...]:
        """The scenes that the modules laid over them make come out otherwise: no fault of anybody's."""
        return tuple(played for played in self.scenes if played.otherwise)

    @property
    def passed(self) -> int:
        return sum(played.ok for played in self.scenes)

    def text(self, logs: bool = True) -> str:
        """The report in plain words; `logs`: with what happened in the scenes that failed."""
        return report_text(self, logs)


# --- in plain words ------------------------------------------------------------------------------


def report_text(report: ModuleReport, logs: bool = True) -> str:
    """The report: what cannot be read, each scene that failed, and a last line of counts."""
    parts = [render_all(report.diagnostics, report.sources)] if report.diagnostics else []
    parts += ["\n".join(failure(played, report, logs)) + "\n" for played in report.failures]
    parts += ["\n".join(otherwise(one, report) for one in report.otherwise) + "\n"] if report.otherwise else []
    return "\n".join([*parts, summary(report)]) + "\n"


def summary(report: ModuleReport) -> str:
    """`142 scenes passed, 1 failed, in 3.1 s`; where there are none, just that."""
    if not report.scenes and not report.diagnostics and not report.left_out:
        return "no scenes"
    counts = [f"{count_noun(report.passed, 'scene')} passed"]
    for number, word in (
        (len(report.failures), "failed"),
        (len(report.otherwise), f"different with {_laid_over(report)}"),
        (report.left_out, "left out"),
    ):
        counts += [f"{number} {word}"] if number else []
    if report.diagnostics:
        counts.append(f"{count_noun(len(report.diagnostics), 'problem')} found before any scene was played")
    return f"{', '.join(counts)}, in {report.seconds:.1f} s"


def failure(played: Played, report: ModuleReport, logs: bool) -> Iterator[str]:
    """One scene that failed: its place, what differs, and its log."""
    scene = played.scene
    behind = f" ({scene.source})" if scene.source else ""
    yield plain(f"FAILED {scene.span.file}:{scene.span.line}  {scene.name}{behind}")
    for diagnostic in played.diagnostics:
        yield from ("  " + line for line in render(diagnostic, report.sources).rstrip().split("\n"))
    yield from differences(played)
    if logs and played.log:
        before = len(played.log) - LONGEST_LOG
        yield (
            "  what happened:"
            if before <= 0
            else f"  what happened, after {count_noun(before, 'line')} not shown here:"
        )
        yield from (plain(f"    {entry.text}") for entry in played.log[-LONGEST_LOG:])


def otherwise(played: Played, report: ModuleReport) -> str:
    """One scene that comes out otherwise, and the first thing that does: as it is, and with the modules laid over it.

    `Ann can only: Palisade and Build nothing; with my-variant also Bakery`.
    """
    first = next(iter(played.differences), None)
    found = f"{first.what}: {first.expected}; with {_laid_over(report)} {first.found}" if first else ""
    what = found or played.diagnostics[0].title
    return plain(f"DIFFERENT {played.scene.span.file}:{played.scene.span.line}  {played.scene.name}\n  {what}")


def _laid_over(report: ModuleReport) -> str:
    return " and ".join(Path(name).name for name in report.modules)


def differences(played: Played) -> Iterator[str]:
    """Expected and found, one under the other."""
    for difference in played.differences:
        yield plain(f"  {difference.what} (line {difference.span.line})")
        yield plain(f"    - expected  {difference.expected}")
        yield plain(f"    + found     {difference.found}")
        if difference.help:
            yield plain(f"  help: {difference.help}")


# --- for build servers -------------------------------------------------------------------------


def to_junit(*reports: ModuleReport) -> str:
    """The reports as JUnit's XML, a suite each, as build servers read it."""
    counts = [_counts(report) for report in reports]
    total = {key: str(sum(count[key] for count in counts)) for key in ("tests", "failures", "errors")}
    spent = sum(report.seconds for report in reports)
    root = ElementTree.Element(SUITES, {"name": "scenes", "time": f"{spent:.3f}", **total})
    for report, count in zip(reports, counts, strict=True):
        _suite(root, report, count)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _counts(report: ModuleReport) -> dict[str, int]:
    """What is wrong with files and rules counts as one test that could not be carried out."""
    return {
        "tests": len(report.scenes) + bool(report.diagnostics),
        "failures": sum(not p.diagnostics for p in report.failures),
        "errors": sum(bool(p.diagnostics) for p in report.failures) + bool(report.diagnostics),
        "skipped": len(report.otherwise),
    }


def _suite(root: ElementTree.Element, report: ModuleReport, counts: dict[str, int]) -> None:
    told = {key: str(count) for key, count in counts.items()}
    suite = ElementTree.SubElement(root, SUITE, {"name": plain(report.name), "time": f"{report.seconds:.3f}", **told})
    if report.diagnostics:
        case = ElementTree.SubElement(suite, CASE, classname=plain(report.name), name="reading", time="0")
        wrong = ElementTree.SubElement(case, "error", type="rules", message=plain(report.diagnostics[0].title))
        wrong.text = plain(render_all(report.diagnostics, report.sources))
    for played in report.scenes:
        _case(suite, played, report)


def _case(suite: ElementTree.Element, played: Played, report: ModuleReport) -> None:
    scene = played.scene
    case = ElementTree.SubElement(
        suite,
        CASE,
        classname=plain(scene.span.file.removesuffix(".yaml").replace("/", ".")),
        name=plain(scene.name),
        file=plain(scene.span.file),
        line=str(scene.span.line),
        time=f"{played.seconds:.4f}",
    )
    if played.otherwise:
        ElementTree.SubElement(case, "skipped", message=plain(f"different with {_laid_over(report)}"))
    elif not played.ok:
        first = [*(d.title for d in played.diagnostics), *(d.what for d in played.differences)][0]
        kind = "error" if played.diagnostics else "failure"
        wrong = ElementTree.SubElement(case, kind, type="scene", message=plain(first))
        wrong.text = "\n".join(failure(played, report, logs=True))


# --- for programs ---------------------------------------------------------------------------------


def as_data(report: ModuleReport) -> dict[str, object]:
    """All scenes of a module, each with what is not as it says; `seconds` are what all took together."""
    return {
        "name": report.name,
        "with": list(report.modules),
        "ok": report.ok,
        "passed": report.passed,
        "failed": len(report.failures),
        "otherwise": len(report.otherwise),
        "leftOut": report.left_out,
        "seconds": round(report.seconds, 3),
        "diagnostics": [*map(_diagnostic, report.diagnostics)],
        "scenes": [_scene(played) for played in report.scenes],
    }


def _scene(played: Played) -> dict[str, object]:
    scene = played.scene
    outcome = "passed" if played.ok else "otherwise" if played.otherwise else "failed"
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
                "help": plain(difference.help),
            }
            for difference in played.differences
        ],
        "diagnostics": [*map(_diagnostic, played.diagnostics)],
    }


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    where = {"file": diagnostic.span.file, "line": diagnostic.span.line, "column": diagnostic.span.column}
    said = {"title": plain(diagnostic.title), "help": plain(diagnostic.help)}
    return {"code": diagnostic.code, "severity": diagnostic.severity, **said, **where}
