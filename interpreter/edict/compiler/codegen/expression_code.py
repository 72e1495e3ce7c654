"""Expressions to code: the cells that hold a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core.core_values import BY_CELL
from edict.compiler.codegen.emit import Label, Operand, Slot
from edict.compiler.codegen.emitters import VALUES, Into, Operands, carry_out, jump, value, values
from edict.compiler.codegen.procedures import Writer
from edict.compiler.codegen.set_filters import few_known, sift
from edict.compiler.codegen.sets import lowest, padded, parts, parts_of, single, taken
from edict.runtime.program import opcodes as o


def _target(w: Writer, cells: int, into: Into) -> Sequence[Slot]:
    return w.fresh(cells) if into is None else into


def _const(w: Writer, const: core.Const, _: Into) -> Operands:
    return [w.const(part) for part in parts_of(const.value, const.cells)]


def _variable(w: Writer, var: core.Var, _: Into) -> Operands:
    first = w.where(var)
    return first.row(var.cells) if isinstance(first, Slot) else [first]


def _load(w: Writer, load: core.Load, into: Into) -> Operands:
    index = load.index if load.cells == 1 else core.Op(o.IDX, (load.index, load.cells, core.Const(0)))
    base, at = row(w, load.base, index)
    target = _target(w, load.cells, into)
    for i, cell in enumerate(target):
        w.emit(o.LDX, cell, base + i, at)
    return target


def row(w: Writer, base: int, index: core.Expr) -> tuple[int, Operand]:
    """Where a row begins, and the index in it; of rows in a row, the one with a number that is known."""
    if isinstance(index, core.Op) and index.op == o.IDX:
        first, width, second = index.args
        assert isinstance(first, core.Expr) and isinstance(width, int) and isinstance(second, core.Expr)
        at = value(w, first)
        number = w.code.value_of(at)
        if number is not None:
            return base + number * width, value(w, second)
        operand = w.cell()
        w.emit(o.IDX, operand, at, width, value(w, second))
        return base, operand
    return base, value(w, index)


def _table(w: Writer, table: core.Table, into: Into) -> Operands:
    """What is the same for all, or asked of one that is known, is known."""
    index = value(w, table.index)
    known = w.code.value_of(index)
    if known is not None or len(set(table.values)) == 1:
        return _const(w, core.Const(table.values[known or 0], table.cells), None)
    target = _target(w, table.cells, into)
    for i, cell in enumerate(target):
        w.emit(o.TAB, cell, w.code.table([parts_of(number, table.cells)[i] for number in table.values]), index)
    return target


def operands(w: Writer, args: tuple[core.Expr | int | tuple[int, ...], ...]) -> list[Operand]:
    """What an operation is given: values, plain numbers, tables; of a variable where it begins."""
    return [
        w.where(a)
        if isinstance(a, core.Var)
        else value(w, a)
        if isinstance(a, core.Expr)
        else w.code.table(a)
        if isinstance(a, tuple)
        else a
        for a in args
    ]


def _op(w: Writer, op: core.Op, into: Into) -> Operands:
    if op.op in OPERATIONS:
        return OPERATIONS[op.op](w, op, into)
    args = operands(w, op.args)
    target = _target(w, 1, into)
    w.emit(op.op, target[0], *args)
    return target


def _cell_by_cell(w: Writer, op: core.Op, into: Into) -> Operands:
    args = _several(w, op)
    cells = BY_CELL[op.op]([len(arg) for arg in args])
    target = _target(w, cells, into)
    for cell, *each in zip(target, *(padded(w, arg, cells) for arg in args), strict=False):
        w.emit(op.op, cell, *each)
    return target


def _several(w: Writer, op: core.Op) -> list[Operands]:
    """The operands of an operation on values that may take several cells."""
    return [values(w, arg) for arg in op.args if isinstance(arg, core.Expr)]


def _together(with_: int) -> Callable[[Writer, core.Op, Into], Operands]:
    """What each cell gives, put together by an operation."""

    def together(w: Writer, op: core.Op, into: Into) -> Operands:
        first, *others = zip(*_several(w, op), strict=True)
        target = _target(w, 1, into)
        w.emit(op.op, target[0], *first)
        for cells in others:
            more = w.cell()
            w.emit(op.op, more, *cells)
            w.emit(with_, target[0], target[0], more)
        return target

    return together


def _low(w: Writer, op: core.Op, into: Into) -> Operands:
    (members,) = _several(w, op)
    target = _target(w, 1, into)
    lowest(w, members, target[0])
    return target


OPERATIONS: dict[int, Callable[[Writer, core.Op, Into], Operands]] = {
    **dict.fromkeys(BY_CELL, _cell_by_cell),
    **dict.fromkeys((o.COUNT, o.DSUM, o.DCOUNT), _together(o.ADD)),
    o.DFACES: _together(o.OR),
    o.LOW: _low,
}


def _within(w: Writer, expr: core.Within, _: Into) -> Operands:
    operand = value(w, expr.value)
    w.emit(o.RANGE, operand, w.const(expr.low), w.const(expr.high))
    return [operand]


def _present(w: Writer, expr: core.Present, _: Into) -> Operands:
    operand = value(w, expr.value)
    w.emit(o.GUARD, operand, o.NOTHING_THERE)
    return [operand]


def _called(w: Writer, called: core.Called, into: Into) -> Operands:
    result = w.call(called.procedure, tuple(value(w, arg) for arg in called.args))
    target = _target(w, len(result), into)
    w.copy_all(target, result)
    return target


def _truth(w: Writer, expr: core.Truth, _: Into) -> Operands:
    cell, end = w.cell(), Label()
    w.emit(o.MOV, cell, w.const(0))
    jump(w, expr.condition, end, False)
    w.emit(o.MOV, cell, w.const(1))
    w.put(end)
    return [cell]


def _kept(w: Writer, kept: core.Kept, _: Into) -> Operands:
    few, asked = few_known(kept)
    if few:
        return _one_by_one(w, kept, few, asked)
    members = values(w, kept.members)
    if len(members) == 1:
        rest, it = w.copy(members[0]), w.own(kept.it)
        left = sift(w, rest, kept.it, kept.conditions)
        return [_narrowed(w, rest, it, left) if left else rest]
    found = w.fresh(len(members))
    with parts(w, members) as (number, rest, first):
        w.emit(o.PUTX, found[0], number, _narrowed(w, rest, w.own(kept.it), kept.conditions, first))
    return found


def _one_by_one(w: Writer, kept: core.Kept, few: tuple[int, ...], asked: tuple[core.Condition, ...]) -> Operands:
    found = w.fresh(kept.cells)
    w.copy_all(found, [w.const(0)] * len(found))
    for member in few:
        skip = Label()
        w.name(kept.it, w.const(member))
        for condition in asked:
            jump(w, condition, skip, False)
        for cell, part in zip(found, parts_of(1 << member, len(found)), strict=True):
            if part:
                w.emit(o.OR, cell, cell, w.const(part))
        w.put(skip)
    return found


def _narrowed(
    w: Writer, rest: Slot, it: Slot, asked: Sequence[core.Condition], first: Operand | None = None
) -> Operand:
    """Those that meet all conditions of the members of one cell; `first`: the number of the first there may be."""
    found, bit = w.copy(w.const(0)), w.cell()
    member = it if first is None else w.cell()
    with taken(w, rest, member) as again:
        if first is not None:
            w.emit(o.ADD, it, member, first)
        for condition in asked:
            jump(w, condition, again, False)
        w.emit(o.BIT, bit, member)
        w.emit(o.OR, found, found, bit)
    return found


def _after(w: Writer, after: core.After, _: Into) -> Operands:
    carry_out(w, after.body)
    return values(w, after.result)


_VALUES: dict[type, Callable[[Writer, Any, Into], Operands]] = {
    core.Const: _const,
    core.Cell: lambda w, cell, _: range(cell.at, cell.at + cell.cells),
    core.Var: _variable,
    core.Load: _load,
    core.Table: _table,
    core.Op: _op,
    core.Single: single,
    core.Within: _within,
    core.Present: _present,
    core.Called: _called,
    core.Truth: _truth,
    core.Kept: _kept,
    core.After: _after,
}
VALUES.update(_VALUES)
