"""Panels, and those that rules show on request."""

from __future__ import annotations

from functools import lru_cache

from edict.compiler.semantics.call_graph import all_definitions
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk


@lru_cache(maxsize=2)
def list_panels(resolved: ResolvedBook) -> tuple[t.Display, ...]:
    """Return all panels, in the order of their numbers."""
    return tuple(display for display in resolved.book.definitions.values() if isinstance(display, t.Display))


@lru_cache(maxsize=2)
def find_requested_panels(resolved: ResolvedBook) -> frozenset[str]:
    """Return the names of the panels that are shown only when rules `look at` them."""
    nodes = (node for owner in all_definitions(resolved) for node in walk(owner))
    return frozenset(node.display.word for node in nodes if isinstance(node, t.Look))
