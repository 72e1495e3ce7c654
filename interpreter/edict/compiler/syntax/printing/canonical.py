"""The canonical layout of a file, which is its printed tree with comments in place and at most one empty line in a row.

A comment on a line of its own stays above the line that followed it, with the same indentation; at the end of a block,
with that of the block. A comment behind a line stays behind it. If lines are joined, comments between them go above.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import accumulate, pairwise, takewhile
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import name_pattern
from edict.compiler.syntax.parse import parse, parse_file
from edict.compiler.syntax.printing.definition_printer import PrintedLine, needs_empty_line, print_lines
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Outcome
from edict.support.resources import command_name
from edict.support.text import EDITION, Source, Span


def format_source(source: Source) -> Outcome[str]:
    """Return a rule file in its canonical layout, or the reasons why it cannot be laid out."""
    outcome = parse(source)
    if outcome.value is None or not outcome.ok:
        return Outcome(None, outcome.diagnostics)
    if parse_file(source).upgraded is not None:
        return Outcome(None, (_older_edition_diagnostic(source),))
    scanned = scan_source(source.text)
    text = _merge_comments(_print_rows(outcome.value), scanned)
    losses = _check_for_losses(source, outcome.value, scanned, text)
    return Outcome(None if losses else text, losses)


def _older_edition_diagnostic(source: Source) -> Diagnostic:
    """Return E0136, for a file of an older edition, which is not formatted but must be upgraded."""
    return Diagnostic(
        "E0136",
        f"this file is written in edition {source.edition} of the language",
        Span(source.name, 1, 1, 1, 2),
        note=f"Files are formatted as edition {EDITION}, which writes some of these lines differently.",
        help=f"`{command_name()} upgrade` rewrites the rules in this edition",
    )


def is_same_tree(tree: Any, other: Any) -> bool:
    """Return True if two trees are equal in all but places and parentheses."""
    if isinstance(tree, t.Node):
        return type(tree) is type(other) and all(
            is_same_tree(getattr(tree, field.name), getattr(other, field.name))
            for field in fields(tree)
            if field.name not in ("span", "wrapped")
        )
    if isinstance(tree, tuple):
        return isinstance(other, tuple) and len(tree) == len(other) and all(map(is_same_tree, tree, other))
    return bool(tree == other)


def _check_for_losses(source: Source, page: t.Page, scanned: ScannedSource, text: str) -> tuple[Diagnostic, ...]:
    """Return a diagnostic if a formatted text would lose a word, a comment or a node of the file."""
    reparsed, rescanned = parse(replace(source, text=text)), scan_source(text)
    difference = find_first_difference(scanned.words, rescanned.words)
    comments_kept = [comment.text for comment in scanned.comments] == [comment.text for comment in rescanned.comments]
    if (
        difference is None
        and comments_kept
        and reparsed.value is not None
        and is_same_tree(page.definitions, reparsed.value.definitions)
    ):
        return ()
    starts = [start for start in scanned.starts if start <= (difference or 0)]
    line = _find_line(source, max(starts, default=0))
    return (
        Diagnostic(
            "E0132",
            "this line cannot be formatted without changing it",
            Span(source.name, line, 1, line, 2),
            note="Formatting changes only spaces and empty lines, so this file is left unchanged.",
            help="write it more simply, without empty texts and repeated words",
        ),
    )


def _find_line(source: Source, word: int) -> int:
    """Return the number of the line that holds the word with this index in the file; else the last line."""
    count = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        count += count_words(line)
        if count > word:
            return number
    return max(1, len(source.lines))


# --- what is printed -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _PrintedRow:
    """A written line."""

    text: str
    start: int  # number of words before it
    end: int  # number of words up to its end
    goes_on: bool  # it continues the line above
    apart: bool
    closing: int  # number of following lines that only close this one

    @property
    def indent(self) -> int:
        """Its indentation in spaces."""
        return _count_indent(self.text)


def _count_indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _print_rows(page: t.Page) -> list[_PrintedRow]:
    """Return the printed lines of all definitions, each with the number of its first and last word."""
    rows, previous_lines = list[_PrintedRow](), list[PrintedLine]()
    for definition in page.definitions:
        lines = print_lines(definition)
        needs_space = bool(previous_lines) and needs_empty_line(previous_lines, lines)
        for line in lines:
            rows += _split_line(line, rows[-1].end if rows else 0, needs_space and line is lines[0])
        previous_lines = lines
    return rows


def _split_line(line: PrintedLine, start: int, needs_space: bool) -> list[_PrintedRow]:
    """Return the rows of one logical line that was perhaps broken; `start` is the number of words before it."""
    # the first is the number of words before all of them
    ends = [*accumulate(map(count_words, line.physical_lines), initial=start)]
    return [
        _PrintedRow(text, first, end, index > 0, needs_space and index == 0, ends[index + 2 :].count(end))
        for index, (text, (first, end)) in enumerate(zip(line.physical_lines, pairwise(ends), strict=True))
    ]


# --- with comments and empty lines ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _OutputLine:
    """A line of the result."""

    text: str
    spaced: bool  # an empty line above it is kept
    comment: bool = False


def _merge_comments(rows: list[_PrintedRow], scanned: ScannedSource) -> str:
    """Return the text of printed rows with the source's comments and empty lines put back in."""
    remaining = list(scanned.comments)
    items = list[_OutputLine]()
    for row in rows:
        above, trailing = _take_comments(row, remaining)
        comment_lines = [
            _OutputLine(_comment_indent(comment, rows, scanned) + comment.text, comment.spaced, True)
            for comment in above
        ]
        spaced = not row.goes_on and row.start in scanned.spaced
        group = [*comment_lines, _OutputLine(f"{row.text}  {trailing.text}" if trailing else row.text, spaced)]
        items += _ensure_empty_line(group) if row.apart else group
    items += [
        _OutputLine(_comment_indent(comment, rows, scanned) + comment.text, comment.spaced, True)
        for comment in remaining
    ]
    return "".join(_add_empty_lines(items))


