"""Routines that carry out what is written on a thing, where exceptions may put something else in its place."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.front.symbols import Local
from edict.front.walking import walk
from edict.program import Carrier


def carriers(c: Context) -> tuple[Carrier, ...]:
    """After assembly: the routines that do an effect of their one thing, where an exception may do something else."""
    found = (_carrier(c, name) for (name, rule), held in c.linked.exceptions.items() if held and not rule)
    return tuple(carrier for carrier in found if carrier is not None)


def _carrier(c: Context, name: str) -> Carrier | None:
    routine, written = c.resolved.book.definitions.get(name), c.written(("routine", name))
    if not isinstance(routine, t.Routine) or written is None or len(routine.params) != 1:
        return None
    done = _done(c, routine.block, c.resolved.binds[routine.params[0]])
    held = (one.ability for one in c.linked.exceptions[name, ""])
    others = [one for one in held if isinstance(one, t.Exception_) and not _same(c, done, one, routine)]
    if done is None or not others:
        return None
    entry, param = c.writer.frames[written].entry.at, c.writer.address(written.params[0])
    return Carrier(c.type(done.thing).kind, done.field.word, entry, param)


def _same(c: Context, done: t.DoField | None, exception: t.Exception_, routine: t.Routine) -> bool:
    """Whether an exception only puts something round the same effect, such as an offer."""
    again = _done(c, exception.then, c.resolved.binds[routine.params[0]])
    return done is not None and again is not None and again.field.word == done.field.word


def _done(c: Context, block: t.Block, param: Local) -> t.DoField | None:
    """The effect of this very thing that is done in a block."""
    for node in walk(block):
        if isinstance(node, t.DoField):
            names = [name for name in walk(node.thing) if isinstance(name, t.Name)]
            if len(names) == 1 and c.resolved.meaning.get(names[0]) is param:
                return node
    return None
