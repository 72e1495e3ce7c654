"""Bags as core: a number for each thing of a kind, in cells side by side."""

from __future__ import annotations

from collections.abc import Callable

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Cell, Const, Expr, Load, Var
from edict.language import tree as t
from edict.lowering.context import NOTHING, Context
from edict.lowering.values import COERCE, Place, hide, mark, singleton, uncoerced, value
from edict.meaning.secrets import gives_away
from edict.meaning.typed import Coercion
from edict.program import Type
from edict.program import opcodes as o

Reader = Callable[[Expr], Expr]


def things(c: Context, kind: str) -> Const:
    return Const((1 << len(c.linked.things[kind])) - 1, c.cells(Type("set", kind)))


def reader(c: Context, bag: Expr, cells: int) -> Reader:
    """How often a thing is in a bag, by its number."""
    if isinstance(bag, Cell):
        return lambda thing: Cell(bag.at + thing.value) if isinstance(thing, Const) else Load(bag.at, thing)
    if isinstance(bag, Load):
        first = c.once(op(o.MUL, bag.index, Const(cells)))
        return lambda thing: Load(bag.base, op(o.ADD, first, thing))
    row = _copy(c, bag, cells)
    return lambda thing: op(o.LDX, row, thing)


def _copy(c: Context, bag: Expr, cells: int) -> Var:
    row = Var(cells, cells)
    c.set(row, bag)
    return row


def change_copy(c: Context, row: Var, thing: Expr, often: Expr) -> None:
    """How often a thing is in a copy, which nobody sees."""
    c.add(core.Store(row, thing, often, event=False, cause=c.cause))


def recount(c: Context, secret: Place) -> None:
    """Of a secret that is counted, everybody sees how many it holds now."""
    counted = secret.counted
    if counted is not None and secret.home is not None:
        of = secret.home.type
        counted.write(c, _in_all(c, secret.value, of) if of.shape == "bag" else op(o.COUNT, secret.value))


# --- what is in it ---------------------------------------------------------------------------------


def bag_count(c: Context, bag: t.Expr) -> Expr:
    """How many there are in all."""
    return _in_all(c, value(c, bag), c.type(bag))


def _in_all(c: Context, bag: Expr, of: Type) -> Expr:
    with c.apart() as body:
        found = c.let(NOTHING)
        read = reader(c, bag, c.cells(of))
        with c.members(things(c, of.kind)) as it:
            c.set(found, op(o.ADD, found, read(it)))
    return core.After(tuple(body), found)


def count_in(c: Context, thing: t.Expr, bag: t.Expr) -> Expr:
    """How many there are of one thing."""
    with c.apart() as body:
        found = reader(c, value(c, bag), c.cells(c.type(bag)))(value(c, thing))
    return core.After(tuple(body), found) if body else found


def of_each(c: Context, kind: str, number: int | None, field: str | None) -> Expr:
    """Each thing of a kind so many times, or as often as its field says."""
    many = c.cells(Type("bag", kind))
    counts = [number or 0] * many if field is None else c.constants.field(kind, field)
    return Const(sum(max(count, 0) << o.BITS * i for i, count in enumerate(counts)), many)


def copies_of(c: Context, one: t.Expr, number: int, cells: int) -> Expr:
    """One thing so many times."""
    thing = c.once(value(c, one))
    if isinstance(thing, Const):
        return Const(number << o.BITS * thing.value, cells)
    with c.apart() as body:
        row = _copy(c, Const(0, cells), cells)
        change_copy(c, row, thing, Const(number))
    return core.After(tuple(body), row)


