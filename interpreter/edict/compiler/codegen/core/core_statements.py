"""Statements of the core language."""

from __future__ import annotations

from edict.compiler.codegen.core.core_nodes import Body, Condition, Expr, Label, Procedure, Stmt, Var, node


@node
class Let(Stmt):
    """A variable gets a value (None: further down). `fixed`: what that is made of stays as it is while it is used."""

    var: Var
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
    """Call it; `into` gets what it gives, cell by cell. perhaps: it need not come to that."""

    procedure: Procedure
    args: tuple[Expr, ...] = ()
    into: Var | None = None
    perhaps: bool = False


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
