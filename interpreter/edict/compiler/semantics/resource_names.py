"""Resources that a name may stand for: itself, a group's members, or those that a local name was given.

Amounts of several resources, which a field, a `keep` or a quantity holds, are split into single resources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from edict.compiler.semantics.flows import collect_flows
from edict.compiler.semantics.symbols import Local, Meaning, ResolvedBook, Symbol, definition_of, split_parts
from edict.compiler.semantics.types import TypedBook, copy_expression
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.support.report import Diagnostic

COUNTED_SORTS = ("resource", "die")  # sorts of which players have an amount
NONE = frozenset[Meaning]()


def resources_of_name(resolved: ResolvedBook, name: t.Name) -> frozenset[Meaning]:
    """Return the resources a name may mean: itself, a group's members, a local's; all for a local of unknown origin."""
    meaning = resolved.meaning.get(name)
    if isinstance(meaning, Local):
        return map_local_resources(resolved).get(meaning) or all_resources(resolved)
    return _expand_symbol(resolved, meaning) if meaning is not None else NONE


def resources_of_set(resolved: ResolvedBook, source: t.Node) -> frozenset[Meaning]:
    """Return the resources that may be in a set of them; every one if that is unknown."""
    return _collect_resources(resolved, source, map_local_resources(resolved)) or all_resources(resolved)


@lru_cache(maxsize=2)
def map_local_resources(resolved: ResolvedBook) -> dict[Local, frozenset[Meaning]]:
    """Map each local to the resources it may stand for, to a fixed point; locals for other values are absent.

    A name for a member of a group (`choose a good as paid`) is one of the group's; every other one follows from the
    values that flow into it.
    """
    resources_by_local = dict(_iter_declared_locals(resolved))
    pending_flows = [
        flow for flow in collect_flows(resolved) if not flow.decides and flow.target not in resources_by_local
    ]
    has_changed = True
    while has_changed:
        has_changed = False
        for flow in pending_flows:
            old = resources_by_local.get(flow.target, NONE)
            new = old | _collect_resources(resolved, flow.source, resources_by_local)
            if new != old:
                resources_by_local[flow.target], has_changed = new, True
    return resources_by_local


def _iter_declared_locals(resolved: ResolvedBook) -> Iterator[tuple[Local, frozenset[Meaning]]]:
    """Yield the locals declared as a member of a group or bound by a `spend`, each with the resources it may be."""
    for node, local in resolved.binds.items():
        kind = getattr(node, "kind", None)
        meaning = resolved.meaning.get(kind) if isinstance(kind, t.Name) else None
        if isinstance(meaning, Symbol) and meaning.sort == "group":
            yield local, _expand_symbol(resolved, meaning)
        elif isinstance(node, t.Spend):
            yield local, _collect_resources(resolved, node.options, {})


Known = Mapping[Local, frozenset[Meaning]]


def _collect_resources(resolved: ResolvedBook, node: t.Node | tuple[t.Node, ...], known: Known) -> frozenset[Meaning]:
    """Return the resources that names in a node may mean, without those in amounts such as `gold of you`."""
    counted = {apply.head for apply in walk(node) if isinstance(apply, t.Apply) and _is_amount(resolved, apply)}
    names = (name for name in walk(node) if isinstance(name, t.Name) and name not in counted)
    return NONE.union(*(_resources_behind_name(resolved, name, known) for name in names))


def _is_amount(resolved: ResolvedBook, apply: t.Apply) -> bool:
    """Return True if `NAME of X` is an amount: its head is a resource, die, group or local."""
    meaning = resolved.meaning.get(apply.head)
    return isinstance(meaning, Local) or (meaning is not None and meaning.sort in (*COUNTED_SORTS, "group"))


def _resources_behind_name(resolved: ResolvedBook, name: t.Name, known: Known) -> frozenset[Meaning]:
    """Return the resources that a name may be: itself, or those that a local, keep or field may hold."""
    meaning = resolved.meaning.get(name)
    if isinstance(meaning, Local):
        return known.get(meaning, NONE)
    if meaning is None:
        return NONE
    if isinstance(meaning.definition, t.Keep):
        return _resources_of_type(resolved, meaning.definition.type)
    if meaning.sort == "field":
        kinds = (resolved.require_definition(kind) for kind in resolved.fields[meaning.name])
        written = [field.type for kind in kinds for field in kind.fields if field.name.word == meaning.name]
        return NONE.union(
            *(all_resources(resolved) if type_ is None else _resources_of_type(resolved, type_) for type_ in written)
        )
    return _expand_symbol(resolved, meaning)


def _resources_of_type(resolved: ResolvedBook, written: t.TypeName) -> frozenset[Meaning]:
    """Return the resources that a written type names; none for types of other values."""
    meaning = resolved.meaning.get(written.name) if written.name is not None else None
    return _expand_symbol(resolved, meaning) if meaning is not None else NONE


def _expand_symbol(resolved: ResolvedBook, meaning: Meaning) -> frozenset[Meaning]:
    """Return a resource itself, the members of a group, and nothing for other meanings."""
    if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Group):
        return frozenset(resolved.meaning[name] for name in meaning.definition.members)
    return frozenset([meaning]) if meaning.sort in COUNTED_SORTS else NONE


@lru_cache(maxsize=2)
def all_resources(resolved: ResolvedBook) -> frozenset[Meaning]:
    """Return every resource that any rule names, and so every one that matters."""
    return frozenset(m for m in resolved.meaning.values() if isinstance(m, Symbol) and m.sort in COUNTED_SORTS)


def split_price(typed: TypedBook, price_part: t.PartPrice) -> tuple[t.Part, ...]:
    """Return a price such as `price of inn` as one part per resource; empty if it is not an amount per resource."""
    price = (
        t.Apply(price_part.source.span, price_part.source, ())
        if isinstance(price_part.source, t.Name)
        else price_part.source
    )
    declaration = _find_amounts(typed.resolved, price.head) if isinstance(price, t.Apply) else None
    if declaration is None or not isinstance(price, t.Apply):
        return ()
    position, resources = declaration
    prices = (price if i == 0 else copy_expression(typed, price) for i in range(len(resources)))
    parts = tuple(_make_part(typed, own, position, resource) for own, resource in zip(prices, resources, strict=True))
    return _pay_with_joker(typed, price_part.joker, parts) if price_part.joker is not None else parts


def _find_amounts(resolved: ResolvedBook, head: t.Name) -> tuple[int, tuple[t.Definition, ...]] | None:
    """Return the index of the resource parameter of a field, keep or quantity, and its resources; else None."""
    definitions = resolved.book.definitions.values()
    if _holds_amounts(resolved, head.word) and resolved.meaning_of(head).sort in ("field", "local"):
        return 1, tuple(resource for resource in definitions if isinstance(resource, t.Resource))
    definition = definition_of(resolved, head)
    if not isinstance(definition, t.Quantity) and not (
        isinstance(definition, t.Keep) and definition.type.shape == "number"
    ):
        return None
    groups = [(position, definition_of(resolved, param.kind)) for position, param in enumerate(definition.params)]
    position, group = next(
        ((position, group) for position, group in reversed(groups) if isinstance(group, t.Group)), (0, None)
    )
    return (position, _members(resolved, group)) if group is not None else None


def _members(resolved: ResolvedBook, group: t.Group) -> tuple[t.Definition, ...]:
    """Return the definitions of a group's resources, in its order."""
    return tuple(resource for name in group.members if (resource := definition_of(resolved, name)) is not None)


