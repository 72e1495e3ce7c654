"""What hangs together: neighbours on a grid, what can be reached through neighbours, and the longest path."""

from __future__ import annotations

from edict.backend import core
from edict.backend.core_builder import op
from edict.backend.core import Const, Expr
from edict.language import tree as t
from edict.lowering.context import NOTHING, Context
from edict.lowering.layout import size_of
from edict.lowering.values import VALUES, no_members, singleton, value
from edict.program import Type
from edict.program import opcodes as o

def _next_to(c: Context, one: t.NextTo) -> Expr:
    around, cells = c.constants.next_to(c.type(one.thing).kind, one), c.cells(c.type(one))
    thing = value(c, one.thing)
    found = Const(around[thing.value], cells) if isinstance(thing, Const) else core.Table(
        tuple(around), thing, cells=cells
    )  # fmt: skip
    return op(o.AND, value(c, one.members), found)


def _connected(c: Context, one: t.Connected) -> Expr:
    """What is new each time brings its neighbours, until nothing is."""
    kind = c.type(one).kind
    with c.apart() as body:
        among = c.once(value(c, one.members))
        found = c.let(op(o.AND, value(c, one.start), among))
        new = c.let(found)
        with c.block() as end, c.loop():
            c.unless(core.Test(new), end)
            around = c.let(no_members(c, kind))
            with c.members(new) as it:
                c.bind(one, it)
                c.set(around, op(o.OR, around, value(c, one.through)))
            c.set(new, op(o.ANDN, op(o.AND, around, among), found))
            c.set(found, op(o.OR, found, new))
    return core.After(tuple(body), found)


def _longest(c: Context, one: t.LongestPath) -> Expr:
    """All paths, one step on as long as there is one, and else one step back to try the next."""
    of = Type("set", c.type(one.members).kind)
    many, cells = size_of(c.linked, of_one(of), c.layout.players), c.cells(of)
    from_on = tuple((1 << many) - (1 << first) for first in range(many + 1))
    with c.apart() as body:
        among, path, longest = c.once(value(c, one.members)), c.declare(many + 1), c.let(NOTHING)
        with c.members(among) as start:
            c.put(path, start, NOTHING)
            length, tried = c.let(Const(1)), c.let(NOTHING)  # all below `tried` were steps from the last of the path
            passed = c.let(singleton(c, start, of.kind))
            with c.block() as end, c.loop():
                c.set(longest, op(o.MAX, longest, length))
                last = c.let(op(o.LDX, path, op(o.SUB, length, Const(1))))
                c.bind(one, last)
                ways = c.let(op(o.AND, op(o.ANDN, op(o.AND, value(c, one.through), among), passed),
                                core.Table(from_on, tried, cells=cells)))  # fmt: skip
                with c.apart() as back:
                    c.set(length, op(o.SUB, length, Const(1)))
                    c.set(passed, op(o.ANDN, passed, singleton(c, last, of.kind)))
                    c.set(tried, op(o.ADD, last, Const(1)))
                with c.apart() as on:
                    following = c.let(op(o.LOW, ways))
                    c.put(path, following, length)
                    c.set(length, op(o.ADD, length, Const(1)))
                    c.set(passed, op(o.OR, passed, singleton(c, following, of.kind)))
                    c.set(tried, NOTHING)
                c.add(core.If(core.Test(ways, empty=True), tuple(back), tuple(on), cause=c.cause))
                c.unless(core.Compare(">", length, NOTHING), end)
    return core.After(tuple(body), longest)


def of_one(many: Type) -> Type:
    """The type of one member of a set."""
    return Type("number") if many.kind == "number" else Type("thing", many.kind)


VALUES.update({t.NextTo: _next_to, t.Connected: _connected, t.LongestPath: _longest})
