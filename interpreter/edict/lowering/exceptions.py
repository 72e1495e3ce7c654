"""Exceptions to one thing that may hold at once: which of them counts, or whether the player chooses."""

from __future__ import annotations

from collections.abc import Callable

from edict.backend import core
from edict.backend.core import Condition, Label, Var
from edict.language import tree as t
from edict.lowering.context import YOU, Context
from edict.lowering.hiding import by_abilities
from edict.lowering.quantities import holds
from edict.meaning.link import AttachedAbility
from edict.meaning.precedence import Precedence, Rival, precedence
from edict.program import Question
from edict.words.titles import capital

Held = tuple[AttachedAbility, ...]
Holds = Callable[[AttachedAbility], Condition]


def exception_of(held: AttachedAbility) -> t.Exception_:
    assert isinstance(held.ability, t.Exception_)
    return held.ability


def rivals(c: Context, held: Held) -> Precedence:
    """What they say of each other."""
    return precedence(c.resolved, [Rival(one.name, exception_of(one), one.thing) for one in held])


def foremost(c: Context, held: Held, met: Holds | None = None) -> list[Condition]:
    """Of each, whether it holds and none that comes before it does."""
    above, found = rivals(c, held).above, list[Condition]()
    now = met or (lambda one: holds(c, one))
    for place, one in enumerate(held):
        others = tuple(core.Not(now(held[other])) for other in sorted(above[place]))
        found.append(core.All((now(one), *others)))
    return found


def labels(held: Held) -> tuple[str, ...]:
    """What they are called, to choose from."""
    return tuple(capital(one.title or one.name.replace("-", " ")).partition("/")[0] for one in held)


def one_counts(c: Context, held: Held, met: Holds, instead: Callable[[int], None], end: Label) -> None:
    """Of those that hold the first, or the one that the player chooses, is done `instead`, and then it goes to `end`.

    It goes on behind all of it if none holds.
    """
    by_abilities(c, held)
    if any(rivals(c, held).beside):
        _chosen(c, held, met, instead, end)
        return
    for number, one in enumerate(held):
        with c.because_of(one), c.block() as skip:
            c.unless(met(one), skip)
            instead(number)
            c.go(end)


def _chosen(c: Context, held: Held, met: Holds, instead: Callable[[int], None], end: Label) -> None:
    """Of those that hold and come before all others that do, the player chooses one."""
    question = c.question(Question("exception", "Which of these applies?", "branch", labels=labels(held)))
    cases = []
    for number, one in enumerate(held):
        with c.apart() as case, c.because_of(one):
            instead(number)
        cases.append((-1, tuple(case)))
    with c.block() as none:
        answer, options = Var(), tuple((i, (now,)) for i, now in enumerate(foremost(c, held, met)))
        c.add(core.Ask(question, YOU, options, answer, none, cause=c.cause))
        c.add(core.Switch(answer, tuple(cases), cause=c.cause))
        c.go(end)
