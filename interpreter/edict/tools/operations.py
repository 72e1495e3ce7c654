"""Operations on rules that both a command and a tool for assistants offer.

An operation takes annotated rules and returns an `OperationResult`. An interface reads its own parameters, calls it,
and gives the answer's data or its lines.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain, groupby
from typing import Any, NamedTuple

from edict.compiler.english.calendar import CalendarEntry, build_calendar
from edict.compiler.english.calendar import find_entries as find_moments
from edict.compiler.english.calendar import to_data as moment_to_data
from edict.compiler.layering.thing_json import PROVENANCE_FIELDS
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.cross_references import find_references
from edict.prose.rulebook.definition_page import definition_page_to_data, render_page
from edict.prose.rulebook.name_catalog import CatalogEntry, add_usage, filter_names, iter_names
from edict.prose.rulebook.rule_search import NamedDefinition, require_named
from edict.support.morphology import add_indefinite_article, spell_name
from edict.support.rendering import WIDTH, escape_terminal
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError
from edict.tools.language_service.analysis import build_search_index, search
from edict.tools.language_service.answer_types import SearchEntry, search_entry_data
from edict.tools.tables.columns import MODULE, NAME, RULES, TEXT, TITLE, build_rows
from edict.tools.tables.spreadsheets import ROW_KEY

MOMENT_COLUMN_WIDTH = 44  # columns; a longer line pushes its comment to the right
INDENT = " " * 6
MAX_MEANING_LENGTH = 160  # characters; `show` prints all of it
MAX_SHOWN = 12
StyledLines = Iterator[tuple[str, str]]  # pairs of a style and a line


def format_moments(moments: Sequence[CalendarEntry], nested: bool) -> StyledLines:
    """Yield moments in order, each as the first line of a rule.

    Args:
        moments: The moments.
        nested: Indent each by the number of phases around it.
    """
    texts = ["  " * (moment.depth if nested else 0) + moment.line for moment in moments]
    width = min(max(map(len, texts)), MOMENT_COLUMN_WIDTH)
    for moment, text in zip(moments, texts, strict=True):
        yield "", escape_terminal(f"{text.ljust(width)}  # {'; '.join(_iter_moment_facts(moment))}")
    if any(moment.nobody for moment in moments):
        yield "", "\n# If it is nobody's turn, start with `each player`: there is no `you` yet."
    yield "", "# In the abilities of an owned thing, `you` is its owner."


def _iter_moment_facts(moment: CalendarEntry) -> Iterator[str]:
    """Yield the title of a moment, whose turn it is and the values it comes with, as phrases."""
    if moment.title and moment.title.casefold() != spell_name(moment.name):
        yield moment.title
    if moment.turn and moment.nobody:
        yield "sometimes in a player's turn (that player is `you`), sometimes in nobody's"
    elif moment.turn:
        yield "`you` is the player whose turn it is"
    else:
        yield "nobody's turn" if moment.nobody else "nothing triggers it"
    if moment.values:
        yield "with " + ", ".join(
            f"`{name}`" + (f" ({add_indefinite_article(sort)})" if sort != name else "") for name, sort in moment.values
        )


def format_names(names: Sequence[CatalogEntry]) -> StyledLines:
    """Yield names grouped by sort, each as a rule writes it, with its meaning below."""
    for group_number, (sort, members) in enumerate(groupby(names, key=lambda named_rule: named_rule.sort)):
        yield from [("", "")] if group_number else []
        yield "bold", sort
        for named_rule in members:
            title = f'  "{named_rule.title}"' if named_rule.title else ""
            yield "", escape_terminal(f"  {named_rule.written}{title}")
            yield from _format_meaning(named_rule.meaning)
            if named_rule.happens:
                yield from _format_meaning(f"In {named_rule.happens}.")
            if named_rule.example:
                yield "", escape_terminal(f"{INDENT}> {named_rule.example}")


def format_entries(entries: Sequence[SearchEntry]) -> StyledLines:
    """Yield the best search entries, each as a rule writes it, and the number of those not shown."""
    for entry in entries[:MAX_SHOWN]:
        yield "bold", escape_terminal(f"{entry.line}  # {'; '.join(filter(None, (entry.sort, entry.title)))}")
        yield from _format_meaning(entry.description)
    hidden_count = len(entries) - MAX_SHOWN
    if hidden_count > 0:
        yield "", f"{hidden_count} more results; add words to narrow the search"


def _format_meaning(meaning: str) -> StyledLines:
    """Yield a meaning as indented lines, cut at `MAX_MEANING_LENGTH` characters."""
    short = textwrap.shorten(escape_terminal(meaning), MAX_MEANING_LENGTH, placeholder=" ...")
    yield from (("", line) for line in textwrap.wrap(short, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))


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
