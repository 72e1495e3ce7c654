"""The core language: the statements, expressions and conditions to which all rules are lowered.

A value is an integer (see `program.opcodes`). Control flow is structured, as in WebAssembly: a jump to the label of
a `Block` leaves the block, a jump to the label of a loop starts its next iteration. A variable belongs to the
procedure that first sets it and to the innermost `Scope` there; behind that scope its cell is reused.

Every statement carries the number of its cause, the rule and line it comes from. So does every condition that is
written in the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.runtime.program import opcodes as o
from edict.support.records import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class BlockLabel:
    """A jump target, the end of a block or the start of a loop."""


@dataclass(frozen=True, eq=False, slots=True)
class CoreExpr:
    """An expression of the core language."""

    @property
    def cells(self) -> int:
        """Return the number of cells that the value takes; 0 if it is never stored."""
        return 1


@dataclass(frozen=True, eq=False, slots=True)
class Var(CoreExpr):
    """A variable of a procedure, either a value or a row of cells that is read by an index."""

    cells: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition of the core language."""

    # number of its place in the rules; -1 is the cause of the enclosing statement
    cause: int = -1
    told: bool = False  # coverage and explanations report this fork
    # asks whether an ability's thing works, not whether the ability's own condition holds
    works: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreStmt:
    """A statement of the core language."""

    cause: int


Body = tuple[CoreStmt, ...]


@dataclass(eq=False, slots=True)
class Procedure:
    """A procedure of the core language.

    Callers set its `params` and read its `result`. It may read variables of the procedure that calls it, or, if it
    is `aside`, of one that waits for an answer.
    """

    name: str  # unique in the program
    params: tuple[Var, ...]
    result: Var
    aside: bool = False  # evaluated outside the game's own flow to describe a pending question
    lends: bool = False  # its callees read its variables
    asks: bool = False  # it does nothing unless a player chooses to use it


# --- values ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const(CoreExpr):
    """A constant.

    In several cells it is a set or, below 0, an empty order.
    """

    value: int
    cells: int = 1


ALL_IN_ORDER = Const((1 << 15) - 1)  # all members of an order


@dataclass(frozen=True, slots=True)
class Cell(CoreExpr):
    """A cell of the state at a fixed address."""

    at: int
    cells: int = 1  # number of consecutive cells that form the value


@dataclass(frozen=True, slots=True)
class Load(CoreExpr):
    """An element of a row, `state[base + index]`; the elements may take several cells each."""

    base: int
    index: CoreExpr
    cells: int = 1


@dataclass(frozen=True, slots=True)
class TableLookup(CoreExpr):
    """An element of a constant table."""

    values: tuple[int, ...]
    index: CoreExpr
    single: bool = True  # the values are numbers or things, not sets or dice
    cells: int = 1


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Singleton(CoreExpr):
    """The set that contains one thing only, or the empty set."""

    member: CoreExpr
    cells: int = 1


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class CheckedRange(CoreExpr):
    """A value whose evaluation is a fault if it lies outside these bounds."""

    value: CoreExpr
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class CheckedPresence(CoreExpr):
    """A value whose evaluation is a fault if it is `none`."""

    value: CoreExpr


@dataclass(frozen=True, slots=True)
class CallResult(CoreExpr):
    """The result of a procedure call."""

    procedure: Procedure
    args: tuple[CoreExpr, ...] = ()

    @property
    def cells(self) -> int:
        """Return the number of cells that the result takes."""
        return self.procedure.result.cells


@dataclass(frozen=True, slots=True)
class TruthValue(CoreExpr):
    """The number 1 if the condition holds, else 0."""

    condition: Condition


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class StatementExpression(CoreExpr):
    """A value that is evaluated after statements have been executed."""

    body: Body
    result: CoreExpr

    @property
    def cells(self) -> int:
        """Return the number of cells that the value takes."""
        return self.result.cells


