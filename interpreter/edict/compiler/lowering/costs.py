"""Amounts and costs, with the conditions for paying them and the common supply."""

from __future__ import annotations

from collections.abc import Callable

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Cell, Condition, Const, CoreExpr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS, make_op
from edict.compiler.lowering.context import NOTHING, Context, member_mask, rule_of
from edict.compiler.lowering.layout import singular_and_plural
from edict.compiler.lowering.value_lowering import dynamic_resource_place, lower_value, resource_place, resource_sum
from edict.compiler.semantics.symbols import NUMBER, Local, split_parts
from edict.compiler.syntax import tree as t
from edict.runtime.program import opcodes as o

AnyPart = t.Part | t.PartFrom
ResourceChange = Callable[[Context, CoreExpr, CoreExpr], None]  # gains or loses an amount (last argument) of a resource
# applies a change, either plainly or with exceptions and moments
ResourceMover = Callable[[Context, str, CoreExpr, CoreExpr, ResourceChange], None]


def resources_of(c: Context, part: t.Part) -> tuple[int, ...] | None:
    """Return the resources that can pay a part; None if a local name decides."""
    meaning = c.resolved.meaning_of(part.what)
    if isinstance(meaning, Local):
        return None
    return c.linked.resource_indexes(meaning.name)


def resource_of_local(c: Context, part: t.Part) -> CoreExpr:
    """Return the resource that a local name is bound to."""
    meaning = c.resolved.meaning_of(part.what)
    assert isinstance(meaning, Local)
    return c.bindings[meaning]


def has_floor(c: Context, resource: int) -> bool:
    """Return True if a resource cannot go below zero."""
    definition = c.linked.resources[resource]
    return not isinstance(definition, t.Resource) or not definition.below_zero


def part_amount(c: Context, part: AnyPart) -> CoreExpr:
    """Return a part's amount; a negative one counts as 0."""
    number = lower_value(c, part.amount)
    if isinstance(number, Const):
        return Const(max(0, number.value))
    return make_op(o.MAX, number, NOTHING)


def counts_for(c: Context, part: t.Part, member: int) -> Condition:
    """Build the condition that a resource is not excluded by `each ... except`."""
    if part.beside is None:
        return ALWAYS
    meaning = c.resolved.meaning_of(part.beside)
    if isinstance(meaning, Local):
        return core.Compare("!=", c.bindings[meaning], Const(member))
    if member in c.linked.resource_indexes(meaning.name):
        return core.Any_(())
    return ALWAYS


def payable_resources(c: Context) -> tuple[int, ...]:
    """Return all resources that cannot go below zero and so can be paid in full."""
    return tuple(r for r in range(len(c.linked.resources)) if has_floor(c, r))


def sum_among(c: Context, members: tuple[int, ...], allowed: CoreExpr) -> CoreExpr:
    """Return your total of those members that are in a set."""
    if allowed == member_mask(members):
        return resource_sum(c, members)
    with c.collect() as body:
        allowed, total = c.evaluate_once(allowed), c.let(NOTHING)
        for member in members:
            with c.block() as skip:
                c.jump_unless(core.Compare("in", Const(member), allowed), skip)
                c.set(total, make_op(o.ADD, total, resource_place(c, member).value))
    return core.StatementExpression(tuple(body), total)


def any_payable(c: Context, bundles: tuple[t.Bundle, ...]) -> Condition:
    """Build the condition that you can pay one of the bundles."""
    if len(bundles) == 1:
        return bundle_payable(c, bundles[0])
    return core.Any_(tuple(bundle_payable(c, bundle) for bundle in bundles))


def bundle_payable(c: Context, bundle: t.Bundle) -> Condition:
    """Build the condition that you can pay all parts of a bundle; parts that share resources are added up."""
    return core.All(
        tuple(condition for part in split_parts(c.resolved, bundle) for condition in part_payable(c, part, bundle))
    )


def part_payable(c: Context, part: AnyPart, bundle: t.Bundle) -> list[Condition]:
    """Return the conditions for paying one part; `all` of a resource must be at least one."""
    if isinstance(part, t.Part) and part.each:
        return _payable_from_all(c, part, resources_of(c, part) or ())
    if isinstance(part, t.Part) and part.said:
        return [core.Compare(">=", part_amount(c, part), Const(1)), *_enough_for_part(c, part, bundle)]
    return _enough_for_part(c, part, bundle)


def _enough_for_part(c: Context, part: AnyPart, bundle: t.Bundle) -> list[Condition]:
    """Return the condition that you have enough for a part; none if some resource that may pay has no floor."""
    members = possible_payment(c, part)
    if members is None:
        assert isinstance(part, t.Part)
        return [core.Compare(">=", dynamic_resource_place(c, resource_of_local(c, part)).value, part_amount(c, part))]
    if all(has_floor(c, m) for m in members):
        return [core.Compare(">=", _available(c, part, members), _add_overlapping_amounts(c, part, members, bundle))]
    return []


def possible_payment(c: Context, part: AnyPart) -> tuple[int, ...] | None:
    """Return the resources that a part may take; None if that is known only in play."""
    if isinstance(part, t.PartFrom):
        return payable_resources(c)
    return resources_of(c, part)


def _available(c: Context, part: AnyPart, members: tuple[int, ...]) -> CoreExpr:
    """Return how much you have of the resources that can pay a part."""
    if isinstance(part, t.PartFrom):
        return sum_among(c, members, lower_value(c, part.source))
    return resource_sum(c, members)


