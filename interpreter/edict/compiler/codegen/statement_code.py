"""Code generation for statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.expression_code import emit_operands
from edict.compiler.codegen.instructions import WRITTEN_OPERANDS
from edict.compiler.codegen.procedures import (
    STATEMENT_EMITTERS,
    Operands,
    ProcedureWriter,
    emit_body,
    emit_jump,
    emit_value,
    emit_values,
)
from edict.compiler.codegen.sets import emit_into, emit_membership, emit_offers, emit_union, loop_over_set, pad_cells
from edict.runtime.program import NEITHER, NO, YES
from edict.runtime.program import opcodes as o


def emit_procedure(w: ProcedureWriter, procedure: core.Procedure, body: core.Body, cause: int) -> None:
    """Emit the code of a declared procedure."""
    w.begin(procedure, cause)
    emit_body(w, body)
    w.code.cause = cause
    w.emit(o.RET, w.frame.entry)


# --- values ----------------------------------------------------------------------------------------


def _emit_let(w: ProcedureWriter, let: core.Let) -> None:
    """Emit a new variable with its value, if any; a fixed one of one cell becomes an alias of the value's cell."""
    if let.value is None:
        w.own_slot(let.var)
        return
    cells = let.var.cells
    if let.fixed and cells == 1:
        w.alias(let.var, emit_value(w, let.value))
    elif isinstance(
        let.value, core.StatementExpression | core.TruthValue | core.FilteredSet
    ):  # the target may be read while the value is computed
        sources = pad_cells(w, emit_values(w, let.value), cells)
        w.emit_copies(w.own_slot(let.var).row(cells), sources)
    else:
        emit_into(w, w.own_slot(let.var).row(cells), let.value)


def _emit_store(w: ProcedureWriter, store: core.StoreState) -> None:
    """Emit a store to a state variable or an element of its row, with an event for players if `store.event` is set."""
    base = w.own_slot(store.base) if isinstance(store.base, core.Var) else store.base
    row: Operands = [base] if isinstance(base, FrameSlot) else range(base, base + store.cells)
    if store.index is None:
        for cell, part in zip(row, pad_cells(w, emit_values(w, store.value), store.cells), strict=True):
            w.emit(o.SET if store.event else o.MOV, cell, part)
    else:
        index = emit_value(w, store.index)
        if store.cells > 1:
            first = w.allocate_cell()
            w.emit(o.IDX, first, index, store.cells, w.const(0))
            index = first
        for cell, part in zip(row, pad_cells(w, emit_values(w, store.value), store.cells), strict=True):
            w.emit(o.STX if store.event else o.PUTX, cell, index, part)
    if (
        store.event and store.cells > 1
    ):  # an event of a scratch cell ends the series, as events of other variables may follow directly
        ended = w.allocate_cell()
        w.emit(o.ANDN, ended, w.const(1), o.SCRATCH)
        w.emit(o.SET, o.SCRATCH, ended)


def _emit_step(w: ProcedureWriter, step: core.MachineStep) -> None:
    """Emit a machine operation; SAY once per cell of its value, wide variables by `WIDE_STEP_EMITTERS`."""
    first = step.args[0] if step.args else None
    if step.op == o.SAY:
        number, value = step.args
        assert isinstance(number, int) and isinstance(value, core.CoreExpr)
        for part in emit_values(w, value):
            w.emit(o.SAY, number, part)
    elif step.op in WIDE_STEP_EMITTERS and isinstance(first, core.Var) and first.cells > 1:
        WIDE_STEP_EMITTERS[step.op](w, first, *step.args[1:])
    else:
        _emit_plain_step(w, step)


def _emit_plain_step(w: ProcedureWriter, step: core.MachineStep) -> None:
    """Emit a machine operation as one instruction, after allocating the variables that it writes."""
    for i in WRITTEN_OPERANDS[step.op]:
        target = step.args[i - 1]
        assert isinstance(target, core.Var | core.Cell)
        if isinstance(target, core.Var):
            w.own_slot(target)
    w.emit(step.op, *emit_operands(w, step.args))


