"""Builders of definitions, types and abilities whose rules do more than fill a pattern.

Methods are named after grammar rules and called with the position and the children of a tree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.making.node_builder import (
    DefinitionLine,
    FieldsPatch,
    NodeBuilder,
    Preposition,
    default_fields,
    fill_pattern,
    get_text,
    misplaced_price_diagnostic,
    select_type,
)


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
