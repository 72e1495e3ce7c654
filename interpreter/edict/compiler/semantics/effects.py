"""What rules read and change: keeps, resources, local names, and the phases being played.

The tree says at each field what it is for (`roles`); here this is put together, also over all that is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from edict.compiler.semantics.call_graph import calls, owners, within
from edict.compiler.semantics.resource_names import named, resources
from edict.compiler.semantics.symbols import Local, Meaning, Resolved, in_full, parts_of, place_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Ends, Random, Role, has, having


@dataclass(frozen=True)
class Effects:
    """reads, changes: keeps, resources, phases and local names; the rest: whether it may come to that."""

    reads: frozenset[Meaning]
    changes: frozenset[Meaning]
    chance: bool = False
    ends: bool = False
    calls: bool = False


def effects(resolved: Resolved, *nodes: t.Node) -> Effects:
    """What these rules may do in the end, with all they call: too much rather than too little."""
    return _together(resolved, within(resolved, nodes))


def own_effects(resolved: Resolved, *nodes: t.Node) -> Effects:
    """What these rules do themselves; of what they call only that they call something."""
    return _together(resolved, [inner for node in nodes for inner in in_full(resolved, node)])


def _together(resolved: Resolved, nodes: Iterable[t.Node]) -> Effects:
    read: set[Meaning] = set()
    changed: set[Meaning] = set()
    kinds: set[type] = set()
    for node in nodes:
        kind: type = type(node)
        kinds.add(kind)
        if issubclass(kind, t.Expr):
            read.update(reads(resolved, node))
        elif has(kind, Role.CHANGED) or has(kind, Role.MOVED) or has(kind, Role.RUNS):
            changed.update(changes(resolved, node))
    chance, ends = (any(issubclass(kind, sort) for kind in kinds) for sort in (Random, Ends))
    calling = any(has(kind, Role.RUNS) or has(kind, Role.ANSWERS) for kind in kinds)
    return Effects(frozenset(read), frozenset(changed), chance, ends, calling or _awaited(resolved, changed))


def _awaited(resolved: Resolved, changed: set[Meaning]) -> bool:
    """Whether rules wait for what joins or leaves one of these, or for gains and losses."""
    held = calls(resolved).held
    return any(not isinstance(place, Local) and place.definition in held for place in changed if place.sort != "phase")


def reads(resolved: Resolved, node: t.Node) -> Iterator[Meaning]:
    """What one expression looks at, its parts left out."""
    if isinstance(node, t.Apply):
        yield from resources(resolved, node.head)  # `gold of you`
    elif has(type(node), Role.MOVED):  # whether it can be paid
        for bundle in having(node, Role.MOVED):
            yield from moved(resolved, bundle)
    elif isinstance(node, t.During):
        yield resolved.meaning[node.phase]
    elif isinstance(node, t.Name):
        meaning = resolved.meaning.get(node)
        if isinstance(meaning, Local) or (meaning is not None and meaning.sort == "keep"):
            yield meaning


def changes(resolved: Resolved, node: t.Node) -> Iterator[Meaning]:
    """What one statement changes, its blocks and what it calls left out."""
    for place in having(node, Role.CHANGED):
        meaning = place_of(resolved, place)
        if meaning is not None:
            yield meaning
    for bundle in having(node, Role.MOVED):
        yield from moved(resolved, bundle)
    for name in having(node, Role.RUNS):
        meaning = resolved.meaning.get(name)
        if meaning is not None and meaning.sort == "phase":  # it is being played then
            yield meaning


@lru_cache(maxsize=2)
def ever_changed(resolved: Resolved) -> frozenset[Meaning]:
    """What any rule changes; a keep that is not among it stays as it starts."""
    nodes = (node for owner in owners(resolved) for node in in_full(resolved, owner))
    return frozenset(meaning for node in nodes for meaning in changes(resolved, node))


def moved(resolved: Resolved, bundle: t.Bundle) -> Iterator[Meaning]:
    """The resources that change hands."""
    for part in parts_of(resolved, bundle):
        yield from resources(resolved, part.what) if isinstance(part, t.Part) else named(resolved, part.source)
