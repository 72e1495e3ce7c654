"""What to write where a value is not asked of what it is asked of: fields, keeps, quantities and resources."""

from __future__ import annotations

from collections.abc import Sequence

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.language.sorts import a, awaited
from edict.meaning.at_hand import given
from edict.meaning.remedies import Remedy
from edict.meaning.symbols import Resolved
from edict.meaning.types import spoken
from edict.program import Type
from edict.report import Diagnostic, Edit, Label, listed


def of_what(resolved: Resolved, name: t.Name, params: Sequence[t.Param], it: bool) -> Remedy:
    """Of `hand` alone, which is one for each player; `it`: players are looked at one by one here."""
    of = " in ".join(given(resolved, params, ["it"] if it else []))
    text = f"{name.word} of {of}"
    if len(params) == 1 and of in ("you", "it"):
        return f"write `{text}`", (Edit(name.span, text),)
    kinds = " and ".join(a(param.name.word) for param in params)
    return f"write `{text}`, or name another {kinds.partition(' ')[2]}", ()


def with_params(resolved: Resolved, apply: t.Apply, params: Sequence[t.Param]) -> Remedy:
    """Of a keep or quantity that is asked of too much or too little."""
    name = apply.head.word
    if not params:
        return f"write `{name}` alone", (Edit(apply.span, name),)
    of = " in ".join(given(resolved, params, map(expression, apply.args)))
    more = f", or another {params[-1].name.word}" if len(params) > len(apply.args) else ""
    return f"write `{name} of {of}`{more}", ()


def orders(resolved: Resolved) -> str:
    """Which keeps can be shuffled and arranged."""
    keeps = (one for one in resolved.book.definitions.values() if isinstance(one, t.Keep))
    there = [one.name.word for one in keeps if one.type.shape == "order"]
    named = f"name {listed(there)}, or declare one" if there else "declare one"
    return f"only an order can be: {named}, as in `keep my-pile as order of KIND`"


def does_nothing(
    of: Type, thing: t.Definition | None, do: t.DoEdge | t.DoField, at: t.Definition, edge: str
) -> Diagnostic:
    """Of a thing that waits for no such moment."""
    who = f"`{thing.name.word}`" if isinstance(thing, t.Thing) else spoken(of)
    return Diagnostic(
        "E0418", f"{who} does nothing at that moment", do.span, labels=(Label(at.name.span, "the moment"),),
        help=f"write `when {awaited(at.name.word, edge)}` in the thing, or name a moment for which it waits",
    )  # fmt: skip
