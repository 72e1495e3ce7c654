"""Sets of any number of cells, each with room for `opcodes.BITS` members: taken apart, gone through, offered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import Label, Operand, Slot
from edict.compiler.codegen.emitters import Into, Operands, jump, value, values
from edict.compiler.codegen.procedures import Writer
from edict.runtime.program import opcodes as o


def parts_of(number: int, cells: int) -> Sequence[int]:
    """What stands in each cell of a value known before play."""
    if cells == 1 or number < 0:
        return [number] * cells
    full = (1 << o.BITS) - 1
    return [number >> o.BITS * i & full for i in range(cells)]


def padded(w: Writer, found: Operands, cells: int) -> Operands:
    """The cells of a set, and empty ones up to so many."""
    return found if len(found) >= cells else [*found, *[w.const(0)] * (cells - len(found))]


def put_into(w: Writer, target: Sequence[Slot], expr: core.Expr) -> None:
    """The value, in just these cells."""
    found = padded(w, values(w, expr, target if expr.cells == len(target) else None), len(target))
    if found != target:
        w.copy_all(target, found)


def either(w: Writer, parts: Operands) -> Operand:
    """What is in any of the cells: not 0 if one of them is not."""
    found, *others = parts
    for part in others:
        both = w.cell()
        w.emit(o.OR, both, found, part)
        found = both
    return found


# --- single members ----------------------------------------------------------------------------------


def single(w: Writer, expr: core.Single, into: Into) -> Operands:
    member = value(w, expr.member)
    target = w.fresh(expr.cells) if into is None else into
    for i, cell in enumerate(target):
        _part_of_single(w, cell, member, i, len(target))
    return target


def _part_of_single(w: Writer, cell: Slot, member: Operand, number: int, cells: int) -> None:
    """The set of one thing in the cell of this number: what is below 0 or too large there is in no set."""
    if number:
        there = w.cell()
        w.emit(o.SUB, there, member, w.const(number * o.BITS))
        member = there
    w.emit(o.BIT, cell, member)
    if cells > 1 and (1 << o.BITS) - 1 != o.MOST:
        w.emit(o.AND, cell, cell, w.const((1 << o.BITS) - 1))


def inside(w: Writer, member: Operand, among: Operands) -> Operand:
    """Not 0 if the thing is in a set of several cells."""
    found = w.fresh(len(among))
    for i, (cell, part) in enumerate(zip(found, among, strict=True)):
        _part_of_single(w, cell, member, i, len(found))
        w.emit(o.AND, cell, cell, part)
    return either(w, found)


def lowest(w: Writer, members: Operands, target: Slot) -> None:
    """The lowest member, or -1."""
    found = Label()
    for i, part in enumerate(members):
        w.emit(o.LOW, target, part)
        if i:
            w.emit(o.JZ, part, none := Label())
            w.emit(o.ADD, target, target, w.const(i * o.BITS))
            w.put(none)
        if i < len(members) - 1:
            w.emit(o.JNZ, part, found)
    w.put(found)


# --- one after the other -----------------------------------------------------------------------------


@contextmanager
def taken(w: Writer, rest: Operand, it: Slot) -> Iterator[Label]:
    """A loop that takes out the members of one cell, lowest first; to go to its label is to go on with the next."""
    again, end = Label(), Label()
    w.put(again)
    w.emit(o.NEXT, it, rest, end)
    yield again
    w.emit(o.JMP, again)
    w.put(end)


@contextmanager
def parts(w: Writer, members: Operands) -> Iterator[tuple[Slot, Slot, Slot]]:
    """A loop over the cells of a set: the number of the cell, what is in it, and the number of its first member."""
    row = w.fresh(len(members))
    w.copy_all(row, members)
    number, again, end = w.copy(w.const(0)), Label(), Label()
    w.put(again)
    w.emit(o.JLE, w.const(len(members)), number, end)
    part, first = w.cell(), w.cell()
    w.emit(o.LDX, part, row[0], number)
    w.emit(o.MUL, first, number, w.const(o.BITS))
    yield number, part, first
    w.emit(o.ADD, number, number, w.const(1))
    w.emit(o.JMP, again)
    w.put(end)


@contextmanager
def each(w: Writer, it: core.Var, members: core.Expr) -> Iterator[Label]:
    """A loop over the members of any set, lowest first; to go to its label is to go on with the next."""
    if isinstance(members, core.Numbers):
        with _each_number(w, it, members) as again:
            yield again
        return
    if isinstance(members, core.Kept) and not members.cells:
        with each(w, members.it, members.members) as again:
            for condition in members.conditions:
                jump(w, condition, again, False)
            w.name(it, w.where(members.it))
            yield again
        return
    found = values(w, members)
    if len(found) == 1:
        rest, member = w.copy(found[0]), w.own(it)
        with taken(w, rest, member) as again:
            yield again
        return
    with parts(w, found) as (_, rest, first):
        member = w.own(it)
        with taken(w, rest, member) as again:
            w.emit(o.ADD, member, member, first)
            yield again


@contextmanager
def _each_number(w: Writer, it: core.Var, numbers: core.Numbers) -> Iterator[Label]:
    following = w.cell()
    put_into(w, [following], core.Op(o.MAX, (numbers.low, core.Const(0))))
    last = w.cell()
    put_into(w, [last], numbers.high)
    member, again, end = w.own(it), Label(), Label()
    w.put(again)
    w.emit(o.JLT, last, following, end)
    w.emit(o.MOV, member, following)
    w.emit(o.ADD, following, following, w.const(1))
    yield again
    w.emit(o.JMP, again)
    w.put(end)


def some(w: Writer, members: core.Expr) -> Operand:
    """Not 0 if there is any member."""
    if isinstance(members, core.Numbers):
        first = core.Op(o.MAX, (members.low, core.Const(0)))
        return value(w, core.Truth(core.Compare("<=", first, members.high)))
    if isinstance(members, core.Kept) and not members.cells:
        met = core.All(members.conditions)
        return value(w, core.Truth(core.Some(False, members.members, members.it, met)))
    return either(w, values(w, members))


def offer(w: Writer, members: core.Expr, none: Label | None) -> None:
    """Every member is an option; `none`: where to go if there is none."""
    if members.cells == 1:
        found = value(w, members)
        if none is not None:
            w.emit(o.JZ, found, none)
        w.emit(o.OFFERS, found)
        return
    option = core.Var()
    with each(w, option, members):
        w.emit(o.OFFER, w.where(option))
    if none is not None:
        w.emit(o.JZ, o.OPTIONS, none)
