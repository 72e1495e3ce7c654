"""Numbers that are written down or printed on a thing, and what is computed from them."""

from __future__ import annotations

from collections.abc import Sequence

from edict.compiler.english.phrase_tables import tell
from edict.compiler.semantics.symbols import Resolved, definition_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import run_on, split_title


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
    if op == "*":
        return left * right
    return left + right if op == "+" else left - right


def _printed(r: Resolved, e: t.Apply) -> int | None:
    """A field of a thing that is named outright."""
    thing = definition_of(r, e.args[0])
    fields = thing.fields if isinstance(thing, t.Thing) else ()
    value = next((field.expr for field in fields if field.name.word == e.head.word), None)
    return settled(r, value) if value is not None else None


def with_values(r: Resolved, parts: Sequence[str | t.Expr], unknown: str = "") -> str:
    """Texts and values run on: the number, where it can be told before play; else its words, or `unknown`."""
    words = [part if isinstance(part, str) else _filled_in(r, part, unknown) for part in parts]
    for i, part in enumerate(parts[1:], 1):
        if isinstance(part, str) and isinstance(parts[i - 1], t.Expr):
            words[i] = split_title(part)[words[i - 1] != "1"]  # as in announcements: `2 coins`
    return run_on(words)


def _filled_in(r: Resolved, e: t.Expr, unknown: str) -> str:
    number = settled(r, e)
    return (unknown or tell(r, e)) if number is None else str(number)


def branch_title(r: Resolved, branch: t.Branch) -> str:
    """The title of one of the ways of a choice, with an ellipsis for what only play can tell."""
    return with_values(r, (branch.title, *branch.more), "…")
