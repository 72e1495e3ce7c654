"""Code generation for expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.condition_code import emit_bulk_filters, unrollable_filter
from edict.compiler.codegen.core import CELLWISE_SIZES
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.procedures import (
    VALUE_EMITTERS,
    Operands,
    PreferredTarget,
    ProcedureWriter,
    emit_body,
    emit_jump,
    emit_value,
    emit_values,
)
from edict.compiler.codegen.sets import (
    emit_lowest,
    emit_singleton,
    loop_over_cell,
    loop_over_parts,
    pad_cells,
    split_constant,
)
from edict.runtime.program import opcodes as o


def _choose_target(w: ProcedureWriter, cells: int, into: PreferredTarget) -> Sequence[FrameSlot]:
    """Return the cells to write a result to: `into` if the caller prefers some, else newly allocated ones."""
    return w.allocate_row(cells) if into is None else into


def _emit_const(w: ProcedureWriter, const: core.Const, _: PreferredTarget) -> Operands:
    """Return the constant cells that hold a number or a set, one per cell of the constant; emit nothing."""
    return [w.const(part) for part in split_constant(const.value, const.cells)]


def _emit_variable(w: ProcedureWriter, var: core.Var, _: PreferredTarget) -> Operands:
    """Return the cells of a variable without copying them; emit nothing."""
    first = w.locate(var)
    return first.row(var.cells) if isinstance(first, FrameSlot) else [first]


def _emit_load(w: ProcedureWriter, load: core.Load, into: PreferredTarget) -> Operands:
    """Load an element of a row of the state, with one LDX for each of its cells."""
    if load.cells == 1:
        index = load.index
    else:
        index = core.Op(o.IDX, (load.index, load.cells, core.Const(0)))
    base, index_cell = emit_row_index(w, load.base, index)
    target = _choose_target(w, load.cells, into)
    for i, cell in enumerate(target):
        w.emit(o.LDX, cell, base + i, index_cell)
    return target


def emit_row_index(w: ProcedureWriter, base: int, index: core.CoreExpr) -> tuple[int, Operand]:
    """Emit the index into a row; return base address and index.

    A constant outer index is folded into the base.
    """
    if isinstance(index, core.Op) and index.op == o.IDX:
        first, width, second = index.args
        assert isinstance(first, core.CoreExpr) and isinstance(width, int) and isinstance(second, core.CoreExpr)
        outer_index = emit_value(w, first)
        number = w.code.constant_value(outer_index)
        if number is not None:
            return base + number * width, emit_value(w, second)
        operand = w.allocate_cell()
        w.emit(o.IDX, operand, outer_index, width, emit_value(w, second))
        return base, operand
    return base, emit_value(w, index)


def _emit_table(w: ProcedureWriter, table: core.TableLookup, into: PreferredTarget) -> Operands:
    """Emit a table lookup, or return a constant cell if the index is constant or all entries are equal."""
    index = emit_value(w, table.index)
    constant_index = w.code.constant_value(index)
    if constant_index is not None or len(set(table.values)) == 1:
        return _emit_const(w, core.Const(table.values[constant_index or 0], table.cells), None)
    target = _choose_target(w, table.cells, into)
    for i, cell in enumerate(target):
        w.emit(
            o.TAB, cell, w.code.add_table([split_constant(number, table.cells)[i] for number in table.values]), index
        )
    return target


def emit_operands(w: ProcedureWriter, args: tuple[core.CoreExpr | int | tuple[int, ...], ...]) -> list[Operand]:
    """Emit each argument and return its operand: a value's cell, a number itself, or the label of a table."""
    operands = list[Operand]()
    for arg in args:
        if isinstance(arg, core.Var):
            operands.append(w.locate(arg))
        elif isinstance(arg, core.CoreExpr):
            operands.append(emit_value(w, arg))
        elif isinstance(arg, tuple):
            operands.append(w.code.add_table(arg))
        else:
            operands.append(arg)
    return operands