# --- conditions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class All(Condition):
    """A conjunction; it holds if all parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Any_(Condition):  # noqa: N801  not the `Any` of typing
    """A disjunction; it holds if any part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """A negated condition."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Test(Condition):
    """A test that a value is not 0, or that it is 0 if `empty`."""

    value: CoreExpr
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    """A comparison of two values."""

    op: str  # one of = != < <= > >= in not-in within
    left: CoreExpr
    right: CoreExpr


@dataclass(frozen=True, slots=True)
class Quantifier(Condition):
    """A condition that holds for at least one member of a set, or for all members if `every`."""

    every: bool
    members: CoreExpr
    it: Var
    condition: Condition


@dataclass(frozen=True, slots=True)
class ExceptedRule(Condition):
    """A rule that need not hold while one of its exceptions does."""

    rule: Condition
    exceptions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class IfCondition(Condition):
    """A condition that is `then` if the test holds, else `otherwise`."""

    test: Condition
    then: Condition
    otherwise: Condition


@dataclass(frozen=True, slots=True)
class StatementCondition(Condition):
    """A condition that is evaluated after statements have been executed."""

    body: Body
    condition: Condition


# --- statements --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let(CoreStmt):
    """An assignment to a variable."""

    var: Var
    value: CoreExpr | None  # None only declares the variable, which is set further down
    fixed: bool = False  # nothing that the value is made of changes while the variable is in use


@dataclass(frozen=True, slots=True)
class StoreState(CoreStmt):
    """A change of the state, either of one cell or of an element of the row that begins there."""

    base: int | Var
    index: CoreExpr | None
    value: CoreExpr
    event: bool = True  # whether the log reports the change
    cells: int = 1


@dataclass(frozen=True, slots=True)
class MachineStep(CoreStmt):
    """A machine operation that is executed for its effect, such as an announcement or the end of the game."""

    op: int
    args: tuple[CoreExpr | int | tuple[int, ...], ...] = ()


Option = tuple[int, tuple[Condition, ...]]  # number of an offered option, and the conditions under which it is offered


@dataclass(frozen=True, slots=True)
class AskSeat(CoreStmt):
    """A question to a seat."""

    question: int
    seat: CoreExpr
    # a set whose members are offered, single options, or None if they have been offered already
    options: CoreExpr | tuple[Option, ...] | None
    answer: Var
    none: BlockLabel | None = None  # jump target if there is no option
    decline: Condition | None = None  # condition under which the seat may decline (answer -1)
    untaken: bool = False  # having no option counts as declining


@dataclass(frozen=True, slots=True)
class Chance(CoreStmt):
    """A chance node that picks a member of a nonempty set."""

    question: int
    options: CoreExpr | None  # None if the options have been offered already
    answer: Var


@dataclass(frozen=True, slots=True)
class Call(CoreStmt):
    """A call of a procedure."""

    procedure: Procedure
    args: tuple[CoreExpr, ...] = ()
    into: Var | None = None  # receives the result
    perhaps: bool = False  # the call may be skipped at run time


@dataclass(frozen=True, slots=True)
class IndexedCall(CoreStmt):
    """A call of the procedure at an index; none of the procedures has parameters."""

    procedures: tuple[Procedure, ...]
    number: CoreExpr


@dataclass(frozen=True, slots=True)
class IfElse(CoreStmt):
    """A branch on a condition."""

    condition: Condition
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class Switch(CoreStmt):
    """A branch on a number."""

    number: CoreExpr
    # cause and body of each case; the cause is -1 if the case is not written in the rules
    cases: tuple[tuple[int, Body], ...]


@dataclass(frozen=True, slots=True)
class Scope(CoreStmt):
    """A scope; variables that are first set inside are not used behind it."""

    body: Body


@dataclass(frozen=True, slots=True)
class Block(CoreStmt):
    """A block that a jump to its label leaves."""

    label: BlockLabel
    body: Body


@dataclass(frozen=True, slots=True)
class EndlessLoop(CoreStmt):
    """A loop that only a jump leaves."""

    label: BlockLabel
    body: Body


@dataclass(frozen=True, slots=True)
class ForEach(CoreStmt):
    """A loop over the members of a set, in the sequence of an order if given, else lowest first."""

    it: Var
    members: CoreExpr
    order: CoreExpr | None
    body: Body


@dataclass(frozen=True, slots=True)
class Go(CoreStmt):
    """A jump to a label, if the condition has the truth value `when`."""

    label: BlockLabel
    condition: Condition | None = None
    when: bool = True
