"""Expressions of the core language."""

from __future__ import annotations

from edict.backend.core.base import Body, Condition, Expr, Procedure, Var
from edict.backend.nodes import node


@node
class Part(Expr):
    """One of the cells of a variable."""

    var: Var
    number: int


@node
class Const(Expr):
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


@node
class After(Expr):
    """A value that is ready when statements have been carried out."""

    body: Body
    result: Expr
