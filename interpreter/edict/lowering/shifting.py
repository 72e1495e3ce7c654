"""One thing put into a long order or taken out of it: others move up, and only cells that change are written.

Rewriting all of the order would cost as much for the last card of a deck as for the first.
"""

from __future__ import annotations

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import ALL_IN_LINE, Cell, Compare, Const, Expr, Load, Var
from edict.lowering.context import NOTHING, Context
from edict.lowering.values import Place, blank_order, mark
from edict.program import opcodes as o

NONE = Const(-1)


def put_in_line(c: Context, target: Place, member: Expr, first: bool) -> None:
    """At the beginning or the end, wherever it stood before; no thing is put nowhere."""
    mark(c, target)
    with c.block() as end:
        c.unless(Compare(">=", member, NOTHING), end)
        place = _out(c, target, member)
        if first:
            _make_room(c, target, place)
        _write(c, target, place, member)
        _ended(c)


def take_from_line(c: Context, target: Place, member: Expr, moved: Var | None = None) -> None:
    """It stands there no more; `moved`: the name it has, which then stands for nothing if it was not there."""
    mark(c, target)
    if moved is not None:
        member = c.let(moved)
        c.set(moved, NONE)
    with c.block() as end:
        c.unless(Compare(">=", member, NOTHING), end)
        _out(c, target, member, moved)
        _ended(c)


def rewrite_line(c: Context, kind: str, target: Place, among: Expr, to: str) -> None:
    """All others as they stand; these stand `first` or `last`, wherever they were, or else nowhere any more."""
    order, length = c.let(blank_order(c, kind)), c.let(NOTHING)

    def push(member: Expr) -> None:
        c.step(o.PUSHO, order, member, length)
        c.set(length, op(o.ADD, length, Const(1)))

    def push_all() -> None:
        with c.members(among) as member:
            push(member)

    if to == "first":
        push_all()
    with c.line(target.value, ALL_IN_LINE) as member, c.block() as gone:
        c.go(gone, core.Compare("in", member, among))
        push(member)
    if to == "last":
        push_all()
    target.write(c, order)


def _out(c: Context, target: Place, member: Expr, found: Var | None = None) -> Var:
    """Those behind it move up; the first place in which nobody stands. It is put into `found`, if it stood there."""
    place, size = c.let(NOTHING), Const(target.cells)
    with c.block() as end:
        with c.block() as there, c.loop():
            c.unless(Compare("<", place, size), end)
            here = c.let(_at(target, place))
            c.unless(Compare("!=", here, member), there)
            c.unless(Compare(">=", here, NOTHING), end)
            c.set(place, op(o.ADD, place, Const(1)))
        if found is not None:
            c.set(found, member)
        with c.loop():
            behind, following = c.let(op(o.ADD, place, Const(1))), c.let(NONE)
            with c.block() as last:
                c.unless(Compare("<", behind, size), last)
                c.set(following, _at(target, behind))
            _write(c, target, place, following)
            c.unless(Compare(">=", following, NOTHING), end)
            c.set(place, behind)
    return place


def _make_room(c: Context, target: Place, place: Var) -> None:
    """All move down by one, as far as to this place; then it is the first."""
    with c.block() as end, c.loop():
        c.unless(Compare(">", place, NOTHING), end)
        before = c.let(op(o.SUB, place, Const(1)))
        _write(c, target, place, _at(target, before))
        c.set(place, before)


def _cell(target: Place, place: Expr) -> Expr:
    if target.index is None:
        return place
    return op(o.ADD, op(o.MUL, target.index, Const(target.cells)), place)


def _at(target: Place, place: Expr) -> Expr:
    assert isinstance(target.base, int)
    return Load(target.base, _cell(target, place))


def _write(c: Context, target: Place, place: Expr, member: Expr) -> None:
    c.add(core.Store(target.base, _cell(target, place), member, cause=c.cause))


def _ended(c: Context) -> None:
    """An event of a cell that is no variable ends the change, as others may follow it at once."""
    c.add(core.Store(o.SCRATCH, None, op(o.ANDN, Const(1), Cell(o.SCRATCH)), cause=c.cause))
