"""What an amount is made of, whether it can be paid, and what is left of it for all players together."""

from __future__ import annotations

from collections.abc import Callable

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Cell, Condition, Const, Expr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS, op
from edict.compiler.lowering.context import NOTHING, Context, mask, rule_of
from edict.compiler.lowering.layout import singular_and_plural
from edict.compiler.lowering.value_lowering import dynamic_resource, resource_place, sum_of_resources, value
from edict.compiler.semantics.symbols import NUMBER, Local, parts_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import opcodes as o

AnyPart = t.Part | t.PartFrom
Plain = Callable[[Context, Expr, Expr], None]
"""Gains or loses so much (the last) of a resource."""
Move = Callable[[Context, str, Expr, Expr, Plain], None]
"""How that is done: with what may be done instead and what waits for it, or plainly."""


def resources_of(c: Context, part: t.Part) -> tuple[int, ...] | None:
    """The resources a part may be paid in; None if a local name decides."""
    meaning = c.resolved.of(part.what)
    return None if isinstance(meaning, Local) else c.linked.members(meaning.name)


def named(c: Context, part: t.Part) -> Expr:
    """The resource that a local name stands for."""
    meaning = c.resolved.of(part.what)
    assert isinstance(meaning, Local)
    return c.where[meaning]


def has_floor(c: Context, resource: int) -> bool:
    definition = c.linked.resources[resource]
    return not isinstance(definition, t.Resource) or not definition.below_zero


def amount(c: Context, part: AnyPart) -> Expr:
    """How many; what is worked out below nothing counts as nothing."""
    number = value(c, part.amount)
    if isinstance(number, Const):
        return Const(max(0, number.value))
    return op(o.MAX, number, NOTHING)


def counted(c: Context, part: t.Part, member: int) -> Condition:
    """Whether a resource is one of `each ... except`."""
    if part.beside is None:
        return ALWAYS
    meaning = c.resolved.of(part.beside)
    if isinstance(meaning, Local):
        return core.Compare("!=", c.where[meaning], Const(member))
    return core.Any_(()) if member in c.linked.members(meaning.name) else ALWAYS


def everything_held(c: Context) -> tuple[int, ...]:
    """All resources that can be counted out: those that stop at nothing."""
    return tuple(r for r in range(len(c.linked.resources)) if has_floor(c, r))


def sum_among(c: Context, members: tuple[int, ...], among: Expr) -> Expr:
    """How much you have of all those of the members that are in a set."""
    if among == mask(members):
        return sum_of_resources(c, members)
    with c.apart() as body:
        among, total = c.once(among), c.let(NOTHING)
        for member in members:
            with c.block() as skip:
                c.unless(core.Compare("in", Const(member), among), skip)
                c.set(total, op(o.ADD, total, resource_place(c, member).value))
    return core.After(tuple(body), total)


def one_payable(c: Context, bundles: tuple[t.Bundle, ...]) -> Condition:
    """Whether you can pay one of them."""
    if len(bundles) == 1:
        return payable(c, bundles[0])
    return core.Any_(tuple(payable(c, bundle) for bundle in bundles))


def payable(c: Context, bundle: t.Bundle) -> Condition:
    """Whether you can pay all of it; parts that draw on the same resources are added up."""
    return core.All(tuple(met for part in parts_of(c.resolved, bundle) for met in part_payable(c, part, bundle)))


def part_payable(c: Context, part: AnyPart, bundle: t.Bundle) -> list[Condition]:
    """What must hold for one part of it to be paid; `all` that one has is at least one."""
    if isinstance(part, t.Part) and part.each:
        return _each_payable(c, part, resources_of(c, part) or ())
    if isinstance(part, t.Part) and part.said:
        return [core.Compare(">=", amount(c, part), Const(1)), *_enough(c, part, bundle)]
    return _enough(c, part, bundle)


def _enough(c: Context, part: AnyPart, bundle: t.Bundle) -> list[Condition]:
    members = drawn_on(c, part)
    if members is None:
        assert isinstance(part, t.Part)
        return [core.Compare(">=", dynamic_resource(c, named(c, part)).value, amount(c, part))]
    if all(has_floor(c, m) for m in members):
        return [core.Compare(">=", _have(c, part, members), _together(c, part, members, bundle))]
    return []


