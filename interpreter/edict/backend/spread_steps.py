"""Statements about values that take several cells: kept, asked for, told, put in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.backend import core
from edict.backend.below import below
from edict.backend.composing import op
from edict.backend.core import ALL_IN_LINE, Compare, Const, Expr, Test, Var
from edict.backend.spread_members import NOTHING, bit, each
from edict.backend.spreading import STATEMENTS, Spreading, either
from edict.backend.wide import Bit, cells_of, is_wide, measure, takes_several
from edict.program import opcodes as o


def spread(body: core.Body) -> core.Body:
    """The statements of a procedure without values that take several cells; most have none, and stay as they are."""
    nodes = tuple(below(body))
    measure(nodes)
    return Spreading().body(body) if any(map(is_wide, nodes)) else body


def _let(s: Spreading, let: core.Let) -> None:
    var = let.var
    if let.value is None or isinstance(var, core.Part) or var.cells == 1:
        s.add(s.anew(let))
        return
    for i, part in enumerate(s.parts(let.value, var.cells)):
        s.set(core.Part(var, i), part)


def _store(s: Spreading, store: core.Store) -> None:
    if store.cells == 1:
        s.add(s.anew(store))
        return
    assert isinstance(store.base, int)
    parts = [s.let(part) for part in s.parts(store.value, store.cells)]
    index = None if store.index is None else s.once(s.value(store.index))
    for i, part in enumerate(parts):
        at = None if index is None else op(o.IDX, index, store.cells, NOTHING)
        s.add(core.Store(store.base + i, at, part, store.event, cause=s.cause))
    if store.event:  # an event of a cell that is no variable ends the change, as others may follow it at once
        other = op(o.ANDN, Const(1), core.Cell(o.SCRATCH))
        s.add(core.Store(o.SCRATCH, None, other, cause=s.cause))


# --- questions ---------------------------------------------------------------------------------------


def _offer(s: Spreading, members: Expr) -> None:
    option = Var()
    with each(s, option, members):
        s.step(o.OFFER, option)


def _ask(s: Spreading, ask: core.Ask) -> None:
    if not takes_several(ask.options):
        s.add(s.anew(ask))
        return
    assert isinstance(ask.options, Expr)
    _offer(s, ask.options)
    if ask.none is not None:
        s.go(ask.none, Test(core.Cell(o.OPTIONS), empty=True))
    decline = None if ask.decline is None else s.condition(ask.decline)
    s.add(core.Ask(ask.question, s.value(ask.seat), None, ask.answer, decline=decline, cause=s.cause))


def _chance(s: Spreading, chance: core.Chance) -> None:
    if not takes_several(chance.options):
        s.add(s.anew(chance))
        return
    assert chance.options is not None
    _offer(s, chance.options)
    s.add(core.Chance(chance.question, None, chance.answer, cause=s.cause))


# --- flow --------------------------------------------------------------------------------------------


def _each(s: Spreading, loop: core.Each) -> None:
    if loop.order is not None and cells_of(loop.order) > 1:
        with _in_line(s, loop.it, loop.order, loop.members):
            s.carry_out(loop.body)
    elif takes_several(loop.members):
        assert loop.order is None
        with each(s, loop.it, loop.members):
            s.carry_out(loop.body)
    else:
        s.add(s.anew(loop))


@contextmanager
def _in_line(s: Spreading, it: Var, order: Expr, members: Expr) -> Iterator[None]:
    """A loop over the members of an order that are in a set, as they stand there."""
    size = cells_of(order)
    row = s.declare(size)
    for i, part in enumerate(s.parts(order, size)):
        s.set(core.Part(row, i), part)
    place = s.let(NOTHING)
    with s.block() as end, s.loop() as again:
        s.unless(Compare("<", place, Const(size)), end)
        s.set(it, op(o.LDX, row, place))
        s.unless(Compare(">=", it, NOTHING), end)
        s.set(place, op(o.ADD, place, Const(1)))
        if members != ALL_IN_LINE:
            s.unless(s.condition(Compare("in", it, members)), again)
        yield


# --- steps of the machine ----------------------------------------------------------------------------


def _step(s: Spreading, step: core.Step) -> None:
    first, several = step.args[0] if step.args else None, any(takes_several(arg) for arg in step.args)
    if not several:
        s.add(s.anew(step))
    elif step.op == o.SAY:
        number, told = step.args
        assert isinstance(told, Expr) and isinstance(number, int)
        for part in s.parts(told, cells_of(told)):
            s.step(o.SAY, number, part)
    elif step.op == o.BEST:
        _best(s, *step.args)  # type: ignore[arg-type]
    elif step.op == o.PUSHO:
        _, member, place = step.args
        assert isinstance(first, Var) and isinstance(member, Expr) and isinstance(place, Expr)
        s.add(core.Store(first, s.value(place), s.value(member), event=False, cause=s.cause))
    else:
        assert step.op == o.SORT and isinstance(first, Var) and isinstance(step.args[2], Var)
        _sort(s, first, step.args[2])


def _best(s: Spreading, found: Var, record: Var, score: Expr, it: Expr) -> None:
    """The members with the greatest score so far."""
    score = s.let(s.value(score))
    with s.block() as end:
        with s.block() as better:
            s.go(better, Test(either(s.parts(found, found.cells)), empty=True))
            s.go(better, Compare(">", score, record))
            s.unless(Compare("=", score, record), end)
            for i, part in enumerate(bit(s, Bit(it, found.cells))):
                s.set(core.Part(found, i), op(o.OR, core.Part(found, i), part))
            s.go(end)
        s.set(record, score)
        for i, part in enumerate(bit(s, Bit(it, found.cells))):
            s.set(core.Part(found, i), part)


def _sort(s: Spreading, order: Var, keys: Var) -> None:
    """Each in turn goes before those with a greater key; ties stay as they were."""
    place = s.let(Const(1))
    with s.block() as end, s.loop():
        s.unless(Compare("<", place, Const(order.cells)), end)
        member, free = s.let(op(o.LDX, order, place)), s.let(place)
        s.unless(Compare(">=", member, NOTHING), end)
        key = s.let(op(o.LDX, keys, member))
        with s.block() as found, s.loop():
            s.unless(Compare(">", free, NOTHING), found)
            before = s.let(op(o.SUB, free, Const(1)))
            other = s.let(op(o.LDX, order, before))
            s.unless(Compare(">", op(o.LDX, keys, other), key), found)
            s.add(core.Store(order, free, other, event=False, cause=s.cause))
            s.set(free, before)
        s.add(core.Store(order, free, member, event=False, cause=s.cause))
        s.set(place, op(o.ADD, place, Const(1)))


STATEMENTS.update({
    core.Let: _let, core.Store: _store, core.Ask: _ask, core.Chance: _chance, core.Each: _each,
    core.Step: _step,
})  # fmt: skip
