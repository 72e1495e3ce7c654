"""What edition 1 writes otherwise, as far as patterns of words do not tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.language import tree as t
from edict.language.editions.word_changes import words_of
from edict.language.walking import walk, without_end
from edict.report import Edit
from edict.text import Source, Span

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


_JOINTS, _FURTHER = ("and", "or", "not"), ("of", "by", "in", "for")
_MISSING = ("for", "what", "is", "missing")


def prices_in_parentheses(source: Source) -> Iterator[Edit]:
    """`can pay A and B` was `(can pay A) and B`; amounts have an `and` of their own, so `can spend` needs them."""
    for number, words in words_of(source):
        said = [word[0] for word in words]
        for at in range(len(said) - 2):
            if said[at : at + 2] == ["can", "pay"]:
                last = _price_end(said, at + 2)
                if {*said[max(at - 1, 0) : at], *said[last : last + 1]} & {*_JOINTS}:
                    first, end = words[at].start(), words[last - 1].end()
                    yield from _in_parentheses(Span(source.name, number, first + 1, number, end + 1))


def _price_end(said: Sequence[str], at: int) -> int:
    """Where the price ends that begins at a word: `price of tree in fruit for (left of you)`, with its joker."""
    end = _primary_end(said, at)
    return end + 6 if said[end : end + 1] == ["with"] and tuple(said[end + 2 : end + 6]) == _MISSING else end


def _primary_end(said: Sequence[str], at: int) -> int:
    end, depth = at, 0
    while end < len(said):
        depth += (said[end] == "(") - (said[end] == ")")
        end += 1
        if depth <= 0:
            break
    while end < len(said) and said[end] in _FURTHER:
        end = _primary_end(said, end + 1)
    return end


def payments(source: Source) -> Iterator[Edit]:
    """`pay cost of hut` is `spend cost of hut`, where a step begins: its line, an offer, or the line of a field."""
    definition = ""
    for number, words in words_of(source):
        said = [word[0] for word in words]
        definition = said[0] if words and words[0].start() == 0 else definition
        if definition == "kind" or "pay" not in said[:4]:  # a kind's lines are fields, which may be called so
            continue
        at, offered = said.index("pay"), said[0] == "may"
        begins = all(word == "secretly" or word[0] == '"' for word in said[1:at]) if offered else at < 2
        end = _price_end(said, at + 1)
        whole = end == len(said) or offered and said[end] == "else"
        if begins and whole and end > at + 1 and (said[at + 1] == "(" or said[at + 1][0].isalpha()):
            yield Edit(Span(source.name, number, words[at].start() + 1, number, words[at].end() + 1), "spend")


OF_WORDS = (prices_in_parentheses, payments)
"""Before all other changes."""
CHANGES = (ends_in_parentheses,)
"""One after the other, behind those of words."""
