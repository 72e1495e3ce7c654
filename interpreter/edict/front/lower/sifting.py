"""Conditions on the members of a set that one step answers for all of them, without going through them.

`it is in S`, `it is not in S`, `F of it is in S`, `F of it is within S` and `F of it = V` narrow the set at once, if
S and V have nothing to do with `it` and F is a printed field. Whatever else is asked is asked of each member that is
left.
"""

from __future__ import annotations

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.backend.emit import Operand, Slot
from edict.front.lower.expressions import VALUES, jump, value
from edict.front.symbols import Local, Symbol, walk
from edict.program import opcodes as o

MEMBERS = range(62)
SINGLE = ("number", "thing")
SETS = ("set",)


def sift(c: Context, rest: Slot, it: Local, condition: t.Expr) -> list[t.Expr]:
    """Narrow the set `rest` by the condition; gives what is still to be asked of each member, all of it.

    Only what comes first in a row of `and` is done at once: it may be there to guard the rest.
    """
    asked = conjuncts(condition)
    while asked and can_sift(c, it, asked[0]):
        narrow(c, rest, it, asked.pop(0))
    return asked


def conjuncts(condition: t.Expr) -> list[t.Expr]:
    if isinstance(condition, t.Binary) and condition.op == "and":
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def can_sift(c: Context, it: Local, condition: t.Expr) -> bool:
    """Whether `narrow` can do it."""
    if not isinstance(condition, t.Binary) or speaks_of(c, it, condition.right):
        return False
    if condition.op in ("in", "not-in"):
        return _is(c, it, condition.left) or field_table(c, it, condition.left) is not None
    if condition.op == "within":
        return field_table(c, it, condition.left, SETS) is not None
    if condition.op == "=" and c.type(condition.right).shape in ("number", "thing"):
        table = field_table(c, it, condition.left)
        return table is not None and all(x in MEMBERS for x in table)
    return False


def narrow(c: Context, rest: Slot, it: Local, condition: t.Expr) -> None:
    """Leave in the set only the members that meet a condition that can be sifted."""
    assert isinstance(condition, t.Binary)
    end = c.label()
    c.emit(o.JZ, rest, end)  # nothing can go wrong over a set that is empty
    if condition.op == "=":
        among: Operand = c.cell()
        c.emit(o.BIT, among, value(c, condition.right))
    else:
        among = value(c, condition.right)
    table = field_table(c, it, condition.left, SETS if condition.op == "within" else SINGLE)
    if table is not None:
        among = sifted(c, rest, table, among, o.INSIDE if condition.op == "within" else o.SIFT)
    c.emit(o.ANDN if condition.op == "not-in" else o.AND, rest, rest, among)
    c.put(end)


def sifted(c: Context, among: Operand, table: list[int], allowed: Operand, op: int = o.SIFT) -> Slot:
    """Those whose entry in the table is allowed."""
    found = c.cell()
    c.emit(op, found, among, c.code.table(table), allowed)
    return found


def speaks_of(c: Context, it: Local, expr: t.Node | None) -> bool:
    """Whether an expression depends on this local name."""
    return any(c.resolved.meaning.get(n) == it for n in walk(expr) if isinstance(n, t.Name))


def field_table(c: Context, it: Local, expr: t.Expr, shapes: tuple[str, ...] = SINGLE) -> list[int] | None:
    """The values of the field if the expression is a field of `it` of such a shape, and of nothing else."""
    if not isinstance(expr, t.Apply) or len(expr.args) != 1 or not _is(c, it, expr.args[0]):
        return None
    meaning = c.resolved.of(expr.head)
    if not isinstance(meaning, Symbol) or meaning.sort != "field" or c.type(expr).shape not in shapes:
        return None
    return c.constants.field(c.type(expr.args[0]).kind, expr.head.word)


def _is(c: Context, it: Local, expr: t.Expr) -> bool:
    return isinstance(expr, t.Name) and c.resolved.meaning.get(expr) == it


def kept(c: Context, owner: t.Node, members: Operand, condition: t.Expr) -> Slot:
    """The members of a set that meet a condition; the owner of the condition binds its `it`."""
    rest, it = c.copy(members), c.cell()
    c.bind(owner, it)
    asked = sift(c, rest, c.resolved.binds[owner], condition)
    if not asked:
        return rest
    found, bit, again, end = c.copy(c.const(0)), c.cell(), c.label(), c.label()
    c.put(again)
    c.emit(o.NEXT, it, rest, end)
    for one in asked:
        jump(c, one, again, False)
    c.emit(o.BIT, bit, it)
    c.emit(o.OR, found, found, bit)
    c.emit(o.JMP, again)
    c.put(end)
    return found


# Here and not in `expressions`, which this builds upon.
VALUES[t.Where] = lambda c, where: kept(c, where, value(c, where.members), where.condition)
