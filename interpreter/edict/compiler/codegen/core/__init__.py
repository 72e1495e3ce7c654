"""The core language, into which every construct of the rules is taken apart: statements, expressions, conditions.

A value is an integer (see `program.opcodes`). Flow is structured, as in WebAssembly: to go to the label of a `Block` is
to leave it, to go to that of a loop is to begin its next turn. A variable belongs to the procedure that sets it first,
and to the innermost `Scope` there: behind that its cell is used for something else.

Every statement says by the number of its cause which rule and line it comes from, and so does a condition that stands
in the rules.
"""

from __future__ import annotations

from edict.compiler.codegen.core.core_conditions import All, Any_, Compare, Either, Excepted, Given, Not, Some, Test
from edict.compiler.codegen.core.core_nodes import Body, Condition, Expr, Label, Procedure, Stmt, Var
from edict.compiler.codegen.core.core_statements import (
    Ask,
    Block,
    Call,
    CallOne,
    Chance,
    Each,
    Go,
    If,
    Let,
    Loop,
    Option,
    Scope,
    Step,
    Store,
    Switch,
)
from edict.compiler.codegen.core.core_values import (
    ALL_IN_LINE,
    After,
    Called,
    Cell,
    Const,
    Kept,
    Load,
    Numbers,
    Op,
    Present,
    Single,
    Table,
    Truth,
    Within,
)

__all__ = [
    "ALL_IN_LINE",
    "After",
    "All",
    "Any_",
    "Ask",
    "Block",
    "Body",
    "Call",
    "CallOne",
    "Called",
    "Cell",
    "Chance",
    "Compare",
    "Condition",
    "Const",
    "Each",
    "Either",
    "Excepted",
    "Expr",
    "Given",
    "Go",
    "If",
    "Kept",
    "Label",
    "Let",
    "Load",
    "Loop",
    "Not",
    "Numbers",
    "Op",
    "Option",
    "Present",
    "Procedure",
    "Scope",
    "Single",
    "Some",
    "Step",
    "Stmt",
    "Store",
    "Switch",
    "Table",
    "Test",
    "Truth",
    "Var",
    "Within",
]
