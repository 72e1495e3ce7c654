"""A file, or some of its lines, in the canonical layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from edict.compiler.syntax.expecting import takes_block
from edict.compiler.syntax.printing.canonical import formatted
from edict.support.report import Edit
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import At, Refused
from edict.tools.language_service.document_structure import stretches
from edict.tools.language_service.workspace import Workspace

STEP = 2  # spaces by which a line lies further in than the one it belongs to


def laid_out(space: Workspace, path: Path) -> str:
    """The text of a rule file as `kingsburg fmt` writes it; raises `Refused` for one that cannot be read."""
    source = _source(space, path)
    outcome = formatted(source)
    if outcome.value is None:
        first = outcome.diagnostics[0]
        raise Refused(f"line {first.span.line} cannot be laid out: {first.title}")
    return outcome.value


def layout_edits(space: Workspace, path: Path) -> tuple[Edit, ...]:
    """The edits that lay out a rule file, of the lines that differ; raises `Refused` for one that cannot be read."""
    return tuple(_line_edits(_source(space, path), 1, laid_out(space, path)))


def _line_edits(source: Source, first: int, neat: str) -> Iterator[Edit]:
    """The edits after which a text that stands from the line `first` of a file on is another one, line by line: what
    does not differ keeps cursors, folds and marks."""
    old, new = source.text.split("\n"), neat.split("\n")
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and end - start == new_end - new_start:
            for number in range(start, end):
                yield _put(source.name, old, first, number, number + 1, new[new_start + number - start])
        elif tag == "replace":
            yield _put(source.name, old, first, start, end, "\n".join(new[new_start:new_end]))
        elif tag != "equal":  # whole lines with one end of line each: the one above them at the end of the text
            at_end = end == len(old)
            text = "".join(f"\n{line}" if at_end else f"{line}\n" for line in new[new_start:new_end])
            begin, until = (
                ((start - 1, len(old[start - 1])), (end - 1, len(old[end - 1]))) if at_end else ((start, 0), (end, 0))
            )
            yield Edit(Span(source.name, first + begin[0], begin[1] + 1, first + until[0], until[1] + 1), text)


def _put(file: str, old: list[str], first: int, start: int, end: int, text: str) -> Edit:
    """These lines, without the last end of line, replaced."""
    return Edit(Span(file, first + start, 1, first + end - 1, len(old[end - 1]) + 1), text)


def _source(space: Workspace, path: Path) -> Source:
    source = space.source(path)
    if source is None:
        raise Refused("this file is not part of any rules")
    return source


def laid_out_lines(space: Workspace, path: Path, first: int, last: int) -> tuple[Edit, ...]:
    """Edits that lay out the definitions in these lines; those that cannot be read stay as they are.

    Raises `Refused` for a file that is no rules.
    """
    source = _source(space, path)
    lines = source.text.split("\n")
    edits: list[Edit] = []
    for start, end in stretches(source.text):
        piece = replace(source, text="\n".join(lines[start - 1 : end]) + "\n")
        neat = formatted(piece).value if start <= last and first <= end else None
        edits += _line_edits(piece, start, neat) if neat is not None else ()
    return tuple(edits)


def indentation(before: str) -> int:
    """How far in a line begins below a text: as the last one, or a step further if that can have something below it."""
    lines = before.split("\n")
    above = lines[-1]
    if not above.strip():
        return 0
    begins = max((first for first, _ in stretches(before)), default=1)
    deeper = takes_block("\n".join(lines[begins - 1 :]))
    return len(above) - len(above.lstrip()) + (STEP if deeper else 0)


def indented(space: Workspace, path: Path, at: At) -> tuple[Edit, ...]:
    """The edit that indents a line somebody has just begun below another.

    Raises `Refused` for a file that is no rules.
    """
    source = _source(space, path)
    lines = source.text.split("\n")
    there, above = (lines[number - 1] if 0 < number <= len(lines) else "" for number in (at.line, at.line - 1))
    if there.strip() or not above.strip():
        return ()
    wanted = " " * indentation("\n".join(lines[: at.line - 1]))
    span = Span(source.name, at.line, 1, at.line, len(there) + 1)
    return (Edit(span, wanted),) if there != wanted else ()
