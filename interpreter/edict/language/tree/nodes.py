"""What all nodes of the tree are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from edict.text import Span


T = TypeVar("T")
Unwalked = Any  # a node that nothing goes into


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, eq=False)(cls)


@node
class Node:
    span: Span
