"""What things have in their fields, by lines of their own and in tables."""

from __future__ import annotations

from typing import Any

from lark import v_args
from lark.tree import Meta

from edict.language import tree as t
from edict.language.making.steps import listed
from edict.language.making.parts import Cell, Making, amounts_of, every, steps_of, text_of


@v_args(meta=True)
class FieldValues(Making):
    """Fields, rows and cells."""

    def field_block(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], block=steps_of(c))

    field_stmt = field_block

    def field_text(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(c[0].span.to(self._token(c[1])), c[0], text=text_of(c))

    def field_expr(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], expr=c[1])

    def field_listed(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], expr=self._bare_list(c[1:]))

    def field_amounts(self, m: Meta, c: list[Any]) -> t.FieldValue:
        span = self._token(c[1]).to(c[-1].span)
        return t.FieldValue(self.span(m), c[0], amounts=t.Bundle(span, amounts_of(c[1:])))

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

    def cell_step(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, block=steps_of(c))

    def cell_expr(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, expr=c[0])

    def cell_listed(self, m: Meta, c: list[Any]) -> Cell:
        return self._cell(m, expr=self._bare_list(c))

    def _bare_list(self, members: list[t.Expr]) -> t.Expr:
        return listed(members[0].span.to(members[-1].span), members, bare=True)

    def _cell(self, m: Meta, **value: Any) -> Cell:
        """What a cell says; which field it is about, its column says."""
        span = self.span(m)
        return Cell((t.FieldValue(span, t.Name(span, ""), **value),))

    def combinations(self, m: Meta, c: list[Any]) -> t.Combinations:
        kind, *over = every(c, t.Name)
        fields = every(c, t.FieldValue)
        return t.Combinations(self.span(m), t.Name(kind.span, ""), text_of(c), kind, tuple(over), fields)
