"""The results of a check, independent of the output format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from edict.support.rendering import sort_diagnostics
from edict.support.report import Diagnostic, count_errors, count_warnings
from edict.support.text import NOWHERE, Span


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
