"""What is wrong with the rules a file belongs to: just what `kingsburg check` says, with remedies to carry out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.support.morphology import capitalize
from edict.support.rendering import sort_diagnostics
from edict.support.report import Diagnostic
from edict.support.text import NOWHERE, Span
from edict.tools.language_service.analysis import Rules
from edict.tools.language_service.answer_types import FileEdits, Fix, Location, Problem
from edict.tools.language_service.workspace import Workspace

FIRST = Span("", 1, 1, 1, 1)


def problems(space: Workspace, path: Path, whole: bool = True) -> tuple[Problem, ...]:
    """All that is found in the rules a file belongs to, in whatever files, in the order of places.

    Without being `whole`, what only making the machine's code finds out is left for later.
    """
    rules = space.rules(path)
    return problems_of(rules, whole) if rules is not None else ()


def problems_of(rules: Rules, whole: bool = False) -> tuple[Problem, ...]:
    """What is found in these rules, or what is known of it so far."""
    return tuple(_problem(rules, found) for found in sort_diagnostics(rules.checked(whole).found))


def problems_at_once(rules: Rules) -> tuple[Problem, ...]:
    """What can be told of these rules while somebody types, without remedies to carry out."""
    return tuple(_problem(rules, found) for found in sort_diagnostics(rules.at_once()))


def _problem(rules: Rules, found: Diagnostic) -> Problem:
    where = _location(rules, found.span) or Location(rules.folder / "module.yaml", FIRST)
    related = ((_location(rules, label.span), label.text) for label in found.labels)
    message = "\n".join([found.title, *filter(None, (found.note, found.help and f"help: {found.help}"))])
    there = tuple((place, text) for place, text in related if place is not None)
    return Problem(where, found.code, found.severity, message, there, _fix(rules, found))


def _location(rules: Rules, span: Span) -> Location | None:
    path = rules.path(span) if span != NOWHERE else None
    return Location(path, span) if path is not None else None


def _fix(rules: Rules, found: Diagnostic) -> Fix | None:
    changes = tuple(_changes(rules, found))
    title = capitalize(found.help)
    return Fix(title, changes, found.exact) if changes else None


def _changes(rules: Rules, found: Diagnostic) -> Iterator[FileEdits]:
    for file in dict.fromkeys(edit.span.file for edit in found.edits):
        path = rules.path(next(edit.span for edit in found.edits if edit.span.file == file))
        if path is not None:
            yield FileEdits(path, tuple(sorted(edit for edit in found.edits if edit.span.file == file)))
