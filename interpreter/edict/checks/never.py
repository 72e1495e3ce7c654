"""Abilities whose condition never holds."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.checks.intervals import holds
from edict.meaning.calls import abilities
from edict.meaning.types import Typed
from edict.report import Diagnostic


def never_applies(typed: Typed) -> Iterator[Diagnostic]:
    """It does no harm, and surely is not meant."""
    for ability in abilities(typed.resolved):
        condition: t.Expr | None = getattr(ability, "condition", None)
        if condition is not None and holds(typed, condition) is False:
            yield Diagnostic(
                "E0515", "this never applies: its condition never holds", condition.span, severity="warning",
                help="compare with something that can be, or delete it",
            )  # fmt: skip
