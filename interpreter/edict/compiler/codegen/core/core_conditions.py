"""Conditions of the core language."""

from __future__ import annotations

from edict.compiler.codegen.core.core_nodes import Body, Condition, Expr, Var, node


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
