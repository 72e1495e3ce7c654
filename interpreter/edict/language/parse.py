"""Pass 1, parse: a rule file to a `Page`. No Lark tree leaves this file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError
from lark.utils import TextSlice

from edict.language import tree as t
from edict.language.build import Build
from edict.language.declared import NOTHING, Declared
from edict.language.grammar import parser, pieces
from edict.sources.limits import MOST_NESTED, signs_in
from edict.language.facts import facts_of
from edict.language.mistakes import indentation_mistake, page_limits, too_deep
from edict.language.nesting import too_nested
from edict.language.pieces import KEPT, Read
from edict.language.remedies import Holds, explained
from edict.report import MOST_FINDINGS, Diagnostic, Outcome, more_findings, shortened
from edict.text import Source, Span

MANY = 20
"""Mistakes in a file that are looked at thoroughly; remedies of those that follow are looked for more briefly."""


def parse(source: Source, declared: Declared = NOTHING, holds: Holds | None = None) -> Outcome[t.Page]:
    """Every definition of the file; a diagnostic for each of the first hundred that cannot be read.

    declared: the words of the rules beside it, for saying what a line may mean that cannot be read.
    holds: whether the rules are right in the lines that edits change; asked of each remedy, if it is given. Then what
    comes after the first hundred is not even counted again.
    """
    refused = page_limits(source)
    if refused:
        return Outcome(None, shortened(refused))
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    found: list[Diagnostic] = []
    more: list[int] = []  # the lines of definitions that cannot be read either, and are only counted
    definitions: list[t.Definition] = []
    for line, piece in _numbered(text):
        try:
            read = KEPT.read(source.name, piece, line, _read)
            found += read.found
            definitions.extend(read.definitions)
        except (UnexpectedInput, DedentError, VisitError, RecursionError) as mistake:
            if len(found) < MOST_FINDINGS:
                found.append(_explained(mistake, source, piece, declared, holds, len(found) >= MANY))
            elif holds:
                break
            else:
                more.append(line + 1)
    if more:
        found.append(more_findings(Span(source.name, more[0], 1, more[0], 2), len(more)))
    return Outcome(t.Page(source.name, tuple(definitions)), tuple(found))


def _numbered(text: str) -> Iterator[tuple[int, TextSlice[str]]]:
    """The pieces of a file, each with how many lines are above it; counted once along the file, as that is linear."""
    line = counted = 0
    for piece in pieces(text):
        line, counted = line + text.count("\n", counted, piece.start), piece.start
        yield line, piece


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


def readable(source: Source) -> tuple[t.Page, dict[int, str]]:
    """The definitions of a file that can be read, and the text of those that cannot, by the line of the mistake."""
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    definitions: list[t.Definition] = []
    broken: dict[int, str] = {}
    for line, piece in _numbered(text):
        try:
            definitions.extend(KEPT.read(source.name, piece, line, _read).definitions)
        except (UnexpectedInput, DedentError, VisitError, RecursionError) as mistake:
            wrong = mistake.line if isinstance(mistake, UnexpectedInput) else 0
            broken[max(wrong, line + 1)] = text[piece.start : piece.end]
    return t.Page(source.name, tuple(definitions)), broken


def _explained(
    mistake: Exception, source: Source, piece: TextSlice[str], declared: Declared, holds: Holds | None, many: bool
) -> Diagnostic:
    if isinstance(mistake, UnexpectedInput):
        return explained(facts_of(mistake, source, piece.start, piece.end, declared), piece, holds, many)
    if isinstance(mistake, DedentError):
        return indentation_mistake(source, piece.start, piece.end)
    if isinstance(mistake, VisitError) and not isinstance(mistake.orig_exc, RecursionError):
        raise mistake
    return too_deep(source, piece.start)
