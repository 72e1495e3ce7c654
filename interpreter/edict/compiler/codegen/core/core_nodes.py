"""Base classes of the core language: nodes, variables, labels, procedures.

The type checker ensures that no node is mutated. Runtime-frozen dataclasses took a fifth of the time of lowering.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_node(cls: type[T]) -> type[T]:
    """Make a class a node that compares by value."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def identity_node(cls: type[T]) -> type[T]:
    """Make a class a node that compares by identity."""
    return dataclass(eq=False, slots=True)(cls)


@dataclass(eq=False, slots=True)
class BlockLabel:
    """A jump target, the end of a block or the start of a loop."""


@identity_node
class CoreExpr:
    """An expression of the core language."""

    @property
    def cells(self) -> int:
        """Return the number of cells that the value takes; 0 if it is never stored."""
        return 1


@identity_node
class Var(CoreExpr):
    """A variable of a procedure, either a value or a row of cells that is read by an index."""

    cells: int = 1


@value_node
class Condition:
    """A condition of the core language."""

    # number of its place in the rules; -1 is the cause of the enclosing statement
    cause: int = field(default=-1, kw_only=True)
    told: bool = field(default=False, kw_only=True)  # coverage and explanations report this fork
    # asks whether an ability's thing works, not whether the ability's own condition holds
    works: bool = field(default=False, kw_only=True)


@value_node
class CoreStmt:
    """A statement of the core language."""

    cause: int = field(kw_only=True)


Body = tuple[CoreStmt, ...]


@dataclass(eq=False, slots=True)
class Procedure:
    """A procedure of the core language.

    Callers set its `params` and read its `result`. It may read variables of the procedure that calls it, or, if it
    is `aside`, of one that waits for an answer.
    """

    name: str  # unique in the program
    params: tuple[Var, ...]
    result: Var
    aside: bool = False  # evaluated outside the game's own flow to describe a pending question
    lends: bool = False  # its callees read its variables
    asks: bool = False  # it does nothing unless a player chooses to use it
