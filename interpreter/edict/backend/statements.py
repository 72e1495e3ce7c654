"""Statements to code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.backend import core
from edict.backend.conditions import jump
from edict.backend.emit import Label, Operand, Slot
from edict.backend.expressions import operands
from edict.backend.procedures import Writer
from edict.backend.registry import STATEMENTS, carry_out, value
from edict.backend.steps import WRITTEN
from edict.program import NEITHER, NO, YES
from edict.program import opcodes as o


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
    if let.fixed:
        assert isinstance(let.var, core.Var)
        w.name(let.var, value(w, let.value))
        return
    if isinstance(let.value, core.After | core.Truth | core.Kept):  # what it writes to may be read meanwhile
        found = value(w, let.value)
        w.emit(o.MOV, w.own(let.var), found)
        return
    target = w.own(let.var)
    found = value(w, let.value, target)
    if found != target:
        w.emit(o.MOV, target, found)


def _store(w: Writer, store: core.Store) -> None:
    base = w.own(store.base) if isinstance(store.base, core.Var) else store.base
    if store.index is None:
        w.emit(o.SET if store.event else o.MOV, base, value(w, store.value))
    else:
        index = value(w, store.index)
        w.emit(o.STX if store.event else o.PUTX, base, index, value(w, store.value))


def _step(w: Writer, step: core.Step) -> None:
    for i in WRITTEN[step.op]:
        set_here = step.args[i - 1]
        assert isinstance(set_here, core.Var | core.Cell)
        if isinstance(set_here, core.Var):
            w.own(set_here)
    w.emit(step.op, *operands(w, step.args))


# --- questions -------------------------------------------------------------------------------------


def _ask(w: Writer, ask: core.Ask) -> None:
    if isinstance(ask.options, core.Expr):
        _offer_members(w, ask, value(w, ask.options))
    elif ask.options is not None:
        _offer(w, ask, ask.options)
    if ask.decline is not None:
        no = Label()
        jump(w, ask.decline, no, False)
        w.emit(o.OFFER, w.const(o.DECLINE))
        w.put(no)
    seat = value(w, ask.seat)
    w.emit(o.ASK, ask.question, seat, w.own(ask.answer))


def _offer_members(w: Writer, ask: core.Ask, members: Operand) -> None:
    if ask.none is not None:
        w.emit(o.JZ, members, w.label(ask.none))
    w.emit(o.OFFERS, members)


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
        w.emit(o.OFFERS, value(w, chance.options))
    w.emit(o.ASKC, chance.question, w.own(chance.answer))


# --- flow ------------------------------------------------------------------------------------------


def _call(w: Writer, call: core.Call) -> None:
    given = w.call(call.procedure, tuple(value(w, arg) for arg in call.args), call.perhaps)
    if call.into is not None:
        target = w.own(call.into)
        for i in range(call.into.size):
            w.emit(o.MOV, Slot(target.frame, target.offset + i), Slot(given.frame, given.offset + i))


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


def _if(w: Writer, one: core.If) -> None:
    otherwise, end = Label(), Label()
    jump(w, one.condition, otherwise, False)
    carry_out(w, one.then)
    if one.otherwise:
        w.emit(o.JMP, end)
    w.put(otherwise)
    carry_out(w, one.otherwise)
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
    rest, again, end = value(w, loop.members), Label(), Label()
    if loop.order is None or not w.never_changes(rest):
        rest = w.copy(rest)
    order = None if loop.order is None else (w.copy(value(w, loop.order)), w.copy(w.const(0)))
    it = w.own(loop.it)
    w.put(again)
    if order is None:
        w.emit(o.NEXT, it, rest, end)
    else:
        w.emit(o.NTH, it, order[1], order[0], rest, end)
    carry_out(w, loop.body)
    w.emit(o.JMP, again)
    w.put(end)


def _go(w: Writer, go: core.Go) -> None:
    if go.condition is None:
        w.emit(o.JMP, w.label(go.label))
    else:
        jump(w, go.condition, w.label(go.label), go.when)


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
