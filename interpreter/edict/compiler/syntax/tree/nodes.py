"""The base of all nodes."""

from __future__ import annotations

from typing import Any

from edict.support.records import dataclass
from edict.support.text import Span

Unwalked = Any  # type of a field with a node that traversal skips


@dataclass(frozen=True, eq=False)
class Node:
    """The base class of nodes, which compare by identity."""

    span: Span
