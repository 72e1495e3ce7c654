"""Expressions of the core language."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.compiler.codegen.core.core_nodes import Body, Condition, Expr, Procedure, Var, node
from edict.runtime.program import opcodes as o


@node
class Const(Expr):
    """A value known before play; in several cells a set, or, below 0, an order in which nothing stands."""

    value: int
    cells: int = 1


ALL_IN_LINE = Const((1 << 15) - 1)
"""Whoever stands in an order."""


@node
class Cell(Expr):
    """A cell of the state that has its place before play; `cells`: with those behind it that are the same value."""

    at: int
    cells: int = 1


@node
class Load(Expr):
    """One of a row of cells: state[base + index]; or one of a row of values that take several each."""

    base: int
    index: Expr
    cells: int = 1


@node
class Table(Expr):
    """One of these values; `single` if they are numbers or things, and not sets or dice."""

    values: tuple[int, ...]
    index: Expr
    single: bool = True
    cells: int = 1


@node
class Op(Expr):
    """An operation of the machine that only computes its first operand, out of these others."""

    op: int
    args: tuple[Expr | int | tuple[int, ...], ...]

    @property
    def cells(self) -> int:
        if self.op not in BY_CELL:
            return 1
        return BY_CELL[self.op]([expr.cells for expr in self.args if isinstance(expr, Expr)])


BY_CELL: dict[int, Callable[[Sequence[int]], int]] = {
    o.OR: max,
    o.AND: min,
    o.ANDN: lambda found: found[0],
    o.DPUT: max,
    o.DTAKE: max,
    o.DFIELDS: max,
}
"""What is done with each cell by itself, and how many cells what comes of it takes."""


@node
class Single(Expr):
    """The set of one thing alone, or of none."""

    member: Expr
    cells: int = 1


@node
class Numbers(Expr):
    """All numbers from one to another, as far as they are not below 0. They are gone through, and stand nowhere."""

    low: Expr
    high: Expr

    @property
    def cells(self) -> int:
        return 0


@node
class Within(Expr):
    """The value, which is a fault unless it lies within these bounds."""

    value: Expr
    low: int
    high: int


@node
class Present(Expr):
    """The value, which is a fault if it is none."""

    value: Expr


@node
class Called(Expr):
    """What a procedure gives."""

    procedure: Procedure
    args: tuple[Expr, ...] = ()

    @property
    def cells(self) -> int:
        return self.procedure.result.cells


@node
class Truth(Expr):
    """1 if the condition holds, else 0."""

    condition: Condition


@node
class Kept(Expr):
    """The members of a set, each in turn being `it`, that meet all conditions, which are asked in this order."""

    members: Expr
    it: Var
    conditions: tuple[Condition, ...]

    @property
    def cells(self) -> int:
        return self.members.cells


@node
class After(Expr):
    """A value that is ready when statements have been carried out."""

    body: Body
    result: Expr

    @property
    def cells(self) -> int:
        return self.result.cells
