"""What is moved: no more than there is in the place it leaves, nor than there is room for where it goes.

What leaves one place and what comes to another is then the same, whatever was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edict.backend.composing import op
from edict.backend.core import ALL_IN_LINE, Compare, Condition, Const, Expr, Var
from edict.language import tree as t
from edict.lowering.containers import Reader, change_copy, each_once, reader, things, to_set
from edict.lowering.context import NOTHING, Context
from edict.lowering.values import blank_order, members_of_order, singleton, value
from edict.meaning.symbols import Local, keep_of
from edict.program import opcodes as o

ONCE = ("set", "order")  # of these each thing is a member once


@dataclass(frozen=True)
class Moving:
    """What goes from a place to another."""

    value: t.Expr
    place: t.Expr
    to: t.Expr


def name_of_moved(c: Context, one: Moving | None) -> Var | None:
    """The name that stands for what is moved."""
    meaning = c.resolved.meaning[one.value] if one is not None and isinstance(one.value, t.Name) else None
    moved = c.where[meaning] if isinstance(meaning, Local) else None
    return moved if isinstance(moved, Var) else None


def limit(c: Context, one: Moving, *, sought: bool = False) -> None:
    """The name that stands for what is moved stands from now on for what can be moved.

    `sought`: whether it is there is found out as it is taken away.
    """
    moved = name_of_moved(c, one)
    if moved is not None and c.type(one.value).shape in LIMITS:
        if _once(c, one):
            _keep_back(c, one, moved)
        if not sought:
            LIMITS[c.type(one.value).shape](c, one, moved)


def _keep_back(c: Context, one: Moving, moved: Var) -> None:
    """What is where it goes already stays: there is no room for another."""
    shape, there = c.type(one.value).shape, _members(c, one.to)
    if shape == "set":
        c.set(moved, op(o.ANDN, moved, there))
    elif shape == "thing":
        _unless(c, Compare("in", moved, there), lambda: c.set(moved, Const(-1)))
    elif shape == "order":
        _sift(c, one, moved, there, stays=True)
    elif shape == "dice":
        return
    else:
        there = c.once(there)
        with c.members(things(c, c.type(one.value).kind)) as it:
            change_copy(c, moved, it, op(o.MIN, op(o.LDX, moved, it), Const(1)))
            _unless(c, Compare("in", it, there), lambda: change_copy(c, moved, it, NOTHING))


def _unless(c: Context, holds: Condition, then: Callable[[], None]) -> None:
    with c.block() as end:
        c.unless(holds, end)
        then()


def _limit_thing(c: Context, one: Moving, moved: Var) -> None:
    there: Condition = Compare("in", moved, _members(c, one.place)) if c.type(one.place).shape != "bag" else Compare(
        ">", _often(c, one.place)(moved), NOTHING
    )  # fmt: skip
    with c.block() as end:
        c.go(end, there)
        c.set(moved, Const(-1))


def _limit_set(c: Context, one: Moving, moved: Var) -> None:
    c.set(moved, op(o.AND, moved, _members(c, one.place)))


def _limit_bag(c: Context, one: Moving, moved: Var) -> None:
    there = _often(c, one.place)
    with c.members(things(c, c.type(one.value).kind)) as it:
        change_copy(c, moved, it, op(o.MIN, op(o.LDX, moved, it), there(it)))


def _limit_order(c: Context, one: Moving, moved: Var) -> None:
    _sift(c, one, moved, _members(c, one.place))


def _sift(c: Context, one: Moving, moved: Var, among: Expr, *, stays: bool = False) -> None:
    """Of an order those that are in a set; or, if what is there `stays`, the others."""
    among, kept, length = c.once(among), c.let(blank_order(c, c.type(one.value).kind)), c.let(NOTHING)
    with c.line(moved, ALL_IN_LINE) as member, c.block() as gone:
        there = Compare("in", member, among)
        if stays:
            c.go(gone, there)
        else:
            c.unless(there, gone)
        c.step(o.PUSHO, kept, member, length)
        c.set(length, op(o.ADD, length, Const(1)))
    c.set(moved, kept)


def _limit_dice(c: Context, one: Moving, moved: Var) -> None:
    there, found = c.once(value(c, one.place)), c.let(NOTHING)
    with c.members(op(o.DFIELDS, moved)) as field:
        alike = c.once(op(o.BIT, field))
        left = c.let(op(o.MIN, op(o.DCOUNT, moved, alike), op(o.DCOUNT, there, alike)))
        with c.block() as end, c.loop():
            c.unless(Compare(">", left, NOTHING), end)
            c.set(found, op(o.DPUT, found, op(o.DONE, field)))
            c.set(left, op(o.SUB, left, Const(1)))
    c.set(moved, found)


LIMITS: dict[str, Callable[[Context, Moving, Var], None]] = {
    "thing": _limit_thing, "set": _limit_set, "bag": _limit_bag, "dice": _limit_dice, "order": _limit_order,
}  # fmt: skip


def _members(c: Context, place: t.Expr) -> Expr:
    """What there is in a place, as a set."""
    found, of = value(c, place), c.type(place)
    by = {"order": members_of_order, "bag": to_set, "thing": singleton}.get(of.shape)
    return found if by is None else by(c, found, of.kind)


def _often(c: Context, place: t.Expr) -> Reader:
    """How often a thing is in a place."""
    of = c.type(place)
    if of.shape == "bag":
        return reader(c, value(c, place), c.cells(of))
    bag = each_once(c, _members(c, place), of.kind)
    return reader(c, bag, bag.cells if isinstance(bag, Var) else c.cells(c.type(place)))


def _once(c: Context, one: Moving) -> bool:
    """Whether it goes to another place where each thing can be but once. (Within one order it only changes places.)"""
    here, there = keep_of(c.resolved, one.place), keep_of(c.resolved, one.to)
    return c.type(one.to).shape in ONCE and (here is None or here is not there or c.type(one.to).shape == "set")
