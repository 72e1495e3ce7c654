"""What to write where a value is not asked of what it is asked of: fields, keeps, quantities and resources."""

from __future__ import annotations

from collections.abc import Sequence

from edict.language import tree as t
from edict.language.printing.expressions import PRIMARY, expression
from edict.language.sorts import a, awaited
from edict.meaning.at_hand import asked_of, at_hand, given
from edict.meaning.remedies import SEVERAL, Remedy
from edict.meaning.symbols import NUMBER, PLAYER, Resolved
from edict.meaning.typed import spoken
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


def fields_of(resolved: Resolved, of: Type, field: str, expr: t.Expr | None = None) -> str:
    """What to write in place of a field of another kind."""
    many = _field_of_many(resolved, of, field, expr) if expr is not None else ""
    if many:
        return many
    kind = resolved.book.definitions.get(of.kind)
    belongs = f"`{field}` belongs to: {', '.join(resolved.fields.get(field, ()))}"
    if of.shape != "thing" or not isinstance(kind, t.Kind):
        return belongs
    has = listed((one.name.word for one in kind.fields), "and") if kind.fields else "no fields"
    return f"{spoken(Type('thing', of.kind))} has {has}; {belongs}"


def _field_of_many(resolved: Resolved, of: Type, field: str, expr: t.Expr) -> str:
    """How a field is asked of something that has none: of the members of a set, of things that a player has."""
    kinds = resolved.fields.get(field, ())
    many = expression(expr, PRIMARY) if of.shape in SEVERAL and of.kind in kinds else ""
    if of == PLAYER:
        sets = (one for kind in kinds for one in at_hand(resolved, Type("set", kind)) if one.endswith("of you"))
        many = next(sets, "")
    if not many or not any((field, NUMBER) in asked_of(resolved, kind) for kind in kinds):
        return ""
    asked = f"{field} of it over {many}"
    who = "a player has no such field, but what is theirs has" if of.shape == "thing" else "each of them has its own"
    return f"{who}: write `sum of {asked}`, `best of {asked}` or `least of {asked}`"


def orders(resolved: Resolved) -> str:
    """Which keeps can be shuffled and arranged."""
    keeps = (one for one in resolved.book.definitions.values() if isinstance(one, t.Keep))
    there = [one.name.word for one in keeps if one.type.shape == "order"]
    named = f"name {listed(there)}, or declare one" if there else "declare one"
    return f"only an order can be: {named}, as in `keep my-pile as order of KIND`"


def of_all(one: t.CountIn, thing: Type, among: Type) -> Remedy:
    """Of `count of trees in hand`, where hand is a set: how many there are of all."""
    text = f"count of {expression(one.bag, PRIMARY)}"
    if thing.shape == "set" and thing.kind == among.kind:
        return f"write `{text}`", (Edit(one.span, text),)
    return "ask `is in`, or declare the keep `as bag of ...`", ()


def does_nothing(
    of: Type, thing: t.Definition | None, do: t.DoEdge | t.DoField, at: t.Definition, edge: str
) -> Diagnostic:
    """Of a thing that waits for no such moment."""
    who = f"`{thing.name.word}`" if isinstance(thing, t.Thing) else spoken(of)
    return Diagnostic(
        "E0418", f"{who} does nothing at that moment", do.span, labels=(Label(at.name.span, "the moment"),),
        help=f"write `when {awaited(at.name.word, edge)}` in the thing, or name a moment for which it waits",
    )  # fmt: skip
