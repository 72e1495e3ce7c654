"""What the core language is built on: kinds of nodes, variables, labels, procedures.

The type checker sees to it that no node is changed. That Python did so too took a fifth of the time of lowering.
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


@dataclass(eq=False, slots=True)
class Label:
    """Where a block ends, or a loop begins its next turn."""


@single
class Expr:
    @property
    def cells(self) -> int:
        """How many cells the value takes; 0 if it stands nowhere."""
        return 1


@single
class Var(Expr):
    """A variable of a procedure: a value, or a row of cells that is read by an index."""

    cells: int = 1


@node
class Condition:
    """cause: its place in the rules, or -1 for that of the statement it stands in.

    told: a parting of ways that coverage and explanations speak of.
    works: it is asked whether an ability's thing works, not whether the ability's own condition is met.
    """

    cause: int = field(default=-1, kw_only=True)
    told: bool = field(default=False, kw_only=True)
    works: bool = field(default=False, kw_only=True)


@node
class Stmt:
    cause: int = field(kw_only=True)


Body = tuple[Stmt, ...]


@dataclass(eq=False, slots=True)
class Procedure:
    """`name` is one of a kind; `params` and `result` are set by who calls, and read there.

    It may read variables of the procedure that calls it; or, if it is `aside`, of one that waits for an answer.
    lends: those that it calls do so. asks: it does nothing unless somebody wants it to.
    """

    name: str
    params: tuple[Var, ...]
    result: Var
    aside: bool = False
    lends: bool = False
    asks: bool = False
