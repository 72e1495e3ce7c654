"""Set filters that one instruction applies to all members at once, without a loop.

`it in S`, `it not in S`, `T[it] in S`, `T[it] within S` and `T[it] = V` narrow the set directly if S and V do not
depend on `it`. All other conditions are tested for each member that is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.condition_code import unrollable_members
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.emitters import emit_jump, emit_value
from edict.compiler.codegen.procedures import ProcedureWriter
from edict.runtime.program import opcodes as o

MEMBERS = range(62)
ATOMIC_EXPRS = (core.Var, core.Const, core.Cell)  # expressions that need no code and cannot fail


def emit_bulk_filters(
    w: ProcedureWriter, rest: FrameSlot, loop_var: core.Var, conditions: tuple[core.Condition, ...]
) -> list[core.Condition]:
    """Emit set operations that narrow `rest`, and return the conditions to be tested member by member.

    Only leading conditions are applied at once, since they may guard later ones. A condition that the compiler added
    guards nothing, so it is always applied.
    """
    pending = [part for condition in conditions for part in _flatten_conjunction(condition)]
    while pending and can_filter_in_bulk(loop_var, pending[0]):
        _emit_bulk_filter(w, rest, loop_var, pending.pop(0))
    internal = [
        condition for condition in pending if _is_internal(condition) and can_filter_in_bulk(loop_var, condition)
    ]
    for bulk_filter in internal:
        _emit_bulk_filter(w, rest, loop_var, bulk_filter)
    return [condition for condition in pending if condition not in internal]


def _is_internal(condition: core.Condition) -> bool:
    """Return True if the condition was added by the compiler and cannot fail."""
    return isinstance(condition, core.Compare) and not condition.told and isinstance(condition.right, ATOMIC_EXPRS)


def _flatten_conjunction(condition: core.Condition) -> list[core.Condition]:
    """Return the parts of a conjunction, also of conjunctions in it, in order; of another condition, itself."""
    if isinstance(condition, core.All):
        return [part for inner in condition.parts for part in _flatten_conjunction(inner)]
    return [condition]


def unrollable_filter(filtered: core.FilteredSet) -> tuple[tuple[int, ...], tuple[core.Condition, ...]]:
    """Return the members and conditions of a filter over a small constant set; no members if it should not unroll."""
    if not isinstance(filtered.members, core.Const):
        return (), ()
    members, conditions = (
        filtered.members.value,
        [part for condition in filtered.conditions for part in _flatten_conjunction(condition)],
    )
    while conditions and _is_constant_membership(conditions[0], filtered.it):
        members &= conditions.pop(0).right.value  # type: ignore[attr-defined]
    return unrollable_members(members) if conditions and not can_filter_in_bulk(
        filtered.it, conditions[0]
    ) else (), tuple(conditions)


def _is_constant_membership(condition: core.Condition, loop_var: core.Var) -> bool:
    """Return True if the condition only tests membership in a constant set."""
    plain = isinstance(condition, core.Compare) and condition.op == "in" and condition.left is loop_var
    return plain and isinstance(condition.right, core.Const)  # type: ignore[attr-defined]


def can_filter_in_bulk(loop_var: core.Var, condition: core.Condition) -> bool:
    """Return True if a condition can narrow a set at once; its exceptions must not depend on the member."""
    if isinstance(condition, core.ExceptedRule):
        return can_filter_in_bulk(loop_var, condition.rule) and not mentions_variable(condition.exceptions, loop_var)
    if not isinstance(condition, core.Compare) or mentions_variable(condition.right, loop_var):
        return False
    if condition.left.cells > 1 or condition.right.cells > 1:
        return False
    table = _get_member_table(loop_var, condition.left)
    if condition.op in ("in", "not-in"):
        return condition.left is loop_var or (table is not None and table.single)
    if condition.op == "within":
        return table is not None and not table.single
    return condition.op == "=" and table is not None and table.single and all(x in MEMBERS for x in table.values)


def _get_member_table(loop_var: core.Var, expr: core.CoreExpr) -> core.TableLookup | None:
    """Return the table if the expression only looks the member up, else None."""
    if isinstance(expr, core.TableLookup) and expr.index is loop_var:
        return expr
    return None


def _emit_bulk_filter(w: ProcedureWriter, rest: FrameSlot, loop_var: core.Var, condition: core.Condition) -> None:
    """Emit set operations that remove the members of `rest` that fail a condition, unless an exception holds."""
    end = CodeLabel()
    if isinstance(condition, core.ExceptedRule):
        for exception in condition.exceptions:
            emit_jump(w, exception, end, True)
        condition = condition.rule
    assert isinstance(condition, core.Compare)
    if not isinstance(condition.right, ATOMIC_EXPRS):
        w.emit(o.JZ, rest, end)  # the operand must not fault if the set is empty
    allowed: Operand = emit_value(w, condition.right)
    if condition.op == "=":
        single = w.allocate_cell()
        w.emit(o.BIT, single, allowed)
        allowed = single
    table = _get_member_table(loop_var, condition.left)
    if table is not None:
        matches = w.allocate_cell()
        w.emit(o.INSIDE if condition.op == "within" else o.SIFT, matches, rest, w.code.add_table(table.values), allowed)
        if condition.op != "not-in":
            w.emit(o.MOV, rest, matches)
            w.place_label(end)
            return
        allowed = matches
    w.emit(o.ANDN if condition.op == "not-in" else o.AND, rest, rest, allowed)
    w.place_label(end)


# --- variables in a condition -----------------------------------------------------------------------


def mentions_variable(node: object, var: core.Var) -> bool:
    """Return True if a variable is read or set anywhere in a node."""
    return any(node is var for node in _iter_nodes(node))


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the dataclass fields of a class of nodes."""
    return tuple(field.name for field in fields(kind))


def _iter_nodes(root: object) -> Iterator[object]:
    """Iterate over a node, or the nodes of a tuple, and all their descendants."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, core.CoreExpr | core.Condition | core.CoreStmt):
            yield node
            kind: Any = type(node)
            pending.extend(getattr(node, name) for name in _field_names(kind))
