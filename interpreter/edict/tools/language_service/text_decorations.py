"""Decorations of a rule file: inlay hints, and semantic tokens for syntax colouring.

In definitions that cannot be parsed, a name is coloured by what it means elsewhere in the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import keywords, name_pattern
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import get_literal_number, walk
from edict.support.morphology import capitalize, join_words
from edict.support.rendering import escape_terminal
from edict.support.text import Source, Span
from edict.tools.language_service.analysis import Analysis, FolderRules
from edict.tools.language_service.answer_types import InlayHint, SemanticToken, TextPosition
from edict.tools.language_service.changed_lines import map_lines
from edict.tools.language_service.navigation import current_location
from edict.tools.language_service.occurrences import Occurrence, unwrap_amendment
from edict.tools.language_service.workspace import Workspace

MAX_NAMES = 3  # sources of adjustments shown
MOST_MEMBERS = 6


def list_hints(space: Workspace, path: Path, first: int = 1, last: int = 1_000_000) -> tuple[InlayHint, ...]:
    """Return the hints in some lines of a file, in order; lines that changed since the analysis have none."""
    rules = space.get_rules(path)
    source = rules.get_source(path) if rules is not None else None
    analysis = rules.get_analysis(fresh=False) if rules is not None else None
    if rules is None or source is None or analysis is None:
        return ()
    page = next((item for item in analysis.pages if item.file == source.name), None)
    raw_hints = (
        ((span, text, words) for span, text, words in _iter_hints(analysis, page)) if page is not None else iter(())
    )
    located = [item for item in (_to_hint(rules, analysis, *item) for item in raw_hints) if item is not None]
    return tuple(sorted((item for item in located if first <= item.at.line <= last), key=lambda item: item.at))


def _to_hint(rules: FolderRules, analysis: Analysis, span: Span, text: str, words: str) -> InlayHint | None:
    """Return a hint at the end of a span, with `words` as tooltip; None if its line changed since the analysis."""
    location = current_location(rules, analysis, span)
    if location is None:
        return None
    return InlayHint(
        TextPosition(location.span.end_line, location.span.end_column), escape_terminal(text), escape_terminal(words)
    )


def _iter_hints(analysis: Analysis, page: t.Page) -> Iterator[tuple[Span, str, str]]:
    """Yield span, text and tooltip of every hint of a page: for steps with a group and for adjusted fields."""
    groups = {
        occurrence.span: occurrence.key[1]
        for occurrence in analysis.occurrences.get(page.file, ())
        if occurrence.sort == "group"
    }
    for definition in page.definitions:
        for node in walk(definition):
            if isinstance(node, t.Part) and node.what.span in groups:
                yield from _iter_group_hints(analysis, node, groups[node.what.span])
        thing = unwrap_amendment(definition)
        if isinstance(thing, t.Thing):
            for value in thing.fields:
                yield from _iter_field_hints(analysis, thing, value)


def _iter_group_hints(analysis: Analysis, part: t.Part, name: str) -> Iterator[tuple[Span, str, str]]:
    """Yield the members of a group in a step such as `gain 1 good`."""
    group = analysis.definitions.get(name)
    members = [member.word for member in group.members] if isinstance(group, t.Group) else []
    if members:
        shown = [*members[:MOST_MEMBERS], *(["..."] if len(members) > MOST_MEMBERS else [])]
        yield part.what.span, f"({join_words(shown, 'and' if part.each else 'or')})", ""


# --- fields ----------------------------------------------------------------------------------------


def _iter_field_hints(analysis: Analysis, thing: t.Thing, value: t.FieldValue) -> Iterator[tuple[Span, str, str]]:
    """Yield (place, hint, tooltip) for a field whose computed quantity rules adjust, such as `price 4`."""
    for quantity in analysis.definitions.values():
        adjustments = analysis.linked.adjusts.get(quantity.name.word, ())
        if adjustments and isinstance(quantity, t.Quantity) and _is_computed_from(analysis, quantity, thing, value):
            words = (
                f"{capitalize(singular_title(quantity))}, adjusted by {_join_sources(adjustments, len(adjustments))}"
            )
            yield (
                _first_line_span(value),
                _compute_adjusted_value(quantity, value, adjustments)
                or f"adjusted by {_join_sources(adjustments, MAX_NAMES)}",
                words,
            )


def _first_line_span(value: t.FieldValue) -> Span:
    """Return the span of what a field is set to: its expression, else its amounts, else its name."""
    there = value.expr or value.amounts or value.name
    return there.span


def _is_computed_from(analysis: Analysis, quantity: t.Quantity, thing: t.Thing, value: t.FieldValue) -> bool:
    """Return True if a quantity of things of this kind is computed from this field."""
    meaning = analysis.linked.resolved.meaning
    if not quantity.params or quantity.params[0].kind.word != thing.kind.word:
        return False
    meanings = (meaning.get(node) for node in walk(quantity.value) if isinstance(node, t.Name))
    return any(
        isinstance(symbol, Symbol) and symbol.sort == "field" and symbol.name == value.name.word for symbol in meanings
    )


def _compute_adjusted_value(quantity: t.Quantity, value: t.FieldValue, adjustments: tuple[AttachedAbility, ...]) -> str:
    """Return the field's value after all adjustments, if all are constant; else an empty text.

    It is known if the quantity reads nothing else and every adjustment is an unconditional number.
    """
    steps = [
        adjustment.ability
        for adjustment in adjustments
        if isinstance(adjustment.ability, t.Adjust) and adjustment.ability.condition is None
    ]
    numbers = [
        number
        for adjustment in steps
        if adjustment.by is not None and (number := get_literal_number(adjustment.by)) is not None
    ]
    is_certain = len(numbers) == len(adjustments) and all(adjustment.thing is None for adjustment in adjustments)
    if not is_certain or not isinstance(value.expr, t.Number) or not isinstance(quantity.value, t.Apply):
        return ""
    bounds = (quantity.at_least, quantity.at_most)
    return f"→ {value.expr.value + sum(numbers)}" if bounds == (None, None) else ""


def _join_sources(adjustments: tuple[AttachedAbility, ...], most: int) -> str:
    """Join the distinct titles of adjusting things, at most `most` of them; rules of no thing are `a house rule`."""
    names = list(
        dict.fromkeys(
            adjustment.title if adjustment.thing is not None else "a house rule" for adjustment in adjustments
        )
    )
    return join_words(names, limit=most)


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
