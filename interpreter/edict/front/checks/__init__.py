"""Pass 6, check: what can be known to be wrong before play. One file a check; types come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from edict.front.checks.actions import too_early
from edict.front.checks.beyond import beyond_keeps
from edict.front.checks.division import divided_by_nothing
from edict.front.checks.endless import endless
from edict.front.checks.exceptions import contradicting_exceptions
from edict.front.checks.large import too_large
from edict.front.checks.limits import beyond_limits
from edict.front.checks.never import never_applies
from edict.front.checks.pointless import pointless
from edict.front.checks.ranges import out_of_range
from edict.front.checks.secrets import secrets_said
from edict.front.checks.turns import nobodys_turn
from edict.front.checks.unused import unused
from edict.front.symbols import Resolved
from edict.front.types import Typed, check_types
from edict.report import Diagnostic, Outcome

Check = Callable[[Typed], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    contradicting_exceptions, beyond_limits, too_large, too_early, out_of_range, beyond_keeps, divided_by_nothing,
    endless, never_applies, secrets_said, nobodys_turn, pointless, unused,
)  # fmt: skip


def check(resolved: Resolved) -> Outcome[Typed]:
    """Types, then everything that relies on them."""
    typed = check_types(resolved)
    if typed.value is None or not typed.ok:
        return typed
    found = [diagnostic for one in CHECKS for diagnostic in one(typed.value)]
    return Outcome(typed.value, (*typed.diagnostics, *found))
