"""What the core language is built on: sorts of nodes, variables, labels, procedures."""

from __future__ import annotations

from dataclasses import dataclass, field

from edict.backend.nodes import node, single


@dataclass(eq=False, slots=True)
class Label:
    """Where a block ends, or a loop begins its next turn."""


@single
class Expr:
    pass


@single
class Var(Expr):
    """A variable of a procedure; with a `size` above 1 a row of cells. `cells`: how many of them are one value."""

    size: int = 1
    cells: int = 1

    def hold(self, cells: int) -> None:
        """Take so many cells, before the variable has its place."""
        for name in ("size", "cells"):
            object.__setattr__(self, name, cells)


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
    """

    name: str
    params: tuple[Var, ...]
    result: Var
    aside: bool = False
