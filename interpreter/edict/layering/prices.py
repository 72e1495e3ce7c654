"""Part of `in_full`: payments, and amounts that a field, a keep or a quantity holds, resource by resource."""

from __future__ import annotations

from dataclasses import replace

from edict.language import tree as t
from edict.language.sorts import plurals
from edict.language.walking import copied
from edict.layering.written_out import Writer, stands_for
from edict.report import Diagnostic


@stands_for
def _give(w: Writer, s: t.Give) -> t.Block:
    """What it comes to is worked out for the giver."""
    whom, lets, given = w.fresh("whom"), list[t.Stmt](), list[t.Part]()
    for part in (one for written in s.bundle.parts for one in _all_of(w, written)):
        if isinstance(part, t.PartFrom) or part.each or w.group(part.what) is not None:
            w.found.append(_unclear(s, part))
            return ()
        amount = w.fresh("amount")
        lets.append(w.let(amount, part.amount))
        given.append(t.Part(part.span, copied(amount), part.what))
    gain = t.Gain(w.span, (t.Bundle(s.bundle.span, copied(tuple(given))),))
    spend = t.Spend(w.span, (t.Bundle(s.bundle.span, tuple(given)),), None, (w.turn_of(copied(whom), gain),))
    return (w.let(whom, s.whom), *lets, spend)


def _all_of(w: Writer, part: t.Part | t.PartFrom) -> tuple[t.Part | t.PartFrom, ...]:
    """Of all that one has of a group, nothing is left to choose: each of its resources."""
    if isinstance(part, t.PartFrom) or not part.said or not isinstance(part.amount, t.Apply):
        return (part,)
    group = w.group(part.what)
    if group is None:
        return (part,)
    names = [t.Name(part.span, word) for word in w.declared.groups[group]]
    return tuple(t.Part(part.span, replace(part.amount, head=copied(name)), name) for name in names)


def _unclear(s: t.Give, part: t.Part | t.PartFrom) -> Diagnostic:
    return Diagnostic(
        "E0196", "this does not say which resource is given", part.span,
        note="What one player chooses to pay, the other must be given.",
        help="spend it by name, `spend 1 ... as given`, and below it: `for ...`, and below that `gain 1 given`",
    )  # fmt: skip


@stands_for
def _pay(w: Writer, s: t.PayPrice) -> t.Block:
    bundles = priced(w, s)
    return (t.Spend(w.span, bundles, None, s.then, s.otherwise),) if bundles else ()


def priced(w: Writer, s: t.PayPrice) -> tuple[t.Bundle, ...]:
    """What is paid, resource by resource; nothing for what is no price."""
    parts = _resource_by_resource(w, s.price)
    if parts and s.joker is not None:
        parts = _with_joker(w, s.joker, parts)
    return (t.Bundle(s.price.span, parts, written=s),) if parts else ()


def with_prices(w: Writer, bundle: t.Bundle) -> t.Bundle:
    """The same, with each price in it resource by resource."""
    parts: list[t.Part | t.PartFrom] = []
    for part in bundle.parts:
        parts += _resource_by_resource(w, part.source) if isinstance(part, t.PartPrice) else (part,)
    return t.Bundle(bundle.span, tuple(parts), written=bundle, commas=bundle.commas)


def _resource_by_resource(w: Writer, written: t.Expr) -> tuple[t.Part, ...]:
    price = t.Apply(written.span, written, ()) if isinstance(written, t.Name) else written
    if not isinstance(price, t.Apply) or price.head.word not in w.declared.prices:
        w.found.append(_no_price(w, written))
        return ()
    group, at = w.declared.prices[price.head.word]
    made_of = w.declared.groups[group] if group else w.declared.resources
    return tuple(_part(price if i == 0 else copied(price), at, word) for i, word in enumerate(made_of))


def _with_joker(w: Writer, joker: t.Name, parts: tuple[t.Part, ...]) -> tuple[t.Part, ...]:
    """Of each as much as one has; of the joker one for every one that is missing, besides what it costs of it."""
    others = [part for part in parts if part.what.word not in plurals(joker.word)]
    of_joker = [part.amount for part in parts if part not in others]
    owned, whole = list[t.Part](), of_joker
    for part in others:
        have = t.Apply(part.span, copied(part.what), (t.Name(part.span, "you"),))
        least = t.OfSeveral(part.span, "least", (part.amount, have))
        owned.append(replace(part, amount=least))
        short = w.both(part.amount, "-", have)  # a copy
        whole = [*whole, t.OfSeveral(part.span, "best", (short, w.number(0)))]
    total = whole[0]
    for more in whole[1:]:
        total = w.both(total, "+", more)
    return (t.Part(joker.span, total, joker, price=joker), *owned)  # first, while one still has what one pays


def _part(price: t.Apply, at: int, resource: str) -> t.Part:
    name = t.Name(price.span, resource)
    args = (*price.args[:at], copied(name), *price.args[at:])
    return t.Part(price.span, t.Apply(price.span, price.head, args), name, price=price)


def _no_price(w: Writer, price: t.Expr) -> Diagnostic:
    known = ", ".join(f"`{name} of ...`" for name in w.declared.prices)
    if isinstance(price, t.Name) and price.word in (*w.declared.resources, *w.declared.groups):
        return Diagnostic(
            "E0197", "this does not say how much", price.span, help=f"write a number before it: `1 {price.word}`"
        )
    if isinstance(price, t.Name) and w.declared.prices:
        text = f"{next(iter(w.declared.prices))} of {price.word}"
        return Diagnostic(
            "E0197", f"`{price.word}` alone does not say how much", price.span,
            note="What is gained or paid is an amount, such as a field that holds a price.",
            help=f"write `{text}` if that is meant; things are moved, as in `move {price.word} from ... to ...`",
        )  # fmt: skip
    if isinstance(price, t.Number) or isinstance(price, t.Apply) and price.head.word in w.declared.resources:
        how = f"{price.value} {w.declared.resources[0]}" if isinstance(price, t.Number) else f"all {price.head.word}"
        return Diagnostic(
            "E0197", "this is a number, and says not of what", price.span, help=f"write the resource after it: `{how}`"
        )
    return Diagnostic(
        "E0197", "this is no amount of several resources", price.span,
        note="An amount without a number is a field of amounts, or a keep or quantity of numbers for a group.",
        help=f"write how much of what, as in `1 coin and 2 apple`{f'; or {known}' if known else ''}",
    )  # fmt: skip
