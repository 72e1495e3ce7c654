"""What an amount is made of, and whether it can be paid."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.backend.emit import Label, Operand
from edict.front.lower.expressions import dynamic_resource, resource_place, sum_of_resources, value
from edict.front.symbols import Local
from edict.program import opcodes as o

AnyPart = t.Part | t.PartFrom


def resources_of(c: Context, part: t.Part) -> tuple[int, ...] | None:
    """The resources a part may be paid in; None if a local name decides."""
    meaning = c.resolved.of(part.what)
    return None if isinstance(meaning, Local) else c.linked.members(meaning.name)


def local_of(c: Context, name: t.Name) -> Operand:
    meaning = c.resolved.of(name)
    assert isinstance(meaning, Local)
    return c.where[meaning]


def has_floor(c: Context, resource: int) -> bool:
    definition = c.linked.resources[resource]
    return not isinstance(definition, t.Resource) or definition.floor is not None


def amount(c: Context, part: AnyPart) -> Operand:
    """How many; what is worked out below nothing counts as nothing."""
    operand = value(c, part.amount)
    number = c.code.value_of(operand)
    if number is not None:
        return c.const(max(0, number))
    cell = c.cell()
    c.emit(o.MAX, cell, operand, c.const(0))
    return cell


def mask(members: tuple[int, ...]) -> int:
    return sum(1 << m for m in members)


def skip_beside(c: Context, beside: t.Name, member: int, skip: Label) -> None:
    meaning = c.resolved.of(beside)
    if isinstance(meaning, Local):
        c.emit(o.JEQ, c.where[meaning], c.const(member), skip)
    elif member in c.linked.members(meaning.name):
        c.emit(o.JMP, skip)


def everything_held(c: Context) -> tuple[int, ...]:
    """All resources that can be counted out: those that stop at nothing."""
    return tuple(r for r in range(len(c.linked.resources)) if has_floor(c, r))


def sum_among(c: Context, members: tuple[int, ...], among: Operand) -> Operand:
    if c.code.value_of(among) == mask(members):
        return sum_of_resources(c, members)
    total = c.copy(c.const(0))
    for member in members:
        skip = c.label()
        c.emit(o.JOUT, c.const(member), among, skip)
        c.emit(o.ADD, total, total, resource_place(c, member).read(c))
        c.put(skip)
    return total


def jump_none_payable(c: Context, bundles: tuple[t.Bundle, ...], target: Label) -> None:
    """Go to the target if you can pay none of them."""
    payable = c.label()
    for bundle in bundles:
        unpayable = c.label()
        jump_unpayable(c, bundle, unpayable)
        c.emit(o.JMP, payable)
        c.put(unpayable)
    c.emit(o.JMP, target)
    c.put(payable)


def jump_unpayable(c: Context, bundle: t.Bundle, target: Label) -> None:
    """Go to the target if you cannot pay all of it; parts that draw on the same resources are added up."""
    for part in bundle.parts:
        if isinstance(part, t.Part) and part.each:
            _jump_without_each(c, part, resources_of(c, part) or (), target)
            continue
        members = payable(c, part)
        if members is None:
            assert isinstance(part, t.Part)
            have = dynamic_resource(c, local_of(c, part.what)).read(c)
            c.emit(o.JLT, have, amount(c, part), target)
        elif all(has_floor(c, m) for m in members):
            have = _have(c, part, members)
            c.emit(o.JLT, have, _together(c, part, members, bundle), target)


def payable(c: Context, part: AnyPart) -> tuple[int, ...] | None:
    return everything_held(c) if isinstance(part, t.PartFrom) else resources_of(c, part)


def _have(c: Context, part: AnyPart, members: tuple[int, ...]) -> Operand:
    if isinstance(part, t.PartFrom):
        return sum_among(c, members, value(c, part.source))
    return sum_of_resources(c, members)


def _together(c: Context, part: AnyPart, members: tuple[int, ...], bundle: t.Bundle) -> Operand:
    """What this part takes, with every other part that must be paid out of the same resources."""
    total = amount(c, part)
    for other in bundle.parts:
        others = resources_of(c, other) if isinstance(other, t.Part) and not other.each else None
        if other is not part and others is not None and set(others) <= set(members):
            cell = c.cell()
            c.emit(o.ADD, cell, total, amount(c, other))
            total = cell
    return total


def _jump_without_each(c: Context, part: t.Part, members: tuple[int, ...], target: Label) -> None:
    for member in members:
        skip = c.label()
        if part.beside is not None:
            skip_beside(c, part.beside, member, skip)
        if has_floor(c, member):
            c.emit(o.JLT, resource_place(c, member).read(c), amount(c, part), target)
        c.put(skip)
