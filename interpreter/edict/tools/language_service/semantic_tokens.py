"""The words of a file by what they are; in definitions that cannot be read, by what is called so elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.syntax.grammar import keywords, name_pattern
from edict.support.text import Source, Span
from edict.tools.language_service.analysis import Analysis, Rules
from edict.tools.language_service.answer_types import Colour
from edict.tools.language_service.changed_lines import lines_between
from edict.tools.language_service.occurrences import Occurrence
from edict.tools.language_service.workspace import Workspace

SORTS = (
    "keyword",
    "string",
    "number",
    "comment",
    "operator",
    "action",
    "builtin",
    "die",
    "display",
    "field",
    "game",
    "group",
    "keep",
    "kind",
    "local",
    "moment",
    "phase",
    "player",
    "quantity",
    "resource",
    "routine",
    "rule",
    "setting",
    "thing",
)
"""What a colour can be of."""

_TOKEN = re.compile(
    rf'(?P<string>"[^"]*"?)|(?P<comment>\#.*)|(?P<word>{name_pattern()})|(?P<number>\d+)'
    r"|(?P<operator>!=|<=|>=|[-+*/=<>])"
)


def colours(space: Workspace, path: Path) -> tuple[Colour, ...]:
    """Every word, text, number, sign and comment of a rule file, in order."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    if rules is None or source is None:
        return ()
    return tuple(_colours(source, _Named(rules, source)))


def _colours(source: Source, named: _Named) -> Iterator[Colour]:
    for number, line in enumerate(source.text.split("\n"), 1):
        for found in _TOKEN.finditer(line):
            span = Span(source.name, number, found.start() + 1, number, found.end() + 1)
            sort = str(found.lastgroup)
            if sort != "word":
                yield Colour(span, sort)
                continue
            occurrence = named.at(span)
            known = occurrence.sort if occurrence is not None else named.called(found[0])
            if occurrence is None and found[0] in keywords():
                known = "keyword"
            if known in SORTS:
                yield Colour(span, known, occurrence is not None and occurrence.declares)


class _Named:
    """What the names of a file are, by their places where those are known."""

    def __init__(self, rules: Rules, source: Source) -> None:
        self.known: Analysis | None = rules.analysis(anew=False)
        self._there: dict[tuple[int, int], Occurrence] = {}
        self._sorts: dict[str, str] = {}
        if self.known is None:
            return
        old = self.known.sources.get(source.name)
        lines = lines_between(source.text, old.text).back if old is not None else {}
        for one in self.known.occurrences.get(source.name, ()):
            if one.span.line in lines:
                self._there[lines[one.span.line], one.span.column] = one
        for all_ in self.known.occurrences.values():
            self._sorts |= {one.word: one.sort for one in all_ if one.sort != "local"}

    def at(self, span: Span) -> Occurrence | None:
        return self._there.get((span.line, span.column))

    def called(self, word: str) -> str:
        return self._sorts.get(word, "")
