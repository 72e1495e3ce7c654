"""Two tables from kinds of nodes to the functions that tell them: in a few words, and line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from edict.language import tree as t
from edict.meaning.symbols import Resolved

OPEN, CLOSED = "*", ""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence and the lines that belong to it; `about` is the phase, routine or moment it leads to."""

    text: str
    below: tuple[Line, ...] = ()
    about: str = ""


Teller = Callable[[Resolved, Any], str]
_TELLERS: dict[type, Teller] = {}
_ENDS: dict[type, str] = {}

Outliner = Callable[[Resolved, Any], Iterator[Line]]
_OUTLINERS: dict[type, Outliner] = {}


def tells(*sorts: type, ends: str = OPEN) -> Callable[[Teller], Teller]:
    """Register a function in the table, for nodes of these kinds.

    ends: how the words of a value end. OPEN: in a list or a clause, which would go on with whatever follows; CLOSED:
    in a name; or as those of the part in a field with this name do.
    """

    def enter(teller: Teller) -> Teller:
        _TELLERS.update(dict.fromkeys(sorts, teller))
        _ENDS.update(dict.fromkeys(sorts, ends))
        return teller

    return enter


def tell(resolved: Resolved, node: t.Node) -> str:
    """The words of any node that says something: an expression, amount, statement or ability."""
    return _TELLERS[type(node)](resolved, node)


def end_of(node: t.Node) -> str:
    """How the words of a value end; see `tells`."""
    return _ENDS[type(node)]


def tellable() -> frozenset[type]:
    """The kinds of nodes that have words."""
    return frozenset(_TELLERS)


def outlines(*sorts: type) -> Callable[[Outliner], Outliner]:
    """Register a function in the table, for steps of these kinds line by line."""

    def enter(outliner: Outliner) -> Outliner:
        _OUTLINERS.update(dict.fromkeys(sorts, outliner))
        return outliner

    return enter


def outliner(step: t.Stmt) -> Outliner | None:
    """What tells a step line by line; None for one that is reported in a sentence."""
    return _OUTLINERS.get(type(step))
