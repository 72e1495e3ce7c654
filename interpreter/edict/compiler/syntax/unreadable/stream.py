"""The words of a definition as they stand, whether or not they can be read, and what each may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edict.compiler.syntax.automaton import LAYOUT, Stack, terminals
from edict.compiler.syntax.grammar import FilePiece, name_pattern

_WORD = re.compile(
    r"(?P<at_once>at[ \t]+once\b)|(?P<position>position[ \t]+of(?=[ \t]+(?:[\w\u0300-\u036f-]+[ \t]+in\b|\()))"
    rf"|(?P<name>{name_pattern()}(?:[-_'’][^\W_]+)*)|(?P<number>[0-9]+)|(?P<text>\"[^\"\n]*\")"
    r"|(?P<sign>&&|\|\||==|<>|=>|=<|[<>!+*/-]=|\+\+|--|[^\s])"
)
_NAME = re.compile(rf"{name_pattern()}\Z")
_TAB = 4


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A word, number, sign or text, or a step of the layout.

    kinds: what it may be to the parser, the likeliest first.
    """

    text: str
    kinds: tuple[str, ...]
    line: int
    column: int

    @property
    def end(self) -> int:
        return self.column + len(self.text)

    @property
    def is_layout(self) -> bool:
        return self.kinds[:1] in (("_NL",), ("_INDENT",), ("_DEDENT",))

    @property
    def is_word(self) -> bool:
        return self.text[:1].isalpha()


def words_of(piece: FilePiece) -> list[Word]:
    """The words of a stretch of a file, with its lines and indents; where an indent fits none above, the nearest."""
    lines = piece.own.split("\n")
    found: list[Word] = []
    levels, depth = [0], 0
    closed = _closed(piece.own)
    for number, line in enumerate(lines, piece.above + 1):
        own = list(line_words(line, number))
        if not own:
            continue
        if depth == 0 and found:
            found.append(Word("\n", ("_NL",), found[-1].line, found[-1].end))
            found += _layout(levels, _margin(line), own[0])
        found += own
        if closed:
            depth = max(0, depth + sum({"(": 1, ")": -1}.get(word.text, 0) for word in own))
    if found:
        last = found[-1]
        found.append(Word("\n", ("_NL",), last.line, last.end))
        found += [Word("", ("_DEDENT",), last.line, last.end) for _ in levels[1:]]
    return found


def line_words(line: str, number: int = 0) -> Iterator[Word]:
    """The words of one line, without its remark."""
    at = 0
    while at < len(line):
        if line[at] == "#":
            return
        match = _WORD.match(line, at)
        if match is None:
            at += 1
            continue
        yield Word(match[0], kinds_of(match[0]), number, at + 1)
        at = match.end()


def kinds_of(text: str) -> tuple[str, ...]:
    """What a word may be to the parser: one of its own words, and a name."""
    if text[:1].isdigit():
        return ("NUMBER",)
    if text[:1] == '"':
        return ("STRING",) if len(text) > 1 else ()
    if text == "=":
        return ("COMPARE", "EQUAL")
    if text in ("!=", "<=", ">=", "<", ">"):
        return ("COMPARE",)
    if not text[:1].isalpha():
        return (terminals()[text],) if text in terminals() else ()
    if re.fullmatch(r"at\s+once", text):
        return ("_AT_ONCE",)
    if re.fullmatch(r"position\s+of", text):
        return ("_POSITION_OF",)
    own = (terminals()[text],) if text in terminals() else ()
    return (*own, "NAME") if _NAME.match(text) else own


def shift(stack: Stack, word: Word) -> Stack | None:
    """The stack after a word: as the first of its kinds that can stand there."""
    return next((after for kind in word.kinds if (after := stack.after(kind)) is not None), None)


def read_all(stack: Stack | None, words: Sequence[Word]) -> tuple[int, list[Stack]]:
    """How many words can be read, and the stack before each of them and behind the last."""
    stacks: list[Stack] = []
    for number, word in enumerate(words):
        if stack is None:
            return number - 1, stacks
        stacks.append(stack)
        stack = shift(stack, word)
    return (len(words), [*stacks, stack]) if stack is not None else (len(words) - 1, stacks)


def _layout(levels: list[int], margin: int, first: Word) -> Iterator[Word]:
    if margin > levels[-1]:
        levels.append(margin)
        yield Word("", ("_INDENT",), first.line, first.column)
        return
    while margin < levels[-1]:
        levels.pop()
        yield Word("", ("_DEDENT",), first.line, first.column)


def _margin(line: str) -> int:
    lead = line[: len(line) - len(line.lstrip())]
    return sum(_TAB if char == "\t" else 1 for char in lead)


def _closed(text: str) -> bool:
    """Whether every parenthesis is closed: only then does a line go on inside of one."""
    signs = re.findall(r'"[^"\n]*"|#[^\n]*|([()])', text)
    return signs.count("(") == signs.count(")")


__all__ = ["LAYOUT", "Word", "kinds_of", "line_words", "read_all", "shift", "words_of"]
