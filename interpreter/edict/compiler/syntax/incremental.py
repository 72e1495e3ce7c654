"""Incremental parsing, which splits a file at its definitions and reuses those parsed before in this process.

An edit changes one definition and moves those below it; the moved ones get new spans without being parsed again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import inner_words
from edict.compiler.syntax.grammar import FilePiece, name_pattern
from edict.compiler.syntax.traversal import with_spans
from edict.support.records import dataclass
from edict.support.report import Diagnostic
from edict.support.text import Span

MOST_CACHED = 16_384  # pieces; more than any allowed rules have, unless each is a few words long


@dataclass(frozen=True, slots=True)
class ParsedPiece:
    """The definitions in a piece of a file."""

    definitions: tuple[t.Definition, ...]
    found: tuple[Diagnostic, ...] = ()  # diagnostics of the piece


def split_into_pieces(text: str) -> list[FilePiece]:
    """Split a file at its top-level definitions, so that one mistake costs one definition."""
    first = re.search(r"^[^\s#]", text, re.MULTILINE)
    starts = sorted({*_iter_definition_starts(text), *([first.start()] if first else [])})
    ends = [*starts[1:], len(text)][: len(starts)]
    result, above, position = list[FilePiece](), 0, 0
    for start, end in zip(starts, ends, strict=True):
        above, position = above + text.count("\n", position, start), start
        result.append(FilePiece(text, start, end, above))
    return result


_TOP_LEVEL_NAME = re.compile(rf"^{name_pattern()}", re.MULTILINE)


def _iter_definition_starts(text: str) -> Iterator[int]:
    """Yield the positions where definitions begin, at words without indentation.

    A step right below another line is excluded; its indentation is just missing.
    """
    for word in _TOP_LEVEL_NAME.finditer(text):
        line_above = text[text.rfind("\n", 0, max(word.start() - 1, 0)) + 1 : word.start()]
        if word[0] not in inner_words() or not line_above[:1].isalpha():
            yield word.start()


class PieceCache:
    """A cache of parsed pieces by file and text, with the lines at which they began."""

    def __init__(self) -> None:
        self._parsed: OrderedDict[tuple[str, str], tuple[int, ParsedPiece]] = OrderedDict()
        self._unparsable: OrderedDict[tuple[str, str], int] = OrderedDict()

    def clear(self) -> None:
        """Empty the cache."""
        self._parsed.clear()
        self._unparsable.clear()

    def record_error(self, file: str, piece: FilePiece, line: int) -> None:
        """Record the line because of which a piece cannot be parsed."""
        self._unparsable[file, piece.own_text] = line - piece.above
        if len(self._unparsable) > MOST_CACHED:
            self._unparsable.popitem(last=False)

    def get_error_line(self, file: str, piece: FilePiece) -> int | None:
        """Return the line because of which a piece could not be parsed before, or None."""
        line = self._unparsable.get((file, piece.own_text))
        return None if line is None else line + piece.above

    def get_or_parse(
        self, file: str, piece: FilePiece, parse_piece: Callable[[str, FilePiece], ParsedPiece]
    ) -> ParsedPiece:
        """Return a parsed piece from the cache, moved to its present line, or parse it.

        Args:
            file: The name of the file.
            piece: The piece.
            parse_piece: Parses a piece; its exceptions are passed on.
        """
        key, line = (file, piece.own_text), piece.above
        cached = self._parsed.pop(key, None)
        if cached is None or cached[1].found and cached[0] != line:
            parsed = parse_piece(file, piece)
        else:
            parsed = cached[1] if cached[0] == line else _shift_piece(cached[1], line - cached[0])
        self._parsed[key] = (line, parsed)
        if len(self._parsed) > MOST_CACHED:
            self._parsed.popitem(last=False)
        return parsed


def _shift_piece(parsed: ParsedPiece, lines: int) -> ParsedPiece:
    """Return a parsed piece moved down by some lines."""

    def shift_span(span: Span) -> Span:
        return Span(span.file, span.line + lines, span.column, span.end_line + lines, span.end_column)

    return ParsedPiece(with_spans(parsed.definitions, shift_span))


PIECE_CACHE = PieceCache()  # the cache of this process
