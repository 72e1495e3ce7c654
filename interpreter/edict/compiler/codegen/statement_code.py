"""Statements to code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import Label, Operand, Slot
from edict.compiler.codegen.emitters import STATEMENTS, Operands, carry_out, jump, value, values
from edict.compiler.codegen.expression_code import operands
from edict.compiler.codegen.instructions import WRITTEN
from edict.compiler.codegen.procedures import Writer
from edict.compiler.codegen.sets import each, either, inside, offer, padded, put_into
from edict.runtime.program import NEITHER, NO, YES
from edict.runtime.program import opcodes as o


def write(w: Writer, procedure: core.Procedure, body: core.Body, cause: int) -> None:
    """A whole procedure that was declared."""
    w.begin(procedure, cause)
    carry_out(w, body)
    w.code.cause = cause
    w.emit(o.RET, w.frame.entry)


# --- values ----------------------------------------------------------------------------------------


def _let(w: Writer, let: core.Let) -> None:
    if let.value is None:
        w.own(let.var)
        return
    cells = let.var.cells
    if let.fixed and cells == 1:
        w.name(let.var, value(w, let.value))
    elif isinstance(let.value, core.After | core.Truth | core.Kept):  # what it writes to may be read meanwhile
        found = padded(w, values(w, let.value), cells)
        w.copy_all(w.own(let.var).row(cells), found)
    else:
        put_into(w, w.own(let.var).row(cells), let.value)


def _store(w: Writer, store: core.Store) -> None:
    base = w.own(store.base) if isinstance(store.base, core.Var) else store.base
    row: Operands = [base] if isinstance(base, Slot) else range(base, base + store.cells)
    if store.index is None:
        for cell, part in zip(row, padded(w, values(w, store.value), store.cells), strict=True):
            w.emit(o.SET if store.event else o.MOV, cell, part)
    else:
        index = value(w, store.index)
        if store.cells > 1:
            first = w.cell()
            w.emit(o.IDX, first, index, store.cells, w.const(0))
            index = first
        for cell, part in zip(row, padded(w, values(w, store.value), store.cells), strict=True):
            w.emit(o.STX if store.event else o.PUTX, cell, index, part)
    if store.event and store.cells > 1:  # an event of a cell that is no variable, as others may follow it at once
        ended = w.cell()
        w.emit(o.ANDN, ended, w.const(1), o.SCRATCH)
        w.emit(o.SET, o.SCRATCH, ended)


def _step(w: Writer, step: core.Step) -> None:
    first = step.args[0] if step.args else None
    if step.op == o.SAY:
        number, told = step.args
        assert isinstance(number, int) and isinstance(told, core.Expr)
        for part in values(w, told):
            w.emit(o.SAY, number, part)
    elif step.op in SEVERAL and isinstance(first, core.Var) and first.cells > 1:
        SEVERAL[step.op](w, first, *step.args[1:])
    else:
        _one_step(w, step)


def _one_step(w: Writer, step: core.Step) -> None:
    for i in WRITTEN[step.op]:
        set_here = step.args[i - 1]
        assert isinstance(set_here, core.Var | core.Cell)
        if isinstance(set_here, core.Var):
            w.own(set_here)
    w.emit(step.op, *operands(w, step.args))


def _best(w: Writer, found: core.Var, record: core.Var, score: core.Expr, it: core.Expr) -> None:
    """The members with the greatest score so far."""
    best, held = w.own(found).row(found.cells), w.own(record)
    reached, alone = value(w, score), values(w, core.Single(it, found.cells))
    better, end = Label(), Label()
    w.emit(o.JZ, either(w, best), better)
    w.emit(o.JLT, held, reached, better)
    w.emit(o.JNE, held, reached, end)
    for cell, part in zip(best, alone, strict=True):
        w.emit(o.OR, cell, cell, part)
    w.emit(o.JMP, end)
    w.put(better)
    w.emit(o.MOV, held, reached)
    w.copy_all(best, alone)
    w.put(end)


def _put_in_place(w: Writer, order: core.Var, member: core.Expr, place: core.Expr) -> None:
    w.emit(o.PUTX, w.own(order), value(w, place), value(w, member))


def _one_more(w: Writer, dice: core.Var, face: core.Expr, first: int) -> None:
    w.emit(o.DADD, w.own(dice).row(dice.cells)[first // o.BITS], value(w, face), first % o.BITS)


SEVERAL: dict[int, Callable[..., None]] = {
    o.BEST: _best,
    o.PUSHO: _put_in_place,
    o.DADD: _one_more,
    o.SORT: lambda w, order, _, keys: _sort(w, w.own(order), order.cells, w.where(keys)),
}
"""Steps of the machine that know values of one cell: what is done where they take several."""


# --- questions -------------------------------------------------------------------------------------


def _ask(w: Writer, ask: core.Ask) -> None:
    if isinstance(ask.options, core.Expr):
        offer(w, ask.options, None if ask.none is None else w.label(ask.none))
    elif ask.options is not None:
        _offer(w, ask, ask.options)
    if ask.decline is not None:
        no = Label()
        jump(w, ask.decline, no, False)
        w.emit(o.OFFER, w.const(o.DECLINE))
        w.put(no)
    seat = value(w, ask.seat)
    w.emit(o.ASK, ask.question, seat, w.own(ask.answer))


def _offer(w: Writer, ask: core.Ask, options: tuple[core.Option, ...]) -> None:
    some = w.copy(w.const(0)) if ask.none is not None else None
    for number, conditions in options:
        skip = Label()
        for condition in conditions:
            jump(w, condition, skip, False)
        if some is not None:
            w.emit(o.MOV, some, w.const(1))
        w.emit(o.OFFER, w.const(number))
        w.put(skip)
    if some is not None and ask.none is not None:
        w.emit(o.JZ, some, w.label(ask.none))
        if ask.untaken:
            w.fork(NO, YES)


def _chance(w: Writer, chance: core.Chance) -> None:
    if chance.options is not None:
        offer(w, chance.options, None)
    w.emit(o.ASKC, chance.question, w.own(chance.answer))


# --- flow ------------------------------------------------------------------------------------------


def _call(w: Writer, call: core.Call) -> None:
    given = w.call(call.procedure, tuple(value(w, arg) for arg in call.args), call.perhaps)
    if call.into is not None:
        w.copy_all(w.own(call.into).row(call.into.cells), given)


def _call_one(w: Writer, call: core.CallOne) -> None:
    number = value(w, call.number)
    frames = [w.frames[procedure] for procedure in call.procedures]
    w.frame.chooses.extend(frames)
    circular = any(w.circular(frame) for frame in frames)
    if circular:
        w.save(w.frame)
    w.emit(o.CALLX, w.code.table([frame.entry for frame in frames]), number)
    if circular:
        w.restore(w.frame)


def _if(w: Writer, branch: core.If) -> None:
    otherwise, end = Label(), Label()
    jump(w, branch.condition, otherwise, False)
    carry_out(w, branch.then)
    if branch.otherwise:
        w.emit(o.JMP, end)
    w.put(otherwise)
    carry_out(w, branch.otherwise)
    w.put(end)


def _switch(w: Writer, switch: core.Switch) -> None:
    number, end = value(w, switch.number), Label()
    for i, (cause, case) in enumerate(switch.cases):
        skip = Label()
        w.emit(o.JNE, number, w.const(i), skip)
        if cause >= 0:
            w.fork(NEITHER, YES, cause=cause)
        carry_out(w, case)
        w.emit(o.JMP, end)
        w.put(skip)
    w.put(end)


def _scope(w: Writer, scope: core.Scope) -> None:
    with w.scope():
        carry_out(w, scope.body)


def _block(w: Writer, block: core.Block) -> None:
    end = w.enter(block.label)
    carry_out(w, block.body)
    w.put(end)


def _loop(w: Writer, loop: core.Loop) -> None:
    again = w.enter(loop.label)
    w.put(again)
    carry_out(w, loop.body)
    w.emit(o.JMP, again)


def _each(w: Writer, loop: core.Each) -> None:
    if loop.order is None:
        with each(w, loop.it, loop.members):
            carry_out(w, loop.body)
    elif loop.order.cells > 1:
        among = None if loop.members == core.ALL_IN_LINE else _copied(w, values(w, loop.members))
        with _line(w, w.own(loop.it), values(w, loop.order), among):
            carry_out(w, loop.body)
    else:
        rest = value(w, loop.members)
        if not w.never_changes(rest):
            rest = w.copy(rest)
        order, place, it = w.copy(value(w, loop.order)), w.copy(w.const(0)), w.own(loop.it)
        again, end = Label(), Label()
        w.put(again)
        w.emit(o.NTH, it, place, order, rest, end)
        carry_out(w, loop.body)
        w.emit(o.JMP, again)
        w.put(end)


def _copied(w: Writer, found: Operands) -> Operands:
    cells = w.fresh(len(found))
    w.copy_all(cells, found)
    return cells


def _go(w: Writer, go: core.Go) -> None:
    if go.condition is None:
        w.emit(o.JMP, w.label(go.label))
    else:
        jump(w, go.condition, w.label(go.label), go.when)


# --- long orders: of more things than are packed into one cell; a cell for each place, -1 behind the last


@contextmanager
def _line(w: Writer, it: Slot, order: Operands, among: Operands | None) -> Iterator[None]:
    """A loop over the members that are in a set, or over all of them, as they stand there."""
    row = w.fresh(len(order))
    w.copy_all(row, order)
    place, again, end = w.copy(w.const(0)), Label(), Label()
    w.put(again)
    w.emit(o.JLE, w.const(len(order)), place, end)
    w.emit(o.LDX, it, row[0], place)
    w.emit(o.JLT, it, w.const(0), end)
    w.emit(o.ADD, place, place, w.const(1))
    if among is not None and len(among) == 1:
        w.emit(o.JOUT, it, among[0], again)
    elif among is not None:
        w.emit(o.JZ, inside(w, it, among), again)
    yield
    w.emit(o.JMP, again)
    w.put(end)


def _sort(w: Writer, order: Operand, size: int, keys: Operand) -> None:
    """Each in turn goes before those with a greater key; ties stay as they were."""
    turn, shift, found, end = Label(), Label(), Label(), Label()
    place, member, key, free, before, other, greater = (w.cell() for _ in range(7))
    w.emit(o.MOV, place, w.const(1))
    w.put(turn)
    w.emit(o.JLE, w.const(size), place, end)
    w.emit(o.LDX, member, order, place)
    w.emit(o.JLT, member, w.const(0), end)
    w.emit(o.MOV, free, place)
    w.emit(o.LDX, key, keys, member)
    w.put(shift)
    w.emit(o.JLE, free, w.const(0), found)
    w.emit(o.SUB, before, free, w.const(1))
    w.emit(o.LDX, other, order, before)
    w.emit(o.LDX, greater, keys, other)
    w.emit(o.JLE, greater, key, found)
    w.emit(o.PUTX, order, free, other)
    w.emit(o.MOV, free, before)
    w.emit(o.JMP, shift)
    w.put(found)
    w.emit(o.PUTX, order, free, member)
    w.emit(o.ADD, place, place, w.const(1))
    w.emit(o.JMP, turn)
    w.put(end)


_STATEMENTS: dict[type, Callable[[Writer, Any], None]] = {
    core.Let: _let,
    core.Store: _store,
    core.Step: _step,
    core.Ask: _ask,
    core.Chance: _chance,
    core.Call: _call,
    core.CallOne: _call_one,
    core.If: _if,
    core.Switch: _switch,
    core.Scope: _scope,
    core.Block: _block,
    core.Loop: _loop,
    core.Each: _each,
    core.Go: _go,
}
STATEMENTS.update(_STATEMENTS)
