"""Problems in the rules a file belongs to: the findings of `kingsburg check`, with fixes to apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from edict.compiler.sources.workspace_settings import SettingsError, find_settings
from edict.support.formats import as_errors
from edict.support.morphology import capitalize
from edict.support.rendering import sort_diagnostics
from edict.support.report import Diagnostic
from edict.support.text import NOWHERE, Span
from edict.tools.language_service.analysis import FolderRules
from edict.tools.language_service.answer_types import FileEdits, Fix, Location, Problem
from edict.tools.language_service.workspace import Workspace

FILE_START = Span("", 1, 1, 1, 1)


def list_problems(space: Workspace, path: Path, full: bool = True) -> tuple[Problem, ...]:
    """Return the problems in all files of the rules that a file belongs to, in the order of places.

    Args:
        space: The workspace.
        path: A file of the rules.
        full: Include findings of code generation, which take longer.
    """
    rules = space.get_rules(path)
    return list_rule_problems(rules, full) if rules is not None else ()


def list_rule_problems(rules: FolderRules, full: bool = False) -> tuple[Problem, ...]:
    """Return the problems in these rules, with those of code generation if `full` or known already."""
    return _to_problems(rules, rules.check(full).diagnostics)


def list_problems_while_typing(rules: FolderRules) -> tuple[Problem, ...]:
    """Return the problems that can be found while somebody types, without fixes."""
    return _to_problems(rules, rules.check_while_typing())


def _to_problems(rules: FolderRules, diagnostics: Iterable[Diagnostic]) -> tuple[Problem, ...]:
    """Return diagnostics, and those to expect of code generation, for editors; strict settings make all errors."""
    findings = tuple(dict.fromkeys((*diagnostics, *rules.iter_expected_findings())))
    if _is_strict(rules.folder):
        findings = as_errors(findings)
    return tuple(_to_problem(rules, diagnostic) for diagnostic in sort_diagnostics(findings))


def _is_strict(folder: Path) -> bool:
    """Return True if the settings of a folder make warnings errors; settings that cannot be read do not."""
    try:
        return find_settings(folder).strict
    except SettingsError:
        return False


def _to_problem(rules: FolderRules, diagnostic: Diagnostic) -> Problem:
    """Convert a diagnostic for editors; one without a place is shown at the start of `module.yaml`."""
    where = _to_location(rules, diagnostic.span) or Location(rules.folder / "module.yaml", FILE_START)
    related = ((_to_location(rules, label.span), label.text) for label in diagnostic.labels)
    message = "\n".join(
        [diagnostic.title, *filter(None, (diagnostic.note, diagnostic.help and f"help: {diagnostic.help}"))]
    )
    located = tuple((place, text) for place, text in related if place is not None)
    return Problem(where, diagnostic.code, diagnostic.severity, message, located, _to_fix(rules, diagnostic))


def _to_location(rules: FolderRules, span: Span) -> Location | None:
    """Return file and span of a place; None if it has none or lies outside these rules' modules."""
    path = rules.find_path(span) if span != NOWHERE else None
    return Location(path, span) if path is not None else None


def _to_fix(rules: FolderRules, diagnostic: Diagnostic) -> Fix | None:
    """Return the diagnostic's edits as a fix titled by its help; None if it has no edits."""
    changes = tuple(_group_edits_by_file(rules, diagnostic))
    title = capitalize(diagnostic.help)
    return Fix(title, changes, diagnostic.exact) if changes else None


def _group_edits_by_file(rules: FolderRules, diagnostic: Diagnostic) -> Iterator[FileEdits]:
    """Yield the diagnostic's edits file by file, sorted by place; skip files outside these rules."""
    for file in dict.fromkeys(edit.span.file for edit in diagnostic.edits):
        path = rules.find_path(next(edit.span for edit in diagnostic.edits if edit.span.file == file))
        if path is not None:
            yield FileEdits(path, tuple(sorted(edit for edit in diagnostic.edits if edit.span.file == file)))
