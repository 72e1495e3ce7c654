"""The core language: the statements, expressions and conditions to which all rules are lowered.

A value is an integer (see `program.opcodes`). Control flow is structured, as in WebAssembly: a jump to the label of
a `Block` leaves the block, a jump to the label of a loop starts its next iteration. A variable belongs to the
procedure that first sets it and to the innermost `Scope` there; behind that scope its cell is reused.

Every statement carries the number of its cause, the rule and line it comes from. So does every condition that is
written in the rules.
"""

from __future__ import annotations

from edict.compiler.codegen.core.core_conditions import (
    All,
    Any_,
    Compare,
    ExceptedRule,
    IfCondition,
    Not,
    Quantifier,
    StatementCondition,
    Test,
)
from edict.compiler.codegen.core.core_nodes import BlockLabel, Body, Condition, CoreExpr, CoreStmt, Procedure, Var
from edict.compiler.codegen.core.core_statements import (
    AskSeat,
    Block,
    Call,
    Chance,
    EndlessLoop,
    ForEach,
    Go,
    IfElse,
    IndexedCall,
    Let,
    MachineStep,
    Option,
    Scope,
    StoreState,
    Switch,
)
from edict.compiler.codegen.core.core_values import (
    ALL_IN_ORDER,
    CallResult,
    Cell,
    CheckedPresence,
    CheckedRange,
    Const,
    FilteredSet,
    Load,
    NumberRange,
    Op,
    Singleton,
    StatementExpression,
    TableLookup,
    TruthValue,
)

__all__ = [
    "ALL_IN_ORDER",
    "StatementExpression",
    "All",
    "Any_",
    "AskSeat",
    "Block",
    "Body",
    "Call",
    "IndexedCall",
    "CallResult",
    "Cell",
    "Chance",
    "Compare",
    "Condition",
    "Const",
    "ForEach",
    "IfCondition",
    "ExceptedRule",
    "CoreExpr",
    "StatementCondition",
    "Go",
    "IfElse",
    "FilteredSet",
    "BlockLabel",
    "Let",
    "Load",
    "EndlessLoop",
    "Not",
    "NumberRange",
    "Op",
    "Option",
    "CheckedPresence",
    "Procedure",
    "Scope",
    "Singleton",
    "Quantifier",
    "MachineStep",
    "CoreStmt",
    "StoreState",
    "Switch",
    "TableLookup",
    "Test",
    "TruthValue",
    "Var",
    "CheckedRange",
]
