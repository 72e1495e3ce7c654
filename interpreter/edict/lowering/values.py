"""Values and conditions as core. Each sort of expression registers here what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.backend import core
from edict.backend.core import ALL_IN_LINE, Condition, Const, Expr
from edict.backend.wide import Bit, Blank
from edict.language import tree as t
from edict.meaning.typed import Coercion
from edict.lowering.builder import NOTHING, op
from edict.lowering.context import Context
from edict.lowering.layout import NUMBERS
from edict.program import Type
from edict.program import opcodes as o

VALUES: dict[type, Callable[[Context, Any], Expr]] = {}
CONDITIONS: dict[type, Callable[[Context, Any, int], Condition]] = {}
"""What a condition of this sort, with its cause, becomes; others hold if their value is not 0."""


def value(c: Context, expr: t.Expr) -> Expr:
    """The value as its place takes it."""
    found = uncoerced(c, expr)
    coercion = c.typed.coerced.get(expr)
    return found if coercion is None else COERCE[coercion](c, found, c.type(expr).kind)


def uncoerced(c: Context, expr: t.Expr) -> Expr:
    """The value as it is, whatever its place makes of it."""
    return VALUES[type(expr)](c, expr)


def condition(c: Context, expr: t.Expr) -> Condition:
    """Whether it holds."""
    before, c.cause = c.cause, c.asking(expr.span)
    if type(expr) in CONDITIONS:
        found = CONDITIONS[type(expr)](c, expr, c.cause)
    else:
        found = core.Test(value(c, expr), cause=c.cause, told=True, works=c.works)
    c.cause = before
    return found


def alone(c: Context, thing: Expr, kind: str) -> Expr:
    """The set of one thing, or of none."""
    cells = c.cells(Type("set", kind))
    return op(o.BIT, thing) if cells == 1 else Bit(thing, cells)


def blank_order(c: Context, kind: str) -> Expr:
    """An order of the kind in which nothing stands yet."""
    cells = c.cells(Type("order", kind))
    return Const((1 << 60) - 1) if cells == 1 else Blank(cells)


def members_of_order(c: Context, order: Expr, kind: str) -> Expr:
    with c.apart() as body:
        found, order = c.let(NOTHING), c.once(order)
        with c.line(order, ALL_IN_LINE) as member:
            c.set(found, op(o.OR, found, alone(c, member, kind)))
    return core.After(tuple(body), found)


COERCE: dict[Coercion, Callable[[Context, Expr, str], Expr]] = {
    Coercion.THING_TO_SET: alone,
    Coercion.ORDER_TO_SET: members_of_order,
    Coercion.NUMBER_TO_SET: lambda c, number, _: op(o.BIT, core.Within(number, 0, NUMBERS - 1)),
    Coercion.PRESENT: lambda c, thing, _: core.Present(thing),
}
