"""The pass `check`: faults of well-formed rules that can be found before play. One file per subject.

`passage_drift` is no part of the pass: it needs the manifests of the modules, so `pipeline` calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from edict.compiler.checks import (
    choices,
    constant_conditions,
    exception_conflicts,
    limits,
    no_effect,
    overflow,
    pricing,
    ranges,
    secrets,
    similar_names,
    text_drift,
    timing,
    turns,
    unused_declarations,
)
from edict.compiler.checks.check_registry import CheckContext, CheckRunner
from edict.compiler.semantics.types import TypedBook
from edict.compiler.syntax import tree as t
from edict.support.report import Diagnostic, Outcome

ALL_CHECKS = CheckRunner(
    exception_conflicts.checks,
    limits.checks,
    ranges.checks,
    overflow.checks,
    constant_conditions.checks,
    secrets.checks,
    turns.checks,
    timing.checks,
    pricing.checks,
    choices.checks,
    no_effect.checks,
    unused_declarations.checks,
    similar_names.checks,
    text_drift.checks,
)


def check(typed: TypedBook) -> Outcome[TypedBook]:
    """Run all checks on a book, with their diagnostics in the order of the source."""
    return Outcome(typed, _sort_by_place(ALL_CHECKS.run(typed)))


def check_definitions(typed: TypedBook, definitions: Sequence[t.Definition]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of some definitions alone, without those that need all rules together."""
    return _sort_by_place(ALL_CHECKS.run_on(CheckContext(typed), definitions))


def _sort_by_place(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the distinct diagnostics, sorted by span, code and title."""
    return tuple(
        sorted(dict.fromkeys(diagnostics), key=lambda diagnostic: (diagnostic.span, diagnostic.code, diagnostic.title))
    )
