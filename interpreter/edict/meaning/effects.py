"""What rules read and change: keeps, resources, local names, and the phases being played.

The tree says at each field what it is for (`roles`); here this is put together, also over all that is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from edict.language import tree as t
from edict.language.roles import Ends, Random, Role, has, having
from edict.meaning.call_graph import Question, calls, classes_in, gather_facts, owners
from edict.meaning.resource_names import named, resources
from edict.meaning.symbols import Local, Meaning, Resolved, in_full, parts_of, place_of


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
    return _with_facts(resolved, *(gather_facts(resolved, question, *nodes) for question in _QUESTIONS))


def all_reads(resolved: Resolved, *nodes: t.Node) -> frozenset[Meaning]:
    """Return what these rules and all they call look at."""
    return gather_facts(resolved, _reads_in, *nodes)


def all_changes(resolved: Resolved, *nodes: t.Node) -> frozenset[Meaning]:
    """Return what these rules and all they call change."""
    return gather_facts(resolved, _changes_in, *nodes)


def own_effects(resolved: Resolved, *nodes: t.Node) -> Effects:
    """What these rules do themselves; of what they call only that they call something."""
    inner = [one for node in nodes for one in in_full(resolved, node)]
    return _with_facts(resolved, *(question(resolved, inner) for question in _QUESTIONS))


def _reads_in(resolved: Resolved, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    return frozenset(one for node in nodes if isinstance(node, t.Expr) for one in reads(resolved, node))


def _changes_in(resolved: Resolved, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    return frozenset(one for node in nodes if _may_change(type(node)) for one in changes(resolved, node))


def _may_change(kind: type) -> bool:
    return not issubclass(kind, t.Expr) and (has(kind, Role.CHANGED) or has(kind, Role.MOVED) or has(kind, Role.RUNS))


_QUESTIONS: tuple[Question, ...] = (_reads_in, _changes_in, classes_in)


def _with_facts(
    resolved: Resolved, read: frozenset[Meaning], changed: frozenset[Meaning], kinds: frozenset[type]
) -> Effects:
    chance, ends = (any(issubclass(kind, sort) for kind in kinds) for sort in (Random, Ends))
    calling = any(has(kind, Role.RUNS) or has(kind, Role.ANSWERS) for kind in kinds)
    return Effects(read, changed, chance, ends, calling or _awaited(resolved, changed))


def _awaited(resolved: Resolved, changed: frozenset[Meaning]) -> bool:
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
