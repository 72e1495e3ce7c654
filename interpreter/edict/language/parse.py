"""Pass 1, parse: a rule file to a `Page`. No Lark tree leaves this file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError
from lark.utils import TextSlice

from edict.language import tree as t
from edict.language.build import Build
from edict.language.declared import NOTHING, Declared
from edict.language.grammar import parser
from edict.sources.limits import MOST_NESTED, signs_in
from edict.language.mistakes import explain_syntax, indentation_mistake, page_limits, too_deep
from edict.language.nesting import too_nested
from edict.language.pieces import KEPT, Read
from edict.report import MOST_FINDINGS, Diagnostic, Edit, Outcome, edited, more_findings, shortened
from edict.text import Source, Span

# A statement at the left edge is no definition: somebody forgot to indent it.
_INNER = "gain|lose|let|if|else|otherwise|each|repeat|may|choose|option|require|because|then|do|spend|nothing"
_TOP = re.compile(rf"^(?!(?:{_INNER})\b)[A-Za-z]", re.MULTILINE)


def pieces(text: str) -> list[TextSlice[str]]:
    """The file cut at its top-level definitions, so that one mistake spoils one definition."""
    first = re.search(r"^[^\s#]", text, re.MULTILINE)
    starts = sorted({m.start() for m in (first, *_TOP.finditer(text)) if m})
    ends = [*starts[1:], len(text)][: len(starts)]
    return [TextSlice(text, a, b) for a, b in zip(starts, ends, strict=True)]


def parse(source: Source, declared: Declared = NOTHING) -> Outcome[t.Page]:
    """Every definition of the file; a diagnostic for each of the first hundred that cannot be read.

    declared: the words of the rules beside it, for saying what a line may mean that cannot be read.
    """
    refused = page_limits(source)
    if refused:
        return Outcome(None, shortened(refused))
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    found: list[Diagnostic] = []
    more: list[int] = []  # the lines of definitions that cannot be read either, and are only counted
    definitions: list[t.Definition] = []
    line = counted = 0  # counted once along the file: from its beginning for each piece would be quadratic
    for piece in pieces(text):
        line, counted = line + text.count("\n", counted, piece.start), piece.start
        try:
            read = KEPT.read(source.name, piece, line, _read)
            found += read.found
            definitions.extend(read.definitions)
        except (UnexpectedInput, DedentError, VisitError, RecursionError) as mistake:
            if len(found) < MOST_FINDINGS:
                found.append(_explained(mistake, source, piece, declared))
            else:
                more.append(line + 1)
    if more:
        found.append(more_findings(Span(source.name, more[0], 1, more[0], 2), len(more)))
    return Outcome(t.Page(source.name, tuple(definitions)), tuple(found))


def _read(file: str, piece: TextSlice[str]) -> Read:
    """What a piece of a file says; raises what the parser and the building raise."""
    build = Build(file)
    definitions = tuple(build.transform(parser().parse(piece)))
    return Read(definitions, (*build.found, *_deep(definitions, piece)))


def _deep(read: Iterable[t.Definition], piece: TextSlice[str]) -> Iterator[Diagnostic]:
    """What is nested too deep. Each part has a word or sign of its own, so few definitions need to be looked at."""
    if signs_in(piece.text[piece.start : piece.end]) > MOST_NESTED:
        for definition in read:
            yield from too_nested(definition)


def _explained(mistake: Exception, source: Source, piece: TextSlice[str], declared: Declared) -> Diagnostic:
    if isinstance(mistake, UnexpectedInput):
        return _tried(explain_syntax(mistake, source, piece.start, piece.end, declared), piece)
    if isinstance(mistake, DedentError):
        return indentation_mistake(source, piece.start, piece.end)
    if isinstance(mistake, VisitError) and not isinstance(mistake.orig_exc, RecursionError):
        raise mistake
    return too_deep(source, piece.start)


def _tried(told: Diagnostic, piece: TextSlice[str]) -> Diagnostic:
    """A remedy that can be carried out is given only if the definition can be read then, or is wrong further on."""
    return told if not told.edits or _goes_on(told, piece) else replace(told, edits=())


def _goes_on(told: Diagnostic, piece: TextSlice[str]) -> bool:
    """Whether the edits help; a guess must do so to the end.

    What is now indented belongs to the definition before, so both are looked at.
    """
    edits = told.edits
    guessed = told.help.startswith("did you mean") or any(_empty(edit.span) for edit in edits)
    starts = [one.start for one in pieces(piece.text) if one.start < piece.start]
    indents = any(edit.span.column == 1 and edit.text[:1] == " " for edit in edits)
    first = starts[-1] if starts and indents else piece.start
    above = piece.text.count("\n", 0, first)
    moved = [replace(edit, span=_up(edit.span, above)) for edit in edits]
    text = edited(piece.text[first : piece.end], moved)
    least = (len(text), 0) if guessed else max(map(_behind, moved))
    return all(_reaches(one, least) for one in pieces(text))


def _empty(span: Span) -> bool:
    return (span.line, span.column) == (span.end_line, span.end_column)


def _behind(edit: Edit) -> tuple[int, int]:
    """The line and column behind what was written."""
    *before, last = edit.text.split("\n")
    return edit.span.line + len(before), len(last) + (1 if before else edit.span.column)


def _up(span: Span, lines: int) -> Span:
    return replace(span, line=span.line - lines, end_line=span.end_line - lines)


def _reaches(piece: TextSlice[str], place: tuple[int, int]) -> bool:
    """Whether a definition can be read, or at least beyond this line and column of the text."""
    try:
        parser().parse(piece)
    except UnexpectedInput as another:
        return (another.line, another.column) > place
    except (DedentError, RecursionError):
        return False
    return True