def _holds_amounts(resolved: ResolvedBook, field: str) -> bool:
    """Return True if some kind declares a field of this name as amounts of several resources."""
    kinds = (resolved.require_definition(kind) for kind in resolved.fields.get(field, ()))
    types = (declared.type for kind in kinds for declared in kind.fields if declared.name.word == field)
    return any(type_ is not None and type_.shape == "amounts" for type_ in types)


def _make_part(typed: TypedBook, price: t.Apply, position: int, resource: t.Definition) -> t.Part:
    """Return the amount of one resource of a price: for gold, `price of inn` becomes `price of inn by gold`."""
    name = _make_resource_name(typed, resource, price)
    args = (*price.args[:position], _make_resource_name(typed, resource, price), *price.args[position:])
    return t.Part(price.span, t.Apply(price.span, price.head, args), name, price=price)


def _make_resource_name(typed: TypedBook, resource: t.Definition, location: t.Node) -> t.Name:
    """Return a new name node that refers to a resource, at the place of another node."""
    name = t.Name(location.span, resource.name.word)
    typed.resolved.meaning[name] = Symbol("resource", resource.name.word, resource)
    return name


def _pay_with_joker(typed: TypedBook, joker: t.Name, parts: tuple[t.Part, ...]) -> tuple[t.Part, ...]:
    """Return the joker's part first, for all that is missing, then each other part limited to what you have."""
    resolved = typed.resolved
    others = [part for part in parts if resolved.meaning_of(part.what) != resolved.meaning_of(joker)]
    joker_amounts = [part.amount for part in parts if part not in others]
    owned, joker_terms = list[t.Part](), joker_amounts
    for part in others:
        you = t.Name(part.span, "you")
        resolved.meaning[you] = Symbol("builtin", "you")
        have = t.Apply(part.span, copy_expression(typed, part.what), (you,))
        owned.append(replace(part, amount=t.OfSeveral(part.span, "least", (part.amount, have))))
        missing = t.Binary(
            joker.span, "-", copy_expression(typed, part.amount), copy_expression(typed, have), wrapped=True
        )
        joker_terms = [*joker_terms, t.OfSeveral(part.span, "best", (missing, t.Number(joker.span, 0)))]
    total = joker_terms[0]
    for term in joker_terms[1:]:
        total = t.Binary(joker.span, "+", copy_expression(typed, total), copy_expression(typed, term), wrapped=True)
    return (t.Part(joker.span, total, joker, price=joker), *owned)  # first, since it depends on what is left


