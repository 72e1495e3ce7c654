"""Numbers written down, and what is computed from them, that are beyond what a cell can hold."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.meaning.calls import owners
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.program.opcodes import LEAST, MOST
from edict.report import Diagnostic


def too_large(typed: Typed) -> Iterator[Diagnostic]:
    known: dict[t.Expr, int | None] = {}
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if isinstance(node, t.Binary) and not _fits(known, node) and _fits(known, node.left, node.right):
                yield Diagnostic(
                    "E0526", "this comes to a number that is too large", node.span,
                    note=f"Numbers reach to {-LEAST:,}, which is 2 to the power of 62, above and below 0.",
                    help="compute with smaller numbers",
                )  # fmt: skip


def _fits(known: dict[t.Expr, int | None], *values: t.Expr) -> bool:
    """Whether none of these is a number beyond the limits; what depends on the game may be anything."""
    found = (_value(known, value) for value in values)
    return all(value is None or LEAST <= value <= MOST for value in found)


def _value(known: dict[t.Expr, int | None], expr: t.Expr) -> int | None:
    """The number that comes of numbers alone; None for everything else."""
    if expr not in known:
        known[expr] = _computed(known, expr)
    return known[expr]


def _computed(known: dict[t.Expr, int | None], expr: t.Expr) -> int | None:
    if isinstance(expr, t.Number):
        return expr.value
    if isinstance(expr, t.Unary) and expr.op == "minus":
        value = _value(known, expr.arg)
        return None if value is None else -value
    if not isinstance(expr, t.Binary) or expr.op not in ("+", "-", "*"):
        return None
    left, right = _value(known, expr.left), _value(known, expr.right)
    if left is None or right is None or not _fits(known, expr.left, expr.right):
        return None
    return left + right if expr.op == "+" else left - right if expr.op == "-" else left * right
