"""Types as they are written after `as` and in kinds, built of their words."""

from __future__ import annotations

from typing import Any

from lark import v_args
from lark.tree import Meta

from edict.language import tree as t
from edict.language.making.parts import Making


@v_args(meta=True)
class Types(Making):
    """What a keep remembers, and what a field holds."""

    def number_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        low, high = (one if isinstance(one, int) else None for one in c)
        lowest, highest = (one if isinstance(one, t.Name) else None for one in c)
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
