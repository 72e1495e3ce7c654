"""Operations on rules that both a command and a tool for assistants offer.

An operation takes annotated rules and returns an `OperationResult`. An interface reads its own parameters, calls it,
and gives the answer's data or its lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any, NamedTuple

from edict.compiler.english.calendar import build_calendar
from edict.compiler.english.calendar import find_entries as find_moments
from edict.compiler.english.calendar import to_data as moment_to_data
from edict.compiler.layering.thing_json import PROVENANCE_FIELDS
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.cross_references import find_references
from edict.prose.rulebook.definition_page import definition_page_to_data, render_page
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.name_catalog import add_usage, filter_names, iter_names
from edict.prose.rulebook.rule_search import NamedDefinition, require_named
from edict.support.rendering import escape_terminal
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError
from edict.tools.language_service.analysis import build_search_index, search
from edict.tools.language_service.answer_types import search_entry_data
from edict.tools.language_service.search_lines import StyledLines, format_entries, format_moments, format_names
from edict.tools.tables.columns import MODULE, NAME, RULES, TEXT, TITLE
from edict.tools.tables.spreadsheets import ROW_KEY
from edict.tools.tables.thing_export import build_rows


class OperationResult(NamedTuple):
    """The answer of an operation."""

    name: str  # of the format of its data
    data: list[dict[str, Any]]  # can be written as JSON
    lines: Iterable[tuple[str, str]]  # pairs of a style and a line, made when they are read


def find(rules: AnnotatedRules, words: str = "", kind: str = "anything") -> OperationResult:
    """Find the moments, names or things that rules can refer to.

    Args:
        rules: The rules.
        words: Words of a name or title; empty for everything of the kind.
        kind: `anything`, `moments` or `names`.

    Raises:
        RequestError: No moment or name matches the words; for anything else, reading the lines raises it.
    """
    search_kind = {"anything": _find_anything, "moments": _find_moments, "names": _find_names}[kind]
    return search_kind(remove_judgement(rules), words)


def _find_moments(rules: AnnotatedRules, words: str) -> OperationResult:
    moments = build_calendar(rules.linked)
    matches = tuple(find_moments(moments, words))
    if not matches:
        suggestion = (
            suggest_word(words, [moment.name for moment in moments]) or "run it without words to list everything"
        )
        raise RequestError(f"no moment of {rules.game.manifest.title} matches `{words}`", suggestion)
    return OperationResult(
        "moments", [moment_to_data(moment) for moment in matches], format_moments(matches, nested=not words)
    )


def _find_names(rules: AnnotatedRules, words: str) -> OperationResult:
    matches = list(add_usage(rules, filter_names(iter_names(rules), words)))
    if not matches:
        suggestion = suggest_word(words, [entry.written.split()[0] for entry in iter_names(rules)])
        remedy = suggestion or "run it without words to list everything"
        raise RequestError(f"no name in {rules.game.manifest.title} matches `{words}`", remedy)
    return OperationResult("names", [asdict(entry) for entry in matches], format_names(matches))


def _find_anything(rules: AnnotatedRules, words: str) -> OperationResult:
    index = tuple(build_search_index(rules))
    matches = search(index, words)

    def format_matches() -> StyledLines:
        if not matches:  # an empty list is an answer for programs
            suggestion = suggest_word(words, [entry.title for entry in index if entry.title])
            reason = f"nothing in {rules.game.manifest.title} matches `{words}`"
            raise RequestError(reason, suggestion or "try fewer words, or other ones")
        yield from format_entries(matches)

    return OperationResult("matches", [search_entry_data(entry) for entry in matches], format_matches())


def show(rules: AnnotatedRules, name: str) -> OperationResult:
    """Show the definitions with a name or title, with their sources and with everything that affects them.

    Raises:
        RequestError: Nothing has this name.
    """
    shown_rules, definitions = require_named(rules, name)
    references = find_references(shown_rules)
    data = [definition_page_to_data(shown_rules, definition, references) for definition in definitions]
    pages = (render_page(shown_rules, definition, references) for definition in definitions)
    return OperationResult(
        "definitions", data, chain.from_iterable([("", "")] * bool(i) + [*page] for i, page in enumerate(pages))
    )


def show_all(rules: AnnotatedRules, kind_name: str) -> OperationResult:
    """Show all things of a kind, in a table; the data are their pages as `show` gives them, each with its `row`.

    Raises:
        RequestError: There is no such kind.
    """
    rows = build_rows(rules, kind_name)
    shown_rules = remove_judgement(rules)
    references = find_references(shown_rules)
    named = (NamedDefinition(row[NAME], shown_rules.definitions[row[NAME]]) for row in rows)
    data = [
        {**definition_page_to_data(shown_rules, definition, references), ROW_KEY: row}
        for definition, row in zip(named, rows, strict=True)
    ]
    return OperationResult("definitions", data, _format_rows(rows))


def _format_rows(rows: list[dict[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a table of things, with a title, the fields that fit a line, and the description."""
    headers = [
        header
        for header in (rows[0] if rows else ())
        if header not in (NAME, TEXT, RULES, MODULE, *PROVENANCE_FIELDS)
        and (header == TITLE or any(row[header] for row in rows))
        and not any("\n" in row[header] for row in rows)
    ]
    cells = [headers, *([row[header] or (row[NAME] if header == TITLE else "") for header in headers] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for index, line in enumerate(cells):
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "" if index else "bold", escape_terminal("  ".join(padded).rstrip())
