"""The pass `check`: what can be known to be wrong before play. One file per subject; types come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from edict.checks.choices import alike, dominated, largest_numbers, scoring
from edict.checks.constant_conditions import for_each_resource, foregone, members_asked, mixed
from edict.checks.endless import endless
from edict.checks.exceptions import contradicting_exceptions, twins
from edict.checks.limits import beyond_limits, no_such_bag
from edict.checks.never_used import quoted, unread, unused
from edict.checks.no_effect import idle, pointless
from edict.checks.overflow import again, beyond_keeps, too_large
from edict.checks.pricing import bargains, paid_too_soon, prices_for_nothing
from edict.checks.ranges import at_a_bound, divided_by_nothing, out_of_range, overdrawn
from edict.checks.secrets import counted_secrets, open_piles, secrets_said, seen_too_soon
from edict.checks.timing import elsewhen, lasting, too_early
from edict.checks.turns import nobodys_turn, owned
from edict.meaning.symbols import Resolved
from edict.meaning.checker import check_types
from edict.meaning.types import Typed
from edict.report import Diagnostic, Outcome

Check = Callable[[Typed], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    contradicting_exceptions, no_such_bag, beyond_limits, too_large, too_early, out_of_range, at_a_bound, beyond_keeps,
    again, divided_by_nothing, endless, foregone, mixed, secrets_said, counted_secrets, seen_too_soon, nobodys_turn,
    lasting, pointless, prices_for_nothing, bargains, largest_numbers, paid_too_soon, quoted, scoring, idle, alike,
    dominated, twins, elsewhen, overdrawn, members_asked, for_each_resource, owned, open_piles, unread, unused,
)  # fmt: skip


def check(resolved: Resolved) -> Outcome[Typed]:
    """Types, then everything that relies on them."""
    typed = check_types(resolved)
    if typed.value is None or not typed.ok:
        return typed
    found = dict.fromkeys(diagnostic for one in CHECKS for diagnostic in one(typed.value))
    return Outcome(typed.value, (*typed.diagnostics, *found))
