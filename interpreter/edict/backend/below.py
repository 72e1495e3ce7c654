"""What stands below a node of the core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from edict.backend import core

NODES = (core.Expr, core.Condition, core.Stmt)


@cache
def slots(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a sort of node."""
    return tuple(one.name for one in fields(kind))


def below(root: object) -> Iterator[object]:
    """The node, or the nodes of a tuple, and all of which they are made."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, NODES):
            yield one
            kind: Any = type(one)
            waiting.extend(getattr(one, name) for name in slots(kind))
