"""Conditions on the members of a set that one step answers for all of them, without going through them.

`it in S`, `it not in S`, `T[it] in S`, `T[it] within S` and `T[it] = V` narrow the set at once, if S and V have nothing
to do with `it`. Whatever else is asked is asked of each member that is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.condition_code import few_of
from edict.compiler.codegen.emit import Label, Operand, Slot
from edict.compiler.codegen.emitters import jump, value
from edict.compiler.codegen.procedures import Writer
from edict.runtime.program import opcodes as o

MEMBERS = range(62)
READY = (core.Var, core.Const, core.Cell)


def sift(w: Writer, rest: Slot, it: core.Var, conditions: tuple[core.Condition, ...]) -> list[core.Condition]:
    """Narrow the set `rest` by the conditions; gives what is still to be asked of each member, all of it.

    Only what comes first is done at once: it may be there to guard the rest. What no rule has words for guards nothing.
    """
    asked = [part for condition in conditions for part in _row(condition)]
    while asked and can_sift(it, asked[0]):
        _narrow(w, rest, it, asked.pop(0))
    unwritten = [condition for condition in asked if _is_plain(condition) and can_sift(it, condition)]
    for one in unwritten:
        _narrow(w, rest, it, one)
    return [condition for condition in asked if condition not in unwritten]


def _is_plain(condition: core.Condition) -> bool:
    """Whether it is the compiler's own and cannot fail."""
    return isinstance(condition, core.Compare) and not condition.told and isinstance(condition.right, READY)


def _row(condition: core.Condition) -> list[core.Condition]:
    if isinstance(condition, core.All):
        return [part for inner in condition.parts for part in _row(inner)]
    return [condition]


def few_known(kept: core.Kept) -> tuple[tuple[int, ...], tuple[core.Condition, ...]]:
    """The members of a small set that is the same in every game, and what is still to be asked of each; or nothing."""
    if not isinstance(kept.members, core.Const):
        return (), ()
    members, asked = kept.members.value, [part for condition in kept.conditions for part in _row(condition)]
    while asked and _is_known(asked[0], kept.it):
        members &= asked.pop(0).right.value  # type: ignore[attr-defined]
    return few_of(members) if asked and not can_sift(kept.it, asked[0]) else (), tuple(asked)


def _is_known(condition: core.Condition, it: core.Var) -> bool:
    """Whether it only says in which set known before play the member is."""
    plain = isinstance(condition, core.Compare) and condition.op == "in" and condition.left is it
    return plain and isinstance(condition.right, core.Const)  # type: ignore[attr-defined]


def can_sift(it: core.Var, condition: core.Condition) -> bool:
    """Whether it can be narrowed by; all that may be in the way of a rule are exceptions that speak of the member."""
    if isinstance(condition, core.Excepted):
        return can_sift(it, condition.rule) and not mentions(condition.exceptions, it)
    if not isinstance(condition, core.Compare) or mentions(condition.right, it):
        return False
    if condition.left.cells > 1 or condition.right.cells > 1:
        return False
    table = _table(it, condition.left)
    if condition.op in ("in", "not-in"):
        return condition.left is it or (table is not None and table.single)
    if condition.op == "within":
        return table is not None and not table.single
    return condition.op == "=" and table is not None and table.single and all(x in MEMBERS for x in table.values)


def _table(it: core.Var, expr: core.Expr) -> core.Table | None:
    """The table in which the member is looked up, if that is all there is to it."""
    return expr if isinstance(expr, core.Table) and expr.index is it else None


def _narrow(w: Writer, rest: Slot, it: core.Var, condition: core.Condition) -> None:
    """Leave in the set only the members that meet the condition; where an exception holds, it stays as it is."""
    end = Label()
    if isinstance(condition, core.Excepted):
        for exception in condition.exceptions:
            jump(w, exception, end, True)
        condition = condition.rule
    assert isinstance(condition, core.Compare)
    if not isinstance(condition.right, READY):
        w.emit(o.JZ, rest, end)  # nothing can go wrong over a set that is empty
    among: Operand = value(w, condition.right)
    if condition.op == "=":
        single = w.cell()
        w.emit(o.BIT, single, among)
        among = single
    table = _table(it, condition.left)
    if table is not None:
        found = w.cell()
        w.emit(o.INSIDE if condition.op == "within" else o.SIFT, found, rest, w.code.table(table.values), among)
        if condition.op != "not-in":
            w.emit(o.MOV, rest, found)
            w.put(end)
            return
        among = found
    w.emit(o.ANDN if condition.op == "not-in" else o.AND, rest, rest, among)
    w.put(end)


# --- what a condition speaks of ---------------------------------------------------------------------


def mentions(node: object, var: core.Var) -> bool:
    """Whether a variable is read or set anywhere below."""
    return any(node is var for node in _below(node))


@cache
def _slots(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _below(root: object) -> Iterator[object]:
    """The node, or the nodes of a tuple, and all of which they are made."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, core.Expr | core.Condition | core.Stmt):
            yield one
            kind: Any = type(one)
            waiting.extend(getattr(one, name) for name in _slots(kind))
