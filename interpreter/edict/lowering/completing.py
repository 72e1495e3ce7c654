"""Whether a step can be completed: an option that begins with one that cannot is not offered.

The sorts of steps that may have nothing to choose from, or a price that cannot be paid, register here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from edict.backend import core
from edict.backend.composing import ALWAYS
from edict.backend.core import Condition
from edict.language import tree as t
from edict.language.roles import Role, has, having
from edict.lowering.asks import Need, written
from edict.lowering.blocks import HANDLERS
from edict.lowering.context import Context
from edict.lowering.reason_code import Implied, Scope
from edict.meaning.steps import steps
from edict.words import sentence, stmt_words

Completion = Callable[[Context, Any, Scope], "Need | None"]
NEEDS: dict[type, Completion] = {}
"""What must hold for a step of this sort to be completed; None: nothing."""
Fork = Callable[[Context, Any, t.Block, Scope], "Need | None"]
FORKS: dict[type, Fork] = {}
"""The same for steps after which it depends what comes next; the block is what stands below them."""
F = TypeVar("F", bound=Completion)
G = TypeVar("G", bound=Fork)


def completes(kind: type) -> Callable[[F], F]:
    """Register what steps of a sort need."""

    def register(needs: F) -> F:
        NEEDS[kind] = needs
        return needs

    return register


def forks(kind: type) -> Callable[[G], G]:
    """Register what steps of a sort need, together with those that follow them."""

    def register(needs: G) -> G:
        FORKS[kind] = needs
        return needs

    return register


def something(c: Context, step: t.Stmt, scope: Scope, test: Callable[[Context], Condition]) -> Need:
    """There must be something to choose from."""

    def check(c2: Context) -> int:
        text = getattr(step, "prompt", "") or sentence(stmt_words(c2.resolved, step))
        return Implied(("possible", step), scope, step.span, test, text, (step,)).add(c2)

    return Need("next", scope, step.span, test, check)


def something_to_do(c: Context, block: t.Block, scope: Scope) -> tuple[Need, ...]:
    """Of an option that does something under a condition, and nothing otherwise, the condition must hold."""
    only = steps(block)
    conditions = [one for step in only[:1] for one in having(step, Role.DECIDES)]
    if len(only) != 1 or any(having(only[0], Role.INSTEAD)) or type(only[0]) not in FORKS:
        return ()
    return tuple(written(c, "if", one, scope, only[0].span) for one in conditions)


def completion(c: Context, block: t.Block, scope: Scope) -> tuple[Need, ...]:
    """What an option that begins like this needs."""
    named: list[t.Stmt] = []
    row = steps(block)
    for i, step in enumerate(row):
        need = NEEDS[type(step)](c, step, scope) if type(step) in NEEDS else None
        if type(step) in FORKS:
            need = FORKS[type(step)](c, step, row[i + 1 :], scope)
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
