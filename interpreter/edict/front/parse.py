"""Pass 1, parse: a rule file to a `Page`. No Lark tree leaves this file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError
from lark.utils import TextSlice

from edict.front import tree as t
from edict.front.build import Build
from edict.front.grammar import parser
from edict.front.limits import MOST_NESTED, signs_in
from edict.front.mistakes import explain_syntax, indentation_mistake, page_limits, too_deep
from edict.front.nesting import too_nested
from edict.report import MOST_FINDINGS, Diagnostic, Outcome, more_findings, shortened
from edict.text import Source, Span

# A statement at the left edge is no definition: somebody forgot to indent it.
_INNER = "gain|lose|let|if|else|otherwise|each|repeat|may|choose|option|require|because|then|do|spend|nothing"
_TOP = re.compile(rf"^(?!(?:{_INNER})\b)[A-Za-z]", re.MULTILINE)


def _pieces(text: str) -> list[TextSlice[str]]:
    """The file cut at its top-level definitions, so that one mistake spoils one definition."""
    first = re.search(r"^[^\s#]", text, re.MULTILINE)
    starts = sorted({m.start() for m in (first, *_TOP.finditer(text)) if m})
    ends = [*starts[1:], len(text)][: len(starts)]
    return [TextSlice(text, a, b) for a, b in zip(starts, ends, strict=True)]


def parse(source: Source) -> Outcome[t.Page]:
    """Every definition of the file; a diagnostic for each of the first hundred that cannot be read."""
    refused = page_limits(source)
    if refused:
        return Outcome(None, shortened(refused))
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    found: list[Diagnostic] = []
    more: list[int] = []  # where the definitions begin that cannot be read either, and of which only the number is told
    definitions: list[t.Definition] = []
    for piece in _pieces(text):
        try:
            build = Build(source.name)
            read = build.transform(parser().parse(piece))
            found += [*build.found, *_deep(read, piece)]
            definitions.extend(read)
        except (UnexpectedInput, DedentError, VisitError, RecursionError) as mistake:
            if len(found) < MOST_FINDINGS:
                found.append(_explained(mistake, source, piece))
            else:
                more.append(piece.start)
    if more:
        line = text.count("\n", 0, more[0]) + 1
        found.append(more_findings(Span(source.name, line, 1, line, 2), len(more)))
    return Outcome(t.Page(source.name, tuple(definitions)), tuple(found))


def _deep(read: Iterable[t.Definition], piece: TextSlice[str]) -> Iterator[Diagnostic]:
    """What is nested too deep. Each part has a word or sign of its own, so few definitions need to be looked at."""
    if signs_in(piece.text[piece.start : piece.end]) > MOST_NESTED:
        for definition in read:
            yield from too_nested(definition)


def _explained(mistake: Exception, source: Source, piece: TextSlice[str]) -> Diagnostic:
    if isinstance(mistake, UnexpectedInput):
        return explain_syntax(mistake, source, piece.start, piece.end)
    if isinstance(mistake, DedentError):
        return indentation_mistake(source, piece.start, piece.end)
    if isinstance(mistake, VisitError) and not isinstance(mistake.orig_exc, RecursionError):
        raise mistake
    return too_deep(source, piece.start)
