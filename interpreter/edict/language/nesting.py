"""Part of `parse`: how deep the parts of a definition stand in each other; later passes call themselves for each."""

from __future__ import annotations

from typing import Any

from edict.language import tree as t
from edict.sources.limits import MOST_NESTED, nested_too_deep
from edict.language.walking import parts
from edict.report import Diagnostic


PARTS = f"{MOST_NESTED} parts inside each other, where each operator and each `else if` begins another part,"


def too_nested(definition: t.Definition) -> list[Diagnostic]:
    """The first part that stands too deep, if one does: parentheses and steps of indentation were counted before."""
    waiting: list[tuple[Any, int]] = [(definition, 0)]
    while waiting:
        one, depth = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend((part, depth) for part in one)
        elif isinstance(one, t.Node):
            if depth > MOST_NESTED:
                return [nested_too_deep(one.span, PARTS)]
            waiting.extend((value, depth + 1) for _, value in parts(one))
    return []
