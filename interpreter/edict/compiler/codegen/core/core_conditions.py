"""Conditions of the core language."""

from __future__ import annotations

from edict.compiler.codegen.core.core_nodes import Body, Condition, CoreExpr, Var, value_node


@value_node
class All(Condition):
    """A conjunction; it holds if all parts hold."""

    parts: tuple[Condition, ...]


@value_node
class Any_(Condition):  # noqa: N801  not the `Any` of typing
    """A disjunction; it holds if any part holds."""

    parts: tuple[Condition, ...]


@value_node
class Not(Condition):
    """A negated condition."""

    part: Condition


@value_node
class Test(Condition):
    """A test that a value is not 0, or that it is 0 if `empty`."""

    value: CoreExpr
    empty: bool = False


@value_node
class Compare(Condition):
    """A comparison of two values."""

    op: str  # one of = != < <= > >= in not-in within
    left: CoreExpr
    right: CoreExpr


@value_node
class Quantifier(Condition):
    """A condition that holds for at least one member of a set, or for all members if `every`."""

    every: bool
    members: CoreExpr
    it: Var
    condition: Condition


@value_node
class ExceptedRule(Condition):
    """A rule that need not hold while one of its exceptions does."""

    rule: Condition
    exceptions: tuple[Condition, ...]


@value_node
class IfCondition(Condition):
    """A condition that is `then` if the test holds, else `otherwise`."""

    test: Condition
    then: Condition
    otherwise: Condition


@value_node
class StatementCondition(Condition):
    """A condition that is evaluated after statements have been executed."""

    body: Body
    condition: Condition