def drawn_on(c: Context, part: AnyPart) -> tuple[int, ...] | None:
    """The resources a part may take; None if that is known only in play."""
    return everything_held(c) if isinstance(part, t.PartFrom) else resources_of(c, part)


def _have(c: Context, part: AnyPart, members: tuple[int, ...]) -> Expr:
    if isinstance(part, t.PartFrom):
        return sum_among(c, members, value(c, part.source))
    return sum_of_resources(c, members)


def _together(c: Context, part: AnyPart, members: tuple[int, ...], bundle: t.Bundle) -> Expr:
    """What this part takes, with every other part that must be paid out of the same resources."""
    total = amount(c, part)
    for other in parts_of(c.resolved, bundle):
        others = resources_of(c, other) if isinstance(other, t.Part) and not other.each else None
        if other is not part and others is not None and set(others) <= set(members):
            total = op(o.ADD, total, amount(c, other))
    return total


def _each_payable(c: Context, part: t.Part, members: tuple[int, ...]) -> list[Condition]:
    conditions: list[Condition] = []
    for member in (m for m in members if has_floor(c, m)):
        enough = core.Compare(">=", resource_place(c, member).value, amount(c, part))
        asked = counted(c, part, member)
        conditions.append(enough if asked is ALWAYS else core.Any_((core.Not(asked), enough)))
    return conditions


# --- the supply: what nobody has is left -----------------------------------------------------------


def limits(c: Context) -> dict[int, t.Expr]:
    """How much there is of what is limited, by the numbers of the resources."""
    limited = ((i, getattr(definition, "limit", None)) for i, definition in enumerate(c.linked.resources))
    return {i: limit for i, limit in limited if limit is not None}


def left_of(c: Context, resource: int) -> Expr:
    """What nobody has; nothing, if players have more than there should be."""
    definition, limit = c.linked.resources[resource], limits(c)[resource]
    name = definition.name.word

    def body(c2: Context, p: Procedure) -> None:
        left = value(c2, limit)
        for seat in range(c2.layout.players):
            left = op(o.SUB, left, Cell(c2.layout.resources + resource * c2.layout.players + seat))
        c2.set(p.result, op(o.MAX, left, NOTHING))

    return core.Called(c.procedure(("supply", name), 0, body, rule_of(definition)))


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
    granted = c.let(by)
    for number, which in among:
        with c.block() as other:
            c.unless(which, other)
            left = c.let(left_of(c, number))
            c.unless(core.Compare(">", granted, left), other)
            c.set(granted, left)
            _announce_left(c, number, left)
    return granted


def titles_of(c: Context, resource: int) -> tuple[str, str]:
    """One of it, and several."""
    definition = c.linked.resources[resource]
    return singular_and_plural(definition.title, definition.name.word)


def _announce_left(c: Context, resource: int, left: Expr) -> None:
    singular, plural = titles_of(c, resource)
    with c.apart() as none:
        c.step(o.SAY, c.parts.say(f"No {plural} are left", None, True), NOTHING)
    with c.apart() as some:
        c.step(o.SAY, c.parts.say("Only", None, False), NOTHING)
        c.step(o.SAY, c.parts.say("", NUMBER, False), left)
        c.step(o.SAY, c.parts.say(f"{singular} is left/{plural} are left", None, True), NOTHING)
    c.add(core.If(core.Test(left, empty=True), tuple(none), tuple(some), cause=c.cause))


def still_left(c: Context, among: Expr) -> Expr:
    """Those resources of a set of which there are any."""
    numbers = [i for i in limits(c) if not isinstance(among, Const) or among.value >> i & 1]
    if not numbers:
        return among
    available = c.let(among)
    for number in numbers:
        with c.block() as some:
            c.unless(core.Test(left_of(c, number), empty=True), some)
            c.set(available, op(o.ANDN, available, Const(1 << number)))
    return available


def in_supply(c: Context, resource: t.Name) -> Expr:
    """How much nobody has of a resource, of a group, or of what a local name stands for."""
    meaning = c.resolved.of(resource)
    with c.apart() as body:
        total = c.let(NOTHING)
        for number in limits(c):
            which = _which(c.where[meaning], number) if isinstance(meaning, Local) else core.All(())
            if which is None or not isinstance(meaning, Local) and number not in c.linked.members(meaning.name):
                continue
            with c.block() as other:
                c.unless(which, other)
                c.set(total, op(o.ADD, total, left_of(c, number)))
    return core.After(tuple(body), total)
