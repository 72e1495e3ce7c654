"""Formatting of a rule file, or of some of its lines, in the canonical layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from edict.compiler.syntax.completion import takes_block
from edict.compiler.syntax.printing.canonical import format_source
from edict.support.report import Edit
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import EditRefused, TextPosition
from edict.tools.language_service.document_structure import iter_definition_lines
from edict.tools.language_service.workspace import Workspace

INDENT_STEP = 2  # spaces


def format_file(space: Workspace, path: Path) -> str:
    """Return the text of a rule file as `kingsburg fmt` writes it. Raises `EditRefused` if it cannot be parsed."""
    source = _require_source(space, path)
    outcome = format_source(source)
    if outcome.value is None:
        error = outcome.diagnostics[0]
        raise EditRefused(f"line {error.span.line} cannot be formatted: {error.title}")
    return outcome.value


def format_edits(space: Workspace, path: Path) -> tuple[Edit, ...]:
    """Return the edits that format a rule file line by line. Raises `EditRefused` if it cannot be parsed."""
    return tuple(_line_edits(_require_source(space, path), 1, format_file(space, path)))


def _line_edits(source: Source, first: int, formatted_text: str) -> Iterator[Edit]:
    """Yield edits that turn a part of a file into another text, leaving equal lines alone.

    Cursors, folds and marks in lines without a difference stay where they are.

    Args:
        source: The part of the file.
        first: The line of the file on which the part begins.
        formatted_text: The new text.
    """
    old, new = source.text.split("\n"), formatted_text.split("\n")
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and end - start == new_end - new_start:
            for number in range(start, end):
                yield _replace_lines(source.name, old, first, number, number + 1, new[new_start + number - start])
        elif tag == "replace":
            yield _replace_lines(source.name, old, first, start, end, "\n".join(new[new_start:new_end]))
        elif tag != "equal":  # whole lines with one end of line each: the one above them at the end of the text
            at_end = end == len(old)
            text = "".join(f"\n{line}" if at_end else f"{line}\n" for line in new[new_start:new_end])
            if at_end:
                start_place, end_place = ((start - 1, len(old[start - 1])), (end - 1, len(old[end - 1])))
            else:
                start_place, end_place = ((start, 0), (end, 0))
            yield Edit(
                Span(source.name, first + start_place[0], start_place[1] + 1, first + end_place[0], end_place[1] + 1),
                text,
            )


def _replace_lines(file: str, old: list[str], first: int, start: int, end: int, text: str) -> Edit:
    """Return the edit that replaces lines, without their last line break."""
    return Edit(Span(file, first + start, 1, first + end - 1, len(old[end - 1]) + 1), text)


def _require_source(space: Workspace, path: Path) -> Source:
    """Return the current text of a rule file. Raises `EditRefused` if the file belongs to no rules."""
    source = space.get_source(path)
    if source is None:
        raise EditRefused("this file is not part of a module")
    return source


def format_lines(space: Workspace, path: Path, first: int, last: int) -> tuple[Edit, ...]:
    """Return edits that format the definitions in some lines; definitions that cannot be parsed stay as they are.

    Raises `EditRefused` for a file that is not a rule file.
    """
    source = _require_source(space, path)
    lines = source.text.split("\n")
    edits: list[Edit] = []
    for start, end in iter_definition_lines(source.text):
        piece = replace(source, text="\n".join(lines[start - 1 : end]) + "\n")
        formatted_piece = format_source(piece).value if start <= last and first <= end else None
        edits += _line_edits(piece, start, formatted_piece) if formatted_piece is not None else ()
    return tuple(edits)


def next_indent(before: str) -> int:
    """Return the indentation, in spaces, of the line after a text.

    It is that of the last line, or one step more if the last line can open a block.
    """
    lines = before.split("\n")
    above = lines[-1]
    if not above.strip():
        return 0
    definition_start = max((first for first, _ in iter_definition_lines(before)), default=1)
    opens_block = takes_block("\n".join(lines[definition_start - 1 :]))
    return len(above) - len(above.lstrip()) + (INDENT_STEP if opens_block else 0)


def indent_line(space: Workspace, path: Path, position: TextPosition) -> tuple[Edit, ...]:
    """Return the edit that indents a line that was just begun.

    Raises `EditRefused` for a file that is not a rule file.
    """
    source = _require_source(space, path)
    lines = source.text.split("\n")
    current, above = (
        lines[number - 1] if 0 < number <= len(lines) else "" for number in (position.line, position.line - 1)
    )
    if current.strip() or not above.strip():
        return ()
    indent = " " * next_indent("\n".join(lines[: position.line - 1]))
    span = Span(source.name, position.line, 1, position.line, len(current) + 1)
    return (Edit(span, indent),) if current != indent else ()
