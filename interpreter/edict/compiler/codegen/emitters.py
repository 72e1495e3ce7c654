"""The dispatch of expressions, conditions and statements to their emitters.

A value takes as many cells as its type needs, nearly always one; an emitter returns their operands. The first
members of a set of several cells are in the first cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.procedures import ProcedureWriter

Operands = Sequence[Operand]
PreferredTarget = Sequence[FrameSlot] | None  # cells where a value would best be placed; the emitter may ignore them

VALUE_EMITTERS: dict[type, Callable[[ProcedureWriter, Any, PreferredTarget], Operands]] = {}
CONDITION_EMITTERS: dict[type, Callable[[ProcedureWriter, Any, CodeLabel, bool], None]] = {}
STATEMENT_EMITTERS: dict[type, Callable[[ProcedureWriter, Any], None]] = {}


def emit_values(w: ProcedureWriter, expr: core.CoreExpr, into: PreferredTarget = None) -> Operands:
    """Emit an expression, and return its cells. They may belong to a variable; copy what must not change."""
    return VALUE_EMITTERS[type(expr)](w, expr, into)


def emit_value(w: ProcedureWriter, expr: core.CoreExpr) -> Operand:
    """Emit an expression that takes one cell, and return the cell."""
    (cell,) = VALUE_EMITTERS[type(expr)](w, expr, None)
    return cell


def emit_jump(w: ProcedureWriter, condition: core.Condition, target: CodeLabel, when: bool) -> None:
    """Emit a jump to `target` that is taken if the condition has the truth value `when`; otherwise code goes on."""
    outer_cause = w.code.cause
    if condition.cause >= 0:
        w.code.cause = condition.cause
    CONDITION_EMITTERS[type(condition)](w, condition, target, when)
    w.code.cause = outer_cause


def emit_body(w: ProcedureWriter, body: core.Body) -> None:
    """Emit the statements of a body, each with its cause."""
    outer_cause = w.code.cause
    for statement in body:
        w.code.cause = statement.cause
        STATEMENT_EMITTERS[type(statement)](w, statement)
    w.code.cause = outer_cause
