"""Code generation for sets of any number of cells, each with room for `opcodes.BITS` members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.procedures import (
    Operands,
    PreferredTarget,
    ProcedureWriter,
    emit_jump,
    emit_value,
    emit_values,
)
from edict.runtime.program import opcodes as o


def split_constant(number: int, cells: int) -> Sequence[int]:
    """Return the constant split into `cells` cells, lowest bits first; a negative number is repeated in each."""
    if cells == 1 or number < 0:
        return [number] * cells
    full = (1 << o.BITS) - 1
    return [number >> o.BITS * i & full for i in range(cells)]


def pad_cells(w: ProcedureWriter, operands: Operands, cells: int) -> Operands:
    """Return the operands, extended with cells that hold 0 up to the number `cells`."""
    if len(operands) >= cells:
        return operands
    return [*operands, *[w.const(0)] * (cells - len(operands))]


def emit_into(w: ProcedureWriter, target: Sequence[FrameSlot], expr: core.CoreExpr) -> None:
    """Emit a value into exactly these cells."""
    cells = pad_cells(w, emit_values(w, expr, target if expr.cells == len(target) else None), len(target))
    if cells != target:
        w.emit_copies(target, cells)


def emit_union(w: ProcedureWriter, parts: Operands) -> Operand:
    """Return a cell with the bitwise or of all these cells."""
    union, *others = parts
    for part in others:
        wider_union = w.allocate_cell()
        w.emit(o.OR, wider_union, union, part)
        union = wider_union
    return union


# --- single members ----------------------------------------------------------------------------------


def emit_singleton(w: ProcedureWriter, expr: core.Singleton, into: PreferredTarget) -> Operands:
    """Emit the set that contains one member."""
    member = emit_value(w, expr.member)
    target = w.allocate_row(expr.cells) if into is None else into
    for i, cell in enumerate(target):
        _emit_singleton_cell(w, cell, member, i, len(target))
    return target


def _emit_singleton_cell(w: ProcedureWriter, cell: FrameSlot, member: Operand, cell_number: int, cells: int) -> None:
    """Emit one cell of a one-member set; a member outside the cell's range leaves it empty."""
    if cell_number:
        offset = w.allocate_cell()
        w.emit(o.SUB, offset, member, w.const(cell_number * o.BITS))
        member = offset
    w.emit(o.BIT, cell, member)
    if cells > 1 and (1 << o.BITS) - 1 != o.MOST:
        w.emit(o.AND, cell, cell, w.const((1 << o.BITS) - 1))


def emit_membership(w: ProcedureWriter, member: Operand, members: Operands) -> Operand:
    """Return a cell that is nonzero if the member is in a set of several cells."""
    matches = w.allocate_row(len(members))
    for i, (cell, part) in enumerate(zip(matches, members, strict=True)):
        _emit_singleton_cell(w, cell, member, i, len(matches))
        w.emit(o.AND, cell, cell, part)
    return emit_union(w, matches)


def emit_lowest(w: ProcedureWriter, members: Operands, target: FrameSlot) -> None:
    """Emit code that writes the number of the set's lowest member, or -1 if it is empty, to `target`."""
    end = CodeLabel()
    for i, part in enumerate(members):
        w.emit(o.LOW, target, part)
        if i:
            w.emit(o.JZ, part, next_part := CodeLabel())
            w.emit(o.ADD, target, target, w.const(i * o.BITS))
            w.place_label(next_part)
        if i < len(members) - 1:
            w.emit(o.JNZ, part, end)
    w.place_label(end)


# --- loops -------------------------------------------------------------------------------------------


@contextmanager
def loop_over_cell(w: ProcedureWriter, rest: Operand, it: FrameSlot) -> Iterator[CodeLabel]:
    """Emit a loop that takes one bit at a time out of cell `rest` into `it`; yield the label to continue at."""
    again, end = CodeLabel(), CodeLabel()
    w.place_label(again)
    w.emit(o.NEXT, it, rest, end)
    yield again
    w.emit(o.JMP, again)
    w.place_label(end)


