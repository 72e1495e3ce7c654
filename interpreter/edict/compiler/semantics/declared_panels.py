"""Which panels there are, and which of them rules look at."""

from __future__ import annotations

from functools import lru_cache

from edict.compiler.semantics.call_graph import owners
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk


@lru_cache(maxsize=2)
def displays(resolved: Resolved) -> tuple[t.Display, ...]:
    """All panels, in the order by which they are numbered."""
    return tuple(display for display in resolved.book.definitions.values() if isinstance(display, t.Display))


@lru_cache(maxsize=2)
def looked_at(resolved: Resolved) -> frozenset[str]:
    """The names of those that are shown only when rules look at them."""
    nodes = (node for owner in owners(resolved) for node in walk(owner))
    return frozenset(node.display.word for node in nodes if isinstance(node, t.Look))
