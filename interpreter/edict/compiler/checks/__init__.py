"""The pass `check`: what can be known to be wrong before play. One file per subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from edict.compiler.checks import (
    choices,
    constant_conditions,
    exception_conflicts,
    hidden_names,
    limits,
    never_used,
    no_effect,
    overflow,
    pricing,
    ranges,
    secrets,
    text_drift,
    timing,
    turns,
)
from edict.compiler.checks.check_registry import CheckWalk, Rules
from edict.compiler.semantics.types import Typed
from edict.compiler.syntax import tree as t
from edict.support.report import Diagnostic, Outcome

ALL = CheckWalk(
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
    never_used.checks,
    hidden_names.checks,
    text_drift.checks,
)


def check(typed: Typed) -> Outcome[Typed]:
    """What relies on names and types, told by place."""
    return Outcome(typed, _by_place(ALL.findings(typed)))


def check_within(typed: Typed, some: Sequence[t.Definition]) -> tuple[Diagnostic, ...]:
    """The same of some definitions alone, without what can be seen only in all of them together."""
    return _by_place(ALL.findings_in(Rules(typed), some))


def _by_place(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.span, one.code, one.title)))
