"""Definitions, types and abilities that are more than their patterns say (`language/patterns`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.making.parts import (
    DefinitionLine,
    Fields,
    Joint,
    Making,
    absent,
    every,
    filled,
    priced,
    text_of,
)


class Definitions(Making):
    """What stands at the left edge, and what stands in it by lines of its own."""

    def start(self, _: Meta, c: list[Any]) -> list[t.Definition]:
        return [
            t.Standalone(d.span, t.Name(d.span, ""), "", d) if isinstance(d, t.Ability) else d
            for d in c
            if isinstance(d, t.Definition | t.Ability)
        ]

    def standalone(self, _: Meta, c: list[Any]) -> t.Ability:
        return c[0]  # type: ignore[no-any-return]

    def prep(self, _: Meta, c: list[Any]) -> Joint:
        return Joint(c[0])

    def param(self, m: Meta, c: list[Any]) -> t.Param:
        return t.Param(self.span(m), c[0], c[1] or t.Name(c[0].span, c[0].word))

    def owners(self, _: Meta, c: list[Any]) -> tuple[t.Param, ...]:
        joints = ("by", *every(c, Joint))
        params = every(c, t.Param)
        return tuple(replace(param, joint=str(joint)) for param, joint in zip(params, joints, strict=True))

    def setting_on(self, _: Meta, __: list[Any]) -> Fields:
        return Fields(value=1, truth=True)

    def setting_off(self, _: Meta, __: list[Any]) -> Fields:
        return Fields(value=0, truth=True)

    def setting_number(self, _: Meta, c: list[Any]) -> Fields:
        return Fields(value=c[0], truth=False)

    def part_text(self, _: Meta, c: list[Any]) -> Any:
        return str(c[0][1:-1]) if isinstance(c[0], Token) else c[0]

    def amend(self, m: Meta, c: list[Any]) -> t.Amend:
        return t.Amend(self.span(m), c[0].name, "", c[0])

    def rewrite(self, m: Meta, c: list[Any]) -> t.Amend:
        return t.Amend(self.span(m), c[0].name, "", c[0], whole=True)

    # abilities

    def edge(self, _: Meta, c: list[Any]) -> Fields:
        return Fields(edge=c[0], moment=c[1])

    passing = edge

    def edge_word(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    passing_word = edge_word

    def target(self, _: Meta, c: list[Any]) -> Fields:
        return Fields(target=c[0], rule=c[1])

    def passing_target(self, _: Meta, c: list[Any]) -> Fields:
        return Fields(edge=c[0], target=c[1])

    def exception_(self, m: Meta, c: list[Any]) -> t.Exception_:
        fields = absent(t.Exception_) | filled("exception", c)
        for line in self._once(c, ("allow", "require"), ("then", "instead")):
            fields |= line.value
        written = every(c, DefinitionLine)
        self.found += [priced(line) for line in written if fields["rule"] is None and line.word == "then"]
        return t.Exception_(self.span(m), **fields, lines=tuple(line.word for line in written))

    def exception(self, m: Meta, c: list[Any]) -> t.Standalone:
        return t.Standalone(self.span(m), c[0], text_of(c[1:2]), self.exception_(m, c[2:]))

    # --- types, as they are written after `as` and in kinds ---

    def number_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        low, high = (bound if isinstance(bound, int) else None for bound in c)
        lowest, highest = (bound if isinstance(bound, t.Name) else None for bound in c)
        return t.TypeName(self.span(m), "number", low=low, high=high, lowest=lowest, highest=highest)

    def bound(self, _: Meta, c: list[Any]) -> int | t.Name:
        return c[0]  # type: ignore[no-any-return]

    def worded_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), *c)

    def plain_type(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    collection = plain_type

    def thing_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "thing", c[0])

    def optional_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "thing", c[0], optional=True)
