"""A file cut at its definitions, and those that were read before in this process, moved to where they stand now.

Whoever types changes one definition of a file and moves those below it: they need not be parsed again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from edict.language import tree as t
from edict.language.automaton import inner_words
from edict.language.grammar import FilePiece, name_pattern
from edict.language.walking import placed
from edict.report import Diagnostic
from edict.text import Span

MOST = 16_384  # more than there are in all rules that may be played together, unless each has but a few words


@dataclass(frozen=True, slots=True)
class ReadPiece:
    """The definitions of a piece of a file, and what was found in them."""

    definitions: tuple[t.Definition, ...]
    found: tuple[Diagnostic, ...] = ()


def pieces(text: str) -> list[FilePiece]:
    """The file cut at its top-level definitions, so that one mistake spoils one definition."""
    first = re.search(r"^[^\s#]", text, re.MULTILINE)
    starts = sorted({*_edges(text), *([first.start()] if first else [])})
    ends = [*starts[1:], len(text)][: len(starts)]
    found, above, counted = list[FilePiece](), 0, 0
    for start, end in zip(starts, ends, strict=True):
        above, counted = above + text.count("\n", counted, start), start
        found.append(FilePiece(text, start, end, above))
    return found


_TOP = re.compile(rf"^{name_pattern()}", re.MULTILINE)


def _edges(text: str) -> Iterator[int]:
    """Where definitions begin: at a word at the left edge, but for steps right under a line there: not indented yet."""
    for word in _TOP.finditer(text):
        above = text[text.rfind("\n", 0, max(word.start() - 1, 0)) + 1 : word.start()]
        if word[0] not in inner_words() or not above[:1].isalpha():
            yield word.start()


class LastRead:
    """What was read last, by file and text; each with the line in which it began."""

    def __init__(self) -> None:
        self._read: OrderedDict[tuple[str, str], tuple[int, ReadPiece]] = OrderedDict()
        self._unread: OrderedDict[tuple[str, str], int] = OrderedDict()

    def forget(self) -> None:
        """Read everything again from now on."""
        self._read.clear()
        self._unread.clear()

    def note_unread(self, file: str, piece: FilePiece, line: int) -> None:
        """A piece cannot be read, for what stands in this line."""
        self._unread[file, piece.own] = line - piece.above
        if len(self._unread) > MOST:
            self._unread.popitem(last=False)

    def unread(self, file: str, piece: FilePiece) -> int | None:
        """The line of the mistake in a piece that could not be read before."""
        line = self._unread.get((file, piece.own))
        return None if line is None else line + piece.above

    def read(self, file: str, piece: FilePiece, read: Callable[[str, FilePiece], ReadPiece]) -> ReadPiece:
        """What a piece says, read by `read` if it is new; raises what that raises."""
        key, line = (file, piece.own), piece.above
        before = self._read.pop(key, None)
        if before is None or before[1].found and before[0] != line:
            now = read(file, piece)
        else:
            now = before[1] if before[0] == line else _moved(before[1], line - before[0])
        self._read[key] = (line, now)
        if len(self._read) > MOST:
            self._read.popitem(last=False)
        return now


def _moved(read: ReadPiece, lines: int) -> ReadPiece:
    """The same so many lines further down."""

    def below(span: Span) -> Span:
        return Span(span.file, span.line + lines, span.column, span.end_line + lines, span.end_column)

    return ReadPiece(placed(read.definitions, below))


KEPT = LastRead()
