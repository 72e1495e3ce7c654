"""Routines that carry out what is written on a thing, where exceptions may put something else in its place."""

from __future__ import annotations

from edict.language import tree as t
from edict.lowering.context import Context
from edict.lowering.routines import own_effect
from edict.program import Carrier


def carriers(c: Context) -> tuple[Carrier, ...]:
    """After assembly: the routines that do an effect of their one thing, where an exception may do something else."""
    found = (_carrier(c, name) for (name, rule), held in c.linked.exceptions.items() if held and not rule)
    return tuple(carrier for carrier in found if carrier is not None)


def _carrier(c: Context, name: str) -> Carrier | None:
    routine, written = c.resolved.book.definitions.get(name), c.written(("routine", name))
    if not isinstance(routine, t.Routine) or written is None or len(routine.params) != 1:
        return None
    done = own_effect(c, routine.block, c.resolved.binds[routine.params[0]])
    held = (one.ability for one in c.linked.exceptions[name, ""])
    others = [one for one in held if isinstance(one, t.Exception_) and not _same(c, done, one, routine)]
    if done is None or not others:
        return None
    entry, param = c.writer.frames[written].entry.at, c.writer.address(written.params[0])
    return Carrier(*done, entry, param)


def _same(c: Context, done: tuple[str, str] | None, exception: t.Exception_, routine: t.Routine) -> bool:
    """Whether an exception only puts something round the same effect, such as an offer."""
    again = own_effect(c, exception.then, c.resolved.binds[routine.params[0]])
    return done is not None and again is not None and again[1] == done[1]
