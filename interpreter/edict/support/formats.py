"""The results of a check for other programs: JSON of our own, SARIF for code hosts, and annotations of a build.

The pages of `grammar/diagnostics/` explain each code. The schema of the JSON is
`grammar/schema/diagnostics.schema.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from edict.support import resources
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal, sort_diagnostics
from edict.support.report import Diagnostic, ReadingExample, count_errors, count_warnings
from edict.support.text import NOWHERE, Span

CODE = re.compile(r"[A-Z]\d{4}\Z")


@dataclass(frozen=True, slots=True)
class DiagnosticPage:
    """The page of a diagnostic code."""

    title: str  # its heading
    about: str  # its first paragraph
    text: str  # the whole page as Markdown


def normalize_code(typed: str) -> str:
    """Return the full code for one as people type it, such as E0111 for `111`."""
    code = typed.upper()
    return f"E{code.rjust(4, '0')}" if code.isdecimal() else code


def list_codes() -> list[str]:
    """List all codes that have a page."""
    return sorted(file.stem for file in (resources.grammar_folder() / "diagnostics").glob("*.md"))


def read_diagnostic_page(code: str) -> DiagnosticPage | None:
    """Read the page of a code; None if there is none."""
    file = resources.grammar_folder() / "diagnostics" / f"{code}.md"
    if not CODE.match(code) or not file.is_file():
        return None
    text = re.sub(r"\A---\n.*?\n---\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    heading, _, rest = text.strip().partition("\n")
    return DiagnosticPage(heading.partition(": ")[2], rest.strip().partition("\n\n")[0], text)


@dataclass(frozen=True, slots=True)
class CheckedRules:
    """Checked rules with their diagnostics."""

    name: str  # display name
    folder: Path | None = None
    base_title: str = ""  # title of the game that they extend
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> int:
        """Count the errors."""
        return count_errors(self.diagnostics)

    @property
    def warnings(self) -> int:
        """Count the warnings."""
        return count_warnings(self.diagnostics)


@dataclass(frozen=True)
class Findings:
    """All rules that were checked together."""

    checked: tuple[CheckedRules, ...]
    folders: Mapping[str, Path]  # folders of the rules by the first part of their files' names
    exit_code: int
    version: str  # version of the interpreter

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Return each diagnostic once, by file and line.

        A mistake in a game is also found in everything that extends the game.
        """
        return sort_diagnostics(d for rules in self.checked for d in rules.diagnostics)

    def rules_with(self, diagnostic: Diagnostic) -> list[CheckedRules]:
        """Return the rules in which a diagnostic was found."""
        return [rules for rules in self.checked if diagnostic in rules.diagnostics]

    def path_of(self, span: Span) -> Path | None:
        """Return the file on disk that contains a span, if it is known."""
        folder, _, name = span.file.partition("/")
        if span != NOWHERE and folder in self.folders:
            return self.folders[folder].resolve() / name
        return None


def as_errors(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with warnings turned into errors, for `--strict`."""
    return tuple(replace(d, severity="error") for d in diagnostics)


def render_annotations(findings: Findings, here: Path) -> str:
    """Return the findings as workflow commands; paths below `here` are relative to it."""
    return "".join(_render_as_annotation(diagnostic, findings, here.resolve()) for diagnostic in findings.diagnostics)


def _render_as_annotation(diagnostic: Diagnostic, findings: Findings, here: Path) -> str:
    """Return a diagnostic as one workflow command."""
    text = "\n".join(part for part in (diagnostic.title, diagnostic.note, diagnostic.help) if part)
    return render_annotation(diagnostic.is_error, dict(_iter_properties(diagnostic, findings, here)), text)


def render_annotation(is_error: bool, properties: Mapping[str, str], text: str) -> str:
    """Return a line with one workflow command."""
    written = ",".join(f"{name}={_escape_annotation(value, ':,')}" for name, value in properties.items())
    return f"::{'error' if is_error else 'warning'} {written}::{_escape_annotation(text)}\n"


def _iter_properties(diagnostic: Diagnostic, findings: Findings, here: Path) -> Iterator[tuple[str, str]]:
    """Yield the properties of a command: the place, if it is in a file, and the code as its title."""
    span, path = diagnostic.span, findings.path_of(diagnostic.span)
    if span != NOWHERE and path is not None:
        yield "file", _format_path(path, here)
        yield "line", str(span.line)
        yield "endLine", str(span.end_line)
        if span.line == span.end_line:
            yield "col", str(span.column)
            yield "endColumn", str(span.end_column)
    yield "title", diagnostic.code


def _escape_annotation(text: str, more: str = "") -> str:
    """Return text with the characters escaped that would end a command or a property."""
    shown = "\n".join(map(escape_terminal, text.split("\n")))
    for character in ("%", "\r", "\n", *more):
        shown = shown.replace(character, f"%{ord(character):02X}")
    return shown


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
