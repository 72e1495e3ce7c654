"""Words of the language that are names where a line cannot be read otherwise.

A line is read with the words of the language as such. Only where it cannot be read so to its end, those that are known
as names are taken for names. What could be read either way is refused where it is declared (`reserved_words`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from edict.compiler.syntax.automaton import Stack, beginning
from edict.compiler.syntax.grammar import FilePiece
from edict.compiler.syntax.unreadable.stream import Word, words_of

_MOST_READ = 4_000
"""Words that are tried at most until a line is given up."""


def settled(words: Sequence[Word], names: Collection[str]) -> list[Word]:
    """The same words; in lines that can only be read so, those that are known as names are names.

    names: words of the language that something is called. What stands where only a name can is known from there on.
    """
    known, found, stack = set(names), list[Word](), beginning()
    for start, stop in _lines(words):
        line = _read(stack, words[start:stop], words[stop] if stop < len(words) else None, known)
        if line is None:
            return [*found, *words[start:]]
        for word, kind, after in line:
            certain = kind == "NAME" and len(word.kinds) > 1 and stack.after(word.kinds[0]) is None
            known |= {word.text} if certain else set()
            found.append(replace(word, kinds=(kind, *(other for other in word.kinds if other != kind))))
            stack = after
    return found


def meant_as_names(piece: FilePiece, names: Collection[str]) -> frozenset[tuple[int, int]]:
    """Where words of the language are names in a stretch of a file that cannot be read otherwise: line and column."""
    words = settled(words_of(piece), names)
    return frozenset((word.line, word.column) for word in words if word.kinds[:1] == ("NAME",) and len(word.kinds) > 1)


def _lines(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Where each line begins, and where it ends: behind the layout that follows it."""
    start = 0
    for i, word in enumerate(words):
        if word.is_layout and not (i + 1 < len(words) and words[i + 1].is_layout):
            yield start, i + 1
            start = i + 1
    if start < len(words):
        yield start, len(words)


def _read(
    stack: Stack, line: Sequence[Word], behind: Word | None, known: Collection[str]
) -> list[tuple[Word, str, Stack]] | None:
    """The words of a line with what each is, and the stack after each; as few as can be, and the last, are names."""
    chosen: list[tuple[Word, str, Stack]] = []
    open_ = [_ways(stack, line[0], known)]
    for _ in range(_MOST_READ):
        if not open_:
            return None
        way = next(open_[-1], None)
        if way is None:
            open_.pop()
            if chosen:
                chosen.pop()
            continue
        chosen.append((line[len(chosen)], *way))
        if len(chosen) < len(line):
            open_.append(_ways(way[1], line[len(chosen)], known))
        elif behind is None or next(_ways(way[1], behind, known | {behind.text}), None) is not None:  # type: ignore[operator]
            return chosen
        else:
            chosen.pop()
    return None


def _ways(stack: Stack, word: Word, known: Collection[str]) -> Iterator[tuple[str, Stack]]:
    """What a word may be after a stack: a word of the language first, and a name if it is known as one."""
    read = False
    for kind in word.kinds:
        after = stack.after(kind)
        if after is not None and (not read or kind != "NAME" or word.text in known):
            read = True
            yield kind, after
