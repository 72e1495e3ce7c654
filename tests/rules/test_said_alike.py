"""Uniform wording of shipped rules, where the language allows two forms."""

from __future__ import annotations

from edict.compiler.pipeline.pipeline import typecheck
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk

MODULES = ("advisor-tiles", "alternate-rows", "destiny", "governors", "more-buildings", "soldier-tokens")


def test_only_numbers_are_compared_with_the_equals_sign() -> None:
    typed = typecheck(gather_modules("kingsburg", MODULES).unwrap()).outcome.unwrap()
    compared = [
        (node, typed.types.get(node.left) or typed.types.get(node.right))
        for definition in typed.resolved.book.definitions.values()
        for node in walk(definition)
        if isinstance(node, t.Binary) and node.op in ("=", "!=")
    ]
    known = [(node, type_.shape) for node, type_ in compared if type_ is not None]
    assert len(known) > 80 and not [node.span for node, shape in known if (shape == "number") == bool(node.said)]
