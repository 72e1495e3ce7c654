"""What to write where a value is not asked of what it is asked of: fields, keeps, quantities and resources."""

from __future__ import annotations

from collections.abc import Sequence

from edict.language import tree as t
from edict.language.printing.expressions import PRIMARY, expression
from edict.language.sorts import a, awaited
from edict.meaning.symbols import NUMBER, RESOURCE, Resolved, Symbol
from edict.meaning.type_examples import given
from edict.meaning.type_remedies import Remedy
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


def of_many(resolved: Resolved, apply: t.Apply, have: Type, wanted: Type) -> Remedy | None:
    """Of a keep or resource that is asked of several at once: of each of them, or of all together."""
    if len(apply.args) != 1 or have.shape not in ("set", "order", "bag") or Type("thing", have.kind) != wanted:
        return None
    arg, meaning = apply.args[0], resolved.meaning.get(apply.head)
    what = meaning.definition if isinstance(meaning, Symbol) else None
    number = not isinstance(what, t.Keep | t.Term) or isinstance(what, t.Keep) and what.type.shape == "number"
    members, player = expression(arg), have.kind == "player"
    all_of = members in ("everyone", f"{have.kind}s")
    loop = f"each {have.kind}" if all_of else f"each {have.kind} in {expression(arg, PRIMARY)}"
    one = "you" if player else have.kind
    text = f"each has its own: write `{loop}`, and this line under it with `{apply.head.word} of {one}`"
    together = f"; all together are `sum of {apply.head.word} of it over {expression(arg, PRIMARY)}`" if number else ""
    return text + together, ()


def as_price(resolved: Resolved, apply: t.Apply, types: Sequence[Type]) -> Remedy | None:
    """Of `gold of statue`: what that costs, if things of its kind have a price."""
    kind = resolved.book.definitions.get(types[0].kind) if types and types[0].shape == "thing" else None
    fields = kind.fields if isinstance(kind, t.Kind) else ()
    price = next((one.name.word for one in fields if one.type and one.type.shape == "amounts"), "")
    if not price:
        return None
    text = f"{price} of {expression(apply.args[0], PRIMARY)} in {apply.head.word}"
    return f"write `{text}`: what that costs", (Edit(apply.span, text),)


def of_one_resource(resolved: Resolved, apply: t.Apply) -> str:
    """Of `cost of statue` where a number stands."""
    one = next((name for name, d in resolved.book.definitions.items() if isinstance(d, t.Resource)), "...")
    price = f"{apply.head.word} of {expression(apply.args[0], PRIMARY)}"
    more = f"several are gained or paid as they are, as in `pay {price}`"
    return f"write `{price} in {one}`, or name another resource; {more}"


def is_none(unary: t.Unary, of: Type) -> Remedy | None:
    """Of `envoy is empty`, where there is one or none."""
    if unary.op != "empty" or not of.optional:
        return None
    text = f"{expression(unary.arg, PRIMARY)} is none"
    return f"write `{text}`: of one thing it is asked whether it is there", (Edit(unary.span, text),)


def a_number(unary: t.Unary, of: Type) -> Remedy | None:
    """Of `count of year`, which is a number already; or of a resource, of which somebody has so many."""
    if of == NUMBER:
        text = expression(unary.arg, PRIMARY)
        return f"write `{text}`: it is a number already", (Edit(unary.span, text),)
    if of == RESOURCE and isinstance(unary.arg, t.Name):
        text = f"{unary.arg.word} of you"
        return f"write `{text}`: how much of it somebody has", (Edit(unary.span, text),)
    return None


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
