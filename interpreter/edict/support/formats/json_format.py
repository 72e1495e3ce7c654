"""Diagnostics as JSON; the schema is `grammar/schema/diagnostics.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from edict.support.formats.findings import Findings
from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic, ReadingExample, count_errors, count_warnings
from edict.support.text import NOWHERE, Span

FORMAT = "edict diagnostics 1"


def render_json(findings: Findings, here: Path) -> str:
    """Render the findings as JSON; paths below `here` are relative to it."""
    return json.dumps(build_document(findings, here.resolve()), indent=2, ensure_ascii=False) + "\n"


def build_document(findings: Findings, here: Path) -> dict[str, Any]:
    """Build the JSON document as data."""
    diagnostics = findings.diagnostics
    return {
        "format": FORMAT,
        "version": findings.version,
        "exit_code": findings.exit_code,
        "exitCode": findings.exit_code,  # until 2.0
        "errors": count_errors(diagnostics),
        "warnings": count_warnings(diagnostics),
        "checked": [
            {
                "name": escape_terminal(item.name),
                "over": escape_terminal(item.base_title),
                "errors": item.errors,
                "warnings": item.warnings,
            }
            for item in findings.checked
        ],
        "diagnostics": [_build_diagnostic(item, findings, here) for item in diagnostics],
    }


def _build_diagnostic(diagnostic: Diagnostic, findings: Findings, here: Path) -> dict[str, Any]:
    """Return a diagnostic as JSON data, with places, labels, edits and the rules it was found in."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "title": escape_terminal(diagnostic.title),
        "note": escape_terminal(diagnostic.note),
        "help": escape_terminal(diagnostic.help),
        "place": _build_place(diagnostic.span, findings, here),
        "labels": [
            {"text": escape_terminal(item.text), "place": _build_place(item.span, findings, here)}
            for item in diagnostic.labels
        ],
        "edits": [{"place": _build_place(item.span, findings, here), "text": item.text} for item in diagnostic.edits],
        "in": [escape_terminal(checked.name) for checked in findings.rules_with(diagnostic)],
        **({"example": _build_example(diagnostic.example)} if diagnostic.example is not None else {}),
    }


def _build_example(example: ReadingExample) -> dict[str, Any]:
    """Return an ambiguity's example as JSON data: summary, facts of each reading, and scene file."""
    readings = [
        {"reading": escape_terminal(reading), "so": [escape_terminal(fact) for fact in facts]}
        for reading, facts in example.facts
    ]
    return {
        "said": escape_terminal(example.summary),
        "readings": readings,
        "scenes": escape_terminal(example.scene_file),
    }


def _build_place(span: Span, findings: Findings, here: Path) -> dict[str, Any] | None:
    """Return the span with the path of its file; the end is exclusive. None without a place."""
    if span == NOWHERE:
        return None
    path = findings.path_of(span)
    return {
        "file": escape_terminal(span.file),
        "path": None if path is None else _format_path(path, here),
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }


def _format_path(path: Path, here: Path) -> str:
    """Return a path with forward slashes, relative to `here` if it lies below it."""
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
