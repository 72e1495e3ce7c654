"""Semantic tokens of a rule file, for syntax colouring.

In definitions that cannot be parsed, a name is coloured by what it means elsewhere in the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.syntax.grammar import keywords, name_pattern
from edict.support.text import Source, Span
from edict.tools.language_service.analysis import Analysis, FolderRules
from edict.tools.language_service.answer_types import SemanticToken
from edict.tools.language_service.changed_lines import map_lines
from edict.tools.language_service.occurrences import Occurrence
from edict.tools.language_service.workspace import Workspace

_TOKEN = re.compile(
    rf'(?P<string>"[^"]*"?)|(?P<comment>\#.*)|(?P<word>{name_pattern()})|(?P<number>\d+)'
    r"|(?P<operator>!=|<=|>=|[-+*/=<>])"
)


def list_tokens(space: Workspace, path: Path) -> tuple[SemanticToken, ...]:
    """Return every word, string, number, operator and comment of a rule file, in order."""
    rules = space.get_rules(path)
    source = rules.get_source(path) if rules is not None else None
    if rules is None or source is None:
        return ()
    return tuple(_iter_tokens(source, _NameIndex(rules, source)))


def _iter_tokens(source: Source, names: _NameIndex) -> Iterator[SemanticToken]:
    """Yield the tokens of a text line by line; a word gets the sort of its symbol, else `keyword` or none at all."""
    for number, line in enumerate(source.text.split("\n"), 1):
        for match in _TOKEN.finditer(line):
            span = Span(source.name, number, match.start() + 1, number, match.end() + 1)
            sort = str(match.lastgroup)
            if sort != "word":
                yield SemanticToken(span, sort)
                continue
            occurrence = names.find_occurrence(span)
            word_sort = occurrence.sort if occurrence is not None else names.get_sort(match[0])
            if occurrence is None and match[0] in keywords():
                word_sort = "keyword"
            if word_sort:
                yield SemanticToken(span, word_sort, occurrence is not None and occurrence.declares)


class _NameIndex:
    """Names of a file by their positions where these are known, and sorts of all names of the rules."""

    def __init__(self, rules: FolderRules, source: Source) -> None:
        self.analysis: Analysis | None = rules.get_analysis(fresh=False)
        self._occurrences: dict[tuple[int, int], Occurrence] = {}
        self._sorts: dict[str, str] = {}
        if self.analysis is None:
            return
        analyzed_source = self.analysis.sources.get(source.name)
        if analyzed_source is not None:
            lines = map_lines(source.text, analyzed_source.text).backward
        else:
            lines = {}
        for occurrence in self.analysis.occurrences.get(source.name, ()):
            if occurrence.span.line in lines:
                self._occurrences[lines[occurrence.span.line], occurrence.span.column] = occurrence
        for occurrences in self.analysis.occurrences.values():
            self._sorts |= {
                occurrence.word: occurrence.sort for occurrence in occurrences if occurrence.sort != "local"
            }

    def find_occurrence(self, span: Span) -> Occurrence | None:
        """Return the occurrence that begins where a span begins; None if no name is written there."""
        return self._occurrences.get((span.line, span.column))

    def get_sort(self, word: str) -> str:
        return self._sorts.get(word, "")
