"""What a check has found, ready to be written in any format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from edict.support.rendering import in_order
from edict.support.report import Diagnostic, errors_in, warnings_in
from edict.support.text import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class CheckedRules:
    """Rules that were checked: what they are called, where they are, the title of the game they are laid over."""

    name: str
    folder: Path | None = None
    over: str = ""
    found: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> int:
        return errors_in(self.found)

    @property
    def warnings(self) -> int:
        return warnings_in(self.found)


@dataclass(frozen=True)
class Findings:
    """All that was checked together, and by which version of the interpreter.

    `folders` are those of the rules, by the name that begins their files' names.
    """

    checked: tuple[CheckedRules, ...]
    folders: Mapping[str, Path]
    exit_code: int
    version: str

    @property
    def found(self) -> list[Diagnostic]:
        """Each finding once, by file and line: what is wrong with a game is found in all that lies over it."""
        return in_order(d for one in self.checked for d in one.found)

    def of(self, finding: Diagnostic) -> list[CheckedRules]:
        """The rules in which it was found."""
        return [one for one in self.checked if finding in one.found]

    def path(self, span: Span) -> Path | None:
        """The file on disk that a place lies in, if it is known."""
        folder, _, name = span.file.partition("/")
        return self.folders[folder].resolve() / name if span != NOWHERE and folder in self.folders else None


def as_errors(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Warnings as errors, for `--strict`."""
    return tuple(replace(d, severity="error") for d in found)
