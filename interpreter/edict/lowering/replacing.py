"""What exceptions put in the place of phases and routines, and what is left of those for an exception to do."""

from __future__ import annotations

from edict.backend.core import Procedure
from edict.language import tree as t
from edict.lowering.blocks import block
from edict.lowering.context import Context
from edict.lowering.exceptions import exception_of, one_counts, rivals
from edict.lowering.quantities import holds
from edict.meaning.link import AttachedAbility

Held = tuple[AttachedAbility, ...]
Replaceable = t.Routine | t.Phase


def replaced(c: Context, whole: Replaceable) -> None:
    """The block of a phase or routine, or what an exception puts in its place while it holds."""
    _done(c, whole, c.linked.exceptions.get((whole.name.word, ""), ()))


def _done(c: Context, whole: Replaceable, held: Held) -> None:
    """The same, where these are all the exceptions."""
    with c.block() as end:
        one_counts(c, held, lambda one: holds(c, one), lambda number: _instead(c, whole, number, held), end)
        block(c, whole.block)


def _instead(c: Context, whole: Replaceable, number: int, held: Held) -> None:
    """What an exception does; in it the whole means what happens without this one, and those that come before it."""
    c.without[whole] = held, number
    block(c, exception_of(held[number]).then)
    del c.without[whole]


def without(c: Context, whole: Replaceable) -> Procedure | None:
    """What is done again by an exception to it, which has its start and its end around all; None for what is not."""
    if whole not in c.without:
        return None
    all_, number = c.without[whole]
    above = rivals(c, all_).above[number]
    held = tuple(other for i, other in enumerate(all_) if i != number and i not in above)
    params = whole.params if isinstance(whole, t.Routine) else ()

    def body(c2: Context, p: Procedure) -> None:
        for param, var in zip(params, p.params, strict=True):
            c2.bind(param, var)
        _done(c2, whole, held)

    name, others = whole.name.word, tuple(c.linked.held.index(one) for one in held)
    return c.procedure(("usual", name, others), len(params), body, (name, whole.title or name, whole.span))
