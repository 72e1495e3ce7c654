"""Gaining and losing: resources, dice in hand, and goods of one's choice."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower import demands
from edict.front.lower.context import Context
from edict.front.lower.costs import (
    AnyPart, amount, everything_held, has_floor, local_of, mask, resources_of, skip_beside, sum_among,
)  # fmt: skip
from edict.backend.emit import Operand
from edict.front.lower.expressions import (
    Place, dynamic_resource, resource_place, value,
)  # fmt: skip
from edict.program import opcodes as o


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
            skip_beside(c, part.beside, member, skip)
        _change(c, resource_place(c, member), amount(c, part), o.ADD)
        c.put(skip)


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


def _lose_each(c: Context, part: t.Part, members: tuple[int, ...]) -> None:
    for member in members:
        skip = c.label()
        if part.beside is not None:
            skip_beside(c, part.beside, member, skip)
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
    c.emit(o.JLT, left, sum_among(c, members, among), again)
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


def held_of(c: Context, members: tuple[int, ...]) -> Operand:
    """The set of these resources of which you have some."""
    found = c.copy(c.const(0))
    for member in members:
        skip = c.label()
        c.emit(o.JLT, resource_place(c, member).read(c), c.const(1), skip)
        c.emit(o.OR, found, found, c.const(1 << member))
        c.put(skip)
    return found
