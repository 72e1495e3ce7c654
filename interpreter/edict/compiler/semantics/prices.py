"""Amounts of several resources that a field, a keep or a quantity holds: how much of each that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.semantics.symbols import Resolved, Symbol, definition_of, parts_of
from edict.compiler.semantics.types import Typed, copied
from edict.compiler.syntax import tree as t
from edict.support.report import Diagnostic


def resource_by_resource(typed: Typed, written: t.PartPrice) -> tuple[t.Part, ...]:
    """What it comes to; nothing if it is no such amount."""
    price = t.Apply(written.source.span, written.source, ()) if isinstance(written.source, t.Name) else written.source
    held = _held(typed.resolved, price.head) if isinstance(price, t.Apply) else None
    if held is None or not isinstance(price, t.Apply):
        return ()
    at, resources = held
    prices = (price if i == 0 else copied(typed, price) for i in range(len(resources)))
    parts = tuple(_part(typed, own, at, resource) for own, resource in zip(prices, resources, strict=True))
    return _with_joker(typed, written.joker, parts) if written.joker is not None else parts


def _held(resolved: Resolved, head: t.Name) -> tuple[int, tuple[t.Definition, ...]] | None:
    """Which of its parameters is a resource, and which resources it may be."""
    every = resolved.book.definitions.values()
    if _holds_amounts(resolved, head.word) and resolved.of(head).sort in ("field", "local"):
        return 1, tuple(resource for resource in every if isinstance(resource, t.Resource))
    found = definition_of(resolved, head)
    if not isinstance(found, t.Quantity) and not (isinstance(found, t.Keep) and found.type.shape == "number"):
        return None
    groups = [(at, definition_of(resolved, param.kind)) for at, param in enumerate(found.params)]
    at, group = next(((at, group) for at, group in reversed(groups) if isinstance(group, t.Group)), (0, None))
    return (at, _members(resolved, group)) if group is not None else None


def _members(resolved: Resolved, group: t.Group) -> tuple[t.Definition, ...]:
    return tuple(resource for name in group.members if (resource := definition_of(resolved, name)) is not None)


def _holds_amounts(resolved: Resolved, field: str) -> bool:
    kinds = (resolved.get(kind) for kind in resolved.fields.get(field, ()))
    types = (declared.type for kind in kinds for declared in kind.fields if declared.name.word == field)
    return any(type_ is not None and type_.shape == "amounts" for type_ in types)


def _part(typed: Typed, price: t.Apply, at: int, resource: t.Definition) -> t.Part:
    name = _named(typed, resource, price)
    args = (*price.args[:at], _named(typed, resource, price), *price.args[at:])
    return t.Part(price.span, t.Apply(price.span, price.head, args), name, price=price)


def _named(typed: Typed, resource: t.Definition, at: t.Node) -> t.Name:
    name = t.Name(at.span, resource.name.word)
    typed.resolved.meaning[name] = Symbol("resource", resource.name.word, resource)
    return name


def _with_joker(typed: Typed, joker: t.Name, parts: tuple[t.Part, ...]) -> tuple[t.Part, ...]:
    """Of each as much as one has; of the joker one for every one that is missing, besides what it costs of it."""
    resolved = typed.resolved
    others = [part for part in parts if resolved.of(part.what) != resolved.of(joker)]
    of_joker = [part.amount for part in parts if part not in others]
    owned, whole = list[t.Part](), of_joker
    for part in others:
        you = t.Name(part.span, "you")
        resolved.meaning[you] = Symbol("builtin", "you")
        have = t.Apply(part.span, copied(typed, part.what), (you,))
        owned.append(replace(part, amount=t.OfSeveral(part.span, "least", (part.amount, have))))
        short = t.Binary(joker.span, "-", copied(typed, part.amount), copied(typed, have), wrapped=True)
        whole = [*whole, t.OfSeveral(part.span, "best", (short, t.Number(joker.span, 0)))]
    total = whole[0]
    for more in whole[1:]:
        total = t.Binary(joker.span, "+", copied(typed, total), copied(typed, more), wrapped=True)
    return (t.Part(joker.span, total, joker, price=joker), *owned)  # first, while one still has what one pays


def all_in_group(resolved: Resolved, part: t.Part) -> tuple[t.Definition, ...] | None:
    """Of all that one has of a group, each of its resources, as nothing is left to choose; nothing if something is.

    `None` of what is no group.
    """
    group = definition_of(resolved, part.what)
    if not isinstance(group, t.Group):
        return None
    return _members(resolved, group) if part.said else ()


def given(typed: Typed, bundle: t.Bundle) -> Iterator[t.Part]:
    """What is given, resource by resource."""
    for part in parts_of(typed.resolved, bundle):
        assert isinstance(part, t.Part)
        every = all_in_group(typed.resolved, part)
        if every is None:
            yield part
        for resource in every or ():
            you = t.Name(part.span, "you")
            typed.resolved.meaning[you] = Symbol("builtin", "you")
            amount = t.Apply(part.span, _named(typed, resource, part), (you,))
            yield t.Part(part.span, amount, _named(typed, resource, part))


# --- what is no such amount -------------------------------------------------------------------------


def unpriced(resolved: Resolved, price: t.Expr) -> Diagnostic:
    """What to write in place of a value that does not say how much of what."""
    known, every = [*_known(resolved)], resolved.book.definitions.values()
    resources = [resource.name.word for resource in every if isinstance(resource, t.Resource)]
    if isinstance(price, t.Name) and isinstance(definition_of(resolved, price), t.Resource | t.Group):
        return Diagnostic(
            "E0197", "this does not say how much", price.span, help=f"write a number before it: `1 {price.word}`"
        )
    if isinstance(price, t.Name) and known:
        return Diagnostic(
            "E0197",
            f"`{price.word}` alone does not say how much",
            price.span,
            note="What is gained or paid is an amount, such as a field that holds a price.",
            help=f"write `{known[0]} of {price.word}` if that is meant; things are moved, as in "
            f"`move {price.word} from ... to ...`",
        )
    if isinstance(price, t.Number) or isinstance(price, t.Apply) and price.head.word in resources:
        how = f"{price.value} {resources[0]}" if isinstance(price, t.Number) else f"all {price.head.word}"
        return Diagnostic(
            "E0197", "this is a number, and says not of what", price.span, help=f"write the resource after it: `{how}`"
        )
    held = ", ".join(f"`{name} of ...`" for name in known)
    return Diagnostic(
        "E0197",
        "this is not an amount of several resources",
        price.span,
        note="An amount without a number is a field of amounts, or a keep or quantity of numbers for a group.",
        help=f"write how much of what, as in `1 coin and 2 apple`{f'; or {held}' if held else ''}",
    )


def unclear(part: t.Part | t.PartFrom) -> Diagnostic:
    return Diagnostic(
        "E0196",
        "this does not say which resource is given",
        part.span,
        note="What one player chooses to pay, the other must be given.",
        help="spend it by name, `spend 1 ... as given`, and below it: `for ...`, and below that `gain 1 given`",
    )


def _known(resolved: Resolved) -> Iterator[str]:
    """All that holds such amounts."""
    yield from (field for field in resolved.fields if _holds_amounts(resolved, field))
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Quantity) or isinstance(definition, t.Keep) and definition.type.shape == "number":
            if any(isinstance(definition_of(resolved, param.kind), t.Group) for param in definition.params):
                yield definition.name.word
