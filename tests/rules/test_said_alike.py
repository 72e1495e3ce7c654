"""What can be said in two ways is said in one in all that ships."""

from __future__ import annotations

from edict.compiler.pipeline.pipeline import begin
from edict.compiler.sources.module_set import gather
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk

MODULES = ("advisor-tiles", "alternate-rows", "destiny", "governors", "more-buildings", "soldier-tokens")


def test_numbers_are_compared_with_the_sign_and_all_else_with_the_word() -> None:
    typed = begin(gather("kingsburg", MODULES).unwrap()).outcome.unwrap()
    compared = [
        (node, typed.types.get(node.left) or typed.types.get(node.right))
        for definition in typed.resolved.book.definitions.values()
        for node in walk(definition)
        if isinstance(node, t.Binary) and node.op in ("=", "!=")
    ]
    known = [(node, type_.shape) for node, type_ in compared if type_ is not None]
    assert len(known) > 80 and not [node.span for node, shape in known if (shape == "number") == bool(node.said)]
