"""Gaining, losing and spending: resources, dice in hand, and goods of one's choice."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.front.lower.emit import Label, Operand
from edict.front.lower.expressions import (
    Place, dynamic_resource, resource_place, sum_of_resources, value,
)  # fmt: skip
from edict.front.symbols import Local
from edict.front.words import part_words
from edict.program import opcodes as o


def resources_of(c: Context, part: t.Part) -> tuple[int, ...] | None:
    """The resources a part may be paid in; None if a local name decides."""
    meaning = c.resolved.of(part.what)
    return None if isinstance(meaning, Local) else c.linked.members(meaning.name)


def has_floor(c: Context, resource: int) -> bool:
    definition = c.linked.resources[resource]
    return not isinstance(definition, t.Resource) or definition.floor is not None


def amount(c: Context, part: t.Part) -> Operand:
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
        if part.each:
            _gain_each(c, part)
        else:
            gain(c, part)


def gain(c: Context, part: t.Part) -> None:
    members = resources_of(c, part)
    if members is None:
        meaning = c.resolved.of(part.what)
        assert isinstance(meaning, Local)
        _change(c, dynamic_resource(c, c.where[meaning]), amount(c, part), o.ADD)
    elif len(members) == 1:
        _change(c, resource_place(c, members[0]), amount(c, part), o.ADD)
    else:
        _gain_of_choice(c, part, members)


def _change(c: Context, place: Place, by: Operand, op: int) -> None:
    cell = c.cell()
    c.emit(op, cell, place.read(c), by)
    place.write(c, cell)


def _gain_of_choice(c: Context, part: t.Part, members: tuple[int, ...]) -> None:
    """Each chosen on its own, repeats allowed."""
    left, chosen = c.copy(amount(c, part)), c.cell()
    question = c.question(f"gain-{part.what.word}", f"Which {_one(c, part)} do you gain?", "thing", "resource")
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.JLE, left, c.const(0), end)
    c.emit(o.OFFERS, c.const(sum(1 << m for m in members)))
    c.emit(o.ASK, question, o.YOU, chosen)
    _change(c, dynamic_resource(c, chosen), c.const(1), o.ADD)
    c.emit(o.SUB, left, left, c.const(1))
    c.emit(o.JMP, again)
    c.put(end)


def _one(c: Context, part: t.Part) -> str:
    title = c.resolved.get(c.symbol(part.what).name).title or part.what.word
    return str(title).partition("/")[0]


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


def lose(c: Context, part: t.Part) -> None:
    """What one does not have cannot be lost."""
    members = resources_of(c, part)
    if part.each:
        for member in members or ():
            skip = c.label()
            if part.beside is not None:
                _skip_beside(c, part.beside, member, skip)
            _lose_one(c, member, amount(c, part))
            c.put(skip)
    elif members is None:
        meaning = c.resolved.of(part.what)
        assert isinstance(meaning, Local)
        _lose_named(c, c.where[meaning], amount(c, part))
    elif len(members) == 1:
        _lose_one(c, members[0], amount(c, part))
    else:
        _lose_of_choice(c, part, members)


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


def _lose_of_choice(c: Context, part: t.Part, members: tuple[int, ...]) -> None:
    """One at a time, of what there is; all at once when all must go."""
    left, chosen, has = c.copy(amount(c, part)), c.cell(), c.cell()
    question = c.question(f"lose-{part.what.word}", f"Which {_one(c, part)} do you give up?", "thing", "resource")
    again, choose, end = c.label(), c.label(), c.label()
    c.emit(o.JLT, left, sum_of_resources(c, members), again)
    for member in members:
        resource_place(c, member).write(c, c.const(0))
    c.emit(o.JMP, end)
    c.put(again)
    c.emit(o.JLE, left, c.const(0), end)
    c.put(choose)
    c.emit(o.MOV, has, held_of(c, members))
    c.emit(o.JZ, has, end)
    c.emit(o.OFFERS, has)
    c.emit(o.ASK, question, o.YOU, chosen)
    _change(c, dynamic_resource(c, chosen), c.const(1), o.SUB)
    c.emit(o.SUB, left, left, c.const(1))
    c.emit(o.JMP, again)
    c.put(end)


def held_of(c: Context, members: tuple[int, ...], least: Operand | None = None) -> Operand:
    """The set of these resources of which you have some (at least so much)."""
    found = c.copy(c.const(0))
    for member in members:
        skip = c.label()
        c.emit(o.JLT, resource_place(c, member).read(c), least if least is not None else c.const(1), skip)
        c.emit(o.OR, found, found, c.const(1 << member))
        c.put(skip)
    return found


# --- spend ---------------------------------------------------------------------------------------


def jump_unpayable(c: Context, bundle: t.Bundle, target: Label) -> None:
    """Go to the target if you cannot pay all of it."""
    for part in bundle.parts:
        members = resources_of(c, part)
        if members is None:
            meaning = c.resolved.of(part.what)
            assert isinstance(meaning, Local)
            c.emit(o.JLT, dynamic_resource(c, c.where[meaning]).read(c), amount(c, part), target)
        elif all(has_floor(c, m) for m in members):
            c.emit(o.JLT, sum_of_resources(c, members), amount(c, part), target)


def describe(c: Context, bundle: t.Bundle) -> str:
    return " and ".join(part_words(c.resolved, p) for p in bundle.parts)
