"""What works only once until its phase begins anew: where that is noted, and how it is asked."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.backend.emit import Label
from edict.program import NO, YES, Period
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
            c.emit(o.MOV, c.layout.periods[phase] + player, c.const(0))


def _period(c: Context, ability: t.Ability) -> tuple[int, int] | None:
    """The first cell of its period's flags, and its bit."""
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is None:
        return None
    phase = c.symbol(once).name
    return c.layout.periods[phase], c.linked.periods[phase].index(ability)


def jump_used_up(c: Context, ability: t.Ability, target: Label) -> None:
    period = _period(c, ability)
    if period is not None:
        with c.asking(ability.once_per.span):  # type: ignore[attr-defined]
            used = c.cell()
            c.emit(o.LDX, used, period[0], o.YOU)
            c.emit(o.JIN, c.const(period[1]), used, target)
            c.fork(NO, YES)


def use_up(c: Context, ability: t.Ability) -> None:
    period = _period(c, ability)
    if period is not None:
        with c.asking(ability.once_per.span):  # type: ignore[attr-defined]
            used = c.cell()
            c.emit(o.LDX, used, period[0], o.YOU)
            c.emit(o.OR, used, used, c.const(1 << period[1]))
            c.emit(o.PUTX, period[0], o.YOU, used)
