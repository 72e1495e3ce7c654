"""Statements of the core language."""

from __future__ import annotations

from edict.compiler.codegen.core.core_nodes import (
    BlockLabel,
    Body,
    Condition,
    CoreExpr,
    CoreStmt,
    Procedure,
    Var,
    value_node,
)


@value_node
class Let(CoreStmt):
    """An assignment to a variable."""

    var: Var
    value: CoreExpr | None  # None only declares the variable, which is set further down
    fixed: bool = False  # nothing that the value is made of changes while the variable is in use


@value_node
class StoreState(CoreStmt):
    """A change of the state, either of one cell or of an element of the row that begins there."""

    base: int | Var
    index: CoreExpr | None
    value: CoreExpr
    event: bool = True  # whether the log reports the change
    cells: int = 1


@value_node
class MachineStep(CoreStmt):
    """A machine operation that is executed for its effect, such as an announcement or the end of the game."""

    op: int
    args: tuple[CoreExpr | int | tuple[int, ...], ...] = ()


Option = tuple[int, tuple[Condition, ...]]  # number of an offered option, and the conditions under which it is offered


@value_node
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


@value_node
class Chance(CoreStmt):
    """A chance node that picks a member of a nonempty set."""

    question: int
    options: CoreExpr | None  # None if the options have been offered already
    answer: Var


@value_node
class Call(CoreStmt):
    """A call of a procedure."""

    procedure: Procedure
    args: tuple[CoreExpr, ...] = ()
    into: Var | None = None  # receives the result
    perhaps: bool = False  # the call may be skipped at run time


@value_node
class IndexedCall(CoreStmt):
    """A call of the procedure at an index; none of the procedures has parameters."""

    procedures: tuple[Procedure, ...]
    number: CoreExpr


@value_node
class IfElse(CoreStmt):
    """A branch on a condition."""

    condition: Condition
    then: Body
    otherwise: Body = ()


@value_node
class Switch(CoreStmt):
    """A branch on a number."""

    number: CoreExpr
    # cause and body of each case; the cause is -1 if the case is not written in the rules
    cases: tuple[tuple[int, Body], ...]


@value_node
class Scope(CoreStmt):
    """A scope; variables that are first set inside are not used behind it."""

    body: Body


@value_node
class Block(CoreStmt):
    """A block that a jump to its label leaves."""

    label: BlockLabel
    body: Body


@value_node
class EndlessLoop(CoreStmt):
    """A loop that only a jump leaves."""

    label: BlockLabel
    body: Body


@value_node
class ForEach(CoreStmt):
    """A loop over the members of a set, in the sequence of an order if given, else lowest first."""

    it: Var
    members: CoreExpr
    order: CoreExpr | None
    body: Body


@value_node
class Go(CoreStmt):
    """A jump to a label, if the condition has the truth value `when`."""

    label: BlockLabel
    condition: Condition | None = None
    when: bool = True
