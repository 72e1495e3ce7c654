"""Keywords that serve as names where a line cannot be read otherwise.

A line is first read with keywords as such. Only if that fails, keywords that are known as names are taken for names.
Names that could be read either way are refused where they are declared (`reserved_words`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from edict.compiler.syntax.automaton import ParserStack, initial_stack
from edict.compiler.syntax.grammar import FilePiece

if TYPE_CHECKING:
    from edict.compiler.syntax.syntax_errors.word_stream import StreamWord

_MOST_STEPS = 4_000  # words that are tried before a line is given up


def resolve_soft_words(words: Sequence[StreamWord], names: Collection[str]) -> list[StreamWord]:
    """Return words with their kinds decided; keywords are names in lines that can only be read so.

    Args:
        words: The words of a piece of a file.
        names: Keywords that are used as names. A keyword in a place where only a name can stand is added to them for
            the following lines.
    """
    known_names, stack = set(names), initial_stack()
    result: list[StreamWord] = []
    for start, stop in _iter_lines(words):
        line = _read_line(stack, words[start:stop], words[stop] if stop < len(words) else None, known_names)
        if line is None:
            return [*result, *words[start:]]
        for word, kind, after in line:
            certain = kind == "NAME" and len(word.kinds) > 1 and stack.advance(word.kinds[0]) is None
            known_names |= {word.text} if certain else set()
            result.append(replace(word, kinds=(kind, *(other for other in word.kinds if other != kind))))
            stack = after
    return result


def find_soft_names(piece: FilePiece, names: Collection[str]) -> frozenset[tuple[int, int]]:
    """Return the places (line, column) in a piece of a file where keywords must be names."""
    from edict.compiler.syntax.syntax_errors.word_stream import split_into_words

    words = resolve_soft_words(split_into_words(piece), names)
    return frozenset((word.line, word.column) for word in words if word.kinds[:1] == ("NAME",) and len(word.kinds) > 1)


def _iter_lines(words: Sequence[StreamWord]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line, including the layout words behind it."""
    start = 0
    for i, word in enumerate(words):
        if word.is_layout and not (i + 1 < len(words) and words[i + 1].is_layout):
            yield start, i + 1
            start = i + 1
    if start < len(words):
        yield start, len(words)


def _read_line(
    stack: ParserStack, line: Sequence[StreamWord], behind: StreamWord | None, known: Collection[str]
) -> list[tuple[StreamWord, str, ParserStack]] | None:
    """Return the words of a line with the kind of each and the parser after it, or None.

    As few keywords as possible are names, and rather late ones.
    """
    chosen: list[tuple[StreamWord, str, ParserStack]] = []
    open_choices = [_iter_kinds(stack, line[0], known)]
    for _ in range(_MOST_STEPS):
        if not open_choices:
            return None
        choice = next(open_choices[-1], None)
        if choice is None:
            open_choices.pop()
            if chosen:
                chosen.pop()
            continue
        chosen.append((line[len(chosen)], *choice))
        if len(chosen) < len(line):
            open_choices.append(_iter_kinds(choice[1], line[len(chosen)], known))
        elif behind is None or next(_iter_kinds(choice[1], behind, known | {behind.text}), None) is not None:  # type: ignore[operator]
            return chosen
        else:
            chosen.pop()
    return None


def _iter_kinds(stack: ParserStack, word: StreamWord, known: Collection[str]) -> Iterator[tuple[str, ParserStack]]:
    """Yield the kinds that a word may have here with the parser after it; names come last."""
    has_kind = False
    for kind in word.kinds:
        after = stack.advance(kind)
        if after is not None and (not has_kind or kind != "NAME" or word.text in known):
            has_kind = True
            yield kind, after
