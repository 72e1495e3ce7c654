"""The pass `check`: what can be known to be wrong before play. One file per subject."""

from __future__ import annotations

from edict.checks import (
    choices, constant_conditions, exception_conflicts, hidden_names, limits, never_used, no_effect, overflow, pricing,
    ranges, secrets, text_drift, timing, turns,
)  # fmt: skip
from edict.checks.check_registry import Walk
from edict.meaning.types import Typed
from edict.report import Outcome

ALL = Walk(
    exception_conflicts.checks, limits.checks, ranges.checks, overflow.checks, constant_conditions.checks,
    secrets.checks, turns.checks, timing.checks, pricing.checks, choices.checks, no_effect.checks, never_used.checks,
    hidden_names.checks,
    text_drift.checks,
)


def check(typed: Typed) -> Outcome[Typed]:
    """What relies on names and types, told by place."""
    found = sorted(dict.fromkeys(ALL.findings(typed)), key=lambda one: (one.span, one.code, one.title))
    return Outcome(typed, tuple(found))
