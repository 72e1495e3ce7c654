"""The core language, into which every construct of the rules is taken apart: statements, expressions, conditions.

A value is an integer (see `program.opcodes`). Flow is structured, as in WebAssembly: to go to the label of a `Block` is
to leave it, to go to that of a loop is to begin its next turn. A variable belongs to the procedure that sets it first,
and to the innermost `Scope` there: behind that its cell is used for something else.

Every statement says by the number of its cause which rule and line it comes from, and so does a condition that stands
in the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from edict.backend.nodes import node, single


@dataclass(eq=False, slots=True)
class Label:
    """Where a block ends, or a loop begins its next turn."""


# --- expressions -----------------------------------------------------------------------------------


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


# --- conditions ------------------------------------------------------------------------------------


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
class All(Condition):
    parts: tuple[Condition, ...]


@node
class Any_(Condition):
    parts: tuple[Condition, ...]


@node
class Not(Condition):
    part: Condition


@node
class Test(Condition):
    """A value that is not 0; `empty`: that is 0."""

    value: Expr
    empty: bool = False


@node
class Compare(Condition):
    """op: = != < <= > >= in not-in within."""

    op: str
    left: Expr
    right: Expr


@node
class Some(Condition):
    """Whether the condition holds for one of the members of a set; `every`: for all of them."""

    every: bool
    members: Expr
    it: Var
    condition: Condition


@node
class Excepted(Condition):
    """A rule that need not hold while one of the exceptions does."""

    rule: Condition
    exceptions: tuple[Condition, ...]


@node
class Either(Condition):
    """`then` where the test is met, else `otherwise`."""

    test: Condition
    then: Condition
    otherwise: Condition


@node
class Given(Condition):
    """A condition that is asked when statements have been carried out."""

    body: Body
    condition: Condition


# --- statements ------------------------------------------------------------------------------------


@node
class Stmt:
    cause: int = field(kw_only=True)


Body = tuple[Stmt, ...]


@node
class Let(Stmt):
    """A variable gets a value (None: further down). `fixed`: what that is made of stays as it is while it is used."""

    var: Var | Part
    value: Expr | None
    fixed: bool = False


@node
class Store(Stmt):
    """A change of the state: of the cell, or of one of the row that begins there. `event`: one that the log tells."""

    base: int | Var
    index: Expr | None
    value: Expr
    event: bool = True
    cells: int = 1


@node
class Step(Stmt):
    """An operation of the machine for its own sake: a part of an announcement, the end of the game, dice moved ..."""

    op: int
    args: tuple[Expr | int | tuple[int, ...], ...] = ()


Option = tuple[int, tuple[Condition, ...]]
"""What is offered under its number, while the conditions hold."""


@node
class Ask(Stmt):
    """A question to a seat. `options`: members of a set, or those that hold (None: they are offered already); `none`:
    where to go without any, which if `untaken` is as good as declining; `decline`: when -1 may be answered too."""

    question: int
    seat: Expr
    options: Expr | tuple[Option, ...] | None
    answer: Var
    none: Label | None = None
    decline: Condition | None = None
    untaken: bool = False


@node
class Chance(Stmt):
    """Chance takes one member of a set, which is not empty, or of what is offered already (None)."""

    question: int
    options: Expr | None
    answer: Var


@node
class Call(Stmt):
    """Call it; `into` gets what it gives, cell by cell."""

    procedure: Procedure
    args: tuple[Expr, ...] = ()
    into: Var | None = None


@node
class CallOne(Stmt):
    """The one of the procedures, none of which takes anything, that has this number."""

    procedures: tuple[Procedure, ...]
    number: Expr


@node
class If(Stmt):
    condition: Condition
    then: Body
    otherwise: Body = ()


@node
class Switch(Stmt):
    """The case of this number; each with the cause of its words, or -1 if rules have no words for it."""

    number: Expr
    cases: tuple[tuple[int, Body], ...]


@node
class Scope(Stmt):
    """What is set in here first is not used behind it."""

    body: Body


@node
class Block(Stmt):
    label: Label
    body: Body


@node
class Loop(Stmt):
    """Again and again, until it is left."""

    label: Label
    body: Body


@node
class Each(Stmt):
    """For each member of a set: in an order, as they stand there, or lowest first."""

    it: Var
    members: Expr
    order: Expr | None
    body: Body


@node
class Go(Stmt):
    """Go to the label, if the condition is as said."""

    label: Label
    condition: Condition | None = None
    when: bool = True


@dataclass(eq=False, slots=True)
class Procedure:
    """`name` is one of a kind; `params` and `result` are set by who calls, and read there.

    It may read variables of the procedure that calls it; or, if it is `aside`, of one that waits for an answer.
    """

    name: str
    params: tuple[Var, ...]
    result: Var
    aside: bool = False
