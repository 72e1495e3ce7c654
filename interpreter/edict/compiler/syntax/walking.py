"""Nodes and what stands below them, in the order they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

from edict.compiler.syntax import tree as t
from edict.support.text import Span

_PLAIN = {"str", "int", "bool", "int | None", "tuple[str, ...]", "tuple[int, ...]"}  # types no node stands in


@cache
def _slots(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.name != "span" and f.type != "Unwalked")


@cache
def holding(cls: Any) -> tuple[str, ...]:
    """The fields in which nodes may stand, in the order they are written."""
    kinds = {f.name: f.type for f in fields(cls)}
    return tuple(name for name in _slots(cls) if kinds[name] not in _PLAIN)


@cache
def _last_first(cls: Any) -> tuple[str, ...]:
    return holding(cls)[::-1]


def parts(node: t.Node) -> Iterator[tuple[str, Any]]:
    """Field name and value of a node, in the order they are written."""
    kind: Any = type(node)
    for name in _slots(kind):
        yield name, getattr(node, name)


def is_block(value: Any) -> bool:
    """Whether a field of a node holds statements."""
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], t.Stmt)


def walk(node: Any) -> Iterator[t.Node]:
    """The node and everything below it, depth first, in the order they are written."""
    return chain((node,), _below(node)) if isinstance(node, t.Definition | t.Ability) else walk_through(node, {})


_BELOW = WeakKeyDictionary[t.Node, tuple[t.Node, ...]]()
"""What stands below definitions and abilities, for as long as there are any: every check goes through all of them, and
those of the game are part of every module's check."""


def _below(node: t.Definition | t.Ability) -> tuple[t.Node, ...]:
    below = _BELOW.get(node)
    if below is None:
        below = _BELOW[node] = tuple(islice(walk_through(node, {}), 1, None))
    return below


def walk_through(node: Any, instead: Mapping[Any, Any]) -> Iterator[t.Node]:
    """The same, but with something else in place of some nodes."""
    waiting = [node]
    while waiting:  # not by calls of itself, which took most of the time of a check
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one[::-1])
        elif isinstance(one, t.Node):
            if one in instead:
                waiting.append(instead[one])
                continue
            yield one
            kind: Any = type(one)
            for name in _last_first(kind):
                value = getattr(one, name)
                if value is not None:
                    waiting.append(value)


def placed(value: Any, place: Callable[[Span], Span]) -> Any:
    """The same somewhere else: new nodes, for nodes are told apart by what they are."""
    if isinstance(value, tuple):
        return tuple(placed(part, place) for part in value)
    if not isinstance(value, t.Node):
        return value
    changed = {name: placed(part, place) for name, part in parts(value)}
    return replace(value, span=place(value.span), **changed)


def copied(node: Any) -> Any:
    """The same once more, with nodes of its own: what later passes learn of one says nothing of the other."""
    if isinstance(node, tuple):
        return tuple(copied(part) for part in node)
    if not isinstance(node, t.Node):
        return node
    kind: Any = type(node)
    return replace(node, **{name: copied(getattr(node, name)) for name in _slots(kind)})


def without_end(value: t.Expr) -> t.OfSeveral | t.Track | None:
    """The value at the end of another that goes on as far as it can, for people; None if there is none."""
    while isinstance(value, t.Binary) and not value.wrapped and not isinstance(value, t.Listed):
        value = value.right
    return value if isinstance(value, t.OfSeveral | t.Track) and not value.wrapped else None
