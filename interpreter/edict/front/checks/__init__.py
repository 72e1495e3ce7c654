"""Pass 5, check: what can be known to be wrong before play. One file a check; types come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from edict.front.checks.exceptions import contradicting_exceptions
from edict.front.checks.limits import beyond_limits
from edict.front.symbols import Resolved
from edict.front.types import Typed, check_types
from edict.report import Diagnostic, Outcome

Check = Callable[[Typed], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (contradicting_exceptions, beyond_limits)


def check(resolved: Resolved) -> Outcome[Typed]:
    """Types, then everything that relies on them."""
    typed = check_types(resolved)
    if typed.value is None or not typed.ok:
        return typed
    found = [diagnostic for one in CHECKS for diagnostic in one(typed.value)]
    return Outcome(typed.value, (*typed.diagnostics, *found))
