"""Structure of a rule file: outline, folding ranges and selection ranges, also while it has errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import name_pattern
from edict.compiler.syntax.incremental import split_into_pieces
from edict.compiler.syntax.parse import parse_file
from edict.compiler.syntax.printing import print_expression
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import sort_title
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import OutlineEntry, TextPosition
from edict.tools.language_service.occurrences import node_sort, unwrap_amendment
from edict.tools.language_service.workspace import Workspace

_HEADER = re.compile(
    r"(?P<sort>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*)?)\s+(?P<name>[^\W\d_][\w-]*)|(?P<word>[^\W\d_][\w-]*)"
)
_WORD = re.compile(name_pattern())
PARTIAL_WORD = re.compile(rf"{name_pattern()}-?$")


def build_outline(space: Workspace, path: Path) -> tuple[OutlineEntry, ...]:
    """Return the definitions of a file, each with its fields, rules and abilities."""
    source = space.get_source(path)
    if source is None:
        return ()
    page = parse_file(source).page
    known = {definition.span.line: definition for definition in (page.definitions if page is not None else ())}
    return tuple(
        _build_entry(source, first, last, known.get(first)) for first, last in iter_definition_lines(source.text)
    )


def iter_definition_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each definition, without comments and blank lines behind it."""
    lines = text.split("\n")
    for piece in split_into_pieces(text):
        first = text.count("\n", 0, piece.start) + 1
        last = first + text[piece.start : piece.end].rstrip().count("\n")
        while last > first and not _belongs_to_definition(lines[last - 1]):
            last -= 1
        yield first, last


def _belongs_to_definition(line: str) -> bool:
    """Return True unless a line is blank or a comment at the left edge, which belongs to the next definition."""
    return bool(line.strip()) and not line.startswith("#")


# --- words -----------------------------------------------------------------------------------------


def find_word(source: Source, position: TextPosition) -> tuple[str, Span] | None:
    """Return the word at a position, and its span.

    Returns None if there is no word, or in strings and comments.
    """
    lines = source.text.split("\n")
    line = lines[position.line - 1] if 0 < position.line <= len(lines) else ""
    if ends_in_string_or_comment(line[: position.column - 1]):
        return None
    matches = (m for m in _WORD.finditer(line) if m.start() < position.column <= m.end() + 1)
    match = next(matches, None)
    if match is None:
        return None
    return match[0], Span(source.name, position.line, match.start() + 1, position.line, match.end() + 1)


def ends_in_string_or_comment(line_start: str) -> bool:
    """Return True if the beginning of a line ends within a string or a comment."""
    bare = re.sub(r'"[^"]*"', "", line_start)
    return '"' in bare or "#" in bare


def text_before_word(text: str, position: TextPosition) -> str:
    """Return the text from the start of the definition at a position up to the word being typed, without it."""
    lines = text.split("\n")
    starts = [first for first, _ in iter_definition_lines(text) if first <= position.line]
    line = lines[position.line - 1][: position.column - 1] if position.line <= len(lines) else ""
    line = PARTIAL_WORD.sub("", line)
    first = starts[-1] if starts and line else position.line
    return "\n".join([*lines[first - 1 : position.line - 1], line])


# --- definitions -----------------------------------------------------------------------------------


def _build_entry(source: Source, first: int, last: int, definition: t.Definition | None) -> OutlineEntry:
    """Return the outline entry of a definition in lines `first` to `last`; None stands for one that does not parse."""
    lines = source.text.split("\n")
    entry_span = Span(source.name, first, 1, last, len(lines[last - 1]) + 1)
    if definition is None:
        return _build_unparsed_entry(source, lines[first - 1], entry_span)
    inner = unwrap_amendment(definition)
    is_named = inner.name.word and inner.name.span.line
    title = inner.title or _describe_standalone(inner)
    verb = {t.Amend: "amend ", t.Remove_: "remove ", t.Retitle: "call "}.get(type(definition), "")
    if is_named:
        name, span = (inner.name.word, inner.name.span)
    else:
        name, span = (title, Span(entry_span.file, first, 1, first, 2))
    detail = verb + (sort_title(inner) if not verb.startswith(("remove", "call")) else "")
    shown_detail = f"{detail.strip()} “{title}”" if title and title != name else detail.strip()
    return OutlineEntry(
        name or lines[first - 1].strip(), shown_detail, node_sort(inner), entry_span, span, tuple(_iter_parts(inner))
    )


def _build_unparsed_entry(source: Source, line: str, entry_span: Span) -> OutlineEntry:
    """Return the entry of a definition that does not parse, by its first words."""
    match = _HEADER.match(line)
    group = "name" if match and match["name"] else "word"
    if match is None or not match[group]:
        return OutlineEntry(
            line.strip(), "", "thing", entry_span, Span(source.name, entry_span.line, 1, entry_span.line, 2)
        )
    start, end = match.span(group)
    return OutlineEntry(
        match[group],
        match["sort"] or "",
        "thing",
        entry_span,
        Span(source.name, entry_span.line, start + 1, entry_span.line, end + 1),
    )


