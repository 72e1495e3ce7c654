"""A builder of core statements that appends to the innermost open block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Condition, CoreExpr, CoreStmt, Var

ALWAYS = core.All(())
NEVER = core.Any_(())


def make_op(opcode: int, *args: CoreExpr | int | tuple[int, ...]) -> core.Op:
    """Build a core operation from an opcode and its arguments."""
    return core.Op(opcode, args)


class CoreBuilder:
    """A builder of core statements.

    Each statement is added to the innermost open block, with the current cause.
    """

    def __init__(self) -> None:
        self.cause = 0
        self._body: list[CoreStmt] = []

    @contextmanager
    def collect(self) -> Iterator[list[CoreStmt]]:
        """Collect the statements added inside in a list of their own."""
        outer_body, self._body = self._body, []
        yield self._body
        self._body = outer_body

    def add(self, statement: CoreStmt) -> None:
        """Append a statement to the innermost open block."""
        self._body.append(statement)

    def declare(self, size: int = 1) -> Var:
        """Add a variable of `size` cells without a value, which code of inner blocks may set, and return it."""
        var = Var(size)
        self.add(core.Let(var, None, cause=self.cause))
        return var

    def let(self, value: CoreExpr) -> Var:
        """Create a variable initialized with a value."""
        var = Var(value.cells)
        self.set(var, value)
        return var

    def set(self, var: Var, value: CoreExpr) -> None:
        """Assign a value to a variable."""
        self.add(core.Let(var, value, cause=self.cause))

    def evaluate_once(self, value: CoreExpr) -> CoreExpr:
        """Return a variable that holds the value from here on; constants, cells and variables are returned as they are.

        Nothing that the value is made of may change before its last use.
        """
        if isinstance(value, core.Const | core.Cell | core.Var):
            return value
        var = Var(value.cells)
        self.add(core.Let(var, value, fixed=True, cause=self.cause))
        return var

    def add_step(self, opcode: int, *args: CoreExpr | int | tuple[int, ...]) -> None:
        """Add a machine operation of this opcode; its arguments are values, plain numbers or tables."""
        self.add(core.MachineStep(opcode, args, cause=self.cause))

    def jump(self, label: BlockLabel, condition: Condition | None = None) -> None:
        """Jump to a label, only if the condition holds when one is given."""
        self.add(core.Go(label, condition, cause=self.cause))

    def jump_unless(self, condition: Condition, label: BlockLabel) -> None:
        """Jump to a label if the condition does not hold."""
        if condition is not ALWAYS:
            self.add(core.Go(label, condition, False, cause=self.cause))

    @contextmanager
    def block(self) -> Iterator[BlockLabel]:
        """Open a block, and yield its label; a jump to the label leaves the block."""
        label, outer_body = BlockLabel(), self._body
        body = self._body = []
        yield label
        self._body = outer_body
        outer_body.append(core.Block(label, tuple(body), cause=self.cause))

    @contextmanager
    def loop(self) -> Iterator[BlockLabel]:
        """Open a loop that runs until it is left, and yield its label; a jump to the label restarts it."""
        label = BlockLabel()
        with self.collect() as body:
            yield label
        self.add(core.EndlessLoop(label, tuple(body), cause=self.cause))

    @contextmanager
    def loop_over_members(self, members: CoreExpr) -> Iterator[Var]:
        """Open a loop over the members of a set, lowest first, and yield the loop variable."""
        member = Var()
        with self.collect() as body:
            yield member
        self.add(core.ForEach(member, members, None, tuple(body), cause=self.cause))

    @contextmanager
    def loop_over_order(self, order: CoreExpr, members: CoreExpr) -> Iterator[Var]:
        """Open a loop over the members of an order that are in a set, in the sequence of the order."""
        member = Var()
        with self.collect() as body:
            yield member
        self.add(core.ForEach(member, members, order, tuple(body), cause=self.cause))
