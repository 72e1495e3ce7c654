"""Which resources a name may stand for: itself, a group's members, or whatever a local name was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from edict.compiler.semantics.flows import flows
from edict.compiler.semantics.symbols import Local, Meaning, Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk

COUNTED = ("resource", "die")  # of these players have so and so many
NONE = frozenset[Meaning]()


def resources(resolved: Resolved, name: t.Name) -> frozenset[Meaning]:
    """What a name stands for where a resource is meant; nothing if it means something else."""
    meaning = resolved.meaning.get(name)
    if isinstance(meaning, Local):
        return stands_for(resolved).get(meaning) or every(resolved)
    return _members(resolved, meaning) if meaning is not None else NONE


def named(resolved: Resolved, source: t.Node) -> frozenset[Meaning]:
    """The resources of a set of them."""
    return _mentioned(resolved, source, stands_for(resolved)) or every(resolved)


@lru_cache(maxsize=2)
def stands_for(resolved: Resolved) -> dict[Local, frozenset[Meaning]]:
    """The resources each local name may stand for; names that stand for something else have none.

    A name of a group's kind (`choose a good as paid`) is one of the group's; every other one is what it was made of.
    """
    found = dict(_declared(resolved))
    made = [flow for flow in flows(resolved) if not flow.decides and flow.target not in found]
    grown = True
    while grown:
        grown = False
        for flow in made:
            old = found.get(flow.target, NONE)
            new = old | _mentioned(resolved, flow.source, found)
            if new != old:
                found[flow.target], grown = new, True
    return found


def _declared(resolved: Resolved) -> Iterator[tuple[Local, frozenset[Meaning]]]:
    for node, local in resolved.binds.items():
        kind = getattr(node, "kind", None)
        meaning = resolved.meaning.get(kind) if isinstance(kind, t.Name) else None
        if isinstance(meaning, Symbol) and meaning.sort == "group":
            yield local, _members(resolved, meaning)
        elif isinstance(node, t.Spend):
            yield local, _mentioned(resolved, node.options, {})


Known = Mapping[Local, frozenset[Meaning]]


def _mentioned(resolved: Resolved, node: t.Node | tuple[t.Node, ...], known: Known) -> frozenset[Meaning]:
    """All resources that something may give; those that are only counted (`gold of you`) are not among them."""
    counted = {apply.head for apply in walk(node) if isinstance(apply, t.Apply) and _counts(resolved, apply)}
    names = (name for name in walk(node) if isinstance(name, t.Name) and name not in counted)
    return NONE.union(*(_given(resolved, name, known) for name in names))


def _counts(resolved: Resolved, apply: t.Apply) -> bool:
    meaning = resolved.meaning.get(apply.head)
    return isinstance(meaning, Local) or (meaning is not None and meaning.sort in (*COUNTED, "group"))


def _given(resolved: Resolved, name: t.Name, known: Known) -> frozenset[Meaning]:
    """What a name brings along: itself, or what is kept or printed under it."""
    meaning = resolved.meaning.get(name)
    if isinstance(meaning, Local):
        return known.get(meaning, NONE)
    if meaning is None:
        return NONE
    if isinstance(meaning.definition, t.Keep):
        return _typed(resolved, meaning.definition.type)
    if meaning.sort == "field":
        kinds = (resolved.get(kind) for kind in resolved.fields[meaning.name])
        written = [field.type for kind in kinds for field in kind.fields if field.name.word == meaning.name]
        return NONE.union(*(every(resolved) if type_ is None else _typed(resolved, type_) for type_ in written))
    return _members(resolved, meaning)


def _typed(resolved: Resolved, written: t.TypeName) -> frozenset[Meaning]:
    meaning = resolved.meaning.get(written.name) if written.name is not None else None
    return _members(resolved, meaning) if meaning is not None else NONE


def _members(resolved: Resolved, meaning: Meaning) -> frozenset[Meaning]:
    """A resource itself, the members of a group, nothing of anything else."""
    if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Group):
        return frozenset(resolved.meaning[name] for name in meaning.definition.members)
    return frozenset([meaning]) if meaning.sort in COUNTED else NONE


@lru_cache(maxsize=2)
def every(resolved: Resolved) -> frozenset[Meaning]:
    """Every resource that any rule names, and so every one that matters."""
    return frozenset(m for m in resolved.meaning.values() if isinstance(m, Symbol) and m.sort in COUNTED)
