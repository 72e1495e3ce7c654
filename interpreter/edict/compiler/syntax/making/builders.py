"""Builders of definitions, abilities, steps, values, fields and tables whose rules do more than fill a pattern.

Methods are named after grammar rules and called with the position and the children of a tree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.making.node_builder import (
    DefinitionLine,
    ElseBlock,
    ElseIfBlock,
    FieldsPatch,
    FlagMark,
    NodeBuilder,
    Preposition,
    TableCell,
    ThenBlock,
    build_parts,
    default_fields,
    fill_pattern,
    get_first,
    get_steps,
    get_text,
    misplaced_price_diagnostic,
    select_type,
)
from edict.compiler.syntax.printing.expression_printer import print_expression
from edict.compiler.syntax.traversal import copy_nodes, find_open_end
from edict.support.report import Diagnostic
from edict.support.text import Span


class StepBuilder(NodeBuilder):
    """Builds steps and values."""

    def _build_tuple(self, _: Meta, children: list[Any]) -> tuple[Any, ...]:
        return tuple(children)

    names = givens = signs = bundles = args = parts = members = rankings = rolls = _build_tuple

    def bundle(self, meta: Meta, children: list[Any]) -> t.Bundle:
        return t.Bundle(self.span_of(meta), tuple(children))

    def bundle_listed(self, meta: Meta, children: list[Any]) -> t.Bundle:
        return t.Bundle(self.span_of(meta), tuple(children), commas=True)

    def of_several(self, meta: Meta, children: list[Any]) -> t.OfSeveral:
        return t.OfSeveral(self.span_of(meta), children[0], tuple(children[1:]))

    def part_price(self, meta: Meta, children: list[Any]) -> t.PartPrice:
        span = self.span_of(meta)
        return t.PartPrice(span, t.Number(span, 1), children[0], *children[1:])

    def part_all(self, meta: Meta, children: list[Any]) -> t.Part:
        """Return the part for `all X`, whose amount is what the player has."""
        what = children[0]
        amount = t.Apply(what.span, copy_nodes(what), (t.Name(what.span, "you"),))
        return t.Part(self.span_of(meta), amount, what, said="all")

    def part_each(self, meta: Meta, children: list[Any]) -> t.Part:
        return t.Part(self.span_of(meta), self._build_number(children[0]), children[1], True, children[2])

    def of_each(self, meta: Meta, children: list[Any]) -> t.OfEach:
        return t.OfEach(self.span_of(meta), children[1], self._build_number(children[0]))

    def copies_of(self, meta: Meta, children: list[Any]) -> t.CopiesOf:
        return t.CopiesOf(self.span_of(meta), children[1], self._build_number(children[0]))

    def _build_number(self, amount: Token | t.Expr) -> t.Expr:
        if isinstance(amount, Token):
            return t.Number(self._token_span(amount), int(amount))
        return amount

    def spend_stmt(self, meta: Meta, children: list[Any]) -> t.Stmt:
        then, otherwise = tuple(get_first(children, ThenBlock) or ()), tuple(get_first(children, ElseBlock) or ())
        spend: t.Stmt = replace(children[0], span=self.span_of(meta), then=then, otherwise=otherwise)
        return spend

    def do_times(self, meta: Meta, children: list[Any]) -> t.DoTimes:
        return t.DoTimes(self.span_of(meta), children[0], children[1])

    def may_head(self, meta: Meta, children: list[Any]) -> t.May:
        secretly, prompt, head, decline = children[:4]
        then, otherwise = tuple(get_first(children, ThenBlock) or ()), tuple(get_first(children, ElseBlock) or ())
        return t.May(self.span_of(meta), head, get_text([decline]), then, otherwise, get_text([prompt]), bool(secretly))

    def may_block(self, meta: Meta, children: list[Any]) -> t.May:
        secretly, prompt, decline = children[:3]
        then, otherwise = tuple(get_first(children, ThenBlock) or ()), tuple(get_first(children, ElseBlock) or ())
        return t.May(self.span_of(meta), None, get_text([decline]), then, otherwise, get_text([prompt]), bool(secretly))

    def then_block(self, _: Meta, children: list[Any]) -> ThenBlock:
        return ThenBlock(children)

    def else_block(self, _: Meta, children: list[Any]) -> ElseBlock:
        return ElseBlock(children)

    def choose_one(self, meta: Meta, children: list[Any]) -> t.ChooseOne:
        return t.ChooseOne(
            self.span_of(meta),
            select_type(children, t.Branch),
            children[0],
            get_text(children),
            bool(select_type(children, FlagMark)),
        )

    def branch_stmt(self, meta: Meta, children: list[Any]) -> t.Branch:
        return t.Branch(self.span_of(meta), "", None, get_steps(children))

    def branch_titled(self, meta: Meta, children: list[Any]) -> t.Branch:
        title, *more, condition = [child for child in children if not isinstance(child, t.Stmt)]
        return t.Branch(self.span_of(meta), get_text([title]), condition, get_steps(children), tuple(more))

    def article(self, _: Meta, children: list[Any]) -> str:
        return str(children[0])

    def text_stmt(self, meta: Meta, children: list[Any]) -> t.Stmt:
        text: t.Stmt = replace(children[0], span=self.span_of(meta), block=get_steps(children[1:]))
        return text

    def if_stmt(self, meta: Meta, children: list[Any]) -> t.If:
        condition, then = children[0], tuple(children[1])
        otherwise = tuple(get_first(children[2:], ElseBlock) or ())
        for elif_ in reversed(select_type(children[2:], ElseIfBlock)):
            otherwise = (t.If(elif_[0].span, elif_[0], tuple(elif_[1:]), otherwise),)
        return t.If(self.span_of(meta), condition, then, otherwise)

    def then_block_nl(self, _: Meta, children: list[Any]) -> ThenBlock:
        return ThenBlock(children)

    def else_if(self, _: Meta, children: list[Any]) -> ElseIfBlock:
        return ElseIfBlock(children)

    # expressions

    def ranking(self, _: Meta, children: list[Any]) -> tuple[str, t.Expr]:
        return (children[0], children[1])

    def _build_word(self, _: Meta, children: list[Any]) -> str:
        return str(children[0])

    rank = extreme = quantifier = no_word = of_word = count_word = over_word = times = grid = _build_word

    @staticmethod
    def _binary_builder(op: str, said: str = "") -> Any:
        def build_binary(self: NodeBuilder, meta: Meta, children: list[Any]) -> t.Binary:
            return t.Binary(self.span_of(meta), op, children[0], children[1], said=said)

        return build_binary

    or_, and_ = _binary_builder("or"), _binary_builder("and")
    is_, is_not = _binary_builder("=", "is"), _binary_builder("!=", "is")
    is_in, is_not_in, is_within = _binary_builder("in"), _binary_builder("not-in"), _binary_builder("within")

    def compare(self, meta: Meta, children: list[Any]) -> t.Binary:
        return t.Binary(self.span_of(meta), str(children[1]), children[0], children[2])

    def binary(self, meta: Meta, children: list[Any]) -> t.Binary:
        """Return an arithmetic node, and report one whose left value has no clear end.

        Such a value could extend over the rest of the sum.
        """
        node: t.Binary = self.compare(meta, children)
        if find_open_end(node.left) is not None:
            self.diagnostics.append(_ambiguous_sum(node))
        return node

    def is_empty(self, meta: Meta, children: list[Any]) -> t.Unary:
        return t.Unary(self.span_of(meta), "empty", children[0])

    def is_not_empty(self, meta: Meta, children: list[Any]) -> t.Unary:
        return t.Unary(self.span_of(meta), "not-empty", children[0])

    def not_(self, meta: Meta, children: list[Any]) -> t.Unary:
        return t.Unary(self.span_of(meta), "not", children[0])

    def minus(self, meta: Meta, children: list[Any]) -> t.Unary:
        return t.Unary(self.span_of(meta), "minus", children[1])

    def measure(self, meta: Meta, children: list[Any]) -> t.Unary:
        return t.Unary(self.span_of(meta), children[0], children[1])

    def count_in(self, meta: Meta, children: list[Any]) -> t.CountIn:
        return t.CountIn(self.span_of(meta), *children[1:])

    def apply_one(self, meta: Meta, children: list[Any]) -> t.Apply:
        return t.Apply(
            self.span_of(meta),
            children[0],
            select_type(children[1:], t.Expr),
            joints=select_type(children, Preposition),
        )

    apply_many = apply_one

    def listed(self, meta: Meta, children: list[Any]) -> t.Binary:
        return build_list_node(self.span_of(meta), children[0])

    def where(self, meta: Meta, children: list[Any]) -> t.Expr:
        return _apply_to_members(t.Where(self.span_of(meta), *children))

    def best(self, meta: Meta, children: list[Any]) -> t.Expr:
        return _apply_to_members(t.Best(self.span_of(meta), *children))

    def connected(self, meta: Meta, children: list[Any]) -> t.Expr:
        return _apply_to_members(t.Connected(self.span_of(meta), *children))

    def next_to(self, meta: Meta, children: list[Any]) -> t.Expr:
        return _apply_to_members(t.NextTo(self.span_of(meta), *children))

    def wrapped(self, _: Meta, children: list[Any]) -> t.Expr:
        return replace(children[0], wrapped=True)  # type: ignore[no-any-return]

    def number(self, meta: Meta, children: list[Any]) -> t.Number:
        return t.Number(self.span_of(meta), int(children[0]))

    def name(self, meta: Meta, children: list[Any]) -> t.Name:
        return t.Name(self.span_of(meta), unicodedata.normalize("NFC", str(children[0])))

    var = let_name = name

    def signed(self, _: Meta, children: list[Any]) -> int:
        return -int(children[1]) if children[0] == "-" else int(children[1])


def _ambiguous_sum(node: t.Binary) -> Diagnostic:
    """Return the diagnostic for a sum such as `best of a and b - c`, which can be read in two ways."""
    open_value = find_open_end(node.left)
    assert open_value is not None
    whole, sign = replace(open_value, wrapped=True), f" {node.op} {print_expression(node.right)}"
    last = open_value.values[-1] if isinstance(open_value, t.OfSeveral) else open_value.at
    inner = t.Binary(last.span, node.op, last, node.right, wrapped=True)
    alternative: t.Expr = (
        replace(open_value, at=inner)
        if isinstance(open_value, t.Track)
        else replace(open_value, values=(*open_value.values[:-1], inner))
    )
    return Diagnostic(
        "E0135",
        f"`{print_expression(open_value)}{sign}` can be read in two ways",
        open_value.span.extend_to(node.span),
        note="It is not clear where the first value ends.",
        help=f"write `{print_expression(whole)}{sign}` or `{print_expression(alternative)}`",
    )


def build_list_node(span: Span, members: Sequence[t.Expr], bare: bool = False) -> t.Listed:
    """Return the node of a list in parentheses; `(a, b)` is `nobody + a + b`.

    Args:
        span: Its place.
        members: Its members, at least one.
        bare: True if it is written without parentheses.
    """
    *first, last = members
    result: t.Expr = t.Name(span, "nobody")
    for member in first:
        result = t.Binary(span, "+", result, member)
    return t.Listed(span, "+", result, last, bare=bare)


def _apply_to_members(node: t.Where | t.Best | t.Connected | t.NextTo) -> t.Expr:
    """Return a node so that it restricts the members below an operator.

    In `count of trees where ...` the condition belongs to the trees, since a number has no members.
    """
    members = node.members
    if isinstance(members, t.Unary) and members.op in t.OF_SETS and not members.wrapped:
        return replace(members, arg=replace(node, members=members.arg))
    if isinstance(members, t.Over) and not members.wrapped:
        return replace(members, members=replace(node, members=members.members))
    return node


class FieldValueBuilder(NodeBuilder):
    """Builds fields, rows and cells."""

    def field_block(self, meta: Meta, children: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span_of(meta), children[0], block=get_steps(children))

    field_stmt = field_block

    def field_text(self, meta: Meta, children: list[Any]) -> t.FieldValue:
        return t.FieldValue(
            children[0].span.extend_to(self._token_span(children[1])), children[0], text=get_text(children)
        )

    def field_expr(self, meta: Meta, children: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span_of(meta), children[0], expr=children[1])

    def field_listed(self, meta: Meta, children: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span_of(meta), children[0], expr=self._build_bare_list(children[1:]))

    def field_amounts(self, meta: Meta, children: list[Any]) -> t.FieldValue:
        span = self._token_span(children[1]).extend_to(children[-1].span)
        return t.FieldValue(self.span_of(meta), children[0], amounts=t.Bundle(span, build_parts(children[1:])))

    def table(self, meta: Meta, children: list[Any]) -> t.Table:
        kind, *columns = select_type(children, t.Name)
        return t.Table(
            self.span_of(meta), t.Name(kind.span, ""), "", kind, tuple(columns), select_type(children, t.Row)
        )

    def row(self, meta: Meta, children: list[Any]) -> t.Row:
        return t.Row(
            self.span_of(meta),
            children[0],
            get_text(children),
            tuple(cell[0] for cell in select_type(children, TableCell)),
        )

    def cell_text(self, meta: Meta, children: list[Any]) -> TableCell:
        return self._build_cell(meta, text=get_text(children))

    def cell_amounts(self, meta: Meta, children: list[Any]) -> TableCell:
        return self._build_cell(meta, amounts=t.Bundle(self.span_of(meta), build_parts(children)))

    def cell_nothing(self, _: Meta, __: list[Any]) -> TableCell:
        return TableCell((None,))

    def cell_step(self, meta: Meta, children: list[Any]) -> TableCell:
        return self._build_cell(meta, block=get_steps(children))

    def cell_expr(self, meta: Meta, children: list[Any]) -> TableCell:
        return self._build_cell(meta, expr=children[0])

    def cell_listed(self, meta: Meta, children: list[Any]) -> TableCell:
        return self._build_cell(meta, expr=self._build_bare_list(children))

    def _build_bare_list(self, members: list[t.Expr]) -> t.Expr:
        return build_list_node(members[0].span.extend_to(members[-1].span), members, bare=True)

    def _build_cell(self, meta: Meta, **value: Any) -> TableCell:
        """Return the value of a cell; its field follows from the column."""
        span = self.span_of(meta)
        return TableCell((t.FieldValue(span, t.Name(span, ""), **value),))

    def combinations(self, meta: Meta, children: list[Any]) -> t.Combinations:
        kind, *over = select_type(children, t.Name)
        fields = select_type(children, t.FieldValue)
        return t.Combinations(self.span_of(meta), t.Name(kind.span, ""), get_text(children), kind, tuple(over), fields)


class DefinitionBuilder(NodeBuilder):
    """Builds definitions and the lines within them."""

    def start(self, _: Meta, children: list[Any]) -> list[t.Definition]:
        return [
            t.Standalone(d.span, t.Name(d.span, ""), "", d) if isinstance(d, t.Ability) else d
            for d in children
            if isinstance(d, t.Definition | t.Ability)
        ]

    def standalone(self, _: Meta, children: list[Any]) -> t.Ability:
        return children[0]  # type: ignore[no-any-return]

    def prep(self, _: Meta, children: list[Any]) -> Preposition:
        return Preposition(children[0])

    def param(self, meta: Meta, children: list[Any]) -> t.Param:
        return t.Param(self.span_of(meta), children[0], children[1] or t.Name(children[0].span, children[0].word))

    def owners(self, _: Meta, children: list[Any]) -> tuple[t.Param, ...]:
        joints = ("by", *select_type(children, Preposition))
        params = select_type(children, t.Param)
        return tuple(replace(param, joint=str(joint)) for param, joint in zip(params, joints, strict=True))

    def setting_on(self, _: Meta, __: list[Any]) -> FieldsPatch:
        return FieldsPatch(value=1, truth=True)

    def setting_off(self, _: Meta, __: list[Any]) -> FieldsPatch:
        return FieldsPatch(value=0, truth=True)

    def setting_number(self, _: Meta, children: list[Any]) -> FieldsPatch:
        return FieldsPatch(value=children[0], truth=False)

    def part_text(self, _: Meta, children: list[Any]) -> Any:
        return str(children[0][1:-1]) if isinstance(children[0], Token) else children[0]

    def amend(self, meta: Meta, children: list[Any]) -> t.Amend:
        return t.Amend(self.span_of(meta), children[0].name, "", children[0])

    def rewrite(self, meta: Meta, children: list[Any]) -> t.Amend:
        return t.Amend(self.span_of(meta), children[0].name, "", children[0], whole=True)

    # abilities

    def edge(self, _: Meta, children: list[Any]) -> FieldsPatch:
        return FieldsPatch(edge=children[0], moment=children[1])

    passing = edge

    def edge_word(self, _: Meta, children: list[Any]) -> str:
        return str(children[0])

    passing_word = edge_word

    def target(self, _: Meta, children: list[Any]) -> FieldsPatch:
        return FieldsPatch(target=children[0], rule=children[1])

    def passing_target(self, _: Meta, children: list[Any]) -> FieldsPatch:
        return FieldsPatch(edge=children[0], target=children[1])

    def exception_(self, meta: Meta, children: list[Any]) -> t.Exception_:
        fields = default_fields(t.Exception_) | fill_pattern("exception", children)
        for line in self._unique_lines(children, ("allow", "require"), ("then", "instead")):
            fields |= line.value
        written = select_type(children, DefinitionLine)
        self.diagnostics += [
            misplaced_price_diagnostic(line) for line in written if fields["rule"] is None and line.word == "then"
        ]
        return t.Exception_(self.span_of(meta), **fields, lines=tuple(line.word for line in written))

    def exception(self, meta: Meta, children: list[Any]) -> t.Standalone:
        return t.Standalone(
            self.span_of(meta), children[0], get_text(children[1:2]), self.exception_(meta, children[2:])
        )

    # --- types, as they are written after `as` and in kinds ---

    def number_type(self, meta: Meta, children: list[Any]) -> t.TypeName:
        low, high = (bound if isinstance(bound, int) else None for bound in children)
        lowest, highest = (bound if isinstance(bound, t.Name) else None for bound in children)
        return t.TypeName(self.span_of(meta), "number", low=low, high=high, lowest=lowest, highest=highest)

    def bound(self, _: Meta, children: list[Any]) -> int | t.Name:
        return children[0]  # type: ignore[no-any-return]

    def worded_type(self, meta: Meta, children: list[Any]) -> t.TypeName:
        return t.TypeName(self.span_of(meta), *children)

    def plain_type(self, _: Meta, children: list[Any]) -> str:
        return str(children[0])

    collection = plain_type

    def thing_type(self, meta: Meta, children: list[Any]) -> t.TypeName:
        return t.TypeName(self.span_of(meta), "thing", children[0])

    def optional_type(self, meta: Meta, children: list[Any]) -> t.TypeName:
        return t.TypeName(self.span_of(meta), "thing", children[0], optional=True)