def _add_overlapping_amounts(c: Context, part: AnyPart, members: tuple[int, ...], bundle: t.Bundle) -> CoreExpr:
    """Return the amount of a part plus all other parts that the same resources must pay."""
    total = part_amount(c, part)
    for other in split_parts(c.resolved, bundle):
        others = resources_of(c, other) if isinstance(other, t.Part) and not other.each else None
        if other is not part and others is not None and set(others) <= set(members):
            total = make_op(o.ADD, total, part_amount(c, other))
    return total


def _payable_from_all(c: Context, part: t.Part, members: tuple[int, ...]) -> list[Condition]:
    """Return the conditions for `each` resource of a group: you have the amount of every one that counts."""
    conditions: list[Condition] = []
    for member in (m for m in members if has_floor(c, m)):
        enough = core.Compare(">=", resource_place(c, member).value, part_amount(c, part))
        included = counts_for(c, part, member)
        conditions.append(enough if included is ALWAYS else core.Any_((core.Not(included), enough)))
    return conditions


# --- supply ----------------------------------------------------------------------------------------


def supply_limits(c: Context) -> dict[int, t.Expr]:
    """Return the limit of each limited resource by its number."""
    limited = ((i, getattr(definition, "limit", None)) for i, definition in enumerate(c.linked.resources))
    return {i: limit for i, limit in limited if limit is not None}


def supply_of(c: Context, resource: int) -> CoreExpr:
    """Return the amount of a resource that no player has, at least 0."""
    definition, limit = c.linked.resources[resource], supply_limits(c)[resource]
    name = definition.name.word

    def body(ctx: Context, p: Procedure) -> None:
        """Compute the limit minus what all players have, at least 0, as the procedure's result."""
        remaining = lower_value(ctx, limit)
        for seat in range(ctx.layout.players):
            remaining = make_op(o.SUB, remaining, Cell(ctx.layout.resources + resource * ctx.layout.players + seat))
        ctx.set(p.result, make_op(o.MAX, remaining, NOTHING))

    return core.CallResult(c.request_procedure(("supply", name), 0, body, rule_of(definition)))


def _is_resource(resource: CoreExpr, number: int) -> Condition | None:
    """Build the condition that this is the resource; None if it cannot be."""
    if isinstance(resource, Const):
        return core.All(()) if resource.value == number else None
    return core.Compare("=", resource, Const(number))


def limit_to_supply(c: Context, resource: CoreExpr, amount: CoreExpr) -> CoreExpr:
    """Return the amount, reduced to the supply; the log reports a reduction."""
    resource = c.evaluate_once(resource) if supply_limits(c) else resource
    candidates = [
        (number, is_resource)
        for number in supply_limits(c)
        if (is_resource := _is_resource(resource, number)) is not None
    ]
    if not candidates:
        return amount
    granted = c.let(amount)
    for number, is_resource in candidates:
        with c.block() as other:
            c.jump_unless(is_resource, other)
            supply = c.let(supply_of(c, number))
            c.jump_unless(core.Compare(">", granted, supply), other)
            c.set(granted, supply)
            _announce_supply(c, number, supply)
    return granted


def resource_titles(c: Context, resource: int) -> tuple[str, str]:
    """Return the singular and plural title of a resource."""
    definition = c.linked.resources[resource]
    return singular_and_plural(definition.title, definition.name.word)


def _announce_supply(c: Context, resource: int, supply: CoreExpr) -> None:
    """Emit a log entry that the supply of a resource is empty, or that only some is left."""
    singular, plural = resource_titles(c, resource)
    with c.collect() as nothing_left:
        c.add_step(o.SAY, c.parts.add_announcement(f"No {plural} are left", None, True), NOTHING)
    with c.collect() as some_left:
        c.add_step(o.SAY, c.parts.add_announcement("Only", None, False), NOTHING)
        c.add_step(o.SAY, c.parts.add_announcement("", NUMBER, False), supply)
        c.add_step(o.SAY, c.parts.add_announcement(f"{singular} is left/{plural} are left", None, True), NOTHING)
    c.add(core.IfElse(core.Test(supply, empty=True), tuple(nothing_left), tuple(some_left), cause=c.cause))


def available_in_supply(c: Context, resources: CoreExpr) -> CoreExpr:
    """Return those resources of a set that the supply still has."""
    numbers = [i for i in supply_limits(c) if not isinstance(resources, Const) or resources.value >> i & 1]
    if not numbers:
        return resources
    available = c.let(resources)
    for number in numbers:
        with c.block() as not_exhausted:
            c.jump_unless(core.Test(supply_of(c, number), empty=True), not_exhausted)
            c.set(available, make_op(o.ANDN, available, Const(1 << number)))
    return available


def supply_amount(c: Context, resource: t.Name) -> CoreExpr:
    """Return the supply of a resource, a group or the resource bound to a local."""
    meaning = c.resolved.meaning_of(resource)
    with c.collect() as body:
        total = c.let(NOTHING)
        for number in supply_limits(c):
            if isinstance(meaning, Local):
                is_resource = _is_resource(c.bindings[meaning], number)
            else:
                is_resource = core.All(())
            if (
                is_resource is None
                or not isinstance(meaning, Local)
                and number not in c.linked.resource_indexes(meaning.name)
            ):
                continue
            with c.block() as other:
                c.jump_unless(is_resource, other)
                c.set(total, make_op(o.ADD, total, supply_of(c, number)))
    return core.StatementExpression(tuple(body), total)
