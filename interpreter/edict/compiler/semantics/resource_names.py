"""Resources that a name may stand for: itself, a group's members, or those that a local name was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from edict.compiler.semantics.flows import collect_flows
from edict.compiler.semantics.symbols import Local, Meaning, ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk

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
