"""Expressions to code: `value` gives the cell that holds a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.backend import core
from edict.backend.conditions import jump
from edict.backend.emit import Label, Operand, Slot
from edict.backend.procedures import Writer
from edict.backend.registry import VALUES, carry_out, value
from edict.backend.set_filters import few_known, sift
from edict.program import opcodes as o


def _target(w: Writer, into: Slot | None) -> Slot:
    return w.cell() if into is None else into


def _load(w: Writer, load: core.Load, into: Slot | None) -> Operand:
    base, index = row(w, load.base, load.index)
    target = _target(w, into)
    w.emit(o.LDX, target, base, index)
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


def _table(w: Writer, table: core.Table, into: Slot | None) -> Operand:
    """What is the same for all, or asked of one that is known, is known."""
    index = value(w, table.index)
    known = w.code.value_of(index)
    if known is not None or len(set(table.values)) == 1:
        return w.const(table.values[known or 0])
    target = _target(w, into)
    w.emit(o.TAB, target, w.code.table(table.values), index)
    return target


def operands(w: Writer, args: tuple[core.Expr | int | tuple[int, ...], ...]) -> list[Operand]:
    """What an operation is given: values, plain numbers, tables."""
    return [value(w, a) if isinstance(a, core.Expr) else w.code.table(a) if isinstance(a, tuple) else a for a in args]


def _op(w: Writer, op: core.Op, into: Slot | None) -> Operand:
    args = operands(w, op.args)
    target = _target(w, into)
    w.emit(op.op, target, *args)
    return target


def _within(w: Writer, one: core.Within, into: Slot | None) -> Operand:
    operand = value(w, one.value)
    w.emit(o.RANGE, operand, w.const(one.low), w.const(one.high))
    return operand


def _present(w: Writer, one: core.Present, into: Slot | None) -> Operand:
    operand = value(w, one.value)
    w.emit(o.GUARD, operand, o.NOTHING_THERE)
    return operand


def _called(w: Writer, called: core.Called, into: Slot | None) -> Operand:
    result = w.call(called.procedure, tuple(value(w, arg) for arg in called.args))
    target = _target(w, into)
    w.emit(o.MOV, target, result)
    return target


def _truth(w: Writer, one: core.Truth, into: Slot | None) -> Operand:
    cell, end = w.cell(), Label()
    w.emit(o.MOV, cell, w.const(0))
    jump(w, one.condition, end, False)
    w.emit(o.MOV, cell, w.const(1))
    w.put(end)
    return cell


def _kept(w: Writer, kept: core.Kept, into: Slot | None) -> Operand:
    few, asked_of_each = few_known(kept)
    return _one_by_one(w, kept.it, few, asked_of_each) if few else _gone_through(w, kept)


def _one_by_one(w: Writer, it: core.Var, few: tuple[int, ...], asked: tuple[core.Condition, ...]) -> Operand:
    found = w.copy(w.const(0))
    for member in few:
        skip = Label()
        w.name(it, w.const(member))
        for one in asked:
            jump(w, one, skip, False)
        w.emit(o.OR, found, found, w.const(1 << member))
        w.put(skip)
    return found


def _gone_through(w: Writer, kept: core.Kept) -> Operand:
    rest, it = w.copy(value(w, kept.members)), w.own(kept.it)
    asked = sift(w, rest, kept.it, kept.conditions)
    if not asked:
        return rest
    found, bit, again, end = w.copy(w.const(0)), w.cell(), Label(), Label()
    w.put(again)
    w.emit(o.NEXT, it, rest, end)
    for one in asked:
        jump(w, one, again, False)
    w.emit(o.BIT, bit, it)
    w.emit(o.OR, found, found, bit)
    w.emit(o.JMP, again)
    w.put(end)
    return found


def _after(w: Writer, after: core.After, into: Slot | None) -> Operand:
    carry_out(w, after.body)
    return value(w, after.result)


_VALUES: dict[type, Callable[[Writer, Any, Slot | None], Operand]] = {
    core.Const: lambda w, const, _: w.const(const.value),
    core.Cell: lambda w, cell, _: cell.at,
    core.Var: lambda w, var, _: w.where(var),
    core.Part: lambda w, part, _: w.part(part),
    core.Load: _load,
    core.Table: _table,
    core.Op: _op,
    core.Within: _within,
    core.Present: _present,
    core.Called: _called,
    core.Truth: _truth,
    core.Kept: _kept,
    core.After: _after,
}
VALUES.update(_VALUES)
