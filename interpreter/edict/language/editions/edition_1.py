"""What edition 1 writes otherwise, as far as only trees tell."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.walking import walk, without_end
from edict.report import Edit
from edict.text import Span

_SUMS = ("+", "-", "*", "/", "mod")


def ends_in_parentheses(page: t.Page) -> Iterator[Edit]:
    """`best of a and b - c` was `(best of a and b) - c`; without parentheses it is refused now."""
    for definition in page.definitions:
        for node in walk(definition):
            if isinstance(node, t.Binary) and node.op in _SUMS and not isinstance(node, t.Listed):
                first = without_end(node.left)
                if first is not None:
                    yield from _in_parentheses(first.span)


def _in_parentheses(span: Span) -> Iterator[Edit]:
    before = Span(span.file, span.line, span.column, span.line, span.column)
    behind = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    yield Edit(before, "(")
    yield Edit(behind, ")")


CHANGES = (ends_in_parentheses,)
"""One after the other, behind those of words."""
