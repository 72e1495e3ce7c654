"""What nodes of the core are: values that never change.

The type checker sees to it that none is changed. That Python did so too took a fifth of the time of lowering.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    """A node that equals every other one that is made of the same."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def single(cls: type[T]) -> type[T]:
    """A node that equals only itself."""
    return dataclass(eq=False, slots=True)(cls)
