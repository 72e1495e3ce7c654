"""Numbers known before play: literals, printed fields, and what is computed from them."""

from __future__ import annotations

from collections.abc import Sequence

from edict.compiler.english.phrase_tables import describe
from edict.compiler.semantics.symbols import ResolvedBook, definition_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import join_line, split_title


def evaluate_known_number(r: ResolvedBook, e: t.Expr) -> int | None:
    """Return the number that an expression always has; None if it is known only in play or a setting."""
    if isinstance(e, t.Number):
        return e.value
    if isinstance(e, t.Unary) and e.op == "minus":
        number = evaluate_known_number(r, e.arg)
        return None if number is None else -number
    if isinstance(e, t.Binary) and e.op in ("+", "-", "*"):
        return _compute(e.op, evaluate_known_number(r, e.left), evaluate_known_number(r, e.right))
    if isinstance(e, t.Apply) and len(e.args) == 1:
        return _evaluate_printed_field(r, e)
    return None


def _compute(op: str, left: int | None, right: int | None) -> int | None:
    """Return left `*`, `+` or `-` right (any other operator subtracts); None if an operand is None."""
    if left is None or right is None:
        return None
    if op == "*":
        return left * right
    return left + right if op == "+" else left - right


def _evaluate_printed_field(r: ResolvedBook, e: t.Apply) -> int | None:
    """Return the number in a field of a thing that is named outright; None for others."""
    thing = definition_of(r, e.args[0])
    fields = thing.fields if isinstance(thing, t.Thing) else ()
    value = next((field.expr for field in fields if field.name.word == e.head.word), None)
    return evaluate_known_number(r, value) if value is not None else None


def join_with_values(r: ResolvedBook, parts: Sequence[str | t.Expr], unknown: str = "") -> str:
    """Return texts and values as one text; a value known only in play is described, or replaced by `unknown`."""
    words = [part if isinstance(part, str) else _format_value(r, part, unknown) for part in parts]
    for i, part in enumerate(parts[1:], 1):
        if isinstance(part, str) and isinstance(parts[i - 1], t.Expr):
            words[i] = split_title(part)[words[i - 1] != "1"]  # singular or plural as in announcements: `2 coins`
    return join_line(words)


def _format_value(r: ResolvedBook, e: t.Expr, unknown: str) -> str:
    """Return a number known before play in digits; else `unknown`, or the value in words if that is empty."""
    number = evaluate_known_number(r, e)
    return (unknown or describe(r, e)) if number is None else str(number)


def format_branch_title(r: ResolvedBook, branch: t.Branch) -> str:
    """Return the title of an option, with an ellipsis for what is known only in play."""
    return join_with_values(r, (branch.title, *branch.more), "…")
