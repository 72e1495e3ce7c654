"""A file, or some of its lines, in the canonical layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from edict.language.expecting import takes_block
from edict.language.printing.canonical import formatted
from edict.report import Edit
from edict.service.document_structure import stretches
from edict.service.answer_types import At, Refused
from edict.service.workspace import Workspace
from edict.text import Source, Span

STEP = 2  # spaces by which a line lies further in than the one it belongs to


def laid_out(space: Workspace, path: Path) -> str:
    """The text of a rule file as `kingsburg fmt` writes it; raises `Refused` for one that cannot be read."""
    source = _source(space, path)
    outcome = formatted(source)
    if outcome.value is None:
        first = outcome.diagnostics[0]
        raise Refused(f"line {first.span.line} cannot be laid out: {first.title}")
    return outcome.value


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
    edits = []
    for start, end in stretches(source.text):
        text = "\n".join(lines[start - 1 : end]) + "\n"
        neat = formatted(replace(source, text=text)).value if start <= last and first <= end else None
        if neat is not None and neat != text:
            span = Span(source.name, start, 1, end, len(lines[end - 1]) + 1)
            edits.append(Edit(span, neat.removesuffix("\n")))
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
