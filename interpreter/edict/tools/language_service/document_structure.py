"""A file as a list of definitions, what can be folded in it, and the stretches around a place; also while broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import name_pattern
from edict.compiler.syntax.incremental import pieces
from edict.compiler.syntax.parse import read_page
from edict.compiler.syntax.printing import expression
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.history import sort_title
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import At, Outline
from edict.tools.language_service.occurrences import amended, sort_of
from edict.tools.language_service.workspace import Workspace

_HEADER = re.compile(
    r"(?P<sort>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*)?)\s+(?P<name>[^\W\d_][\w-]*)|(?P<word>[^\W\d_][\w-]*)"
)
_WORD = re.compile(name_pattern())
PARTIAL = re.compile(rf"{name_pattern()}-?$")


def outline(space: Workspace, path: Path) -> tuple[Outline, ...]:
    """The definitions of a file, each with its fields, rules and abilities."""
    source = space.source(path)
    if source is None:
        return ()
    page = read_page(source).page
    known = {definition.span.line: definition for definition in (page.definitions if page is not None else ())}
    return tuple(_entry(source, first, last, known.get(first)) for first, last in stretches(source.text))


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """The first and last written line of each definition."""
    lines = text.split("\n")
    for piece in pieces(text):
        first = text.count("\n", 0, piece.start) + 1
        last = first + text[piece.start : piece.end].rstrip().count("\n")
        while last > first and not _written(lines[last - 1]):
            last -= 1
        yield first, last


def _written(line: str) -> bool:
    """Whether a line has more than a comment at the top level, which belongs to what comes after it."""
    return bool(line.strip()) and not line.startswith("#")


# --- words -----------------------------------------------------------------------------------------


def word_at(source: Source, at: At) -> tuple[str, Span] | None:
    """The word a place lies in or at the end of; texts in quotes and comments have none."""
    lines = source.text.split("\n")
    line = lines[at.line - 1] if 0 < at.line <= len(lines) else ""
    if in_text(line[: at.column - 1]):
        return None
    found = (m for m in _WORD.finditer(line) if m.start() < at.column <= m.end() + 1)
    match = next(found, None)
    if match is None:
        return None
    return match[0], Span(source.name, at.line, match.start() + 1, at.line, match.end() + 1)


def in_text(before: str) -> bool:
    """Whether what comes after this part of a line stands in quotes or in a comment."""
    bare = re.sub(r'"[^"]*"', "", before)
    return '"' in bare or "#" in bare


def before_word(text: str, at: At) -> str:
    """The definition a place lies in, up to the word that is being written there."""
    lines = text.split("\n")
    starts = [first for first, _ in stretches(text) if first <= at.line]
    line = lines[at.line - 1][: at.column - 1] if at.line <= len(lines) else ""
    line = PARTIAL.sub("", line)
    first = starts[-1] if starts and line else at.line
    return "\n".join([*lines[first - 1 : at.line - 1], line])


# --- definitions -----------------------------------------------------------------------------------


def _entry(source: Source, first: int, last: int, definition: t.Definition | None) -> Outline:
    lines = source.text.split("\n")
    whole = Span(source.name, first, 1, last, len(lines[last - 1]) + 1)
    if definition is None:
        return _unread(source, lines[first - 1], whole)
    inner = amended(definition)
    named = inner.name.word and inner.name.span.line
    title = inner.title or _called(inner)
    verb = {t.Amend: "amend ", t.Remove_: "remove ", t.Retitle: "call "}.get(type(definition), "")
    name, span = (inner.name.word, inner.name.span) if named else (title, Span(whole.file, first, 1, first, 2))
    detail = verb + (sort_title(inner) if not verb.startswith(("remove", "call")) else "")
    shown = f"{detail.strip()} “{title}”" if title and title != name else detail.strip()
    return Outline(name or lines[first - 1].strip(), shown, sort_of(inner), whole, span, tuple(_inside(inner)))


def _unread(source: Source, line: str, whole: Span) -> Outline:
    """A definition that cannot be read now, by the words it begins with."""
    found = _HEADER.match(line)
    group = "name" if found and found["name"] else "word"
    if found is None or not found[group]:
        return Outline(line.strip(), "", "thing", whole, Span(source.name, whole.line, 1, whole.line, 2))
    start, end = found.span(group)
    return Outline(
        found[group], found["sort"] or "", "thing", whole, Span(source.name, whole.line, start + 1, whole.line, end + 1)
    )


def _called(definition: t.Definition) -> str:
    """What a rule at the top level is about."""
    if isinstance(definition, t.Standalone):
        about = next((one for one in walk(definition.ability) if isinstance(one, t.Name)), None)
        return f"{sort_of(definition.ability)} {about.word if about else ''}".strip()
    return ""


def _inside(definition: t.Definition) -> Iterator[Outline]:
    """The named parts of a definition."""
    if isinstance(definition, t.Thing | t.Kind):
        for field in definition.fields:
            value = getattr(field, "expr", None)
            yield _part(field.name, expression(value) if value is not None else "", "field", field.span)
    elif isinstance(definition, t.Action):
        yield from (_part(rule.name, "", "rule", rule.span) for rule in definition.rules)
    elif isinstance(definition, t.Table):
        yield from (_part(row.name, row.title, "thing", row.span) for row in definition.rows)
    if isinstance(definition, t.Thing):
        for ability in definition.abilities:
            about = next((one for one in walk(ability) if isinstance(one, t.Name)), None)
            if about is not None:
                yield Outline(f"{sort_of(ability)} {about.word}", "", "ability", ability.span, about.span)


def _part(name: t.Name, detail: str, sort: str, span: Span) -> Outline:
    return Outline(name.word, detail, sort, span.extend_to(name.span) if span < name.span else span, name.span)


def folds(space: Workspace, path: Path) -> tuple[tuple[int, int], ...]:
    """Stretches of lines that can be folded: definitions, what is indented under a line, longer comments."""
    source = space.source(path)
    if source is None:
        return ()
    lines = source.text.split("\n")
    found = [(first, last) for first, last in stretches(source.text) if last > first]
    for number, line in enumerate(lines, 1):
        if line.startswith(" ") and line.strip():
            last = _below(lines, number)
            found += [(number, last)] if last > number else []
    return tuple(sorted({*found, *_remarks(lines)}))


def _below(lines: list[str], number: int) -> int:
    """The last line that is indented under this one."""
    own, last = _indent(lines[number - 1]), number
    for at in range(number, len(lines)):
        if lines[at].strip():
            if _indent(lines[at]) <= own:
                break
            last = at + 1
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _remarks(lines: list[str]) -> Iterator[tuple[int, int]]:
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        remark = line.lstrip().startswith("#")
        if remark and not first:
            first = number
        if not remark and first:
            yield from [(first, number - 1)] if number - 1 > first else []
            first = 0


# --- the stretches around a place, as an editor widens its selection ------------------------------


def selections(space: Workspace, path: Path, at: At) -> tuple[Span, ...]:
    """The stretches around a place, each within the next: word, expression, step, block, definition, file."""
    source = space.source(path)
    if source is None:
        return ()
    found: list[Span] = []
    for span in sorted({*_around(source, at)}, key=_size):
        if not found or _within(found[-1], span):
            found.append(span)
    return tuple(found)


def _around(source: Source, at: At) -> Iterator[Span]:
    lines = source.text.split("\n")
    word = word_at(source, at)
    yield from [word[1]] if word is not None else []
    if at.line <= len(lines) and lines[at.line - 1].strip():
        line = lines[at.line - 1]
        yield Span(source.name, at.line, len(line) - len(line.lstrip()) + 1, at.line, len(line.rstrip()) + 1)
    for first, last in stretches(source.text):
        if first <= at.line <= last:
            yield Span(source.name, first, 1, last, len(lines[last - 1]) + 1)
    page = read_page(source).page
    for definition in page.definitions if page is not None else ():
        if definition.span.line <= at.line <= definition.span.end_line:
            spans = (_trimmed(lines, node.span) for node in walk(definition) if at.within(node.span))
            yield from (span for span in spans if at.within(span))
    yield Span(source.name, 1, 1, len(lines), len(lines[-1]) + 1)


def _trimmed(lines: list[str], span: Span) -> Span:
    """A stretch without the space and the empty lines at its end."""
    end, column = span.end_line, span.end_column
    while end > span.line and not (lines[end - 1] if end <= len(lines) else "")[: column - 1].strip():
        end -= 1
        column = len(lines[end - 1]) + 1
    return Span(span.file, span.line, span.column, end, column)


def _size(span: Span) -> tuple[int, int, int]:
    wide = span.end_column - span.column if span.line == span.end_line else 0
    return span.end_line - span.line, wide, -span.line


def _within(inner: Span, outer: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column) and inner != outer
