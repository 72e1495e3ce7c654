"""What all nodes of the tree are: never changed, which the type checker sees to, as it does for nodes of the core.

That Python saw to it too, and that each class had code of its own to show itself, was a fifth of the time it took to
load what compiles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from edict.support.text import Span

T = TypeVar("T")
Unwalked = Any  # a node that nothing goes into


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    return dataclass(eq=False, repr=False)(cls)


@node
class Node:
    span: Span

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
