"""What hangs together: neighbours on a grid, what can be reached through neighbours, and the longest path."""

from __future__ import annotations

from collections.abc import Sequence

from edict.backend import core
from edict.backend.core_builder import op
from edict.backend.core import Const, Expr
from edict.language import tree as t
from edict.lowering.context import NOTHING, Context
from edict.lowering.layout import size_of
from edict.lowering.values import no_members, singleton, value
from edict.meaning.types import member_of
from edict.program import Type
from edict.program import opcodes as o

def beside(c: Context, members: t.Expr, thing: t.Expr, around: Sequence[int]) -> Expr:
    """The members that lie next to a thing; `around`: of each thing, all that do."""
    there, cells = value(c, thing), c.cells(Type("set", c.type(thing).kind))
    if isinstance(there, Const):
        return op(o.AND, value(c, members), Const(around[there.value], cells))
    return op(o.AND, value(c, members), core.Table(tuple(around), there, cells=cells))


def connected(c: Context, owner: t.Expr, members: t.Expr, start: t.Expr, through: t.Expr) -> Expr:
    """What is new each time brings its neighbours, until nothing is; the owner of `through` binds its `it`."""
    kind = c.type(owner).kind
    with c.apart() as body:
        among = c.once(value(c, members))
        found = c.let(op(o.AND, value(c, start), among))
        new = c.let(found)
        with c.block() as end, c.loop():
            c.unless(core.Test(new), end)
            around = c.let(no_members(c, kind))
            with c.members(new) as it:
                c.bind(owner, it)
                c.set(around, op(o.OR, around, value(c, through)))
            c.set(new, op(o.ANDN, op(o.AND, around, among), found))
            c.set(found, op(o.OR, found, new))
    return core.After(tuple(body), found)


def longest_path(c: Context, owner: t.Expr, members: t.Expr, through: t.Expr) -> Expr:
    """How long it is: all paths, one step on as long as there is one, and else one step back to try the next."""
    of = Type("set", c.type(members).kind)
    many, cells = size_of(c.linked, member_of(of), c.layout.players), c.cells(of)
    from_on = tuple((1 << many) - (1 << first) for first in range(many + 1))
    with c.apart() as body:
        among, path, longest = c.once(value(c, members)), c.declare(many + 1), c.let(NOTHING)
        with c.members(among) as start:
            c.put(path, start, NOTHING)
            length, tried = c.let(Const(1)), c.let(NOTHING)  # all below `tried` were steps from the last of the path
            passed = c.let(singleton(c, start, of.kind))
            with c.block() as end, c.loop():
                c.set(longest, op(o.MAX, longest, length))
                last = c.let(op(o.LDX, path, op(o.SUB, length, Const(1))))
                c.bind(owner, last)
                ways = c.let(op(o.AND, op(o.ANDN, op(o.AND, value(c, through), among), passed),
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

