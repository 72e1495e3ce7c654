"""Pass 1, parse: a rule file to a `Page`. No Lark tree leaves this file."""

from __future__ import annotations

import re

from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError
from lark.utils import TextSlice

from edict.front import tree as t
from edict.front.build import Build
from edict.front.grammar import parser
from edict.front.mistakes import explain_syntax, indentation_mistake, page_limits, too_deep
from edict.report import Diagnostic, Outcome
from edict.text import Source

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
    """Every definition of the file; one diagnostic for each definition that cannot be read."""
    refused = page_limits(source)
    if refused:
        return Outcome(None, tuple(refused))
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    found: list[Diagnostic] = []
    definitions: list[t.Definition] = []
    for piece in _pieces(text):
        try:
            build = Build(source.name)
            definitions.extend(build.transform(parser().parse(piece)))
            found += build.found
        except UnexpectedInput as mistake:
            found.append(explain_syntax(mistake, source, piece.start, piece.end))
        except DedentError:
            found.append(indentation_mistake(source, piece.start, piece.end))
        except VisitError as mistake:
            if not isinstance(mistake.orig_exc, RecursionError):
                raise
            found.append(too_deep(source, piece.start))
        except RecursionError:
            found.append(too_deep(source, piece.start))
    return Outcome(t.Page(source.name, tuple(definitions)), tuple(found))
