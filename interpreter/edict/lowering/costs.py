"""What an amount is made of, and whether it can be paid."""

from __future__ import annotations

from edict.backend import core
from edict.backend.composing import ALWAYS, op
from edict.backend.core import Condition, Const, Expr
from edict.language import tree as t
from edict.lowering.context import NOTHING, Context, mask
from edict.lowering.values import dynamic_resource, resource_place, sum_of_resources, value
from edict.meaning.symbols import Local
from edict.program import opcodes as o

AnyPart = t.Part | t.PartFrom


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
    found = value(c, part.amount)
    if isinstance(found, Const):
        return Const(max(0, found.value))
    return op(o.MAX, found, NOTHING)


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
    return core.All(tuple(one for part in bundle.parts for one in part_payable(c, part, bundle)))


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
    for other in bundle.parts:
        others = resources_of(c, other) if isinstance(other, t.Part) and not other.each else None
        if other is not part and others is not None and set(others) <= set(members):
            total = op(o.ADD, total, amount(c, other))
    return total


def _each_payable(c: Context, part: t.Part, members: tuple[int, ...]) -> list[Condition]:
    found: list[Condition] = []
    for member in (m for m in members if has_floor(c, m)):
        enough = core.Compare(">=", resource_place(c, member).value, amount(c, part))
        asked = counted(c, part, member)
        found.append(enough if asked is ALWAYS else core.Any_((core.Not(asked), enough)))
    return found
