"""Gaining, losing and spending: resources, dice in hand, and goods of one's choice."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower import demands
from edict.front.lower.context import Context
from edict.front.lower.emit import Label, Operand
from edict.front.lower.expressions import (
    Place, dynamic_resource, resource_place, sum_of_resources, value,
)  # fmt: skip
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


# --- gain ----------------------------------------------------------------------------------------


def gain_bundle(c: Context, bundle: t.Bundle) -> None:
    for part in bundle.parts:
        gain(c, part)


def gain(c: Context, part: AnyPart) -> None:
    if isinstance(part, t.PartFrom):
        _gain_of_choice(c, part, value(c, part.source))
        return
    members = resources_of(c, part)
    if part.each:
        _gain_each(c, part)
    elif members is None:
        _change(c, dynamic_resource(c, local_of(c, part.what)), amount(c, part), o.ADD)
    elif len(members) == 1:
        _change(c, resource_place(c, members[0]), amount(c, part), o.ADD)
    else:
        _gain_of_choice(c, part, c.const(mask(members)))


def mask(members: tuple[int, ...]) -> int:
    return sum(1 << m for m in members)


def _change(c: Context, place: Place, by: Operand, op: int) -> None:
    cell = c.cell()
    c.emit(op, cell, place.read(c), by)
    place.write(c, cell)


def _gain_of_choice(c: Context, part: AnyPart, members: Operand) -> None:
    """Each chosen on its own, repeats allowed."""
    left, chosen = c.copy(amount(c, part)), c.cell()
    what, one = _called(c, part)
    question = c.question(f"gain-{what}", f"Which {one} do you gain?", "thing", "resource")
    demands.among(c, question, part, None)
    again, end = c.label(), c.label()
    c.emit(o.JZ, members, end)
    c.put(again)
    c.emit(o.JLE, left, c.const(0), end)
    c.emit(o.OFFERS, members)
    c.emit(o.ASK, question, o.YOU, chosen)
    _change(c, dynamic_resource(c, chosen), c.const(1), o.ADD)
    c.emit(o.SUB, left, left, c.const(1))
    c.emit(o.JMP, again)
    c.put(end)


def _called(c: Context, part: AnyPart) -> tuple[str, str]:
    """The word for what is chosen, as a name and as a title."""
    if isinstance(part, t.PartFrom):
        return "resource", "of them"
    title = c.resolved.get(c.symbol(part.what).name).title or part.what.word
    return part.what.word, str(title).partition("/")[0]


def _gain_each(c: Context, part: t.Part) -> None:
    for member in resources_of(c, part) or ():
        skip = c.label()
        if part.beside is not None:
            _skip_beside(c, part.beside, member, skip)
        _change(c, resource_place(c, member), amount(c, part), o.ADD)
        c.put(skip)


def _skip_beside(c: Context, beside: t.Name, member: int, skip: Label) -> None:
    meaning = c.resolved.of(beside)
    if isinstance(meaning, Local):
        c.emit(o.JEQ, c.where[meaning], c.const(member), skip)
    elif member in c.linked.members(meaning.name):
        c.emit(o.JMP, skip)


# --- lose ----------------------------------------------------------------------------------------


def lose_bundle(c: Context, bundle: t.Bundle) -> None:
    for part in bundle.parts:
        lose(c, part)


def lose(c: Context, part: AnyPart) -> None:
    """What one does not have cannot be lost."""
    if isinstance(part, t.PartFrom):
        _lose_of_choice(c, part, everything_held(c), value(c, part.source))
        return
    members = resources_of(c, part)
    if part.each:
        _lose_each(c, part, members or ())
    elif members is None:
        _lose_named(c, local_of(c, part.what), amount(c, part))
    elif len(members) == 1:
        _lose_one(c, members[0], amount(c, part))
    else:
        _lose_of_choice(c, part, members, c.const(mask(members)))


def everything_held(c: Context) -> tuple[int, ...]:
    """All resources that can be counted out: those that stop at nothing."""
    return tuple(r for r in range(len(c.linked.resources)) if has_floor(c, r))


def _lose_each(c: Context, part: t.Part, members: tuple[int, ...]) -> None:
    for member in members:
        skip = c.label()
        if part.beside is not None:
            _skip_beside(c, part.beside, member, skip)
        _lose_one(c, member, amount(c, part))
        c.put(skip)


def _lose_one(c: Context, resource: int, by: Operand) -> None:
    place, cell = resource_place(c, resource), c.cell()
    c.emit(o.SUB, cell, place.read(c), by)
    if has_floor(c, resource):
        c.emit(o.MAX, cell, cell, c.const(0))
    place.write(c, cell)


def _lose_named(c: Context, resource: Operand, by: Operand) -> None:
    place, cell, floor = dynamic_resource(c, resource), c.cell(), c.cell()
    floors = [0 if has_floor(c, r) else -(1 << 40) for r in range(len(c.linked.resources))]
    c.emit(o.SUB, cell, place.read(c), by)
    c.emit(o.TAB, floor, c.code.table(floors), resource)
    c.emit(o.MAX, cell, cell, floor)
    place.write(c, cell)


def _lose_of_choice(c: Context, part: AnyPart, members: tuple[int, ...], among: Operand) -> None:
    """One at a time, of what there is in the set; all at once when all must go."""
    left, chosen, has = c.copy(amount(c, part)), c.cell(), c.cell()
    what, one = _called(c, part)
    question = c.question(f"lose-{what}", f"Which {one} do you give up?", "thing", "resource")
    demands.among(c, question, part, members)
    again, end = c.label(), c.label()
    c.emit(o.JLT, left, _sum_among(c, members, among), again)
    for member in members:
        keep = c.label()
        c.emit(o.JOUT, c.const(member), among, keep)
        resource_place(c, member).write(c, c.const(0))
        c.put(keep)
    c.emit(o.JMP, end)
    c.put(again)
    c.emit(o.JLE, left, c.const(0), end)
    c.emit(o.AND, has, held_of(c, members), among)
    c.emit(o.JZ, has, end)
    c.emit(o.OFFERS, has)
    c.emit(o.ASK, question, o.YOU, chosen)
    _change(c, dynamic_resource(c, chosen), c.const(1), o.SUB)
    c.emit(o.SUB, left, left, c.const(1))
    c.emit(o.JMP, again)
    c.put(end)


def _sum_among(c: Context, members: tuple[int, ...], among: Operand) -> Operand:
    if c.code.value_of(among) == mask(members):
        return sum_of_resources(c, members)
    total = c.copy(c.const(0))
    for member in members:
        skip = c.label()
        c.emit(o.JOUT, c.const(member), among, skip)
        c.emit(o.ADD, total, total, resource_place(c, member).read(c))
        c.put(skip)
    return total


def held_of(c: Context, members: tuple[int, ...]) -> Operand:
    """The set of these resources of which you have some."""
    found = c.copy(c.const(0))
    for member in members:
        skip = c.label()
        c.emit(o.JLT, resource_place(c, member).read(c), c.const(1), skip)
        c.emit(o.OR, found, found, c.const(1 << member))
        c.put(skip)
    return found


# --- spend ---------------------------------------------------------------------------------------


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
        return _sum_among(c, members, value(c, part.source))
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
            _skip_beside(c, part.beside, member, skip)
        if has_floor(c, member):
            c.emit(o.JLT, resource_place(c, member).read(c), amount(c, part), target)
        c.put(skip)
