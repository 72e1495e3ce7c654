"""Where values go: what each local name may have been made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from edict.language import tree as t
from edict.language.roles import Role, has, having
from edict.language.walking import walk
from edict.meaning.call_graph import owners
from edict.meaning.symbols import Local, Resolved, definition_of, in_full

_MOVING = (Role.INTO, Role.MEMBERS, Role.RUNS, Role.DECIDES)


@dataclass(frozen=True, slots=True)
class Flow:
    """Something of `source` gets into `target`, in the rules of `owner`; `decides`: by whether it happens at all."""

    target: Local
    source: t.Node
    owner: t.Definition
    decides: bool = False


@lru_cache(maxsize=2)
def flows(resolved: Resolved) -> tuple[Flow, ...]:
    """All of them, worked out once for all rules of a game."""
    through = (
        Flow(target, source, owner, decides)
        for owner in owners(resolved)
        for node in in_full(resolved, owner)
        for target, source, decides in _at(resolved, node)
    )
    return (*through, *_moved(resolved))


@lru_cache(maxsize=2)
def sources_of(resolved: Resolved) -> Mapping[Local, Sequence[t.Node]]:
    """Return by local name what gets into it."""
    sources: defaultdict[Local, list[t.Node]] = defaultdict(list)
    for flow in flows(resolved):
        sources[flow.target].append(flow.source)
    return dict(sources)


def _moved(resolved: Resolved) -> Iterator[Flow]:
    """What is in a place decides how much leaves it."""
    for owner in owners(resolved):
        for node in walk(owner):
            if isinstance(node, t.Move) and not _named(resolved, node.value):
                yield Flow(resolved.binds[resolved.full[node][0]], node.source, owner)


@cache
def _moves(kind: type) -> bool:
    """Whether nodes of this class can give a local name a value."""
    return issubclass(kind, t.Apply) or any(has(kind, role) for role in _MOVING)


def _at(resolved: Resolved, node: t.Node) -> Iterator[tuple[Local, t.Node, bool]]:
    kind: type = type(node)
    if not _moves(kind):
        return
    for source in having(node, Role.INTO):
        yield from ((target, source, False) for target in _filled(resolved, node))
    for source in having(node, Role.MEMBERS):
        its = [resolved.asked[asked] for asked in having(node, Role.PER_MEMBER) if asked in resolved.asked]
        if not its and node in resolved.binds and not has(type(node), Role.BINDS):
            its = [resolved.binds[node]]
        yield from ((it, source, False) for it in its)
    for param, argument in _given(resolved, node):
        yield resolved.binds[param], argument, False
    for source in having(node, Role.DECIDES):
        for inner in in_full(resolved, node):
            yield from ((target, source, True) for target in _changed(resolved, inner))


def _named(resolved: Resolved, value: t.Expr) -> bool:
    """Whether it has a name, and was chosen or drawn: that it is where it was is known then."""
    return isinstance(value, t.Name) and isinstance(resolved.meaning.get(value), Local)


def _filled(resolved: Resolved, node: t.Node) -> Iterator[Local]:
    """The local names that a statement gives a value."""
    if node in resolved.binds and (has(type(node), Role.BINDS) or has(type(node), Role.BINDS_BELOW)):
        yield resolved.binds[node]
    yield from _changed(resolved, node)


def _changed(resolved: Resolved, node: t.Node) -> Iterator[Local]:
    for place in having(node, Role.CHANGED):
        meaning = resolved.meaning.get(place) if isinstance(place, t.Name) else None
        if isinstance(meaning, Local):
            yield meaning


def _given(resolved: Resolved, node: t.Node) -> Iterator[tuple[t.Param, t.Expr]]:
    """The parameters of what is run or asked for, each with its argument."""
    name = node.head if isinstance(node, t.Apply) else next(having(node, Role.RUNS), None)
    definition = definition_of(resolved, name) if name is not None else None
    if isinstance(definition, t.Routine | t.Moment | t.Quantity):
        arguments = node.args if isinstance(node, t.Apply) else having(node, Role.ARGUMENTS)
        yield from zip(definition.params, arguments, strict=False)