def _emit_best(
    w: ProcedureWriter, best_var: core.Var, record: core.Var, score: core.CoreExpr, it: core.CoreExpr
) -> None:
    """Emit code that adds `it` to the best on a tie, and replaces them and the record on a greater score."""
    best, best_score = w.own_slot(best_var).row(best_var.cells), w.own_slot(record)
    score_cell, singleton = emit_value(w, score), emit_values(w, core.Singleton(it, best_var.cells))
    better, end = CodeLabel(), CodeLabel()
    w.emit(o.JZ, emit_union(w, best), better)
    w.emit(o.JLT, best_score, score_cell, better)
    w.emit(o.JNE, best_score, score_cell, end)
    for cell, part in zip(best, singleton, strict=True):
        w.emit(o.OR, cell, cell, part)
    w.emit(o.JMP, end)
    w.place_label(better)
    w.emit(o.MOV, best_score, score_cell)
    w.emit_copies(best, singleton)
    w.place_label(end)


def _emit_order_entry(w: ProcedureWriter, order: core.Var, member: core.CoreExpr, place: core.CoreExpr) -> None:
    """Write a member into an order of several cells at a place, counted from 0."""
    w.emit(o.PUTX, w.own_slot(order), emit_value(w, place), emit_value(w, member))


def _emit_die_addition(w: ProcedureWriter, dice: core.Var, face: core.CoreExpr, first: int) -> None:
    """Add a die to dice, in field `first + face - 1`; only the cell with field `first` is written."""
    w.emit(o.DADD, w.own_slot(dice).row(dice.cells)[first // o.BITS], emit_value(w, face), first % o.BITS)


# emitters of machine steps for values of several cells
WIDE_STEP_EMITTERS: dict[int, Callable[..., None]] = {
    o.BEST: _emit_best,
    o.PUSHO: _emit_order_entry,
    o.DADD: _emit_die_addition,
    o.SORT: lambda w, order, _, keys: _emit_insertion_sort(w, w.own_slot(order), order.cells, w.locate(keys)),
}


# --- questions -------------------------------------------------------------------------------------


def _emit_ask(w: ProcedureWriter, ask: core.AskSeat) -> None:
    """Offer the options and, if allowed, declining, and ask the seat; jump to `ask.none` if there is no option."""
    if isinstance(ask.options, core.CoreExpr):
        emit_offers(w, ask.options, None if ask.none is None else w.code_label(ask.none))
    elif ask.options is not None:
        _emit_options(w, ask, ask.options)
    if ask.decline is not None:
        skip = CodeLabel()
        emit_jump(w, ask.decline, skip, False)
        w.emit(o.OFFER, w.const(o.DECLINE))
        w.place_label(skip)
    seat = emit_value(w, ask.seat)
    w.emit(o.ASK, ask.question, seat, w.own_slot(ask.answer))


def _emit_options(w: ProcedureWriter, ask: core.AskSeat, options: tuple[core.Option, ...]) -> None:
    """Offer each option whose conditions all hold; jump to `ask.none`, if set, when none was offered."""
    any_offered = w.emit_copy(w.const(0)) if ask.none is not None else None
    for number, conditions in options:
        skip = CodeLabel()
        for condition in conditions:
            emit_jump(w, condition, skip, False)
        if any_offered is not None:
            w.emit(o.MOV, any_offered, w.const(1))
        w.emit(o.OFFER, w.const(number))
        w.place_label(skip)
    if any_offered is not None and ask.none is not None:
        w.emit(o.JZ, any_offered, w.code_label(ask.none))
        if ask.untaken:
            w.note_fork(NO, YES)


def _emit_chance(w: ProcedureWriter, chance: core.Chance) -> None:
    """Offer the options of a chance node, if it has any, and let chance answer the question."""
    if chance.options is not None:
        emit_offers(w, chance.options, None)
    w.emit(o.ASKC, chance.question, w.own_slot(chance.answer))


# --- flow ------------------------------------------------------------------------------------------


def _emit_call(w: ProcedureWriter, call: core.Call) -> None:
    """Emit a call of a procedure, and copy its result to the variable `call.into` if there is one."""
    result = w.emit_call(call.procedure, tuple(emit_value(w, arg) for arg in call.args), call.perhaps)
    if call.into is not None:
        w.emit_copies(w.own_slot(call.into).row(call.into.cells), result)


def _emit_indexed_call(w: ProcedureWriter, call: core.IndexedCall) -> None:
    """Call the procedure of a number by a table; if one of them may call back, save the own cells meanwhile."""
    number = emit_value(w, call.number)
    frames = [w.frames[procedure] for procedure in call.procedures]
    w.frame.possible_calls.extend(frames)
    circular = any(w.is_recursive(frame) for frame in frames)
    if circular:
        w.emit_save(w.frame)
    w.emit(o.CALLX, w.code.add_table([frame.entry for frame in frames]), number)
    if circular:
        w.emit_restore(w.frame)


def _emit_if(w: ProcedureWriter, branch: core.IfElse) -> None:
    """Emit the code of an `if` step with its `else`, of which only one body runs."""
    otherwise, end = CodeLabel(), CodeLabel()
    emit_jump(w, branch.condition, otherwise, False)
    emit_body(w, branch.then)
    if branch.otherwise:
        w.emit(o.JMP, end)
    w.place_label(otherwise)
    emit_body(w, branch.otherwise)
    w.place_label(end)


def _emit_switch(w: ProcedureWriter, switch: core.Switch) -> None:
    """Emit the case whose number, from 0, equals the value; without such a case nothing runs."""
    number, end = emit_value(w, switch.number), CodeLabel()
    for i, (cause, case) in enumerate(switch.cases):
        skip = CodeLabel()
        w.emit(o.JNE, number, w.const(i), skip)
        if cause >= 0:
            w.note_fork(NEITHER, YES, cause=cause)
        emit_body(w, case)
        w.emit(o.JMP, end)
        w.place_label(skip)
    w.place_label(end)


def _emit_scope(w: ProcedureWriter, scope: core.Scope) -> None:
    """Emit a body, and free the cells of its variables at its end."""
    with w.scope():
        emit_body(w, scope.body)


def _emit_block(w: ProcedureWriter, block: core.Block) -> None:
    """Emit a body with its label at the end, so that a jump to the label leaves the block."""
    end = w.open_label(block.label)
    emit_body(w, block.body)
    w.place_label(end)


def _emit_loop(w: ProcedureWriter, loop: core.EndlessLoop) -> None:
    """Emit a body that repeats until it jumps out; its label is at the start."""
    again = w.open_label(loop.label)
    w.place_label(again)
    emit_body(w, loop.body)
    w.emit(o.JMP, again)


def _emit_for_each(w: ProcedureWriter, loop: core.ForEach) -> None:
    """Emit a loop over the members of a set, lowest first, or in the sequence of an order if one is given."""
    if loop.order is None:
        with loop_over_set(w, loop.it, loop.members):
            emit_body(w, loop.body)
    elif loop.order.cells > 1:
        if loop.members == core.ALL_IN_ORDER:
            members = None
        else:
            members = _copy_cells(w, emit_values(w, loop.members))
        with _loop_over_order(w, w.own_slot(loop.it), emit_values(w, loop.order), members):
            emit_body(w, loop.body)
    else:
        members_left = emit_value(w, loop.members)
        if not w.is_constant(members_left):
            members_left = w.emit_copy(members_left)
        order, place, it = w.emit_copy(emit_value(w, loop.order)), w.emit_copy(w.const(0)), w.own_slot(loop.it)
        again, end = CodeLabel(), CodeLabel()
        w.place_label(again)
        w.emit(o.NTH, it, place, order, members_left, end)
        emit_body(w, loop.body)
        w.emit(o.JMP, again)
        w.place_label(end)


def _copy_cells(w: ProcedureWriter, sources: Operands) -> Operands:
    """Return newly allocated cells with copies of `sources`."""
    cells = w.allocate_row(len(sources))
    w.emit_copies(cells, sources)
    return cells


def _emit_go(w: ProcedureWriter, go: core.Go) -> None:
    """Emit a jump to a block's label, if `go.condition` has the truth value `go.when` or there is no condition."""
    if go.condition is None:
        w.emit(o.JMP, w.code_label(go.label))
    else:
        emit_jump(w, go.condition, w.code_label(go.label), go.when)


# --- long orders, which do not fit in one cell; a cell for each place, -1 behind the last


@contextmanager
def _loop_over_order(w: ProcedureWriter, it: FrameSlot, order: Operands, members: Operands | None) -> Iterator[None]:
    """Emit a loop over the members of an order of several cells, in sequence; only those in `members` unless None."""
    copy = w.allocate_row(len(order))
    w.emit_copies(copy, order)
    place, again, end = w.emit_copy(w.const(0)), CodeLabel(), CodeLabel()
    w.place_label(again)
    w.emit(o.JLE, w.const(len(order)), place, end)
    w.emit(o.LDX, it, copy[0], place)
    w.emit(o.JLT, it, w.const(0), end)
    w.emit(o.ADD, place, place, w.const(1))
    if members is not None and len(members) == 1:
        w.emit(o.JOUT, it, members[0], again)
    elif members is not None:
        w.emit(o.JZ, emit_membership(w, it, members), again)
    yield
    w.emit(o.JMP, again)
    w.place_label(end)


def _emit_insertion_sort(w: ProcedureWriter, order: Operand, size: int, keys: Operand) -> None:
    """Emit a stable insertion sort of an order by the keys of its members."""
    outer_loop, inner_loop, insert, end = CodeLabel(), CodeLabel(), CodeLabel(), CodeLabel()
    place, member, key, free, before, other, greater = (w.allocate_cell() for _ in range(7))
    w.emit(o.MOV, place, w.const(1))
    w.place_label(outer_loop)
    w.emit(o.JLE, w.const(size), place, end)
    w.emit(o.LDX, member, order, place)
    w.emit(o.JLT, member, w.const(0), end)
    w.emit(o.MOV, free, place)
    w.emit(o.LDX, key, keys, member)
    w.place_label(inner_loop)
    w.emit(o.JLE, free, w.const(0), insert)
    w.emit(o.SUB, before, free, w.const(1))
    w.emit(o.LDX, other, order, before)
    w.emit(o.LDX, greater, keys, other)
    w.emit(o.JLE, greater, key, insert)
    w.emit(o.PUTX, order, free, other)
    w.emit(o.MOV, free, before)
    w.emit(o.JMP, inner_loop)
    w.place_label(insert)
    w.emit(o.PUTX, order, free, member)
    w.emit(o.ADD, place, place, w.const(1))
    w.emit(o.JMP, outer_loop)
    w.place_label(end)


_STATEMENTS: dict[type, Callable[[ProcedureWriter, Any], None]] = {
    core.Let: _emit_let,
    core.StoreState: _emit_store,
    core.MachineStep: _emit_step,
    core.AskSeat: _emit_ask,
    core.Chance: _emit_chance,
    core.Call: _emit_call,
    core.IndexedCall: _emit_indexed_call,
    core.IfElse: _emit_if,
    core.Switch: _emit_switch,
    core.Scope: _emit_scope,
    core.Block: _emit_block,
    core.EndlessLoop: _emit_loop,
    core.ForEach: _emit_for_each,
    core.Go: _emit_go,
}
STATEMENT_EMITTERS.update(_STATEMENTS)
