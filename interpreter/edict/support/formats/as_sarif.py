"""Findings as SARIF 2.1.0, the format in which code hosts and editors take what a check has found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edict.support.formats.diagnostic_pages import read_page
from edict.support.formats.findings import Findings
from edict.support.rendering import plain
from edict.support.report import Diagnostic
from edict.support.text import NOWHERE, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MANIFEST = "module.yaml"
HERE, SHIPPED = "%SRCROOT%", "SHIPPED"  # code hosts know the first one as the root of the checkout


@dataclass(frozen=True)
class Bases:
    """The folders to which paths are relative: where the check was run, and where the package's rules are."""

    here: Path
    shipped: Path

    def location(self, path: Path) -> dict[str, Any]:
        for folder, name in ((self.here, HERE), (self.shipped, SHIPPED)):
            if path.is_relative_to(folder):
                return {"uri": _relative(path.relative_to(folder)), "uriBaseId": name}
        return {"uri": path.as_uri()}

    def described(self) -> dict[str, Any]:
        return {name: {"uri": f"{folder.as_uri()}/"} for name, folder in ((HERE, self.here), (SHIPPED, self.shipped))}


def to_sarif(findings: Findings, here: Path, shipped: Path, command: str) -> str:
    """The document; `here` and `shipped` are the folders that paths are relative to, `command` the tool's name."""
    work = _Sarif(findings, Bases(here.resolve(), shipped.resolve()))
    return json.dumps(work.document(command), indent=2, ensure_ascii=False) + "\n"


class _Sarif:
    def __init__(self, findings: Findings, bases: Bases) -> None:
        self.findings = findings
        self.bases = bases
        self.codes = sorted({d.code for d in findings.found})

    def document(self, command: str) -> dict[str, Any]:
        driver = {
            "name": command,
            "semanticVersion": self.findings.version,
            "version": self.findings.version,
            "rules": [_rule(code) for code in self.codes],
        }
        placed = [d for d in self.findings.found if self.file(d) is not None]
        run = {
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": self.bases.described(),
            "invocations": [self.invocation([d for d in self.findings.found if d not in placed])],
            "results": [self.result(d) for d in placed],
        }
        return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}

    def invocation(self, placeless: Sequence[Diagnostic]) -> dict[str, Any]:
        """How the check ended, and what was found that lies in no file: a result must lie in one."""
        found = [{"level": d.severity, "message": _message(d), "descriptor": {"id": d.code}} for d in placeless]
        told = {"toolConfigurationNotifications": found} if found else {}
        return {"executionSuccessful": not placeless, "exitCode": self.findings.exit_code, **told}

    def result(self, one: Diagnostic) -> dict[str, Any]:
        related = [
            {"id": number, "message": {"text": plain(label.text)}, **self.place(label.span)}
            for number, label in enumerate(one.labels, 1)
            if self.findings.path(label.span) is not None
        ]
        return {
            "ruleId": one.code,
            "ruleIndex": self.codes.index(one.code),
            "level": one.severity,
            "message": _message(one),
            "locations": [self.place(one.span, self.file(one))],
            **({"relatedLocations": related} if related else {}),
            **({"fixes": [self.fix(one)]} if self.literal(one) else {}),
        }

    def literal(self, one: Diagnostic) -> bool:
        """Whether the remedy can be carried out in files that are known."""
        return bool(one.edits) and all(self.findings.path(edit.span) is not None for edit in one.edits)

    def fix(self, one: Diagnostic) -> dict[str, Any]:
        """The remedy to the letter, file by file."""
        changes: dict[Path, list[dict[str, Any]]] = {}
        for edit in one.edits:
            path = self.findings.path(edit.span)
            assert path is not None
            change = {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
            changes.setdefault(path, []).append(change)
        files = [
            {"artifactLocation": self.bases.location(path), "replacements": replacements}
            for path, replacements in changes.items()
        ]
        return {"description": {"text": plain(one.help)}, "artifactChanges": files}

    def file(self, one: Diagnostic) -> Path | None:
        """Where it lies; what lies nowhere, in the manifest of the first of the rules it was found in."""
        if one.span != NOWHERE:
            return self.findings.path(one.span)
        folder = next((checked.folder for checked in self.findings.of(one) if checked.folder), None)
        return folder.resolve() / MANIFEST if folder else None

    def place(self, span: Span, file: Path | None = None) -> dict[str, Any]:
        path = file or self.findings.path(span)
        assert path is not None
        return {"physicalLocation": {"artifactLocation": self.bases.location(path), "region": _region(span)}}


def _region(span: Span) -> dict[str, int]:
    if span == NOWHERE:
        return {"startLine": 1}
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _rule(code: str) -> dict[str, Any]:
    page = read_page(code)
    if page is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.about},
        "help": {"text": page.text, "markdown": page.text},
    }


def _message(one: Diagnostic) -> dict[str, str]:
    example = "\n".join(one.example.lines) if one.example else ""
    parts = [one.title, one.note, f"help: {one.help}" if one.help else "", f"example: {example}" if example else ""]
    return {"text": "\n".join(plain(part) for part in parts if part)}


def _relative(path: Path) -> str:
    """A relative path as a URI."""
    from urllib.parse import quote

    return quote(path.as_posix())
