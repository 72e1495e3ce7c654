"""How expressions, conditions and statements are written, for all that hold some.

A value stands in as many cells as its type takes, and is written as their operands: nearly always one. What comes
first of a set of several stands in the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import Label, Operand, Slot
from edict.compiler.codegen.procedures import Writer

Operands = Sequence[Operand]
Into = Sequence[Slot] | None
"""Where a value would best stand; it may still stand elsewhere."""

VALUES: dict[type, Callable[[Writer, Any, Into], Operands]] = {}
CONDITIONS: dict[type, Callable[[Writer, Any, Label, bool], None]] = {}
STATEMENTS: dict[type, Callable[[Writer, Any], None]] = {}


def values(w: Writer, expr: core.Expr, into: Into = None) -> Operands:
    """The cells of the value. They may be those of a variable, so copy what must not change."""
    return VALUES[type(expr)](w, expr, into)


def value(w: Writer, expr: core.Expr) -> Operand:
    """The cell of a value that takes one."""
    (found,) = VALUES[type(expr)](w, expr, None)
    return found


def jump(w: Writer, condition: core.Condition, target: Label, when: bool) -> None:
    """Go to the target if the condition is as said."""
    before = w.code.cause
    if condition.cause >= 0:
        w.code.cause = condition.cause
    CONDITIONS[type(condition)](w, condition, target, when)
    w.code.cause = before


def carry_out(w: Writer, body: core.Body) -> None:
    before = w.code.cause
    for statement in body:
        w.code.cause = statement.cause
        STATEMENTS[type(statement)](w, statement)
    w.code.cause = before
