"""Numbers that are written down or printed on a thing, and what is computed from them."""

from __future__ import annotations

from edict.language import tree as t
from edict.meaning.symbols import Resolved, definition_of


def settled(r: Resolved, e: t.Expr) -> int | None:
    """The number an expression always gives; None if that is known only in play, or set for the table."""
    if isinstance(e, t.Number):
        return e.value
    if isinstance(e, t.Unary) and e.op == "minus":
        number = settled(r, e.arg)
        return None if number is None else -number
    if isinstance(e, t.Binary) and e.op in ("+", "-", "*"):
        return _reckoned(e.op, settled(r, e.left), settled(r, e.right))
    return _printed(r, e) if isinstance(e, t.Apply) and len(e.args) == 1 else None


def _reckoned(op: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    return left + right if op == "+" else left - right if op == "-" else left * right


def _printed(r: Resolved, e: t.Apply) -> int | None:
    """A field of a thing that is named outright."""
    thing = definition_of(r, e.args[0])
    fields = thing.fields if isinstance(thing, t.Thing) else ()
    value = next((field.expr for field in fields if field.name.word == e.head.word), None)
    return settled(r, value) if value is not None else None
