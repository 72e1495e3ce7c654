"""How scenes went, as data for programs."""

from __future__ import annotations

from edict.rendering import plain
from edict.report import Diagnostic
from edict.scenes.report import Played, Report


def as_data(report: Report) -> dict[str, object]:
    """All scenes of a module, each with what is not as it says; `seconds` are what all took together."""
    return {
        "name": report.name, "with": list(report.modules), "ok": report.ok, "passed": report.passed,
        "failed": len(report.failures), "otherwise": len(report.otherwise), "leftOut": report.left_out,
        "seconds": round(report.seconds, 3), "diagnostics": [_diagnostic(one) for one in report.diagnostics],
        "scenes": [_scene(played) for played in report.scenes],
    }  # fmt: skip


def _scene(played: Played) -> dict[str, object]:
    scene = played.scene
    outcome = "passed" if played.ok else "otherwise" if played.otherwise else "failed"
    return {
        "name": scene.name, "file": scene.span.file, "line": scene.span.line, "outcome": outcome,
        "seconds": round(played.seconds, 4),
        "differences": [
            {
                "what": one.what, "expected": one.expected, "found": one.found, "line": one.span.line,
                "help": plain(one.help),
            }
            for one in played.differences
        ],
        "diagnostics": [_diagnostic(one) for one in played.diagnostics],
    }  # fmt: skip


def _diagnostic(one: Diagnostic) -> dict[str, object]:
    where = {"file": one.span.file, "line": one.span.line, "column": one.span.column}
    return {"code": one.code, "severity": one.severity, "title": plain(one.title), "help": plain(one.help), **where}
