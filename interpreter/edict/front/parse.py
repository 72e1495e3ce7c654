"""Pass 1, parse: a rule file to a `Page`. No Lark tree leaves this file."""

from __future__ import annotations

import re
from functools import cache

from lark import Lark
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError, Indenter
from lark.utils import TextSlice

from edict import resources
from edict.front import tree as t
from edict.front.build import Build
from edict.front.mistakes import explain_syntax, indentation_mistake, page_limits
from edict.report import Diagnostic, Outcome
from edict.text import Source


class _Indentation(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR"]
    CLOSE_PAREN_types = ["RPAR"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4


@cache
def _lark(start: str = "start") -> Lark:
    text = (resources.grammar() / "edict.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        start=start,
        parser="lalr",
        postlex=_Indentation(),
        propagate_positions=True,
        maybe_placeholders=True,
    )


_TOP = re.compile(r"^[^\s#]", re.MULTILINE)


def _pieces(text: str) -> list[TextSlice[str]]:
    """The file cut at its top-level definitions, so that one mistake spoils one definition."""
    starts = [m.start() for m in _TOP.finditer(text)]
    ends = [*starts[1:], len(text)]
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
            built = Build(source.name).transform(_lark().parse(piece))
            definitions.extend(built)
        except UnexpectedInput as mistake:
            found.append(explain_syntax(mistake, source, piece.start, piece.end))
        except DedentError:
            found.append(indentation_mistake(source, piece.start, piece.end))
    return Outcome(t.Page(source.name, tuple(definitions)), tuple(found))