def _emit_op(w: ProcedureWriter, op: core.Op, into: PreferredTarget) -> Operands:
    """Emit an operation by its own emitter in `OP_EMITTERS`, or else as one instruction with a result of one cell."""
    if op.op in OP_EMITTERS:
        return OP_EMITTERS[op.op](w, op, into)
    args = emit_operands(w, op.args)
    target = _choose_target(w, 1, into)
    w.emit(op.op, target[0], *args)
    return target


def _emit_cellwise_op(w: ProcedureWriter, op: core.Op, into: PreferredTarget) -> Operands:
    """Emit an operation on sets of several cells as one instruction per cell; shorter operands are padded with 0."""
    args = _emit_op_args(w, op)
    cells = CELLWISE_SIZES[op.op]([len(arg) for arg in args])
    target = _choose_target(w, cells, into)
    for cell, *arg_cells in zip(target, *(pad_cells(w, arg, cells) for arg in args), strict=False):
        w.emit(op.op, cell, *arg_cells)
    return target


def _emit_op_args(w: ProcedureWriter, op: core.Op) -> list[Operands]:
    """Emit the arguments of an operation whose values may take several cells."""
    return [emit_values(w, arg) for arg in op.args if isinstance(arg, core.CoreExpr)]


def _make_reduction(combining_op: int) -> Callable[[ProcedureWriter, core.Op, PreferredTarget], Operands]:
    """Return an emitter that applies an operation to each cell and combines the results by `combining_op`."""

    def emit_reduction(w: ProcedureWriter, op: core.Op, into: PreferredTarget) -> Operands:
        """Apply the operation to each cell of the arguments, and combine the results in one cell."""
        first, *others = zip(*_emit_op_args(w, op), strict=True)
        target = _choose_target(w, 1, into)
        w.emit(op.op, target[0], *first)
        for cells in others:
            part = w.allocate_cell()
            w.emit(op.op, part, *cells)
            w.emit(combining_op, target[0], target[0], part)
        return target

    return emit_reduction


def _emit_lowest(w: ProcedureWriter, op: core.Op, into: PreferredTarget) -> Operands:
    """Emit the lowest member of a set of any number of cells, or -1 for an empty set."""
    (members,) = _emit_op_args(w, op)
    target = _choose_target(w, 1, into)
    emit_lowest(w, members, target[0])
    return target


OP_EMITTERS: dict[int, Callable[[ProcedureWriter, core.Op, PreferredTarget], Operands]] = {
    **dict.fromkeys(CELLWISE_SIZES, _emit_cellwise_op),
    **dict.fromkeys((o.COUNT, o.DSUM, o.DCOUNT), _make_reduction(o.ADD)),
    o.DFACES: _make_reduction(o.OR),
    o.LOW: _emit_lowest,
}


def _emit_checked_range(w: ProcedureWriter, expr: core.CheckedRange, _: PreferredTarget) -> Operands:
    """Emit a number and a RANGE that stops the game with a fault if it is below `low` or above `high`."""
    operand = emit_value(w, expr.value)
    w.emit(o.RANGE, operand, w.const(expr.low), w.const(expr.high))
    return [operand]


def _emit_checked_presence(w: ProcedureWriter, expr: core.CheckedPresence, _: PreferredTarget) -> Operands:
    """Emit a value and a GUARD that stops the game with the fault NOTHING_THERE if there is no thing."""
    operand = emit_value(w, expr.value)
    w.emit(o.GUARD, operand, o.NOTHING_THERE)
    return [operand]


def _emit_call_result(w: ProcedureWriter, called: core.CallResult, into: PreferredTarget) -> Operands:
    """Emit a call of a procedure, and copy its result, which the next call would overwrite."""
    result = w.emit_call(called.procedure, tuple(emit_value(w, arg) for arg in called.args))
    target = _choose_target(w, len(result), into)
    w.emit_copies(target, result)
    return target


