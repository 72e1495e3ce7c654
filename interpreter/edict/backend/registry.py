"""How expressions and statements are written, for all that hold some: conditions, and they themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.backend import core
from edict.backend.emit import Operand, Slot
from edict.backend.procedures import Writer

VALUES: dict[type, Callable[[Writer, Any, Slot | None], Operand]] = {}
STATEMENTS: dict[type, Callable[[Writer, Any], None]] = {}


def value(w: Writer, expr: core.Expr, into: Slot | None = None) -> Operand:
    """The cell of the value. It may be that of a variable, so copy what must not change.

    into: where it would best stand; it may still stand elsewhere.
    """
    return VALUES[type(expr)](w, expr, into)


def carry_out(w: Writer, body: core.Body) -> None:
    before = w.code.cause
    for statement in body:
        w.code.cause = statement.cause
        STATEMENTS[type(statement)](w, statement)
    w.code.cause = before
