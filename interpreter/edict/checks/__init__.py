"""The pass `check`: what can be known to be wrong before play. One file per check; types come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from edict.checks.timing import too_early
from edict.checks.again import again
from edict.checks.choices import alike, dominated
from edict.checks.at_once import seen_too_soon
from edict.checks.bags import no_such_bag
from edict.checks.pricing import bargains
from edict.checks.overflow import beyond_keeps
from edict.checks.division import divided_by_nothing
from edict.checks.elsewhen import elsewhen
from edict.checks.endless import endless
from edict.checks.exceptions import contradicting_exceptions
from edict.checks.constant_conditions import foregone, mixed
from edict.checks.no_effect import idle
from edict.checks.large import too_large
from edict.checks.lasting import lasting
from edict.checks.limits import beyond_limits
from edict.checks.members import for_each_resource, members_asked
from edict.checks.overdrawn import overdrawn
from edict.checks.owned import owned
from edict.checks.piles import open_piles
from edict.checks.pointless import pointless
from edict.checks.quoted import quoted
from edict.checks.ranges import at_a_bound, out_of_range
from edict.checks.scoring import scoring
from edict.checks.secrets import counted_secrets, secrets_said
from edict.checks.turns import nobodys_turn
from edict.checks.twins import twins
from edict.checks.never_used import unread
from edict.checks.unused import unused
from edict.meaning.symbols import Resolved
from edict.meaning.checker import check_types
from edict.meaning.types import Typed
from edict.report import Diagnostic, Outcome

Check = Callable[[Typed], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    contradicting_exceptions, no_such_bag, beyond_limits, too_large, too_early, out_of_range, at_a_bound, beyond_keeps,
    again, divided_by_nothing, endless, foregone, mixed, secrets_said, counted_secrets, seen_too_soon, nobodys_turn,
    lasting, pointless, bargains, quoted, scoring, idle, alike, dominated, twins, elsewhen, overdrawn, members_asked,
    for_each_resource, owned, open_piles, unread, unused,
)  # fmt: skip


def check(resolved: Resolved) -> Outcome[Typed]:
    """Types, then everything that relies on them."""
    typed = check_types(resolved)
    if typed.value is None or not typed.ok:
        return typed
    found = dict.fromkeys(diagnostic for one in CHECKS for diagnostic in one(typed.value))
    return Outcome(typed.value, (*typed.diagnostics, *found))
