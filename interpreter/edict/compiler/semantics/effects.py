"""Effects of rules: state variables, resources, local names and phases that rules read and change.

The tree says at each field what it is for (`roles`); this module combines that, also over all that is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from edict.compiler.semantics.call_graph import (
    FactFunction,
    collect_handlers,
    collect_node_classes,
    gather_facts,
)
from edict.compiler.semantics.resource_names import resources_of_name, resources_of_set
from edict.compiler.semantics.symbols import Local, Meaning, ResolvedBook, meaning_of_place, split_parts, walk_expanded
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import GameEndingStep, RandomStep, Role, carries_role, iter_role_values
from edict.support.records import dataclass


@dataclass(frozen=True)
class Effects:
    """The effects that rules may have."""

    reads: frozenset[Meaning]  # state variables, resources, phases and local names
    changes: frozenset[Meaning]  # state variables, resources, phases and local names
    chance: bool = False  # something may be random
    ends: bool = False  # a phase, loop or the game may end
    calls: bool = False  # other rules may run


def may_end_or_change(resolved: ResolvedBook, meanings: frozenset[Meaning], nodes: Iterable[t.Node]) -> bool:
    """Return True if rules, or all they call, may end the game or a loop, or change one of these meanings."""
    nodes = tuple(nodes)
    if meanings & collect_changes(resolved, *nodes):
        return True
    return any(issubclass(kind, GameEndingStep) for kind in gather_facts(resolved, collect_node_classes, *nodes))


def collect_reads(resolved: ResolvedBook, *nodes: t.Node) -> frozenset[Meaning]:
    """Return what these rules and all they call read."""
    return gather_facts(resolved, _reads_in, *nodes)


def collect_changes(resolved: ResolvedBook, *nodes: t.Node) -> frozenset[Meaning]:
    """Return what these rules and all they call change."""
    return gather_facts(resolved, _changes_in, *nodes)


def compute_own_effects(resolved: ResolvedBook, *nodes: t.Node) -> Effects:
    """Return the effects of the rules' own steps; of the rules they call, only that there are some (`calls`)."""
    inner = [inner_node for node in nodes for inner_node in walk_expanded(resolved, node)]
    return _with_facts(resolved, *(question(resolved, inner) for question in _FACT_FUNCTIONS))


def _reads_in(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    """Return the meanings that the expressions among some nodes read."""
    return frozenset(meaning for node in nodes if isinstance(node, t.Expr) for meaning in iter_reads(resolved, node))


def _changes_in(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    """Return the meanings that the statements among some nodes change."""
    return frozenset(meaning for node in nodes if _may_change(type(node)) for meaning in iter_changes(resolved, node))


def _may_change(kind: type) -> bool:
    """Return True if nodes of a class are statements that change a place, move resources or run rules."""
    return not issubclass(kind, t.Expr) and _can_change(kind)


def _can_change(kind: type) -> bool:
    """Return True if nodes of a class have a part that `iter_changes` asks for."""
    return carries_role(kind, Role.CHANGED) or carries_role(kind, Role.MOVED) or carries_role(kind, Role.RUNS)


_FACT_FUNCTIONS: tuple[FactFunction, ...] = (_reads_in, _changes_in, collect_node_classes)


def _with_facts(
    resolved: ResolvedBook, read: frozenset[Meaning], changed: frozenset[Meaning], kinds: frozenset[type]
) -> Effects:
    """Build effects; the classes of the nodes tell if there is chance, an end of the game, or a call."""
    chance, ends = (any(issubclass(kind, sort) for kind in kinds) for sort in (RandomStep, GameEndingStep))
    calling = any(carries_role(kind, Role.RUNS) or carries_role(kind, Role.ANSWERS) for kind in kinds)
    return Effects(read, changed, chance, ends, calling or _is_awaited(resolved, changed))


def _is_awaited(resolved: ResolvedBook, changed: frozenset[Meaning]) -> bool:
    """Return True if an ability waits for a change of one of these keeps or resources; phases do not count."""
    handlers = collect_handlers(resolved).by_definition
    return any(
        not isinstance(place, Local) and place.definition in handlers for place in changed if place.sort != "phase"
    )


def iter_reads(resolved: ResolvedBook, node: t.Node) -> Iterator[Meaning]:
    """Yield the keeps, locals, resources and phases that a single expression node reads, without its parts."""
    if isinstance(node, t.Apply):
        yield from resources_of_name(resolved, node.head)  # `gold of you`
    elif carries_role(type(node), Role.MOVED):  # whether it can be paid
        for bundle in iter_role_values(node, Role.MOVED):
            yield from iter_moved_resources(resolved, bundle)
    elif isinstance(node, t.During):
        yield resolved.meaning[node.phase]
    elif isinstance(node, t.Name):
        meaning = resolved.meaning.get(node)
        if isinstance(meaning, Local) or (meaning is not None and meaning.sort == "keep"):
            yield meaning


def iter_changes(resolved: ResolvedBook, node: t.Node) -> Iterator[Meaning]:
    """Yield the keeps, locals and resources that a step changes, and a phase it plays; not those of its blocks."""
    for place in iter_role_values(node, Role.CHANGED):
        meaning = meaning_of_place(resolved, place)
        if meaning is not None:
            yield meaning
    for bundle in iter_role_values(node, Role.MOVED):
        yield from iter_moved_resources(resolved, bundle)
    for name in iter_role_values(node, Role.RUNS):
        meaning = resolved.meaning.get(name)
        if meaning is not None and meaning.sort == "phase":  # the phase is being played then, which `during` reads
            yield meaning


@lru_cache(maxsize=2)
def collect_changed_meanings(resolved: ResolvedBook) -> frozenset[Meaning]:
    """Return what any rule changes; other state variables keep their initial value."""
    nodes = (node for owner in resolved.book.roots for node in walk_expanded(resolved, owner))
    return frozenset(meaning for node in nodes if _can_change(type(node)) for meaning in iter_changes(resolved, node))


def iter_moved_resources(resolved: ResolvedBook, bundle: t.Bundle) -> Iterator[Meaning]:
    """Yield the resources that a bundle moves."""
    for part in split_parts(resolved, bundle):
        yield from (
            resources_of_name(resolved, part.what)
            if isinstance(part, t.Part)
            else resources_of_set(resolved, part.source)
        )