def all_in_group(resolved: ResolvedBook, part: t.Part) -> tuple[t.Definition, ...] | None:
    """Return the resources of a group in a part such as `all goods`, which takes all that the player has.

    Returns:
        Empty if the player has to choose among the group; None if the part names no group.
    """
    group = definition_of(resolved, part.what)
    if not isinstance(group, t.Group):
        return None
    return _members(resolved, group) if part.said else ()


def iter_given_parts(typed: TypedBook, bundle: t.Bundle) -> Iterator[t.Part]:
    """Yield the parts of a gift, with `all goods` split into one part per resource."""
    for part in split_parts(typed.resolved, bundle):
        assert isinstance(part, t.Part)
        resources = all_in_group(typed.resolved, part)
        if resources is None:
            yield part
        for resource in resources or ():
            you = t.Name(part.span, "you")
            typed.resolved.meaning[you] = Symbol("builtin", "you")
            amount = t.Apply(part.span, _make_resource_name(typed, resource, part), (you,))
            yield t.Part(part.span, amount, _make_resource_name(typed, resource, part))


# --- diagnostics -------------------------------------------------------------------------------------


def diagnose_no_amount(resolved: ResolvedBook, price: t.Expr) -> Diagnostic:
    """Return a diagnostic with advice for a value that does not say how much of what."""
    amount_names, definitions = [*_iter_amount_names(resolved)], resolved.book.definitions.values()
    resources = [resource.name.word for resource in definitions if isinstance(resource, t.Resource)]
    if isinstance(price, t.Name) and isinstance(definition_of(resolved, price), t.Resource | t.Group):
        return Diagnostic(
            "E0197", "the amount is missing", price.span, help=f"write a number before it: `1 {price.word}`"
        )
    if isinstance(price, t.Name) and amount_names:
        return Diagnostic(
            "E0197",
            f"`{price.word}` needs an amount",
            price.span,
            note="Gains and payments are amounts, such as a field that holds a price.",
            help=f"write `{amount_names[0]} of {price.word}` if you mean that; to move things, write "
            f"`move {price.word} from ... to ...`",
        )
    if isinstance(price, t.Number) or isinstance(price, t.Apply) and price.head.word in resources:
        example = f"{price.value} {resources[0]}" if isinstance(price, t.Number) else f"all {price.head.word}"
        return Diagnostic(
            "E0197",
            "this number needs a resource",
            price.span,
            help=f"write the resource after it: `{example}`",
        )
    examples = ", ".join(f"`{name} of ...`" for name in amount_names)
    return Diagnostic(
        "E0197",
        "this is not an amount of several resources",
        price.span,
        note="An amount without a number is a field of amounts, or a keep or quantity of numbers for a group.",
        help=f"write an amount and a resource, as in `1 coin and 2 apple`{f'; or {examples}' if examples else ''}",
    )


def diagnose_unclear_gift(part: t.Part | t.PartFrom) -> Diagnostic:
    """Return a diagnostic for a gift of which the giver would choose the resource."""
    return Diagnostic(
        "E0196",
        "it is not clear which resource is given",
        part.span,
        note="The other player must get what the first one chooses to pay.",
        help="name it with `spend 1 ... as given`, then write `for ...` under it, and `gain 1 given` under that",
    )


def _iter_amount_names(resolved: ResolvedBook) -> Iterator[str]:
    """Yield the names of all fields, keeps and quantities that hold such amounts."""
    yield from (field for field in resolved.fields if _holds_amounts(resolved, field))
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Quantity) or isinstance(definition, t.Keep) and definition.type.shape == "number":
            if any(isinstance(definition_of(resolved, param.kind), t.Group) for param in definition.params):
                yield definition.name.word
