"""Tables of things as nodes."""

from __future__ import annotations

from typing import Any

from lark import v_args
from lark.tree import Meta

from edict.language import tree as t
from edict.language.making.parts import Cell, Making, amounts_of, every, steps_of, text_of


@v_args(meta=True)
class Tables(Making):
    def table(self, m: Meta, c: list[Any]) -> t.Table:
        kind, *columns = every(c, t.Name)
        return t.Table(self.span(m), t.Name(kind.span, ""), "", kind, tuple(columns), every(c, t.Row))

    def row(self, m: Meta, c: list[Any]) -> t.Row:
        return t.Row(self.span(m), c[0], text_of(c), tuple(cell[0] for cell in every(c, Cell)))

    def cell_text(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, text=text_of(c))

    def cell_amounts(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, amounts=t.Bundle(self.span(m), amounts_of(c)))

    def cell_nothing(self, _: Meta, __: list[Any]) -> Cell:
        return Cell((None,))

    def cell_expr(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, expr=c[0])

    def cell_step(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, block=steps_of(c))

    def _cell(self, m: Meta, **value: Any) -> Cell:
        """What a cell says; which field it is about, its column says."""
        span = self.span(m)
        return Cell((t.FieldValue(span, t.Name(span, ""), **value),))
