"""The words of a definition, whether or not it can be parsed, with the kinds of tokens that each may be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from edict.compiler.syntax.automaton import ParserStack, kinds_by_word
from edict.compiler.syntax.grammar import FilePiece, name_pattern
from edict.support.records import dataclass

_WORD = re.compile(
    r"(?P<at_once>at[ \t]+once\b)|(?P<position>position[ \t]+of(?=[ \t]+(?:[\w\u0300-\u036f-]+[ \t]+in\b|\()))"
    rf"|(?P<name>{name_pattern()}(?:[-_'’][^\W_]+)*)|(?P<number>[0-9]+)|(?P<text>\"[^\"\n]*\")"
    r"|(?P<sign>&&|\|\||==|<>|=>|=<|[<>!+*/-]=|\+\+|--|[^\s])"
)
_NAME = re.compile(rf"{name_pattern()}\Z")
_TAB = 4


@dataclass(frozen=True, slots=True, eq=False)
class StreamWord:
    """A word, number, sign or text, or an element of layout."""

    text: str
    kinds: tuple[str, ...]  # kinds of tokens that it may be, the likeliest first
    line: int
    column: int

    @property
    def end(self) -> int:
        """The column behind it."""
        return self.column + len(self.text)

    @property
    def is_layout(self) -> bool:
        """True for a line break or a change of indentation."""
        return self.kinds[:1] in (("_NL",), ("_INDENT",), ("_DEDENT",))

    @property
    def is_word(self) -> bool:
        """True if it begins with a letter."""
        return self.text[:1].isalpha()


def split_into_words(piece: FilePiece) -> list[StreamWord]:
    """Return the words of a piece of a file, with layout.

    An indentation that matches none above counts as the nearest.
    """
    lines = piece.own_text.split("\n")
    result: list[StreamWord] = []
    levels, depth = [0], 0
    is_balanced = _is_balanced(piece.own_text)
    for number, line in enumerate(lines, piece.above + 1):
        line_result = list(iter_line_words(line, number))
        if not line_result:
            continue
        if depth == 0 and result:
            result.append(StreamWord("\n", ("_NL",), result[-1].line, result[-1].end))
            result += _iter_layout(levels, _margin(line), line_result[0])
        result += line_result
        if is_balanced:
            depth = max(0, depth + sum({"(": 1, ")": -1}.get(word.text, 0) for word in line_result))
    if result:
        final = result[-1]
        result.append(StreamWord("\n", ("_NL",), final.line, final.end))
        result += [StreamWord("", ("_DEDENT",), final.line, final.end) for _ in levels[1:]]
    return result


def iter_line_words(line: str, number: int = 0) -> Iterator[StreamWord]:
    """Yield the words of one line, without its comment."""
    position = 0
    while position < len(line):
        if line[position] == "#":
            return
        match = _WORD.match(line, position)
        if match is None:
            position += 1
            continue
        yield StreamWord(match[0], list_kinds(match[0]), number, position + 1)
        position = match.end()


def list_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of tokens that a word may be, its keyword first and a name last."""
    if text[:1].isdigit():
        return ("NUMBER",)
    if text[:1] == '"':
        return ("STRING",) if len(text) > 1 else ()
    if text == "=":
        return ("COMPARE", "EQUAL")
    if text in ("!=", "<=", ">=", "<", ">"):
        return ("COMPARE",)
    if not text[:1].isalpha():
        return (kinds_by_word()[text],) if text in kinds_by_word() else ()
    if re.fullmatch(r"at\s+once", text):
        return ("_AT_ONCE",)
    if re.fullmatch(r"position\s+of", text):
        return ("_POSITION_OF",)
    keyword_kinds = (kinds_by_word()[text],) if text in kinds_by_word() else ()
    return (*keyword_kinds, "NAME") if _NAME.match(text) else keyword_kinds


def shift_word(stack: ParserStack, word: StreamWord) -> ParserStack | None:
    """Return the stack after a word, as the first of its kinds that can stand there, or None."""
    return next((after for kind in word.kinds if (after := stack.advance(kind)) is not None), None)


def shift_words(stack: ParserStack | None, words: Sequence[StreamWord]) -> tuple[int, list[ParserStack]]:
    """Return the number of words that can be read, the stack before each of them, and that behind the last."""
    stacks: list[ParserStack] = []
    for number, word in enumerate(words):
        if stack is None:
            return number - 1, stacks
        stacks.append(stack)
        stack = shift_word(stack, word)
    if stack is not None:
        return (len(words), [*stacks, stack])
    return (len(words) - 1, stacks)


def _iter_layout(levels: list[int], margin: int, first_word: StreamWord) -> Iterator[StreamWord]:
    """Yield indents or dedents for a line that begins after `margin` spaces, and update `levels`."""
    if margin > levels[-1]:
        levels.append(margin)
        yield StreamWord("", ("_INDENT",), first_word.line, first_word.column)
        return
    while margin < levels[-1]:
        levels.pop()
        yield StreamWord("", ("_DEDENT",), first_word.line, first_word.column)


def _margin(line: str) -> int:
    """Return the width of a line's indentation in columns, where a tab counts for several."""
    leading = line[: len(line) - len(line.lstrip())]
    return sum(_TAB if char == "\t" else 1 for char in leading)


def _is_balanced(text: str) -> bool:
    """Return True if all parentheses are closed; only then does a line continue inside of one."""
    signs = re.findall(r'"[^"\n]*"|#[^\n]*|([()])', text)
    return signs.count("(") == signs.count(")")
