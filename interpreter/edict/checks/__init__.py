"""The pass `check`: what can be known to be wrong before play. One file per subject; types come first."""

from __future__ import annotations

from edict.checks import (
    choices, constant_conditions, endless, exceptions, limits, never_used, no_effect, overflow, pricing, ranges,
    secrets, timing, turns,
)  # fmt: skip
from edict.checks.registry import Walk
from edict.meaning.symbols import Resolved
from edict.meaning.checker import check_types
from edict.meaning.desugar import desugar
from edict.meaning.types import Typed
from edict.report import Outcome

ALL = Walk(
    exceptions.checks, limits.checks, ranges.checks, overflow.checks, endless.checks, constant_conditions.checks,
    secrets.checks, turns.checks, timing.checks, pricing.checks, choices.checks, no_effect.checks, never_used.checks,
)


def check(resolved: Resolved) -> Outcome[Typed]:
    """Types, then everything that relies on them; what is found is told by place."""
    typed = check_types(resolved)
    if typed.value is None or not typed.ok:
        return typed
    desugar(typed.value)
    found = sorted(dict.fromkeys(ALL.findings(typed.value)), key=lambda one: (one.span, one.code, one.title))
    return Outcome(typed.value, (*typed.diagnostics, *found))