@contextmanager
def loop_over_parts(w: ProcedureWriter, members: Operands) -> Iterator[tuple[FrameSlot, FrameSlot, FrameSlot]]:
    """Emit a loop over the cells of a set; yield the cell's number, its content and the number of its first member."""
    row = w.allocate_row(len(members))
    w.emit_copies(row, members)
    number, again, end = w.emit_copy(w.const(0)), CodeLabel(), CodeLabel()
    w.place_label(again)
    w.emit(o.JLE, w.const(len(members)), number, end)
    part, first = w.allocate_cell(), w.allocate_cell()
    w.emit(o.LDX, part, row[0], number)
    w.emit(o.MUL, first, number, w.const(o.BITS))
    yield number, part, first
    w.emit(o.ADD, number, number, w.const(1))
    w.emit(o.JMP, again)
    w.place_label(end)


@contextmanager
def loop_over_set(w: ProcedureWriter, loop_var: core.Var, members: core.CoreExpr) -> Iterator[CodeLabel]:
    """Emit a loop over the members of any set, lowest first; yield the label that continues."""
    if isinstance(members, core.NumberRange):
        with _loop_over_numbers(w, loop_var, members) as again:
            yield again
        return
    if isinstance(members, core.FilteredSet) and not members.cells:
        with loop_over_set(w, members.it, members.members) as again:
            for condition in members.conditions:
                emit_jump(w, condition, again, False)
            w.alias(loop_var, w.locate(members.it))
            yield again
        return
    cells = emit_values(w, members)
    if len(cells) == 1:
        rest, member = w.emit_copy(cells[0]), w.own_slot(loop_var)
        with loop_over_cell(w, rest, member) as again:
            yield again
        return
    with loop_over_parts(w, cells) as (_, rest, first):
        member = w.own_slot(loop_var)
        with loop_over_cell(w, rest, member) as again:
            w.emit(o.ADD, member, member, first)
            yield again


@contextmanager
def _loop_over_numbers(w: ProcedureWriter, loop_var: core.Var, numbers: core.NumberRange) -> Iterator[CodeLabel]:
    """Emit a loop over numbers from `low` to `high` inclusive; yield the label that continues."""
    next_number = w.allocate_cell()
    emit_into(w, [next_number], numbers.low)
    last = w.allocate_cell()
    emit_into(w, [last], numbers.high)
    member, again, end = w.own_slot(loop_var), CodeLabel(), CodeLabel()
    w.place_label(again)
    w.emit(o.JLT, last, next_number, end)
    w.emit(o.MOV, member, next_number)
    w.emit(o.ADD, next_number, next_number, w.const(1))
    yield again
    w.emit(o.JMP, again)
    w.place_label(end)


def emit_nonempty(w: ProcedureWriter, members: core.CoreExpr) -> Operand:
    """Return a cell that is nonzero if the set has a member."""
    if isinstance(members, core.NumberRange):
        return emit_value(w, core.TruthValue(core.Compare("<=", members.low, members.high)))
    if isinstance(members, core.FilteredSet) and not members.cells:
        condition = core.All(members.conditions)
        return emit_value(w, core.TruthValue(core.Quantifier(False, members.members, members.it, condition)))
    return emit_union(w, emit_values(w, members))


def emit_offers(w: ProcedureWriter, members: core.CoreExpr, none: CodeLabel | None) -> None:
    """Offer every member as an option; jump to `none` if there is none."""
    if members.cells == 1:
        cell = emit_value(w, members)
        if none is not None:
            w.emit(o.JZ, cell, none)
        w.emit(o.OFFERS, cell)
        return
    option = core.Var()
    with loop_over_set(w, option, members):
        w.emit(o.OFFER, w.locate(option))
    if none is not None:
        w.emit(o.JZ, o.OPTIONS, none)
