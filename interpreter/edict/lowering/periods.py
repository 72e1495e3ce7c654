"""What works only once until its phase starts again: where that is noted, and how it is asked."""

from __future__ import annotations

from edict.backend import core
from edict.backend.composing import ALWAYS, op
from edict.backend.core import Condition, Const
from edict.language import tree as t
from edict.lowering.context import NOTHING, YOU, Context
from edict.program import Period
from edict.program import opcodes as o


def periods(c: Context) -> tuple[Period, ...]:
    """After assembly: what works once in a while, and where it is noted."""
    held = {one.ability: one for one in c.linked.held}

    def cause(ability: t.Ability) -> int:
        return c.add_cause(held[ability].name, held[ability].title, ability.span)

    return tuple(
        Period(phase, c.layout.periods[phase], tuple(map(cause, abilities)))
        for phase, abilities in c.linked.periods.items()
    )


def reset_period(c: Context, phase: str) -> None:
    """What could be used once per this phase can be used again."""
    if phase in c.layout.periods:
        for player in range(c.layout.players):
            c.add(core.Store(c.layout.periods[phase] + player, None, NOTHING, event=False, cause=c.cause))


def _period(c: Context, ability: t.Ability) -> tuple[int, int]:
    """The first cell of its period's flags, and its bit."""
    once: t.Name = ability.once_per  # type: ignore[attr-defined]
    phase = c.symbol(once).name
    return c.layout.periods[phase], c.linked.periods[phase].index(ability)


def unused(c: Context, ability: t.Ability) -> Condition:
    """Whether it can still be used, or as often as one likes."""
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is None:
        return ALWAYS
    base, bit = _period(c, ability)
    cause = c.asking(once.span)
    return core.Compare("not-in", Const(bit), core.Load(base, YOU), cause=cause, told=True, works=c.works)


def use_up(c: Context, ability: t.Ability) -> None:
    _note(c, ability, o.OR)


def give_back(c: Context, ability: t.Ability) -> None:
    """It was not used after all."""
    _note(c, ability, o.ANDN)


def _note(c: Context, ability: t.Ability, operation: int) -> None:
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is not None:
        base, bit = _period(c, ability)
        used = op(operation, core.Load(base, YOU), Const(1 << bit))
        c.add(core.Store(base, YOU, used, event=False, cause=c.asking(once.span)))
