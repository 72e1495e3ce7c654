"""What the tree of a file does not hold: its comments, its empty lines, and how far its lines are indented.

Everything is located by how many words come before it. Words here are what the layout never changes: also numbers,
texts and signs, but no parentheses or plus signs (printing may leave out a doubled one) and no empty texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edict.compiler.syntax.grammar import name_pattern

_WORD = re.compile(
    rf"""(?P<text>"[^"\n]*") | (?P<comment>\#[^\n]*) | (?P<line>\n)
      | (?P<word>{name_pattern()}|[0-9]+) | (?P<sign>[<>!]=|[^\s])""",
    re.VERBOSE,
)
_PASSED_OVER = ("(", ")", "+", '""')


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, and where: after how many words, alone on its line or behind them, below an empty line or not."""

    after: int
    text: str
    alone: bool
    column: int
    spaced: bool


@dataclass(frozen=True)
class Scanned:
    """words: as compared; starts: the column of each word that begins a line; spaced: those below an empty line."""

    words: tuple[str, ...]
    comments: tuple[Comment, ...]
    starts: dict[int, int]
    spaced: frozenset[int]


def scan(text: str) -> Scanned:
    words, comments, starts, spaced = list[str](), list[Comment](), dict[int, int](), set[int]()
    empty = False
    for line in text.expandtabs(4).split("\n"):
        first = True
        for column, kind, word in _pieces(line):
            if kind == "comment":
                comments.append(Comment(len(words), word.rstrip(), first, column, empty and first))
            elif word not in _PASSED_OVER:
                if first:
                    starts[len(words)] = column
                    spaced |= {len(words)} if empty else set()
                words.append(_compared(word))
            first = False
        empty = first
    return Scanned(tuple(words), tuple(comments), starts, frozenset(spaced))


def _pieces(line: str) -> Iterator[tuple[int, str, str]]:
    for found in _WORD.finditer(line):
        yield found.start(), str(found.lastgroup), found[0]


def count_words(line: str) -> int:
    return sum(kind != "comment" and word not in _PASSED_OVER for _, kind, word in _pieces(line))


def _compared(word: str) -> str:
    """`an` is `a`, and `007` is 7."""
    return str(int(word)) if word.isdecimal() else "a" if word == "an" else word


def first_difference(one: Iterable[str], other: Iterable[str]) -> int | None:
    """After how many words two texts part; None if they do not."""
    a, b = tuple(one), tuple(other)
    if a == b:
        return None
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
