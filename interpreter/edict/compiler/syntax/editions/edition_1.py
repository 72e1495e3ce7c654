"""Changes of edition 1 that cannot be expressed as patterns of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions.word_changes import iter_line_words
from edict.compiler.syntax.traversal import find_open_end, walk
from edict.support.report import Edit
from edict.support.text import Source, Span

_ARITHMETIC = ("+", "-", "*", "/", "mod")


def parenthesize_open_ends(page: t.Page) -> Iterator[Edit]:
    """Yield edits that write `(best of a and b) - c` for `best of a and b - c`.

    The old edition read it that way; without parentheses it is refused now.
    """
    for definition in page.definitions:
        for node in walk(definition):
            if isinstance(node, t.Binary) and node.op in _ARITHMETIC and not isinstance(node, t.Listed):
                first = find_open_end(node.left)
                if first is not None:
                    yield from _parenthesize(first.span)


def _parenthesize(span: Span) -> Iterator[Edit]:
    """Yield the two edits that insert `(` before a span and `)` after it."""
    start = Span(span.file, span.line, span.column, span.line, span.column)
    end = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    yield Edit(start, "(")
    yield Edit(end, ")")


_JOINTS, _FURTHER = ("and", "or", "not"), ("of", "by", "in", "for")
_MISSING = ("for", "what", "is", "missing")


def parenthesize_prices(source: Source) -> Iterator[Edit]:
    """Yield edits that write `(can pay A) and B` for `can pay A and B`.

    Amounts have an `and` of their own, so `can spend` would read it differently.
    """
    for number, words in iter_line_words(source):
        texts = [word[0] for word in words]
        for start in range(len(texts) - 2):
            if texts[start : start + 2] == ["can", "pay"]:
                stop = _price_end(texts, start + 2)
                if {*texts[max(start - 1, 0) : start], *texts[stop : stop + 1]} & {*_JOINTS}:
                    first_column, end = words[start].start(), words[stop - 1].end()
                    yield from _parenthesize(Span(source.name, number, first_column + 1, number, end + 1))


def _price_end(texts: Sequence[str], start: int) -> int:
    """Return the index after a price such as `price of tree in fruit for (left of you)`, including its joker."""
    end = _primary_end(texts, start)
    if texts[end : end + 1] == ["with"] and tuple(texts[end + 2 : end + 6]) == _MISSING:
        return end + 6
    return end


def _primary_end(texts: Sequence[str], start: int) -> int:
    """Return the index after the value at `start`: a word or group in parentheses, with `of ...`, `in ...` after it."""
    end, depth = start, 0
    while end < len(texts):
        depth += (texts[end] == "(") - (texts[end] == ")")
        end += 1
        if depth <= 0:
            break
    while end < len(texts) and texts[end] in _FURTHER:
        end = _primary_end(texts, end + 1)
    return end


def rename_pay_steps(source: Source) -> Iterator[Edit]:
    """Yield edits that write `spend` for `pay` where a step begins.

    Steps begin a line, or follow `may` or the name of a field.
    """
    definition = ""
    for number, words in iter_line_words(source):
        texts = [word[0] for word in words]
        definition = texts[0] if words and words[0].start() == 0 else definition
        if definition == "kind" or "pay" not in texts[:4]:  # lines of a kind are fields, which may be named `pay`
            continue
        position, is_offer = texts.index("pay"), texts[0] == "may"
        if is_offer:
            is_step = all(word == "secretly" or word[0] == '"' for word in texts[1:position])
        else:
            is_step = position < 2
        end = _price_end(texts, position + 1)
        ends_line = end == len(texts) or is_offer and texts[end] == "else"
        if (
            is_step
            and ends_line
            and end > position + 1
            and (texts[position + 1] == "(" or texts[position + 1][0].isalpha())
        ):
            yield Edit(
                Span(source.name, number, words[position].start() + 1, number, words[position].end() + 1), "spend"
            )


WORD_CHANGES = (parenthesize_prices, rename_pay_steps)  # applied before all other changes
TREE_CHANGES = (parenthesize_open_ends,)  # applied in order, after the changes of words
