"""What takes more than one cell: sets of more members than a cell has bits, orders of more than are packed into one.

Rules are put together as if a cell had room for anything; every value that takes several says so, and `spreading` takes
it apart, cell by cell: a set into pieces of `opcodes.BITS` members each, an order into its places. Numbers to choose
from never stand anywhere: they are gone through.
"""

from __future__ import annotations

from collections.abc import Iterable

from edict.backend import core
from edict.backend.nodes import node
from edict.program import opcodes as o



@node
class Bit(core.Expr):
    """The set of one thing alone, or of none."""

    member: core.Expr
    cells: int


@node
class Blank(core.Expr):
    """An order in which nothing stands yet."""

    cells: int


@node
class Numbers(core.Expr):
    """All numbers from one to another, as far as they are not below 0."""

    low: core.Expr
    high: core.Expr


WIDEST = frozenset((o.OR, o.AND))


def cells_of(expr: core.Expr) -> int:
    """How many cells a value takes."""
    found = getattr(expr, "cells", 0)
    if found:
        return int(found)
    if isinstance(expr, core.Op):
        sets = [one for one in expr.args if isinstance(one, core.Expr)]
        if expr.op in WIDEST:
            return max(cells_of(one) for one in sets)
        return cells_of(sets[0]) if expr.op == o.ANDN else 1
    if isinstance(expr, core.After):
        return cells_of(expr.result)
    if isinstance(expr, core.Called):
        return expr.procedure.result.cells
    return cells_of(expr.members) if isinstance(expr, core.Kept) else 1


def gone_through(expr: core.Expr) -> bool:
    """Whether it is numbers, which stand nowhere."""
    return isinstance(expr, Numbers) or isinstance(expr, core.Kept) and gone_through(expr.members)


def takes_several(expr: object) -> bool:
    return isinstance(expr, core.Expr) and (cells_of(expr) > 1 or gone_through(expr))


def is_wide(one: object) -> bool:
    """Whether a node of the core, apart from those below it, has to do with several cells."""
    if isinstance(one, core.Called):
        return one.procedure.result.cells > 1
    return getattr(one, "cells", 1) > 1 or isinstance(one, Numbers)


def measure(nodes: Iterable[object]) -> None:
    """Give every variable as many cells as the largest value it gets."""
    lets = [one for one in nodes if isinstance(one, core.Let) and one.value is not None]
    grown = True
    while grown:
        grown = False
        for one in lets:
            assert one.value is not None
            cells = cells_of(one.value)
            if isinstance(one.var, core.Var) and cells > one.var.cells:
                one.var.hold(cells)
                grown = True
