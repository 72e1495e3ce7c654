"""Scanning of a file for what its tree does not hold (comments, empty lines and indentation).

Everything is located by the number of words before it. Words here are what layout never changes, including numbers,
texts and signs, but no parentheses or plus signs (the printer may drop a double one) and no empty texts.
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
_IGNORED = ("(", ")", "+", '""')


@dataclass(frozen=True, slots=True)
class SourceComment:
    """A comment and its place."""

    after: int  # number of words before it
    text: str
    alone: bool  # it has a line to itself
    column: int
    spaced: bool  # an empty line is above it


@dataclass(frozen=True)
class ScannedSource:
    """The words and comments of a file."""

    words: tuple[str, ...]  # normalized for comparison
    comments: tuple[SourceComment, ...]
    starts: dict[int, int]  # columns of the words that begin a line, by word number
    spaced: frozenset[int]  # numbers of the words below an empty line


def scan_source(text: str) -> ScannedSource:
    """Return the words, comments and layout of a file."""
    words, comments, starts, spaced = list[str](), list[SourceComment](), dict[int, int](), set[int]()
    empty = False
    for line in text.expandtabs(4).split("\n"):
        first = True
        for column, kind, word in _iter_tokens(line):
            if kind == "comment":
                comments.append(SourceComment(len(words), word.rstrip(), first, column, empty and first))
            elif word not in _IGNORED:
                if first:
                    starts[len(words)] = column
                    spaced |= {len(words)} if empty else set()
                words.append(_normalize_word(word))
            first = False
        empty = first
    return ScannedSource(tuple(words), tuple(comments), starts, frozenset(spaced))


def _iter_tokens(line: str) -> Iterator[tuple[int, str, str]]:
    """Yield the words, signs, texts and comments of a line, each as its column from 0, its sort and its text."""
    for match in _WORD.finditer(line):
        yield match.start(), str(match.lastgroup), match[0]


def count_words(line: str) -> int:
    """Return the number of words in a line, without comments."""
    return sum(kind != "comment" and word not in _IGNORED for _, kind, word in _iter_tokens(line))


def _normalize_word(word: str) -> str:
    """Return a word in a form for comparison; `an` becomes `a`, and `007` becomes 7."""
    if word.isdecimal():
        return str(int(word))
    if word == "an":
        return "a"
    return word


def find_first_difference(words: Iterable[str], other_words: Iterable[str]) -> int | None:
    """Return the number of equal words at the start of two texts, or None if all are equal."""
    left, right = tuple(words), tuple(other_words)
    if left == right:
        return None
    return next(
        (
            index
            for index, (left_word, right_word) in enumerate(zip(left, right, strict=False))
            if left_word != right_word
        ),
        min(len(left), len(right)),
    )
