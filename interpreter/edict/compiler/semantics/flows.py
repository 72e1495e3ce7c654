"""Data flow: the values that each local name may have been made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from edict.compiler.semantics.symbols import Local, ResolvedBook, definition_of, is_local_name, walk_expanded
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.records import dataclass

_FLOW_ROLES = (Role.INTO, Role.MEMBERS, Role.RUNS, Role.DECIDES)


@dataclass(frozen=True, slots=True)
class DataFlow:
    """A flow of (part of) a value into a local name, in the rules of `owner`."""

    target: Local
    source: t.Node
    owner: t.Definition
    decides: bool = False  # the source only decides whether the target changes


@lru_cache(maxsize=2)
def collect_flows(resolved: ResolvedBook) -> tuple[DataFlow, ...]:
    """Return every flow of a value into a local name (assignment, argument, `move`) in the rules (cached)."""
    flows = list[DataFlow]()
    for owner in resolved.book.roots:
        for node in walk_expanded(resolved, owner):
            for target, source, decides in _iter_flows_at(resolved, node):
                flows.append(DataFlow(target, source, owner, decides))
    return (*flows, *_iter_move_flows(resolved))


@lru_cache(maxsize=2)
def collect_flow_sources(resolved: ResolvedBook) -> Mapping[Local, Sequence[t.Node]]:
    """Map each local name to all expressions that are assigned or passed to it."""
    sources: defaultdict[Local, list[t.Node]] = defaultdict(list)
    for flow in collect_flows(resolved):
        sources[flow.target].append(flow.source)
    return dict(sources)


def _iter_move_flows(resolved: ResolvedBook) -> Iterator[DataFlow]:
    """Yield a flow from the source of each `move` to the local that its expansion binds to what leaves."""
    for owner in resolved.book.roots:
        for node in walk(owner):
            if isinstance(node, t.Move) and not is_local_name(resolved, node.value):
                yield DataFlow(resolved.binds[resolved.expansions[node][0]], node.source, owner)


@cache
def _has_flows(kind: type) -> bool:
    """Return True if nodes of a class can give a local name a value."""
    return issubclass(kind, t.Apply) or any(carries_role(kind, role) for role in _FLOW_ROLES)


def _iter_flows_at(resolved: ResolvedBook, node: t.Node) -> Iterator[tuple[Local, t.Node, bool]]:
    """Yield each flow at a node: the local, the source, and True if the source only decides on its change."""
    kind: type = type(node)
    if not _has_flows(kind):
        return
    for source in iter_role_values(node, Role.INTO):
        yield from ((target, source, False) for target in _iter_assigned_locals(resolved, node))
    for source in iter_role_values(node, Role.MEMBERS):
        targets = [
            resolved.member_locals[operand]
            for operand in iter_role_values(node, Role.PER_MEMBER)
            if operand in resolved.member_locals
        ]
        if not targets and node in resolved.binds and not carries_role(type(node), Role.BINDS):
            targets = [resolved.binds[node]]
        yield from ((local, source, False) for local in targets)
    for param, argument in _iter_arguments(resolved, node):
        yield resolved.binds[param], argument, False
    for source in iter_role_values(node, Role.DECIDES):
        for inner in walk_expanded(resolved, node):
            yield from ((target, source, True) for target in _iter_changed_locals(resolved, inner))


def _iter_assigned_locals(resolved: ResolvedBook, node: t.Node) -> Iterator[Local]:
    """Yield the locals that a statement binds, and those that it changes."""
    if node in resolved.binds and (carries_role(type(node), Role.BINDS) or carries_role(type(node), Role.BINDS_BELOW)):
        yield resolved.binds[node]
    yield from _iter_changed_locals(resolved, node)


def _iter_changed_locals(resolved: ResolvedBook, node: t.Node) -> Iterator[Local]:
    """Yield the local names that a statement changes, such as `x` in `set x to 3`."""
    for place in iter_role_values(node, Role.CHANGED):
        meaning = resolved.meaning.get(place) if isinstance(place, t.Name) else None
        if isinstance(meaning, Local):
            yield meaning


def _iter_arguments(resolved: ResolvedBook, node: t.Node) -> Iterator[tuple[t.Param, t.Expr]]:
    """Yield the parameters of a definition that is run or evaluated, each with its argument."""
    name = node.head if isinstance(node, t.Apply) else next(iter_role_values(node, Role.RUNS), None)
    definition = definition_of(resolved, name) if name is not None else None
    if isinstance(definition, t.Routine | t.Moment | t.Quantity):
        arguments = node.args if isinstance(node, t.Apply) else iter_role_values(node, Role.ARGUMENTS)
        yield from zip(definition.params, arguments, strict=False)
