"""Values that take several cells, taken apart: what is left are values of one cell each, as the machine has them.

Rules without such values never come here. The handler for each kind of node registers here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from edict.backend import core
from edict.backend.composing import Composing, op
from edict.backend.core import Condition, Const, Expr
from edict.backend.below import NODES, slots
from edict.backend.wide import cells_of
from edict.program import opcodes as o


class Spreading(Composing):
    """Puts statements back together."""

    def body(self, statements: core.Body) -> core.Body:
        with self.apart() as found:
            for one in statements:
                self.cause = one.cause
                handler = STATEMENTS.get(type(one))
                if handler is not None:
                    handler(self, one)
                else:
                    self.add(self.anew(one))
        return tuple(found)

    def carry_out(self, statements: core.Body) -> None:
        for one in self.body(statements):
            self.add(one)

    def value(self, expr: Expr) -> Expr:
        """A value of one cell."""
        handler = VALUES.get(type(expr))
        if handler is None:
            return self.anew(expr)  # type: ignore[no-any-return]
        with self.apart() as body:
            found = handler(self, expr)
        return core.After(tuple(body), found) if body else found

    def parts(self, expr: Expr, cells: int) -> list[Expr]:
        """What stands in each cell of a value; what has to be done for that first is added."""
        handler = PARTS.get(type(expr))
        found = [self.value(expr)] if handler is None else handler(self, expr)
        assert len(found) <= cells, expr
        return [*found, *[Const(0)] * (cells - len(found))]

    def condition(self, one: Condition) -> Condition:
        handler = CONDITIONS.get(type(one))
        if handler is None:
            return self.anew(one)  # type: ignore[no-any-return]
        before = self.cause
        self.cause = one.cause if one.cause >= 0 else before
        with self.apart() as body:
            found = handler(self, one)
        self.cause = before
        return core.Given(tuple(body), found) if body else found

    def anew(self, one: Any) -> Any:
        """The same node, rebuilt from new parts."""
        kind: Any = type(one)
        if kind in (core.Var, core.Const, core.Cell, core.Part):
            return one
        given: dict[str, Any] = {}
        for name in slots(kind):  # blocks stand in blocks, many deep: no more calls for each than need be
            value = getattr(one, name)
            given[name] = self.body(value) if _is_body(value) else self._anew(value)
        return kind(**given)

    def _anew(self, one: Any) -> Any:
        if isinstance(one, core.Expr):
            return self.value(one)
        if isinstance(one, core.Condition):
            return self.condition(one)
        if _is_body(one):
            return self.body(one)
        if isinstance(one, tuple):
            return tuple(self._anew(part) for part in one)
        assert not isinstance(one, NODES)
        return one


def _is_body(one: Any) -> bool:
    return isinstance(one, tuple) and bool(one) and isinstance(one[0], core.Stmt)


VALUES: dict[type, Callable[[Spreading, Any], Expr]] = {}
PARTS: dict[type, Callable[[Spreading, Any], list[Expr]]] = {}
CONDITIONS: dict[type, Callable[[Spreading, Any], Condition]] = {}
STATEMENTS: dict[type, Callable[[Spreading, Any], None]] = {}


def either(parts: Iterable[Expr]) -> Expr:
    """What is in any of the pieces: not 0 if one of them is not."""
    first, *others = parts
    for one in others:
        first = op(o.OR, first, one)
    return first


# --- what stands in each cell ------------------------------------------------------------------------


def _constant(_: Spreading, const: Const) -> list[Expr]:
    if const.value < 0:
        return [const]
    count = max(const.cells, -(-const.value.bit_length() // o.BITS))
    return [Const(const.value >> o.BITS * i & full()) for i in range(count)]


def full() -> int:
    """The set of all that a cell has room for."""
    return (1 << o.BITS) - 1


def _cell(_: Spreading, cell: core.Cell) -> list[Expr]:
    return [core.Cell(cell.at + i) for i in range(cell.cells)]


def _load(s: Spreading, load: core.Load) -> list[Expr]:
    if load.cells == 1:
        return [s.value(load)]
    index = s.once(s.value(load.index))
    return [core.Load(load.base + i, op(o.IDX, index, load.cells, Const(0))) for i in range(load.cells)]


def _variable(_: Spreading, var: core.Var) -> list[Expr]:
    return [var] if var.cells == 1 else [core.Part(var, i) for i in range(var.cells)]


def _table(s: Spreading, table: core.Table) -> list[Expr]:
    if table.cells == 1:
        return [s.value(table)]
    index = s.once(s.value(table.index))
    pieces = [tuple(one >> o.BITS * i & full() for one in table.values) for i in range(table.cells)]
    return [core.Table(piece, index, table.single) for piece in pieces]


def _operation(s: Spreading, one: core.Op) -> list[Expr]:
    cells = cells_of(one)
    if cells == 1:
        return [s.value(one)]
    left, right = one.args
    assert isinstance(left, Expr) and isinstance(right, Expr)
    if one.op == o.ANDN:  # what is not in the first set is not in the result either
        found = s.parts(right, max(cells, cells_of(right)))
        return [op(o.ANDN, a, b) for a, b in zip(s.parts(left, cells), found, strict=False)]
    return [op(one.op, a, b) for a, b in zip(s.parts(left, cells), s.parts(right, cells), strict=True)]


def _after(s: Spreading, after: core.After) -> list[Expr]:
    if cells_of(after) == 1:
        return [s.value(after)]
    s.carry_out(after.body)
    return s.parts(after.result, cells_of(after.result))


def _called(s: Spreading, called: core.Called) -> list[Expr]:
    cells = cells_of(called)
    if cells == 1:
        return [s.value(called)]
    found = core.Var(cells, cells)
    s.add(core.Call(called.procedure, tuple(s.value(arg) for arg in called.args), found, cause=s.cause))
    return [core.Part(found, i) for i in range(cells)]


PARTS.update({
    Const: _constant, core.Cell: _cell, core.Load: _load, core.Var: _variable, core.Table: _table,
    core.Op: _operation, core.After: _after, core.Called: _called,
})  # fmt: skip
