"""What is told of scenes: plain text for people, JUnit's XML for machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from edict.rendering import plain, render, render_all

if TYPE_CHECKING:
    from edict.scenes.run import Played, Report

SUITE, CASE, SUITES = "testsuite", "testcase", "testsuites"


def told(report: Report, logs: bool = True) -> str:
    """The report: what cannot be read, each scene that failed, and a last line of counts."""
    parts = [render_all(report.diagnostics, report.sources)] if report.diagnostics else []
    parts += ["\n".join(failure(played, report, logs)) + "\n" for played in report.failures]
    return "\n".join([*parts, summary(report)]) + "\n"


def summary(report: Report) -> str:
    """`142 scenes passed, 1 failed, in 3.1 s`."""
    counts = [f"{report.passed} {'scene' if report.passed == 1 else 'scenes'} passed"]
    for number, word in ((len(report.failures), "failed"), (report.left_out, "left out")):
        counts += [f"{number} {word}"] if number else []
    if report.diagnostics:
        counts.append(f"{len(report.diagnostics)} found wrong before any was played")
    return f"{', '.join(counts)}, in {report.seconds:.1f} s"


def failure(played: Played, report: Report, logs: bool) -> Iterator[str]:
    """One scene that failed: its place, what differs, and its log."""
    scene = played.scene
    behind = f" ({scene.source})" if scene.source else ""
    yield plain(f"FAILED {scene.span.file}:{scene.span.line}  {scene.name}{behind}")
    for diagnostic in played.diagnostics:
        yield from ("  " + line for line in render(diagnostic, report.sources).rstrip().split("\n"))
    yield from differences(played)
    if logs and played.log:
        yield "  what happened:"
        yield from (plain(f"    {entry.text}") for entry in played.log)


def differences(played: Played) -> Iterator[str]:
    """Expected and found, one under the other."""
    for difference in played.differences:
        yield plain(f"  {difference.what} (line {difference.span.line})")
        yield plain(f"    - expected  {difference.expected}")
        yield plain(f"    + found     {difference.found}")


def to_junit(report: Report) -> str:
    """The report as JUnit's XML, as build servers read it."""
    root = ElementTree.Element(SUITES, name=plain(report.name))
    suite = ElementTree.SubElement(
        root, SUITE, name=plain(report.name), tests=str(len(report.scenes) + bool(report.diagnostics)),
        failures=str(sum(bool(p.differences) for p in report.failures)),
        errors=str(sum(bool(p.diagnostics) for p in report.failures) + bool(report.diagnostics)),
        time=f"{report.seconds:.3f}",
    )  # fmt: skip
    if report.diagnostics:
        case = ElementTree.SubElement(suite, CASE, classname=plain(report.name), name="reading", time="0")
        ElementTree.SubElement(case, "error").text = plain(render_all(report.diagnostics, report.sources))
    for played in report.scenes:
        _case(suite, played, report)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, played: Played, report: Report) -> None:
    scene = played.scene
    case = ElementTree.SubElement(
        suite, CASE, classname=scene.span.file.removesuffix(".yaml").replace("/", "."), name=plain(scene.name),
        file=scene.span.file, line=str(scene.span.line), time=f"{played.seconds:.4f}",
    )  # fmt: skip
    if not played.ok:
        first = [*(d.title for d in played.diagnostics), *(d.what for d in played.differences)][0]
        kind = "error" if played.diagnostics else "failure"
        wrong = ElementTree.SubElement(case, kind, message=plain(first))
        wrong.text = "\n".join(failure(played, report, logs=True))
