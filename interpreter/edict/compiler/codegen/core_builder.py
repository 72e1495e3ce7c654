"""Core statements as they are put together: the next one goes into the innermost block that is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Expr, Label, Stmt, Var

ALWAYS = core.All(())
NEVER = core.Any_(())


def op(code: int, *args: Expr | int | tuple[int, ...]) -> core.Op:
    return core.Op(code, args)


class Composing:
    """Statements are added to the innermost block that is open, with the cause of now."""

    def __init__(self) -> None:
        self.cause = 0
        self._body: list[Stmt] = []

    @contextmanager
    def apart(self) -> Iterator[list[Stmt]]:
        """Statements added inside go into a list of their own."""
        before, self._body = self._body, []
        yield self._body
        self._body = before

    def add(self, statement: Stmt) -> None:
        self._body.append(statement)

    def declare(self, size: int = 1) -> Var:
        """A variable that is set in inner blocks, and used behind them; or a row of cells."""
        var = Var(size)
        self.add(core.Let(var, None, cause=self.cause))
        return var

    def let(self, value: Expr) -> Var:
        """A variable that begins with this value."""
        var = Var(value.cells)
        self.set(var, value)
        return var

    def set(self, var: Var, value: Expr) -> None:
        self.add(core.Let(var, value, cause=self.cause))

    def once(self, value: Expr) -> Expr:
        """The value, worked out here, to be used several times before anything it is made of changes."""
        if isinstance(value, core.Const | core.Cell | core.Var):
            return value
        var = Var(value.cells)
        self.add(core.Let(var, value, fixed=True, cause=self.cause))
        return var

    def step(self, code: int, *args: Expr | int | tuple[int, ...]) -> None:
        self.add(core.Step(code, args, cause=self.cause))

    def go(self, label: Label, condition: Condition | None = None) -> None:
        """Go there; if there is a condition, if it holds."""
        self.add(core.Go(label, condition, cause=self.cause))

    def unless(self, condition: Condition, label: Label) -> None:
        """Go there if the condition does not hold."""
        if condition is not ALWAYS:
            self.add(core.Go(label, condition, False, cause=self.cause))

    @contextmanager
    def block(self) -> Iterator[Label]:
        """A block; to go to its label is to leave it."""
        label, before = Label(), self._body
        body = self._body = []
        yield label
        self._body = before
        before.append(core.Block(label, tuple(body), cause=self.cause))

    @contextmanager
    def loop(self) -> Iterator[Label]:
        """A block that is carried out until it is left; to go to its label is to begin it again."""
        label = Label()
        with self.apart() as body:
            yield label
        self.add(core.Loop(label, tuple(body), cause=self.cause))

    @contextmanager
    def members(self, among: Expr) -> Iterator[Var]:
        """A loop over the members of a set, lowest first."""
        it = Var()
        with self.apart() as body:
            yield it
        self.add(core.Each(it, among, None, tuple(body), cause=self.cause))

    @contextmanager
    def line(self, order: Expr, among: Expr) -> Iterator[Var]:
        """A loop over the members of an order that are in a set, as they stand there."""
        it = Var()
        with self.apart() as body:
            yield it
        self.add(core.Each(it, among, order, tuple(body), cause=self.cause))
