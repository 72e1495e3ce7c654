"""Traversal and copying of trees, in the order they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

from edict.compiler.syntax import tree as t
from edict.support.text import Span

_PLAIN_TYPES = {"str", "int", "bool", "int | None", "tuple[str, ...]", "tuple[int, ...]"}  # types that hold no nodes


@cache
def _fields_in_order(cls: Any) -> tuple[str, ...]:
    """Return the fields of a class of nodes in order of declaration, without `span` and unwalked ones."""
    return tuple(field.name for field in fields(cls) if field.name != "span" and field.type != "Unwalked")


@cache
def node_fields(cls: Any) -> tuple[str, ...]:
    """Return the fields of a class that may hold nodes, in the order they are written."""
    types = {field.name: field.type for field in fields(cls)}
    return tuple(name for name in _fields_in_order(cls) if types[name] not in _PLAIN_TYPES)


@cache
def _reverse_node_fields(cls: Any) -> tuple[str, ...]:
    """Return the fields that may hold nodes, last first, for a walk with a stack."""
    return node_fields(cls)[::-1]


def iter_fields(node: t.Node) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a node's fields, in the order they are written."""
    node_type: Any = type(node)
    for name in _fields_in_order(node_type):
        yield name, getattr(node, name)


def is_block(value: Any) -> bool:
    """Return True if a field's value is a block of statements."""
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], t.Stmt)


def walk(node: Any) -> Iterator[t.Node]:
    """Yield a node and everything below it, depth first, in the order they are written."""
    if isinstance(node, t.Definition | t.Ability):
        return chain((node,), _get_descendants(node))
    return walk_with_replacements(node, {})


# Cached descendants of definitions and abilities. Every check traverses all of them, and the game's definitions are
# part of the check of every module.
_DESCENDANTS = WeakKeyDictionary[t.Node, tuple[t.Node, ...]]()


def _get_descendants(node: t.Definition | t.Ability) -> tuple[t.Node, ...]:
    """Return all nodes below a definition or ability, depth first; cached for each node."""
    below = _DESCENDANTS.get(node)
    if below is None:
        below = _DESCENDANTS[node] = tuple(islice(walk_with_replacements(node, {}), 1, None))
    return below


def walk_with_replacements(node: Any, replacements: Mapping[Any, Any]) -> Iterator[t.Node]:
    """Yield a node and everything below it, with some nodes replaced by others."""
    pending = [node]
    while pending:  # no recursion, which took most of the time of a check
        current = pending.pop()
        if isinstance(current, tuple):
            pending.extend(current[::-1])
        elif isinstance(current, t.Node):
            if current in replacements:
                pending.append(replacements[current])
                continue
            yield current
            node_type: Any = type(current)
            for name in _reverse_node_fields(node_type):
                value = getattr(current, name)
                if value is not None:
                    pending.append(value)


def with_spans(value: Any, map_span: Callable[[Span], Span]) -> Any:
    """Return a copy of a node or tuple of nodes, with each span replaced by `map_span(span)`."""
    if isinstance(value, tuple):
        return tuple(with_spans(part, map_span) for part in value)
    if not isinstance(value, t.Node):
        return value
    changed = {name: with_spans(part, map_span) for name, part in iter_fields(value)}
    return replace(value, span=map_span(value.span), **changed)


def copy_nodes(node: Any) -> Any:
    """Return a deep copy of a node or tuple of nodes, so that passes keep separate information about it."""
    if isinstance(node, tuple):
        return tuple(copy_nodes(part) for part in node)
    if not isinstance(node, t.Node):
        return node
    node_type: Any = type(node)
    return replace(node, **{name: copy_nodes(getattr(node, name)) for name in _fields_in_order(node_type)})


def find_open_end(value: t.Expr) -> t.OfSeveral | t.Track | None:
    """Return the value at the end of another one that, to a reader, extends as far as possible, or None.

    Such values are `best of a and b` and tracks without parentheses.
    """
    while isinstance(value, t.Binary) and not value.wrapped and not isinstance(value, t.Listed):
        value = value.right
    if isinstance(value, t.OfSeveral | t.Track) and not value.wrapped:
        return value
    return None


def get_literal_number(expr: t.Expr | None) -> int | None:
    """Return the value of a literal number, perhaps negative; None for any other expression."""
    if isinstance(expr, t.Unary) and expr.op == "minus" and isinstance(expr.arg, t.Number):
        return -expr.arg.value
    return expr.value if isinstance(expr, t.Number) else None
