"""Code generation for conditions, which become jumps, and for filters of sets.

Some conditions of a filter are applied to all members at once, without a loop: `it in S`, `it not in S`, `T[it] in S`,
`T[it] within S` and `T[it] = V`, if S and V do not depend on `it`. All others are tested for each member that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.procedures import (
    CONDITION_EMITTERS,
    Operands,
    ProcedureWriter,
    emit_body,
    emit_jump,
    emit_value,
    emit_values,
)
from edict.compiler.codegen.sets import emit_membership, emit_nonempty, emit_union, loop_over_set, pad_cells
from edict.runtime.program import opcodes as o

MAX_UNROLLED_MEMBERS = 4  # members that are tested one by one instead of in a loop
MAX_COPIES = 64  # copies of one condition where unrolled loops are nested


def _make_junction_emitter(decisive: bool) -> Callable[[ProcedureWriter, core.All | core.Any_, CodeLabel, bool], None]:
    """Return an emitter for `and` (decisive False) or `or` (True): one part with that value decides the jump."""

    def emit_junction(w: ProcedureWriter, condition: core.All | core.Any_, target: CodeLabel, when: bool) -> None:
        if decisive == when:
            for part in condition.parts:
                emit_jump(w, part, target, when)
            return
        end = CodeLabel()
        for part in condition.parts[:-1]:
            emit_jump(w, part, end, not when)
        if condition.parts:
            emit_jump(w, condition.parts[-1], target, when)
        else:
            w.emit(o.JMP, target)
        w.place_label(end)

    return emit_junction


def _emit_test(w: ProcedureWriter, condition: core.Test, target: CodeLabel, when: bool) -> None:
    """Emit a jump that is taken if the test that a set is empty (or that it is not) comes out as `when`."""
    w.emit_decision(
        condition, when, o.JZ if condition.empty == when else o.JNZ, emit_nonempty(w, condition.value), target
    )


def _emit_equality(w: ProcedureWriter, comparison: core.Compare, target: CodeLabel, when: bool) -> None:
    """Emit a jump on `=` or its negation; values of several cells are equal if all cell differences are 0."""
    left, right = emit_values(w, comparison.left), emit_values(w, comparison.right)
    jumps_if_equal = (comparison.op == "=") == when
    if len(left) == len(right) == 1:
        w.emit_decision(comparison, when, o.JEQ if jumps_if_equal else o.JNE, left[0], right[0], target)
    else:
        difference = _emit_cellwise(w, o.SUB, left, right)
        w.emit_decision(comparison, when, o.JZ if jumps_if_equal else o.JNZ, emit_union(w, difference), target)


def _emit_order_comparison(w: ProcedureWriter, comparison: core.Compare, target: CodeLabel, when: bool) -> None:
    """Emit a jump on `<`, `<=`, `>` or `>=`, turned into JLT or JLE by exchanging the operands if needed."""
    left, right = emit_value(w, comparison.left), emit_value(w, comparison.right)
    op = comparison.op
    if op in (">", ">="):
        left, right = right, left
        op = {">": "<", ">=": "<="}[op]
    if when:
        w.emit_decision(comparison, when, o.JLT if op == "<" else o.JLE, left, right, target)
    else:
        w.emit_decision(comparison, when, o.JLE if op == "<" else o.JLT, right, left, target)


def _emit_membership(w: ProcedureWriter, comparison: core.Compare, target: CodeLabel, when: bool) -> None:
    """Emit a jump on `in` or its negation; for a constant member, read only the set's cell that could hold it."""
    jumps_if_member, member_expr = (comparison.op == "in") == when, comparison.left
    if isinstance(member_expr, core.Const) and 0 <= member_expr.value < comparison.right.cells * o.BITS:
        cell_number, bit = divmod(member_expr.value, o.BITS)
        cell = _read_set_cell(w, comparison.right, cell_number)
        w.emit_decision(comparison, when, o.JIN if jumps_if_member else o.JOUT, w.const(bit), cell, target)
        return
    member, set_cells = emit_value(w, member_expr), emit_values(w, comparison.right)
    if len(set_cells) == 1:
        w.emit_decision(comparison, when, o.JIN if jumps_if_member else o.JOUT, member, set_cells[0], target)
    else:
        w.emit_decision(
            comparison, when, o.JNZ if jumps_if_member else o.JZ, emit_membership(w, member, set_cells), target
        )


def _read_set_cell(w: ProcedureWriter, members: core.CoreExpr, cell_number: int) -> Operand:
    """Return the cell `cell_number` of a set; if the set is an element of a row, load only this cell."""
    if isinstance(members, core.Load) and members.cells > 1:
        return emit_value(
            w, core.Load(members.base + cell_number, core.Op(o.IDX, (members.index, members.cells, core.Const(0))))
        )
    return emit_values(w, members)[cell_number]


