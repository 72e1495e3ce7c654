"""The canonical layout of a file: its tree printed, its comments where they were, at most one empty line in a row.

A comment on a line of its own stays above the line it stood above, indented like it; at the end of a block, like
the block. A comment behind a line stays behind it. Where a file's lines are joined, what stood between them goes above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import accumulate, pairwise, takewhile
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse, read_page
from edict.compiler.syntax.printing.lines import Line
from edict.compiler.syntax.printing.printed_definitions import must_be_apart, printed
from edict.compiler.syntax.printing.scanning import Comment, Scanned, count_words, first_difference, scan
from edict.support.report import Diagnostic, Outcome
from edict.support.resources import command_name
from edict.support.text import EDITION, Source, Span


def formatted(source: Source) -> Outcome[str]:
    """The text of a rule file in its canonical layout; nothing, and why, if it cannot be read."""
    outcome = parse(source)
    if outcome.value is None or not outcome.ok:
        return Outcome(None, outcome.diagnostics)
    if read_page(source).today is not None:
        return Outcome(None, (_older(source),))
    scanned = scan(source.text)
    text = _written(_rows(outcome.value), scanned)
    wrong = _lost(source, outcome.value, scanned, text)
    return Outcome(None if wrong else text, wrong)


def _older(source: Source) -> Diagnostic:
    return Diagnostic(
        "E0136",
        f"this file is written in edition {source.edition} of the language",
        Span(source.name, 1, 1, 1, 2),
        note=f"It is laid out as edition {EDITION} is written, and says something otherwise.",
        help=f"`{command_name()} upgrade` rewrites the rules in this edition",
    )


def same(one: Any, other: Any) -> bool:
    """Whether two trees say the same in the same words: places and parentheses aside."""
    if isinstance(one, t.Node):
        return type(one) is type(other) and all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one) if f.name not in ("span", "wrapped")
        )
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _lost(source: Source, page: t.Page, scanned: Scanned, text: str) -> tuple[Diagnostic, ...]:
    """Nothing that was written may be lost: a reason to leave the file alone, if something would be."""
    again, laid = parse(replace(source, text=text)), scan(text)
    at = first_difference(scanned.words, laid.words)
    kept = [c.text for c in scanned.comments] == [c.text for c in laid.comments]
    if at is None and kept and again.value is not None and same(page.definitions, again.value.definitions):
        return ()
    before = [start for start in scanned.starts if start <= (at or 0)]
    line = _line_of(source, max(before, default=0))
    return (
        Diagnostic(
            "E0132",
            "this line cannot be laid out without changing it",
            Span(source.name, line, 1, line, 2),
            note="Layout changes spaces and empty lines only, so this file is left as it is.",
            help="say it more simply, without empty texts and words that stand twice",
        ),
    )


def _line_of(source: Source, word: int) -> int:
    count = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        count += count_words(line)
        if count > word:
            return number
    return max(1, len(source.lines))


# --- what is printed -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """A written line: the words before and up to its end; whether it goes on with the line above.

    closing: how many of the lines that follow hold nothing but what closes this one.
    """

    text: str
    start: int
    end: int
    goes_on: bool
    apart: bool  # an empty line must be above it, or above the comments that belong to it
    closing: int

    @property
    def indent(self) -> int:
        return _indent(self.text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _rows(page: t.Page) -> list[_Row]:
    rows, before = list[_Row](), list[Line]()
    for definition in page.definitions:
        lines = printed(definition)
        apart = bool(before) and must_be_apart(before, lines)
        for line in lines:
            rows += _rows_of(line, rows[-1].end if rows else 0, apart and line is lines[0])
        before = lines
    return rows


def _rows_of(line: Line, start: int, apart: bool) -> list[_Row]:
    ends = [*accumulate(map(count_words, line.written), initial=start)]  # the first is what comes before all of them
    return [
        _Row(text, before, end, i > 0, apart and i == 0, ends[i + 2 :].count(end))
        for i, (text, (before, end)) in enumerate(zip(line.written, pairwise(ends), strict=True))
    ]


# --- with comments and empty lines ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Item:
    """A line as it will stand; spaced: an empty line above it would be kept."""

    text: str
    spaced: bool
    comment: bool = False


def _written(rows: list[_Row], scanned: Scanned) -> str:
    waiting = list(scanned.comments)
    items = list[_Item]()
    for row in rows:
        above, behind = _take(row, waiting)
        own = [_Item(_indentation(c, rows, scanned) + c.text, c.spaced, True) for c in above]
        spaced = not row.goes_on and row.start in scanned.spaced
        group = [*own, _Item(f"{row.text}  {behind.text}" if behind else row.text, spaced)]
        items += _set_apart(group) if row.apart else group
    items += [_Item(_indentation(c, rows, scanned) + c.text, c.spaced, True) for c in waiting]
    return "".join(_with_spaces(items))


def _take(row: _Row, waiting: list[Comment]) -> tuple[list[Comment], Comment | None]:
    """Take from those waiting what stands above the row, and what stands behind it."""
    above = list(takewhile(lambda c: c.after < row.end, waiting))
    behind = list(takewhile(lambda c: c.after == row.end and not c.alone, waiting[len(above) :]))
    behind = behind[: max(0, len(behind) - row.closing)]  # the others stand behind what closes the line
    del waiting[: len(above) + len(behind)]
    return [*above, *behind[:-1]], behind[-1] if behind else None


def _indentation(comment: Comment, rows: list[_Row], scanned: Scanned) -> str:
    """As far as what it stands above; if it stood further in than that, as far as the block it ends.

    Within a line that is broken up, no block ends.
    """
    within = next((row for row in rows if row.start <= comment.after < row.end), None)
    if within is not None and within.goes_on:
        return " " * within.indent
    following = scanned.starts.get(comment.after, 0)
    above = sorted((start for start in scanned.starts if start < comment.after), reverse=True)
    begins = not above or scanned.starts[above[0]] < following  # a block
    if not comment.alone or begins or comment.column <= following:
        return " " * _indent_of(comment.after, rows)
    level = None
    for start in above:
        column = scanned.starts[start]
        if column <= comment.column:
            return " " * _indent_of(start if level is None or column == comment.column else level, rows)
        if level is None or column < scanned.starts[level]:
            level = start
    return " " * _indent_of(level or 0, rows)


def _indent_of(word: int, rows: list[_Row]) -> int:
    return next((row.indent for row in rows if row.start <= word < row.end), 0)


def _set_apart(group: list[_Item]) -> Iterable[_Item]:
    """A definition with what stands above it: one empty line is there at least."""
    first = next(i for i, item in enumerate(group) if not _indent(item.text))
    if any(item.spaced for item in group[first:]):
        return group
    return [*group[:first], replace(group[first], spaced=True), *group[first + 1 :]]


def _with_spaces(items: list[_Item]) -> Iterator[str]:
    """The lines, with empty ones where they are wanted: not at the beginning of a file or a block."""
    last: _Item | None = None
    for item in items:
        opens = last is not None and not last.comment and _indent(item.text) > _indent(last.text)
        if item.spaced and last is not None and not opens:
            yield "\n"
        yield item.text + "\n"
        last = item
