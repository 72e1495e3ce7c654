"""Whether a step can be completed: an option that begins with one that cannot is not offered.

The sorts of steps that may have nothing to choose from, or a price that cannot be paid, register here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from edict.backend import core
from edict.backend.core import Condition
from edict.language import tree as t
from edict.lowering.asks import Need
from edict.lowering.blocks import HANDLERS
from edict.lowering.builder import ALWAYS
from edict.language.roles import Role, has
from edict.lowering.context import Context
from edict.lowering.reason_code import Implied, Scope
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
    named: list[t.Stmt] = []
    for step in steps(block):
        need = NEEDS[type(step)](c, step, scope) if type(step) in NEEDS else None
        if need is not None:
            return (_knowing(tuple(named), need) if named else need,)
        if not (has(type(step), Role.BINDS) and has(type(step), Role.INTO)):
            return ()  # only what is given a name is passed over
        named.append(step)
    return ()


def _knowing(named: t.Block, need: Need) -> Need:
    """The same, asked where the names that come before the step are not yet known."""

    def test(c: Context) -> Condition:
        with c.apart() as body:
            for step in named:
                HANDLERS[type(step)](c, step)
        return core.Given(tuple(body), need.test(c))

    return replace(need, test=test, check=lambda c: -1)


def completable(c: Context, block: t.Block, scope: Scope) -> Condition:
    """Whether what begins like this can be completed."""
    needs = completion(c, block, scope)
    return needs[0].test(c) if needs else ALWAYS
