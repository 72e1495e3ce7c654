"""Diagnostics as SARIF 2.1.0, the format that code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edict.support.formats.diagnostic_pages import read_diagnostic_page
from edict.support.formats.findings import Findings
from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic
from edict.support.text import NOWHERE, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MANIFEST = "module.yaml"
HERE, SHIPPED = "%SRCROOT%", "SHIPPED"  # code hosts resolve the first one to the root of the checkout


@dataclass(frozen=True)
class SarifBases:
    """The folders that paths are relative to."""

    here: Path  # where the check was run
    shipped: Path  # where the package's rules are

    def location(self, path: Path) -> dict[str, Any]:
        """Return the SARIF location of a file."""
        for folder, name in ((self.here, HERE), (self.shipped, SHIPPED)):
            if path.is_relative_to(folder):
                return {"uri": _to_relative_uri(path.relative_to(folder)), "uriBaseId": name}
        return {"uri": path.as_uri()}

    def to_sarif(self) -> dict[str, Any]:
        """Return the base URIs by their identifiers."""
        return {name: {"uri": f"{folder.as_uri()}/"} for name, folder in ((HERE, self.here), (SHIPPED, self.shipped))}


def render_sarif(findings: Findings, here: Path, shipped: Path, command: str) -> str:
    """Render the findings as SARIF.

    Args:
        findings: The results of the check.
        here: The folder where the check was run; paths below it are relative.
        shipped: The folder of the package's rules, likewise.
        command: The name of the tool.
    """
    builder = _SarifBuilder(findings, SarifBases(here.resolve(), shipped.resolve()))
    return json.dumps(builder.build_document(command), indent=2, ensure_ascii=False) + "\n"


class _SarifBuilder:
    def __init__(self, findings: Findings, bases: SarifBases) -> None:
        self.findings = findings
        self.bases = bases
        self.codes = sorted({d.code for d in findings.diagnostics})

    def build_document(self, command: str) -> dict[str, Any]:
        """Build the SARIF log: one run of `command`, with a result for each diagnostic that belongs to a file."""
        driver = {
            "name": command,
            "semanticVersion": self.findings.version,
            "version": self.findings.version,
            "rules": [_build_rule(code) for code in self.codes],
        }
        placed = [d for d in self.findings.diagnostics if self.file_of(d) is not None]
        run = {
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": self.bases.to_sarif(),
            "invocations": [self.build_invocation([d for d in self.findings.diagnostics if d not in placed])],
            "results": [self.build_result(d) for d in placed],
        }
        return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}

    def build_invocation(self, placeless: Sequence[Diagnostic]) -> dict[str, Any]:
        """Describe how the check ended, with the diagnostics that belong to no file, since a result must have one."""
        notifications = [
            {"level": d.severity, "message": _build_message(d), "descriptor": {"id": d.code}} for d in placeless
        ]
        optional = {"toolConfigurationNotifications": notifications} if notifications else {}
        return {"executionSuccessful": not placeless, "exitCode": self.findings.exit_code, **optional}

    def build_result(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """Build the SARIF result of a diagnostic, with its labels as related locations and its fix if applicable."""
        related = [
            {"id": number, "message": {"text": escape_terminal(label.text)}, **self.build_location(label.span)}
            for number, label in enumerate(diagnostic.labels, 1)
            if self.findings.path_of(label.span) is not None
        ]
        return {
            "ruleId": diagnostic.code,
            "ruleIndex": self.codes.index(diagnostic.code),
            "level": diagnostic.severity,
            "message": _build_message(diagnostic),
            "locations": [self.build_location(diagnostic.span, self.file_of(diagnostic))],
            **({"relatedLocations": related} if related else {}),
            **({"fixes": [self.build_fix(diagnostic)]} if self.has_applicable_fix(diagnostic) else {}),
        }

    def has_applicable_fix(self, diagnostic: Diagnostic) -> bool:
        """Return True if the edits can be applied in files that are known."""
        return bool(diagnostic.edits) and all(self.findings.path_of(edit.span) is not None for edit in diagnostic.edits)

    def build_fix(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """Describe the edits of the fix, grouped by file."""
        changes: dict[Path, list[dict[str, Any]]] = {}
        for edit in diagnostic.edits:
            path = self.findings.path_of(edit.span)
            assert path is not None
            change = {"deletedRegion": _build_region(edit.span), "insertedContent": {"text": edit.text}}
            changes.setdefault(path, []).append(change)
        files = [
            {"artifactLocation": self.bases.location(path), "replacements": replacements}
            for path, replacements in changes.items()
        ]
        return {"description": {"text": escape_terminal(diagnostic.help)}, "artifactChanges": files}

    def file_of(self, diagnostic: Diagnostic) -> Path | None:
        """Return the diagnostic's file; without a span, the manifest of the first rules it was found in."""
        if diagnostic.span != NOWHERE:
            return self.findings.path_of(diagnostic.span)
        folder = next((checked.folder for checked in self.findings.rules_with(diagnostic) if checked.folder), None)
        return folder.resolve() / MANIFEST if folder else None

    def build_location(self, span: Span, file: Path | None = None) -> dict[str, Any]:
        """Build the SARIF location of a span; `file` overrides the span's file, which must otherwise be known."""
        path = file or self.findings.path_of(span)
        assert path is not None
        return {"physicalLocation": {"artifactLocation": self.bases.location(path), "region": _build_region(span)}}


def _build_region(span: Span) -> dict[str, int]:
    """Build the SARIF region of a span; line 1 for NOWHERE."""
    if span == NOWHERE:
        return {"startLine": 1}
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _build_rule(code: str) -> dict[str, Any]:
    """Build the SARIF description of a code from its page; only the id if it has none."""
    page = read_diagnostic_page(code)
    if page is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.about},
        "help": {"text": page.text, "markdown": page.text},
    }


def _build_message(diagnostic: Diagnostic) -> dict[str, str]:
    """Build the SARIF message from title, note, help and example, a line each."""
    example = "\n".join(diagnostic.example.lines) if diagnostic.example else ""
    parts = [
        diagnostic.title,
        diagnostic.note,
        f"help: {diagnostic.help}" if diagnostic.help else "",
        f"example: {example}" if example else "",
    ]
    return {"text": "\n".join(escape_terminal(part) for part in parts if part)}


def _to_relative_uri(path: Path) -> str:
    from urllib.parse import quote

    return quote(path.as_posix())