def _emit_truth_value(w: ProcedureWriter, expr: core.TruthValue, _: PreferredTarget) -> Operands:
    """Emit a condition as a number: 1 if it holds, else 0."""
    cell, end = w.allocate_cell(), CodeLabel()
    w.emit(o.MOV, cell, w.const(0))
    emit_jump(w, expr.condition, end, False)
    w.emit(o.MOV, cell, w.const(1))
    w.place_label(end)
    return [cell]


def _emit_filtered_set(w: ProcedureWriter, filtered: core.FilteredSet, _: PreferredTarget) -> Operands:
    """Emit the members that meet all conditions: unrolled for few constant members, in bulk, or by a loop."""
    unrolled, conditions = unrollable_filter(filtered)
    if unrolled:
        return _emit_unrolled_filter(w, filtered, unrolled, conditions)
    members = emit_values(w, filtered.members)
    if len(members) == 1:
        rest, it = w.emit_copy(members[0]), w.own_slot(filtered.it)
        remaining = emit_bulk_filters(w, rest, filtered.it, filtered.conditions)
        return [_emit_filter_loop(w, rest, it, remaining) if remaining else rest]
    result = w.allocate_row(len(members))
    with loop_over_parts(w, members) as (number, rest, first):
        w.emit(
            o.PUTX, result[0], number, _emit_filter_loop(w, rest, w.own_slot(filtered.it), filtered.conditions, first)
        )
    return result


def _emit_unrolled_filter(
    w: ProcedureWriter, filtered: core.FilteredSet, members: tuple[int, ...], conditions: tuple[core.Condition, ...]
) -> Operands:
    """Emit the tests of each constant member in turn, and add the members that pass to an empty set."""
    result = w.allocate_row(filtered.cells)
    w.emit_copies(result, [w.const(0)] * len(result))
    for member in members:
        skip = CodeLabel()
        w.alias(filtered.it, w.const(member))
        for condition in conditions:
            emit_jump(w, condition, skip, False)
        for cell, part in zip(result, split_constant(1 << member, len(result)), strict=True):
            if part:
                w.emit(o.OR, cell, cell, w.const(part))
        w.place_label(skip)
    return result


def _emit_filter_loop(
    w: ProcedureWriter, rest: FrameSlot, it: FrameSlot, asked: Sequence[core.Condition], first: Operand | None = None
) -> Operand:
    """Emit a loop over the members in one cell, and return a cell with the bits of those that meet all conditions.

    Args:
        w: The writer.
        rest: The members; the loop empties this cell.
        it: The loop variable.
        asked: The conditions.
        first: The number of the first possible member of the cell; None is 0.
    """
    result, bit = w.emit_copy(w.const(0)), w.allocate_cell()
    member = it if first is None else w.allocate_cell()
    with loop_over_cell(w, rest, member) as again:
        if first is not None:
            w.emit(o.ADD, it, member, first)
        for condition in asked:
            emit_jump(w, condition, again, False)
        w.emit(o.BIT, bit, member)
        w.emit(o.OR, result, result, bit)
    return result


def _emit_statement_expression(w: ProcedureWriter, after: core.StatementExpression, _: PreferredTarget) -> Operands:
    """Emit the statements of the body, then the value that they prepare."""
    emit_body(w, after.body)
    return emit_values(w, after.result)


_VALUES: dict[type, Callable[[ProcedureWriter, Any, PreferredTarget], Operands]] = {
    core.Const: _emit_const,
    core.Cell: lambda w, cell, _: range(cell.at, cell.at + cell.cells),
    core.Var: _emit_variable,
    core.Load: _emit_load,
    core.TableLookup: _emit_table,
    core.Op: _emit_op,
    core.Singleton: emit_singleton,
    core.CheckedRange: _emit_checked_range,
    core.CheckedPresence: _emit_checked_presence,
    core.CallResult: _emit_call_result,
    core.TruthValue: _emit_truth_value,
    core.FilteredSet: _emit_filtered_set,
    core.StatementExpression: _emit_statement_expression,
}
VALUE_EMITTERS.update(_VALUES)
