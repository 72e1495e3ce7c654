"""Whether a step can be completed: an option that begins with one that cannot is not offered.

The sorts of steps that may have nothing to choose from, or a price that cannot be paid, register here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from edict.backend.core import Condition
from edict.language import tree as t
from edict.lowering.asks import Need
from edict.lowering.builder import ALWAYS
from edict.lowering.context import Context
from edict.lowering.reasons import Implied, Scope
from edict.meaning.steps import steps
from edict.words import sentence, stmt_words

Completion = Callable[[Context, Any, Scope], "Need | None"]
NEEDS: dict[type, Completion] = {}
"""What must hold for a step of this sort to be completed; None: nothing."""
F = TypeVar("F", bound=Completion)


def completes(kind: type) -> Callable[[F], F]:
    """Register what steps of a sort need."""

    def register(needs: F) -> F:
        NEEDS[kind] = needs
        return needs

    return register


def something(c: Context, step: t.Stmt, scope: Scope, test: Callable[[Context], Condition]) -> Need:
    """There must be something to choose from."""

    def check(c2: Context) -> int:
        text = getattr(step, "prompt", "") or sentence(stmt_words(c2.resolved, step))
        return Implied(("possible", step), scope, step.span, test, text, (step,)).add(c2)

    return Need("next", scope, step.span, test, check)


def completion(c: Context, block: t.Block, scope: Scope) -> tuple[Need, ...]:
    """What an option that begins like this needs; what comes of a routine is not looked into."""
    first = next(iter(steps(block)), None)
    need = NEEDS[type(first)](c, first, scope) if type(first) in NEEDS else None
    return () if need is None else (need,)


def completable(c: Context, block: t.Block, scope: Scope) -> Condition:
    """Whether what begins like this can be completed."""
    needs = completion(c, block, scope)
    return needs[0].test(c) if needs else ALWAYS
