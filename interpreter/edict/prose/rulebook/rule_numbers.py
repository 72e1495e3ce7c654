"""The numbers in the text of rules: found by a phrase or a place, and replaced in memory.

A number is described by the words around it, nearest first: those after it up to a comma, the rest of its line, and
the first line of each part of the tree that holds it, up to its definition. A phrase names the number whose words
match it most closely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import unified_diff

from edict.compiler.pipeline.pipeline import parse_modules
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import Modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.compiler.syntax.word_search import STOP_WORDS, matches_word
from edict.support.records import dataclass
from edict.support.report import Edit, apply_edits
from edict.support.text import Source, Span

MAX_SUGGESTIONS = 12
_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")
_HIDDEN = re.compile(r'"[^"]*"|#.*')  # texts and comments
_WORD = re.compile(r"\w+")
_PLACE = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<column>\d+))?")


@dataclass(frozen=True, slots=True)
class RuleNumber:
    """A number in a line of the rules."""

    module: str
    span: Span
    value: int
    line: str  # without its indentation
    definition: str  # the name of the definition that holds it, or of the thing in a table's row
    is_in_head: bool  # it stands in the definition's first line
    words: tuple[frozenset[str], ...]  # that describe it, nearest first


def list_numbers(modules: Modules) -> tuple[RuleNumber, ...]:
    """Return the numbers of rules that can be parsed; raise `RulesError` otherwise."""
    pages = parse_modules(modules).unwrap()
    return tuple(number for module, pages in pages for page in pages for number in _iter_numbers(module, page))


def _iter_numbers(module: Module, page: t.Page) -> Iterator[RuleNumber]:
    """Yield the numbers of one file in order."""
    source = next(source for source in module.sources if source.name == page.file)
    for definition in page.definitions:
        nodes = [(_start(node.span), _end(node.span)) for node in walk(definition)]
        rows = definition.rows if isinstance(definition, t.Table) else ()
        row_names = {row.span.line: row.name.word for row in rows}
        for row in range(definition.span.line, min(definition.span.end_line, len(source.lines)) + 1):
            line = source.lines[row - 1]
            visible = _HIDDEN.sub(lambda match: " " * len(match[0]), line)
            for match in _NUMBER.finditer(visible):
                at = (row, match.start() + 1)
                if not _start(definition.span) <= at < _end(definition.span):
                    continue
                heads = sorted({start[0] for start, end in nodes if start <= at < end} - {row}, reverse=True)
                after = re.split(r"[,\d]", visible[match.end() :])[0]
                texts = [f"{match[0]} {after}", line, *(source.lines[head - 1] for head in heads)]
                span = Span(page.file, row, at[1], row, match.end() + 1)
                words = tuple(frozenset(_split_words(text)) for text in texts)
                is_in_head = row == definition.span.line
                name = row_names.get(row) or definition.name.word
                yield RuleNumber(module.name, span, int(match[0]), line.strip(), name, is_in_head, words)


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("'", ""))


def find_numbers(numbers: Sequence[RuleNumber], phrase: str) -> tuple[RuleNumber, ...]:
    """Return the numbers that a phrase names equally well: one if it is clear, none if nothing matches.

    Args:
        numbers: The numbers of the rules, each module after those it builds on.
        phrase: Words, as in `cost of embassy in gold`, or a place, FILE:LINE or FILE:LINE:COLUMN.
    """
    if place := _PLACE.fullmatch(phrase.strip()):
        return tuple(number for number in numbers if _is_at(number.span, place))
    query = [word for word in _split_words(phrase) if word not in STOP_WORDS]
    ranked = [(distance, number) for number in numbers if (distance := _measure_distance(query, number)) is not None]
    if not query or not ranked:
        return ()
    least = min(distance for distance, _ in ranked)
    nearest = [number for distance, number in ranked if distance == least]
    nearest = [number for number in nearest if number.module == nearest[-1].module]  # the module on top
    first = nearest[0]
    if first.is_in_head and all((n.span.file, n.span.line) == (first.span.file, first.span.line) for n in nearest):
        return (first,)  # the value of a setting, before its bounds
    return tuple(nearest)


def suggest_numbers(numbers: Sequence[RuleNumber], phrase: str) -> tuple[RuleNumber, ...]:
    """Return the numbers that match most words of a phrase, best first, at most `MAX_SUGGESTIONS`."""
    query = [word for word in _split_words(phrase) if word not in STOP_WORDS]
    matched = [(sum(_find_level(word, number) is not None for word in query), number) for number in numbers]
    most = max((count for count, _ in matched), default=0)
    return tuple(number for count, number in matched if count == most)[:MAX_SUGGESTIONS]


def _is_at(span: Span, place: re.Match[str]) -> bool:
    """Return True if a span is at a place, whose file may lack the first folders."""
    has_file = span.file == place["file"] or span.file.endswith(f"/{place['file']}")
    return has_file and span.line == int(place["line"]) and place["column"] in (None, str(span.column))


def _measure_distance(query: Sequence[str], number: RuleNumber) -> int | None:
    """Return the sum of the levels at which each word describes a number; None if one does not."""
    levels = [_find_level(word, number) for word in query]
    return None if None in levels else sum(level for level in levels if level is not None)


def _find_level(word: str, number: RuleNumber) -> int | None:
    """Return how far from a number a word stands; None if it does not describe the number."""
    levels = (i for i, words in enumerate(number.words) if any(word == w or _is_form(word, w) for w in words))
    return next(levels, None)


def _is_form(word: str, other: str) -> bool:
    return not (word.isdecimal() or other.isdecimal()) and matches_word(word, other)


def replace_numbers(modules: Modules, values: Sequence[tuple[RuleNumber, int]]) -> Modules:
    """Return the modules with other values of some numbers in their texts."""
    edits = [(number.module, Edit(number.span, str(value))) for number, value in values]

    def replace_in(module: Module, source: Source) -> Source:
        own = [edit for name, edit in edits if name == module.name and edit.span.file == source.name]
        return replace(source, text=apply_edits(source.text, own)) if own else source

    return tuple(
        replace(module, sources=tuple(replace_in(module, source) for source in module.sources)) for module in modules
    )


def render_diff(before: Modules, after: Modules) -> list[str]:
    """Return the changed lines of the rule files as a unified diff without context."""
    pairs = [
        (old, new)
        for module, other in zip(before, after, strict=True)
        for old, new in zip(module.sources, other.sources, strict=True)
        if old != new
    ]
    return [
        line for old, new in pairs for line in unified_diff(old.lines, new.lines, old.name, new.name, lineterm="", n=0)
    ]