def both_bags(c: Context, binary: t.Binary) -> Expr:
    """What is in two bags together, or in the one beyond what is in the other."""
    of = c.type(binary)
    left, right = value(c, binary.left), value(c, binary.right)
    if binary.op == "+" and isinstance(left, Const) and isinstance(right, Const):
        return Const(left.value + right.value, left.cells)
    with c.apart() as body:
        row, other = _copy(c, left, c.cells(of)), _copy(c, right, c.cells(of))
        with c.members(things(c, of.kind)) as it:
            there, more = op(o.LDX, row, it), op(o.LDX, other, it)
            new = op(o.ADD, there, more) if binary.op == "+" else op(o.MAX, op(o.SUB, there, more), NOTHING)
            change_copy(c, row, it, new)
    return core.After(tuple(body), row)


def to_set(c: Context, bag: Expr, kind: str) -> Expr:
    with c.apart() as body:
        it, read = Var(), reader(c, bag, c.cells(Type("bag", kind)))
        found = core.Kept(things(c, kind), it, (core.Compare(">", read(it), NOTHING),))
    return core.After(tuple(body), found) if body else found


def each_once(c: Context, members: Expr, kind: str) -> Expr:
    cells = c.cells(Type("bag", kind))
    with c.apart() as body:
        row = _copy(c, Const(0, cells), cells)
        with c.members(members) as it:
            change_copy(c, row, it, Const(1))
    return core.After(tuple(body), row)


COERCE.update({
    Coercion.BAG_TO_SET: to_set,
    Coercion.SET_TO_BAG: each_once,
    Coercion.THING_TO_BAG: lambda c, thing, kind: each_once(c, singleton(c, thing, kind), kind),
})  # fmt: skip


# --- in and out ------------------------------------------------------------------------------------


def put_in(
    c: Context, what: t.Expr, bag: Place, sign: str, but: Expr | None = None, *, perhaps: bool = False
) -> None:
    """Each as often as it is there, `but` a set of things; what is not in the bag cannot be taken out of it.

    `perhaps`: it may be nothing.
    """
    _put_in(c, what, bag, sign, but, perhaps)
    recount(c, bag)


def _put_in(c: Context, what: t.Expr, bag: Place, sign: str, but: Expr | None, perhaps: bool) -> None:
    of = c.type(what)
    mark(c, bag)
    if gives_away(c.resolved, what):  # before anything is said about it
        hide(c, bag)
    if of.shape == "thing" and not of.optional and not perhaps and but is None:
        _change(c, bag, c.once(uncoerced(c, what)), Const(1), sign)
    elif of.shape in ("set", "thing"):
        found = uncoerced(c, what)
        among = found if of.shape == "set" else singleton(c, found, of.kind)
        with c.members(among if but is None else op(o.ANDN, among, but)) as it:
            _change(c, bag, it, Const(1), sign)
    else:
        row = _copy(c, value(c, what), c.cells(of))
        with c.members(things(c, of.kind)) as it, c.block() as end:
            c.unless(core.Compare(">", op(o.LDX, row, it), NOTHING), end)
            _change(c, bag, it, op(o.LDX, row, it), sign)


def _change(c: Context, bag: Place, thing: Expr, by: Expr, sign: str) -> None:
    read = reader(c, bag.value, bag.cells)
    if sign == "+":
        new = op(o.ADD, read(thing), by)
    else:
        new = op(o.MAX, op(o.SUB, read(thing), by), NOTHING)
    if isinstance(bag.base, Var):
        change_copy(c, bag.base, thing, new)
        return
    at = thing if bag.index is None else op(o.IDX, bag.index, bag.cells, thing)
    c.add(core.Store(bag.base, at, new, cause=c.cause))


def offer_each(c: Context, bag: t.Expr) -> None:
    """Every thing is offered as often as it is in a bag, so that chance takes any one of them."""
    of = c.type(bag)
    read = reader(c, uncoerced(c, bag), c.cells(of))
    with c.members(things(c, of.kind)) as it:
        left = c.let(read(it))
        with c.block() as end, c.loop():
            c.unless(core.Compare(">", left, NOTHING), end)
            c.step(o.OFFER, it)
            c.set(left, op(o.SUB, left, Const(1)))