def _emit_subset_test(w: ProcedureWriter, comparison: core.Compare, target: CodeLabel, when: bool) -> None:
    """Emit a jump on whether no member of the left set is missing in the right one."""
    outside = _emit_cellwise(w, o.ANDN, emit_values(w, comparison.left), emit_values(w, comparison.right))
    w.emit_decision(comparison, when, o.JZ if when else o.JNZ, emit_union(w, outside), target)


def _emit_cellwise(w: ProcedureWriter, op: int, left: Operands, right: Operands) -> Operands:
    """Emit an operation on each pair of cells of two values, the shorter padded with 0; return the result cells."""
    cells = max(len(left), len(right))
    result = w.allocate_row(cells)
    for cell, a, b in zip(result, pad_cells(w, left, cells), pad_cells(w, right, cells), strict=True):
        w.emit(op, cell, a, b)
    return result


COMPARISON_EMITTERS: dict[str, Callable[[ProcedureWriter, core.Compare, CodeLabel, bool], None]] = {
    "=": _emit_equality,
    "!=": _emit_equality,
    "<": _emit_order_comparison,
    "<=": _emit_order_comparison,
    ">": _emit_order_comparison,
    ">=": _emit_order_comparison,
    "in": _emit_membership,
    "not-in": _emit_membership,
    "within": _emit_subset_test,
}


def unrollable_members(members: int) -> tuple[int, ...]:
    """Return the indices of the set bits, ascending; empty if they are more than `MAX_UNROLLED_MEMBERS`."""
    if members.bit_count() <= MAX_UNROLLED_MEMBERS:
        return tuple(i for i in range(members.bit_length()) if members >> i & 1)
    return ()


def _emit_quantifier(w: ProcedureWriter, condition: core.Quantifier, target: CodeLabel, when: bool) -> None:
    """Emit a jump to `target` if `every` or `some` member meeting the condition is `when`; unroll small sets."""
    decisive, decided = not condition.every, CodeLabel()
    decisive_target = target if decisive == when else decided
    if isinstance(condition.members, core.Const):
        unrolled = unrollable_members(condition.members.value)
    else:
        unrolled = ()
    copies = w.copies
    if not unrolled or copies * len(unrolled) > MAX_COPIES:
        with loop_over_set(w, condition.it, condition.members):
            emit_jump(w, condition.condition, decisive_target, decisive)
        unrolled = ()
    w.copies *= max(1, len(unrolled))
    for member in unrolled:
        w.alias(condition.it, w.const(member))
        emit_jump(w, condition.condition, decisive_target, decisive)
    w.copies = copies
    if decisive != when:
        w.emit(o.JMP, target)
    w.place_label(decided)


def _emit_excepted_rule(w: ProcedureWriter, condition: core.ExceptedRule, target: CodeLabel, when: bool) -> None:
    """Emit a jump on a rule that also counts as met if one of its exceptions holds."""
    CONDITION_EMITTERS[core.Any_](w, core.Any_((condition.rule, *condition.exceptions)), target, when)


def _emit_if_condition(w: ProcedureWriter, condition: core.IfCondition, target: CodeLabel, when: bool) -> None:
    """Emit a jump on `then` if the test holds, else on `otherwise`; only the chosen condition is evaluated."""
    otherwise, end = CodeLabel(), CodeLabel()
    emit_jump(w, condition.test, otherwise, False)
    emit_jump(w, condition.then, target, when)
    w.emit(o.JMP, end)
    w.place_label(otherwise)
    emit_jump(w, condition.otherwise, target, when)
    w.place_label(end)


def _emit_statement_condition(
    w: ProcedureWriter, condition: core.StatementCondition, target: CodeLabel, when: bool
) -> None:
    """Emit the statements of the body, then a jump on the condition that they prepare."""
    emit_body(w, condition.body)
    emit_jump(w, condition.condition, target, when)


_CONDITIONS: dict[type, Callable[[ProcedureWriter, Any, CodeLabel, bool], None]] = {
    core.All: _make_junction_emitter(False),
    core.Any_: _make_junction_emitter(True),
    core.Not: lambda w, condition, target, when: emit_jump(w, condition.part, target, not when),
    core.Test: _emit_test,
    core.Compare: lambda w, comparison, target, when: COMPARISON_EMITTERS[comparison.op](w, comparison, target, when),
    core.Quantifier: _emit_quantifier,
    core.ExceptedRule: _emit_excepted_rule,
    core.IfCondition: _emit_if_condition,
    core.StatementCondition: _emit_statement_condition,
}
CONDITION_EMITTERS.update(_CONDITIONS)


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
