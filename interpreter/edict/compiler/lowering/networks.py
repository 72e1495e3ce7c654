"""What hangs together: neighbours on a grid, what can be reached through neighbours, and the longest path or trail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Const, Expr, Var
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering.context import NOTHING, Context
from edict.compiler.lowering.layout import size_of
from edict.compiler.lowering.value_lowering import no_members, singleton, value
from edict.compiler.semantics.types import member_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import Type
from edict.runtime.program import opcodes as o


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


def longest_path(c: Context, owner: t.Expr, members: t.Expr, through: t.Expr, counting: t.Expr | None) -> Expr:
    """How long it is: all paths, one step on as long as there is one, and else one step back to try the next."""
    of = Type("set", c.type(members).kind)
    many, from_on = _from_on(c, of)
    with c.apart() as body:
        among, path, longest = c.once(value(c, members)), c.declare(many + 1), c.let(NOTHING)
        with c.members(among) as start:
            c.put(path, start, NOTHING)
            steps, tried = c.let(Const(1)), c.let(NOTHING)  # all below `tried` were steps from the last of the path
            passed = c.let(singleton(c, start, of.kind))
            length = c.let(_counted(c, owner, start, counting))
            with c.block() as end, c.loop():
                c.set(longest, op(o.MAX, longest, length))
                last = c.let(op(o.LDX, path, op(o.SUB, steps, Const(1))))
                c.bind(owner, last)
                ways = c.let(op(o.AND, op(o.ANDN, op(o.AND, value(c, through), among), passed), from_on(tried)))
                with c.apart() as back:
                    c.set(steps, op(o.SUB, steps, Const(1)))
                    c.set(passed, op(o.ANDN, passed, singleton(c, last, of.kind)))
                    c.set(length, op(o.SUB, length, _counted(c, owner, last, counting)))
                    c.set(tried, op(o.ADD, last, Const(1)))
                with c.apart() as on:
                    following = c.let(op(o.LOW, ways))
                    c.put(path, following, steps)
                    c.set(steps, op(o.ADD, steps, Const(1)))
                    c.set(passed, op(o.OR, passed, singleton(c, following, of.kind)))
                    c.set(length, op(o.ADD, length, _counted(c, owner, following, counting)))
                    c.set(tried, NOTHING)
                c.add(core.If(core.Test(ways, empty=True), tuple(back), tuple(on), cause=c.cause))
                c.unless(core.Compare(">", steps, NOTHING), end)
    return core.After(tuple(body), longest)


def longest_trail(c: Context, owner: t.Expr, members: t.Expr, through: t.Expr, counting: t.Expr | None) -> Expr:
    """How long it is: from every place on, by each member that was not yet gone by to each other place that it joins.

    None is longer than all members together: one of that length ends it.
    """
    of, places = Type("set", c.type(members).kind), Type("set", c.type(through).kind)
    (many, _), (everywhere, from_place) = _from_on(c, of), _from_on(c, places)
    with c.apart() as body:
        parts = [_Part(o.BITS * i, c.declare(), c.declare(everywhere + 1)) for i in range(c.cells(of))]
        longest, most, at_all = c.let(NOTHING), c.let(NOTHING), c.let(no_members(c, places.kind))
        gone_by, been_at, been_long = c.declare(many + 1), c.declare(many + 1), c.declare(many + 1)
        for part in parts:
            part.clear(c)
        with c.members(value(c, members)) as it:
            c.bind(owner, it)
            joined = c.let(value(c, through))
            c.set(at_all, op(o.OR, at_all, joined))
            c.set(most, op(o.ADD, most, op(o.MAX, _counted(c, owner, it, counting), NOTHING)))
            with c.members(joined) as place:
                for part in parts:
                    part.enter(c, it, place)
        with c.members(at_all) as start:
            at, steps, length = c.let(start), c.let(NOTHING), c.let(NOTHING)
            tried, tried_to = c.let(NOTHING), c.let(NOTHING)  # what comes before was tried from here
            with c.block() as end, c.loop():
                c.set(longest, op(o.MAX, longest, length))
                by, to = c.let(Const(-1)), c.let(Const(-1))
                with c.block() as found:
                    c.unless(core.Compare(">", most, longest), found)
                    for part in parts:
                        with c.members(part.ways(at, tried)) as bit, c.block() as another:
                            member = c.let(op(o.ADD, bit, Const(part.first)))
                            c.bind(owner, member)
                            ways = c.let(op(o.ANDN, value(c, through), singleton(c, at, places.kind)))
                            with c.apart() as further:
                                c.set(ways, op(o.AND, ways, from_place(tried_to)))
                            c.add(core.If(core.Compare("=", member, tried), tuple(further), (), cause=c.cause))
                            c.go(another, core.Test(ways, empty=True))
                            c.set(by, member)
                            c.set(to, op(o.LOW, ways))
                            c.go(found)
                with c.apart() as on:
                    c.put(gone_by, by, steps)
                    c.put(been_at, at, steps)
                    c.put(been_long, length, steps)
                    c.set(steps, op(o.ADD, steps, Const(1)))
                    for part in parts:
                        c.set(part.unused, op(o.ANDN, part.unused, part.alone(by)))
                    c.set(length, op(o.ADD, length, _counted(c, owner, by, counting)))
                    c.set(at, to)
                    c.set(tried, NOTHING)
                    c.set(tried_to, NOTHING)
                with c.apart() as back:
                    c.unless(core.Compare(">", steps, NOTHING), end)
                    c.set(steps, op(o.SUB, steps, Const(1)))
                    c.set(tried_to, op(o.ADD, at, Const(1)))
                    c.set(tried, op(o.LDX, gone_by, steps))
                    c.set(at, op(o.LDX, been_at, steps))
                    for part in parts:
                        c.set(part.unused, op(o.OR, part.unused, part.alone(tried)))
                    c.set(length, op(o.LDX, been_long, steps))
                c.add(core.If(core.Compare(">=", by, NOTHING), tuple(on), tuple(back), cause=c.cause))
    return core.After(tuple(body), longest)


@dataclass(frozen=True)
class _Part:
    """As many members of a kind as a cell has room for: those not yet gone by, and those at each place."""

    first: int
    unused: Var
    beside: Var

    def clear(self, c: Context) -> None:
        c.set(self.unused, NOTHING)
        c.set(self.beside, Const(0, self.beside.cells))

    def enter(self, c: Context, member: Expr, place: Expr) -> None:
        alone = c.let(self.alone(member))
        c.set(self.unused, op(o.OR, self.unused, alone))
        c.put(self.beside, op(o.OR, op(o.LDX, self.beside, place), alone), place)

    def alone(self, member: Expr) -> Expr:
        """The set of a member, if it is of this part."""
        there = op(o.SUB, member, Const(self.first)) if self.first else member
        return op(o.AND, core.Single(there, 1), Const((1 << o.BITS) - 1))

    def ways(self, at: Expr, tried: Expr) -> Expr:
        """Those at a place that are left, from a member on."""
        masks = tuple((1 << o.BITS) - (1 << bit) for bit in range(o.BITS + 1))
        first = op(o.MIN, op(o.MAX, op(o.SUB, tried, Const(self.first)), NOTHING), Const(o.BITS))
        return op(o.AND, op(o.AND, self.unused, op(o.LDX, self.beside, at)), core.Table(masks, first))


def _counted(c: Context, owner: t.Expr, member: Expr, counting: t.Expr | None) -> Expr:
    """What a member counts."""
    if counting is None:
        return Const(1)
    c.bind(owner, member)
    return value(c, counting)


def _from_on(c: Context, of: Type) -> tuple[int, Callable[[Expr], Expr]]:
    """How many things there are that can be in a set, and the set of those from one on."""
    many, cells = size_of(c.linked, member_of(of), c.layout.players), c.cells(of)
    sets = tuple((1 << many) - (1 << first) for first in range(many + 1))
    return many, lambda first: core.Table(sets, first, cells=cells)
