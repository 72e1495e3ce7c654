"""What exceptions put in the place of phases and routines, and what is left of those for an exception to do."""

from __future__ import annotations

from edict.backend import core
from edict.backend.core import Label, Procedure, Var
from edict.language import tree as t
from edict.lowering.blocks import block
from edict.lowering.builder import YOU
from edict.lowering.context import Context
from edict.lowering.quantities import holds
from edict.lowering.rivals import exception_of, foremost, labels, rivals
from edict.meaning.link import AttachedAbility
from edict.program import Question

Held = tuple[AttachedAbility, ...]
Replaceable = t.Routine | t.Phase


def replaced(c: Context, whole: Replaceable) -> None:
    """The block of a phase or routine, or what an exception puts in its place while it holds."""
    _done(c, whole, c.linked.exceptions.get((whole.name.word, ""), ()))


def _done(c: Context, whole: Replaceable, held: Held) -> None:
    """The same, where these are all the exceptions."""
    with c.block() as end:
        if any(rivals(c, held).beside):
            _chosen(c, whole, held, end)
        else:
            for number, one in enumerate(held):
                with c.because_of(one), c.block() as skip:
                    c.unless(holds(c, one), skip)
                    _instead(c, whole, number, held)
                    c.go(end)
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


def _chosen(c: Context, whole: Replaceable, held: Held, end: Label) -> None:
    """Of those that hold and come before all others that do, the player chooses one."""
    question = c.question(Question("exception", "Which of these applies?", "branch", labels=labels(held)))
    cases = []
    for number, one in enumerate(held):
        with c.apart() as case, c.because_of(one):
            _instead(c, whole, number, held)
        cases.append((-1, tuple(case)))
    with c.block() as none:
        answer, options = Var(), tuple((i, (met,)) for i, met in enumerate(foremost(c, held)))
        c.add(core.Ask(question, YOU, options, answer, none, cause=c.cause))
        c.add(core.Switch(answer, tuple(cases), cause=c.cause))
        c.go(end)
