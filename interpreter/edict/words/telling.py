"""One table from sorts of nodes to the functions that tell them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.language import tree as t
from edict.meaning.symbols import Resolved

Teller = Callable[[Resolved, Any], str]
_TELLERS: dict[type, Teller] = {}


def tells(*sorts: type) -> Callable[[Teller], Teller]:
    """Enter a function into the table, as that which tells nodes of these sorts."""

    def enter(teller: Teller) -> Teller:
        _TELLERS.update(dict.fromkeys(sorts, teller))
        return teller

    return enter


def tell(resolved: Resolved, node: t.Node) -> str:
    """The words of any node that says something: an expression, amount, statement or ability."""
    return _TELLERS[type(node)](resolved, node)


def tellable() -> frozenset[type]:
    """The sorts of nodes that have words."""
    return frozenset(_TELLERS)
