"""Expressions of the core language."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.compiler.codegen.core.core_nodes import Body, Condition, CoreExpr, Procedure, Var, value_node
from edict.runtime.program import opcodes as o


@value_node
class Const(CoreExpr):
    """A constant.

    In several cells it is a set or, below 0, an empty order.
    """

    value: int
    cells: int = 1


ALL_IN_ORDER = Const((1 << 15) - 1)  # all members of an order


@value_node
class Cell(CoreExpr):
    """A cell of the state at a fixed address."""

    at: int
    cells: int = 1  # number of consecutive cells that form the value


@value_node
class Load(CoreExpr):
    """An element of a row, `state[base + index]`; the elements may take several cells each."""

    base: int
    index: CoreExpr
    cells: int = 1


@value_node
class TableLookup(CoreExpr):
    """An element of a constant table."""

    values: tuple[int, ...]
    index: CoreExpr
    single: bool = True  # the values are numbers or things, not sets or dice
    cells: int = 1


@value_node
class Op(CoreExpr):
    """A pure machine operation that only computes its first operand from the others."""

    op: int
    args: tuple[CoreExpr | int | tuple[int, ...], ...]

    @property
    def cells(self) -> int:
        """Return the number of cells that the result takes."""
        if self.op not in CELLWISE_SIZES:
            return 1
        return CELLWISE_SIZES[self.op]([expr.cells for expr in self.args if isinstance(expr, CoreExpr)])


# operations applied cell by cell, and how many cells the result takes
CELLWISE_SIZES: dict[int, Callable[[Sequence[int]], int]] = {
    o.OR: max,
    o.AND: min,
    o.ANDN: lambda found: found[0],
    o.DPUT: max,
    o.DTAKE: max,
    o.DFIELDS: max,
}


@value_node
class Singleton(CoreExpr):
    """The set that contains one thing only, or the empty set."""

    member: CoreExpr
    cells: int = 1


@value_node
class NumberRange(CoreExpr):
    """The numbers from `low` to `high`.

    They can only be iterated, never stored.
    """

    low: CoreExpr
    high: CoreExpr

    @property
    def cells(self) -> int:
        """Return 0, as the range is never stored."""
        return 0


@value_node
class CheckedRange(CoreExpr):
    """A value whose evaluation is a fault if it lies outside these bounds."""

    value: CoreExpr
    low: int
    high: int


@value_node
class CheckedPresence(CoreExpr):
    """A value whose evaluation is a fault if it is `none`."""

    value: CoreExpr


@value_node
class CallResult(CoreExpr):
    """The result of a procedure call."""

    procedure: Procedure
    args: tuple[CoreExpr, ...] = ()

    @property
    def cells(self) -> int:
        """Return the number of cells that the result takes."""
        return self.procedure.result.cells


@value_node
class TruthValue(CoreExpr):
    """The number 1 if the condition holds, else 0."""

    condition: Condition


@value_node
class FilteredSet(CoreExpr):
    """The members of a set that meet all conditions.

    Each member in turn is bound to `it`; the conditions are evaluated in sequence.
    """

    members: CoreExpr
    it: Var
    conditions: tuple[Condition, ...]

    @property
    def cells(self) -> int:
        """Return the number of cells that the set takes."""
        return self.members.cells


@value_node
class StatementExpression(CoreExpr):
    """A value that is evaluated after statements have been executed."""

    body: Body
    result: CoreExpr

    @property
    def cells(self) -> int:
        """Return the number of cells that the value takes."""
        return self.result.cells
