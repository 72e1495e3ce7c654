"""Steps, values, and what things have in their fields, by lines of their own and in tables, built of their parts."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.making.parts import (
    ColumnValue,
    Else,
    ElseIf,
    Joint,
    Making,
    Mark,
    Then,
    amounts_of,
    every,
    first_of,
    steps_of,
    text_of,
)
from edict.compiler.syntax.printing.printed_expressions import expression
from edict.compiler.syntax.walking import copied, without_end
from edict.support.report import Diagnostic
from edict.support.text import Span


class Steps(Making):
    """What is done, and what is asked of."""

    def _several(self, _: Meta, c: list[Any]) -> tuple[Any, ...]:
        return tuple(c)

    names = givens = signs = bundles = args = parts = members = rankings = rolls = _several

    def bundle(self, m: Meta, c: list[Any]) -> t.Bundle:
        return t.Bundle(self.span(m), tuple(c))

    def bundle_listed(self, m: Meta, c: list[Any]) -> t.Bundle:
        return t.Bundle(self.span(m), tuple(c), commas=True)

    def of_several(self, m: Meta, c: list[Any]) -> t.OfSeveral:
        return t.OfSeveral(self.span(m), c[0], tuple(c[1:]))

    def part_price(self, m: Meta, c: list[Any]) -> t.PartPrice:
        span = self.span(m)
        return t.PartPrice(span, t.Number(span, 1), c[0], *c[1:])

    def part_all(self, m: Meta, c: list[Any]) -> t.Part:
        """As much as one has of it."""
        what = c[0]
        amount = t.Apply(what.span, copied(what), (t.Name(what.span, "you"),))
        return t.Part(self.span(m), amount, what, said="all")

    def part_each(self, m: Meta, c: list[Any]) -> t.Part:
        return t.Part(self.span(m), self._many(c[0]), c[1], True, c[2])

    def of_each(self, m: Meta, c: list[Any]) -> t.OfEach:
        return t.OfEach(self.span(m), c[1], self._many(c[0]))

    def copies_of(self, m: Meta, c: list[Any]) -> t.CopiesOf:
        return t.CopiesOf(self.span(m), c[1], self._many(c[0]))

    def _many(self, many: Token | t.Expr) -> t.Expr:
        return t.Number(self._token(many), int(many)) if isinstance(many, Token) else many

    def spend_stmt(self, m: Meta, c: list[Any]) -> t.Stmt:
        then, otherwise = tuple(first_of(c, Then) or ()), tuple(first_of(c, Else) or ())
        spend: t.Stmt = replace(c[0], span=self.span(m), then=then, otherwise=otherwise)
        return spend

    def do_times(self, m: Meta, c: list[Any]) -> t.DoTimes:
        return t.DoTimes(self.span(m), c[0], c[1])

    def may_head(self, m: Meta, c: list[Any]) -> t.May:
        secretly, prompt, head, decline = c[:4]
        then, otherwise = tuple(first_of(c, Then) or ()), tuple(first_of(c, Else) or ())
        return t.May(self.span(m), head, text_of([decline]), then, otherwise, text_of([prompt]), bool(secretly))

    def may_block(self, m: Meta, c: list[Any]) -> t.May:
        secretly, prompt, decline = c[:3]
        then, otherwise = tuple(first_of(c, Then) or ()), tuple(first_of(c, Else) or ())
        return t.May(self.span(m), None, text_of([decline]), then, otherwise, text_of([prompt]), bool(secretly))

    def then_block(self, _: Meta, c: list[Any]) -> Then:
        return Then(c)

    def else_block(self, _: Meta, c: list[Any]) -> Else:
        return Else(c)

    def choose_one(self, m: Meta, c: list[Any]) -> t.ChooseOne:
        return t.ChooseOne(self.span(m), every(c, t.Branch), c[0], text_of(c), bool(every(c, Mark)))

    def branch_stmt(self, m: Meta, c: list[Any]) -> t.Branch:
        return t.Branch(self.span(m), "", None, steps_of(c))

    def branch_titled(self, m: Meta, c: list[Any]) -> t.Branch:
        title, *more, condition = [child for child in c if not isinstance(child, t.Stmt)]
        return t.Branch(self.span(m), text_of([title]), condition, steps_of(c), tuple(more))

    def article(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    def text_stmt(self, m: Meta, c: list[Any]) -> t.Stmt:
        text: t.Stmt = replace(c[0], span=self.span(m), block=steps_of(c[1:]))
        return text

    def if_stmt(self, m: Meta, c: list[Any]) -> t.If:
        condition, then = c[0], tuple(c[1])
        otherwise = tuple(first_of(c[2:], Else) or ())
        for elif_ in reversed(every(c[2:], ElseIf)):
            otherwise = (t.If(elif_[0].span, elif_[0], tuple(elif_[1:]), otherwise),)
        return t.If(self.span(m), condition, then, otherwise)

    def then_block_nl(self, _: Meta, c: list[Any]) -> Then:
        return Then(c)

    def else_if(self, _: Meta, c: list[Any]) -> ElseIf:
        return ElseIf(c)

    # expressions

    def ranking(self, _: Meta, c: list[Any]) -> tuple[str, t.Expr]:
        return (c[0], c[1])

    def _word(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    rank = extreme = quantifier = of_word = count_word = over_word = times = grid = _word

    def _binary(op: str, said: str = "") -> Any:  # type: ignore[misc]
        def build(self: Making, m: Meta, c: list[Any]) -> t.Binary:
            return t.Binary(self.span(m), op, c[0], c[1], said=said)

        return build

    or_, and_ = _binary("or"), _binary("and")
    is_, is_not = _binary("=", "is"), _binary("!=", "is")
    is_in, is_not_in, is_within = _binary("in"), _binary("not-in"), _binary("within")

    def compare(self, m: Meta, c: list[Any]) -> t.Binary:
        return t.Binary(self.span(m), str(c[1]), c[0], c[2])

    def binary(self, m: Meta, c: list[Any]) -> t.Binary:
        """A sum behind a value without an end of its own could belong to that: then nobody knows what is meant."""
        node: t.Binary = self.compare(m, c)
        if without_end(node.left) is not None:
            self.found.append(_two_readings(node))
        return node

    def is_empty(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "empty", c[0])

    def is_not_empty(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "not-empty", c[0])

    def not_(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "not", c[0])

    def minus(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "minus", c[1])

    def measure(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), c[0], c[1])

    def count_in(self, m: Meta, c: list[Any]) -> t.CountIn:
        return t.CountIn(self.span(m), *c[1:])

    def apply_one(self, m: Meta, c: list[Any]) -> t.Apply:
        return t.Apply(self.span(m), c[0], every(c[1:], t.Expr), joints=every(c, Joint))

    apply_many = apply_one

    def listed(self, m: Meta, c: list[Any]) -> t.Binary:
        return listed(self.span(m), c[0])

    def where(self, m: Meta, c: list[Any]) -> t.Expr:
        return _of_members(t.Where(self.span(m), *c))

    def best(self, m: Meta, c: list[Any]) -> t.Expr:
        return _of_members(t.Best(self.span(m), *c))

    def connected(self, m: Meta, c: list[Any]) -> t.Expr:
        return _of_members(t.Connected(self.span(m), *c))

    def next_to(self, m: Meta, c: list[Any]) -> t.Expr:
        return _of_members(t.NextTo(self.span(m), *c))

    def wrapped(self, _: Meta, c: list[Any]) -> t.Expr:
        return replace(c[0], wrapped=True)  # type: ignore[no-any-return]

    def number(self, m: Meta, c: list[Any]) -> t.Number:
        return t.Number(self.span(m), int(c[0]))

    def name(self, m: Meta, c: list[Any]) -> t.Name:
        return t.Name(self.span(m), unicodedata.normalize("NFC", str(c[0])))

    var = let_name = name

    def signed(self, _: Meta, c: list[Any]) -> int:
        return -int(c[1]) if c[0] == "-" else int(c[1])


def _two_readings(node: t.Binary) -> Diagnostic:
    """What is said of a value that ends in `best of a and b - c`."""
    open_ = without_end(node.left)
    assert open_ is not None
    whole, sign = replace(open_, wrapped=True), f" {node.op} {expression(node.right)}"
    last = open_.values[-1] if isinstance(open_, t.OfSeveral) else open_.at
    inner = t.Binary(last.span, node.op, last, node.right, wrapped=True)
    further: t.Expr = (
        replace(open_, at=inner) if isinstance(open_, t.Track) else replace(open_, values=(*open_.values[:-1], inner))
    )
    return Diagnostic(
        "E0135",
        f"`{expression(open_)}{sign}` can be read in two ways",
        open_.span.extend_to(node.span),
        note="It is not clear where the first value ends.",
        help=f"write `{expression(whole)}{sign}` or `{expression(further)}`",
    )


def listed(span: Span, members: Sequence[t.Expr], bare: bool = False) -> t.Listed:
    """`(a, b)` is `nobody + a + b`."""
    *first, last = members
    found: t.Expr = t.Name(span, "nobody")
    for member in first:
        found = t.Binary(span, "+", found, member)
    return t.Listed(span, "+", found, last, bare=bare)


def _of_members(whole: t.Where | t.Best | t.Connected | t.NextTo) -> t.Expr:
    """`count of trees where ...` counts those, for a number has no members."""
    members = whole.members
    if isinstance(members, t.Unary) and members.op in t.OF_SETS and not members.wrapped:
        return replace(members, arg=replace(whole, members=members.arg))
    if isinstance(members, t.Over) and not members.wrapped:
        return replace(members, members=replace(whole, members=members.members))
    return whole


class FieldValues(Making):
    """Fields, rows and cells."""

    def field_block(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], block=steps_of(c))

    field_stmt = field_block

    def field_text(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(c[0].span.extend_to(self._token(c[1])), c[0], text=text_of(c))

    def field_expr(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], expr=c[1])

    def field_listed(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], expr=self._bare_list(c[1:]))

    def field_amounts(self, m: Meta, c: list[Any]) -> t.FieldValue:
        span = self._token(c[1]).extend_to(c[-1].span)
        return t.FieldValue(self.span(m), c[0], amounts=t.Bundle(span, amounts_of(c[1:])))

    def table(self, m: Meta, c: list[Any]) -> t.Table:
        kind, *columns = every(c, t.Name)
        return t.Table(self.span(m), t.Name(kind.span, ""), "", kind, tuple(columns), every(c, t.Row))

    def row(self, m: Meta, c: list[Any]) -> t.Row:
        return t.Row(self.span(m), c[0], text_of(c), tuple(cell[0] for cell in every(c, ColumnValue)))

    def cell_text(self, m: Meta, c: list[Any]) -> ColumnValue:
        return self._cell(m, text=text_of(c))

    def cell_amounts(self, m: Meta, c: list[Any]) -> ColumnValue:
        return self._cell(m, amounts=t.Bundle(self.span(m), amounts_of(c)))

    def cell_nothing(self, _: Meta, __: list[Any]) -> ColumnValue:
        return ColumnValue((None,))

    def cell_step(self, m: Meta, c: list[Any]) -> ColumnValue:
        return self._cell(m, block=steps_of(c))

    def cell_expr(self, m: Meta, c: list[Any]) -> ColumnValue:
        return self._cell(m, expr=c[0])

    def cell_listed(self, m: Meta, c: list[Any]) -> ColumnValue:
        return self._cell(m, expr=self._bare_list(c))

    def _bare_list(self, members: list[t.Expr]) -> t.Expr:
        return listed(members[0].span.extend_to(members[-1].span), members, bare=True)

    def _cell(self, m: Meta, **value: Any) -> ColumnValue:
        """What a cell says; which field it is about, its column says."""
        span = self.span(m)
        return ColumnValue((t.FieldValue(span, t.Name(span, ""), **value),))

    def combinations(self, m: Meta, c: list[Any]) -> t.Combinations:
        kind, *over = every(c, t.Name)
        fields = every(c, t.FieldValue)
        return t.Combinations(self.span(m), t.Name(kind.span, ""), text_of(c), kind, tuple(over), fields)
