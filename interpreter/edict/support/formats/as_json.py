"""Findings as JSON of our own; its schema is `grammar/schema/diagnostics.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from edict.support.formats.findings import Findings
from edict.support.rendering import plain
from edict.support.report import Diagnostic, Example, errors_in, warnings_in
from edict.support.text import NOWHERE, Span

FORMAT = "edict diagnostics 1"


def to_json(findings: Findings, here: Path) -> str:
    """The document; paths below `here` are relative to it."""
    return json.dumps(document(findings, here.resolve()), indent=2, ensure_ascii=False) + "\n"


def document(findings: Findings, here: Path) -> dict[str, Any]:
    """The same as data."""
    found = findings.found
    return {
        "format": FORMAT,
        "version": findings.version,
        "exitCode": findings.exit_code,
        "errors": errors_in(found),
        "warnings": warnings_in(found),
        "checked": [
            {"name": plain(one.name), "over": plain(one.over), "errors": one.errors, "warnings": one.warnings}
            for one in findings.checked
        ],
        "diagnostics": [_finding(one, findings, here) for one in found],
    }


def _finding(one: Diagnostic, findings: Findings, here: Path) -> dict[str, Any]:
    return {
        "code": one.code,
        "severity": one.severity,
        "title": plain(one.title),
        "note": plain(one.note),
        "help": plain(one.help),
        "place": _place(one.span, findings, here),
        "labels": [{"text": plain(x.text), "place": _place(x.span, findings, here)} for x in one.labels],
        "edits": [{"place": _place(x.span, findings, here), "text": x.text} for x in one.edits],
        "in": [plain(checked.name) for checked in findings.of(one)],
        **({"example": _example(one.example)} if one.example is not None else {}),
    }


def _example(example: Example) -> dict[str, Any]:
    readings = [{"reading": plain(said), "so": [plain(fact) for fact in facts]} for said, facts in example.told]
    return {"said": plain(example.said), "readings": readings, "scenes": plain(example.page)}


def _place(span: Span, findings: Findings, here: Path) -> dict[str, Any] | None:
    """The place as messages give it, and its file's path; the end is the first place after it."""
    if span == NOWHERE:
        return None
    path = findings.path(span)
    return {
        "file": plain(span.file),
        "path": None if path is None else _told(path, here),
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }


def _told(path: Path, here: Path) -> str:
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