def _take_comments(
    row: _PrintedRow, remaining: list[SourceComment]
) -> tuple[list[SourceComment], SourceComment | None]:
    """Remove and return the comments above a row and the one behind it."""
    above = list(takewhile(lambda comment: comment.after < row.end, remaining))
    trailing = list(takewhile(lambda comment: comment.after == row.end and not comment.alone, remaining[len(above) :]))
    trailing = trailing[: max(0, len(trailing) - row.closing)]  # the others belong to the lines that close this one
    del remaining[: len(above) + len(trailing)]
    return [*above, *trailing[:-1]], trailing[-1] if trailing else None


def _comment_indent(comment: SourceComment, rows: list[_PrintedRow], scanned: ScannedSource) -> str:
    """Return the indentation of a comment, that of the line below it or of the block that it ends.

    Within a line that is broken up, no block ends.
    """
    containing = next((row for row in rows if row.start <= comment.after < row.end), None)
    if containing is not None and containing.goes_on:
        return " " * containing.indent
    following = scanned.starts.get(comment.after, 0)
    above = sorted((start for start in scanned.starts if start < comment.after), reverse=True)
    starts_block = not above or scanned.starts[above[0]] < following  # a block
    if not comment.alone or starts_block or comment.column <= following:
        return " " * _indent_at_word(comment.after, rows)
    level = None
    for start in above:
        column = scanned.starts[start]
        if column <= comment.column:
            return " " * _indent_at_word(start if level is None or column == comment.column else level, rows)
        if level is None or column < scanned.starts[level]:
            level = start
    return " " * _indent_at_word(level or 0, rows)


def _indent_at_word(word: int, rows: list[_PrintedRow]) -> int:
    """Return the indentation, in spaces, of the row that holds the word with this index; 0 if none does."""
    return next((row.indent for row in rows if row.start <= word < row.end), 0)


def _ensure_empty_line(group: list[_OutputLine]) -> Iterable[_OutputLine]:
    """Return the lines of a definition and its comments, with an empty line above the unindented ones."""
    index = next(position for position, item in enumerate(group) if not _count_indent(item.text))
    if any(item.spaced for item in group[index:]):
        return group
    return [*group[:index], replace(group[index], spaced=True), *group[index + 1 :]]


def _add_empty_lines(items: list[_OutputLine]) -> Iterator[str]:
    """Yield the lines and the empty lines between them, none at the beginning of a file or block."""
    previous: _OutputLine | None = None
    for item in items:
        opens_block = (
            previous is not None and not previous.comment and _count_indent(item.text) > _count_indent(previous.text)
        )
        if item.spaced and previous is not None and not opens_block:
            yield "\n"
        yield item.text + "\n"
        previous = item


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
