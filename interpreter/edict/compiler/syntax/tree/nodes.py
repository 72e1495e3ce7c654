"""The base of all nodes.

Nodes are immutable, as the type checker verifies. Frozen dataclasses with a `__repr__` each would make importing the
compiler a fifth slower.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from edict.support.text import Span

T = TypeVar("T")
Unwalked = Any  # type of a field with a node that traversal skips


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    """Make a class a node (a class decorator)."""
    return dataclass(eq=False, repr=False)(cls)


@node
class Node:
    """The base class of nodes."""

    span: Span

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