def _describe_standalone(definition: t.Definition) -> str:
    """Return the sort and the first name of a top-level ability, such as `when harvest`; else empty."""
    if isinstance(definition, t.Standalone):
        subject = next((node for node in walk(definition.ability) if isinstance(node, t.Name)), None)
        return f"{node_sort(definition.ability)} {subject.word if subject else ''}".strip()
    return ""


def _iter_parts(definition: t.Definition) -> Iterator[OutlineEntry]:
    """Yield the named parts of a definition."""
    if isinstance(definition, t.Thing | t.Kind):
        for field in definition.fields:
            value = getattr(field, "expr", None)
            yield _build_part(field.name, print_expression(value) if value is not None else "", "field", field.span)
    elif isinstance(definition, t.Action):
        yield from (_build_part(rule.name, "", "rule", rule.span) for rule in definition.rules)
    elif isinstance(definition, t.Table):
        yield from (_build_part(row.name, row.title, "thing", row.span) for row in definition.rows)
    if isinstance(definition, t.Thing):
        for ability in definition.abilities:
            subject = next((node for node in walk(ability) if isinstance(node, t.Name)), None)
            if subject is not None:
                yield OutlineEntry(f"{node_sort(ability)} {subject.word}", "", "ability", ability.span, subject.span)


def _build_part(name: t.Name, detail: str, sort: str, span: Span) -> OutlineEntry:
    """Return the outline entry of a named part, with a span that also covers its name."""
    return OutlineEntry(name.word, detail, sort, span.extend_to(name.span) if span < name.span else span, name.span)


def list_folds(space: Workspace, path: Path) -> tuple[tuple[int, int], ...]:
    """Return the first and last lines of folding ranges: definitions, indented blocks and longer comments."""
    source = space.get_source(path)
    if source is None:
        return ()
    lines = source.text.split("\n")
    ranges = [(first, last) for first, last in iter_definition_lines(source.text) if last > first]
    for number, line in enumerate(lines, 1):
        if line.startswith(" ") and line.strip():
            last = _block_end(lines, number)
            ranges += [(number, last)] if last > number else []
    return tuple(sorted({*ranges, *_iter_comment_ranges(lines)}))


def _block_end(lines: list[str], number: int) -> int:
    """Return the last line that is indented under this one."""
    indent, last = _indent(lines[number - 1]), number
    for number_below in range(number, len(lines)):
        if lines[number_below].strip():
            if _indent(lines[number_below]) <= indent:
                break
            last = number_below + 1
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _iter_comment_ranges(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line, from 1, of each run of two or more comment lines."""
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        is_comment = line.lstrip().startswith("#")
        if is_comment and not first:
            first = number
        if not is_comment and first:
            yield from [(first, number - 1)] if number - 1 > first else []
            first = 0


# --- selection ranges -----------------------------------------------------------------------------


def list_selections(space: Workspace, path: Path, position: TextPosition) -> tuple[Span, ...]:
    """Return the spans around a position, each within the next: word, expression, step, block, definition, file."""
    source = space.get_source(path)
    if source is None:
        return ()
    spans: list[Span] = []
    for span in sorted({*_iter_enclosing_spans(source, position)}, key=_span_size):
        if not spans or _is_inside(spans[-1], span):
            spans.append(span)
    return tuple(spans)


def _iter_enclosing_spans(source: Source, position: TextPosition) -> Iterator[Span]:
    """Yield the spans around a position, unsorted: word, line, definition, syntax nodes and the whole file."""
    lines = source.text.split("\n")
    word = find_word(source, position)
    yield from [word[1]] if word is not None else []
    if position.line <= len(lines) and lines[position.line - 1].strip():
        line = lines[position.line - 1]
        yield Span(
            source.name, position.line, len(line) - len(line.lstrip()) + 1, position.line, len(line.rstrip()) + 1
        )
    for first, last in iter_definition_lines(source.text):
        if first <= position.line <= last:
            yield Span(source.name, first, 1, last, len(lines[last - 1]) + 1)
    page = parse_file(source).page
    for definition in page.definitions if page is not None else ():
        if definition.span.line <= position.line <= definition.span.end_line:
            spans = (_trim_span(lines, node.span) for node in walk(definition) if position.is_in(node.span))
            yield from (span for span in spans if position.is_in(span))
    yield Span(source.name, 1, 1, len(lines), len(lines[-1]) + 1)


def _trim_span(lines: list[str], span: Span) -> Span:
    """Return a span without trailing spaces and blank lines."""
    end, column = span.end_line, span.end_column
    while end > span.line and not (lines[end - 1] if end <= len(lines) else "")[: column - 1].strip():
        end -= 1
        column = len(lines[end - 1]) + 1
    return Span(span.file, span.line, span.column, end, column)


def _span_size(span: Span) -> tuple[int, int, int]:
    """Return a key that sorts spans from small to large: by lines, then by width within one line."""
    width = span.end_column - span.column if span.line == span.end_line else 0
    return span.end_line - span.line, width, -span.line


def _is_inside(inner: Span, outer: Span) -> bool:
    """Return True if `inner` lies within `outer` and is not the same span."""
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column) and inner != outer
