"""Resources of which there is only so much for all players together: what nobody has is left."""

from __future__ import annotations

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Cell, Condition, Const, Expr, Procedure
from edict.language import tree as t
from edict.lowering.context import NOTHING, Context
from edict.lowering.layout import words
from edict.lowering.values import value
from edict.meaning.symbols import NUMBER, Local
from edict.program import opcodes as o


def limits(c: Context) -> dict[int, t.Expr]:
    """How much there is of what is limited, by the numbers of the resources."""
    known = enumerate(c.linked.resources)
    return {i: one.limit for i, one in known if isinstance(one, t.Resource) and one.limit is not None}


def left_of(c: Context, resource: int) -> Expr:
    """What nobody has; nothing, if players have more than there should be."""
    definition, limit = c.linked.resources[resource], limits(c)[resource]
    name = definition.name.word

    def body(c2: Context, p: Procedure) -> None:
        found = value(c2, limit)
        for seat in range(c2.layout.players):
            found = op(o.SUB, found, Cell(c2.layout.resources + resource * c2.layout.players + seat))
        c2.set(p.result, op(o.MAX, found, NOTHING))

    return core.Called(c.procedure(("supply", name), 0, body, (name, definition.title or name, definition.span)))


def _which(resource: Expr, number: int) -> Condition | None:
    """Whether it is that one; None if it cannot be."""
    if isinstance(resource, Const):
        return core.All(()) if resource.value == number else None
    return core.Compare("=", resource, Const(number))


def at_most_left(c: Context, resource: Expr, by: Expr) -> Expr:
    """As much as asked for, or what is left, which everybody is told."""
    resource = c.once(resource) if limits(c) else resource
    among = [(number, which) for number in limits(c) if (which := _which(resource, number)) is not None]
    if not among:
        return by
    found = c.let(by)
    for number, which in among:
        with c.block() as other:
            c.unless(which, other)
            left = c.let(left_of(c, number))
            c.unless(core.Compare(">", found, left), other)
            c.set(found, left)
            _told(c, number, left)
    return found


def called(c: Context, resource: int) -> tuple[str, str]:
    """One of it, and several."""
    definition = c.linked.resources[resource]
    return words(definition.title, definition.name.word)


def _told(c: Context, resource: int, left: Expr) -> None:
    one, many = called(c, resource)
    with c.apart() as none:
        c.step(o.SAY, c.say(f"No {many} are left", None, True), NOTHING)
    with c.apart() as some:
        c.step(o.SAY, c.say("Only", None, False), NOTHING)
        c.step(o.SAY, c.say("", NUMBER, False), left)
        c.step(o.SAY, c.say(f"{one} is left/{many} are left", None, True), NOTHING)
    c.add(core.If(core.Test(left, empty=True), tuple(none), tuple(some), cause=c.cause))


def still_left(c: Context, among: Expr) -> Expr:
    """Those resources of a set of which there are any."""
    numbers = [i for i in limits(c) if not isinstance(among, Const) or among.value >> i & 1]
    if not numbers:
        return among
    found = c.let(among)
    for number in numbers:
        with c.block() as some:
            c.unless(core.Test(left_of(c, number), empty=True), some)
            c.set(found, op(o.ANDN, found, Const(1 << number)))
    return found


def in_supply(c: Context, resource: t.Name) -> Expr:
    """How much nobody has of a resource, of a group, or of what a local name stands for."""
    meaning = c.resolved.of(resource)
    with c.apart() as body:
        found = c.let(NOTHING)
        for number in limits(c):
            which = _which(c.where[meaning], number) if isinstance(meaning, Local) else core.All(())
            if which is None or not isinstance(meaning, Local) and number not in c.linked.members(meaning.name):
                continue
            with c.block() as other:
                c.unless(which, other)
                c.set(found, op(o.ADD, found, left_of(c, number)))
    return core.After(tuple(body), found)
