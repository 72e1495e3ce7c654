"""Rulebooks as PDF files for print, set by Typst, which only this module imports.

The template receives the book as data, so no text of a stranger is taken for markup. Icons and colors come from
`look.yaml`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from edict.compiler.english import OutlineLine
from edict.compiler.semantics.symbols import Symbol
from edict.compiler.sources.appearance import Appearance, IconFinder, combine_looks
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import (
    Block,
    Card,
    Cards,
    Example,
    Grid,
    Index,
    Paragraph,
    Rulebook,
    Section,
    Steps,
    Table,
    TableRow,
)
from edict.support.morphology import split_title, uncapitalize_title
from edict.support.svg import render_icon

Data = dict[str, Any]
TEMPLATE = Path(__file__).parent / "templates" / "rulebook.typ"
INK = "#2b2118"
CARDS_PER_ROW = 5  # cards side by side by default


def can_typeset() -> bool:
    """Return True if Typst is installed."""
    return find_spec("typst") is not None


def render_pdf(book: Rulebook, rules: AnnotatedRules) -> bytes:
    """Return the rulebook as a PDF.

    Raises:
        ImportError: If Typst is not installed.
    """
    import typst

    inputs = {"book": json.dumps(TypstBook(rules).book_to_data(book))}
    timestamp = datetime(2000, 1, 1, tzinfo=UTC)  # the same rules give the same file
    return typst.compile(TEMPLATE.read_bytes(), ignore_system_fonts=True, timestamp=timestamp, sys_inputs=inputs)


class TypstBook:
    """A converter of a rulebook to data for the Typst template, with icons in texts as separate parts."""

    def __init__(self, rules: AnnotatedRules) -> None:
        self._look: Appearance = combine_looks(rules.modules)
        self._known = rules
        called = {form: name for name in self._look.icons for form in _resource_words(rules.definitions.get(name))}
        self._signs = IconFinder(called)
        self._across = dict(_iter_cards_per_row(rules, self._look))
        self._claimed: set[str] = set()

    def book_to_data(self, book: Rulebook) -> Data:
        """Return the whole book as data."""
        icons = {name: render_icon(item.path, item.light or INK) for name, item in self._look.icons.items()}
        sections = [self._section_to_data(item) for item in book.sections]
        return {
            "title": book.title,
            "subtitle": book.subtitle,
            "facts": book.facts,
            "colours": dict(self._look.light),
            "icons": icons,
            "legend": self._build_legend(),
            "sections": sections,
            "anchors": sorted(self._claimed),
        }

    def _build_legend(self) -> list[tuple[str, str]]:
        """Return each icon with its meaning."""
        return [
            (name, split_title(title)[0])
            for name in self._look.icons
            if (title := getattr(self._known.definitions.get(name), "title", ""))
        ]

    def _claim_anchor(self, name: str) -> str:
        """Return the anchor the first time it is used, else an empty string."""
        is_new = name not in self._claimed
        self._claimed |= {name} - {""}
        return name if is_new else ""

    def _section_to_data(self, section: Section) -> Data:
        """Return a section with its blocks and subsections as data; claim its anchor."""
        anchor = self._claim_anchor(section.anchor)
        return {
            "title": section.title,
            "anchor": anchor,
            "number": section.number,
            "part": section.part,
            "blocks": [self._block_to_data(block, section) for block in section.blocks],
            "sections": [self._section_to_data(inner) for inner in section.sections],
        }

    def _block_to_data(self, block: Block, section: Section) -> Data:
        """Return a block as a dict for the template, whose key `is` names the sort of block."""
        match block:
            case Paragraph():
                return {
                    "is": "paragraph",
                    "heading": block.heading,
                    "text": block.text,
                    "quiet": block.quiet,
                    "anchor": self._claim_anchor(block.anchor),
                }
            case Steps():
                return {
                    "is": "steps",
                    "heading": block.heading,
                    "anchor": self._claim_anchor(block.anchor),
                    "numbered": block.numbered,
                    "lines": [_line_to_data(line) for line in block.lines],
                }
            case Example():
                return {"is": "example", "title": block.title, "paragraphs": block.paragraphs}
            case Index():
                return {"is": "index", "entries": block.entries}
            case Cards():
                return self._cards_to_data([("", [self._card_to_data(card) for card in block.cards])], section)
            case Grid():
                return {
                    "is": "grid",
                    "rows": block.rows,
                    "columns": block.columns,
                    "cells": self._grid_cells_to_data(block),
                }
            case Table():
                return self._table_to_data(block, section)

    def _grid_cells_to_data(self, grid: Grid) -> list[list[list[Data]]]:
        """Return the cards of a grid as data, by row, column and place within the cell."""
        rows = []
        for row in grid.cells:
            rows.append([[self._card_to_data(card) for card in cell] for cell in row])
        return rows

    def _cards_to_data(self, groups: list[tuple[str, list[Data]]], section: Section) -> Data:
        """Return titled groups of cards as one block with the number of cards per row; drop empty groups."""
        filled = [{"title": title, "cards": cards} for title, cards in groups if cards]
        return {"is": "cards", "across": self._across.get(section.anchor, CARDS_PER_ROW), "groups": filled}

    def _table_to_data(self, table: Table, section: Section) -> Data:
        """Return a table as data, as cards if its things have effects."""
        kind = self._known.definitions.get(section.anchor)
        if isinstance(kind, t.Kind) and any(
            field.type is not None and field.type.shape == "effect" for field in kind.fields
        ):
            groups: list[tuple[str, list[Data]]] = [("", [])]
            for row in table.rows:
                if row.heading:
                    groups.append((row.cells[0], []))
                else:
                    groups[-1][1].append(self._row_as_card(table, row))
            return self._cards_to_data(groups, section)
        convert = self._split_icons if isinstance(kind, t.Kind) else _as_plain_text
        rows = [
            {
                "cells": [row.cells[0], *map(convert, row.cells[1:])],
                "anchor": self._claim_anchor(row.anchor),
                "mark": row.mark,
                "heading": row.heading,
            }
            for row in table.rows
        ]
        return {"is": "table", "heads": table.heads, "rows": rows, "numbers": table.numbers}

    def _row_as_card(self, table: Table, row: TableRow) -> Data:
        """Return a row as a card, with the column heads if there are several texts."""
        texts = [
            (head, cell)
            for i, (head, cell) in enumerate(zip(table.heads, row.cells, strict=True))
            if i and i not in table.numbers and cell and not row.cells[0].startswith(cell)
        ]
        main_numbers, sentences = table.numbers[:1], []
        for head, cell in texts:
            if cell == "yes":
                sentences.append(head)
            else:
                sentences.append(f"{head}: {uncapitalize_title(cell)}" if len(texts) > 1 else cell)
        return {
            "title": row.cells[0],
            "anchor": self._claim_anchor(row.anchor),
            "mark": row.mark,
            "numbers": [self._split_icons(row.cells[i]) for i in main_numbers],
            "facts": [self._fact_to_data(table.heads[i], row.cells[i]) for i in table.numbers[1:] if row.cells[i]],
            "sentences": [self._split_icons(text) for text in sentences],
        }

    def _card_to_data(self, card: Card) -> Data:
        """Return a card as data for the template; claim its anchor and split icons from its sentences."""
        return {
            "title": card.title,
            "anchor": self._claim_anchor(card.anchor),
            "mark": card.mark,
            "numbers": [],
            "facts": [self._fact_to_data(name, text) for name, text in card.facts],
            "sentences": [self._split_icons(text) for text in card.sentences],
        }

    def _fact_to_data(self, name: str, text: str) -> list[Sequence[str]]:
        """Return a value as pieces of text and icons; the field's name precedes it only if it has no icon."""
        parts = self._split_icons(text)
        if any(sign_icon for _, sign_icon, _, _ in parts):
            return parts
        return self._split_icons(f"{name} {text}".strip())

    def _split_icons(self, text: str) -> list[Sequence[str]]:
        """Split a text into (text, icon, before, after) tuples at the words that have icons."""
        return [(sign.text, sign.icon, sign.before, sign.after) for sign in self._signs.split(text)]


def _as_plain_text(text: str) -> list[Sequence[str]]:
    return [(text, "", "", "")]


def _line_to_data(line: OutlineLine) -> Data:
    """Return an outline line as data, with the lines below it nested."""
    return {"text": line.text, "about": line.about, "below": [_line_to_data(inner) for inner in line.below]}


def _resource_words(definition: t.Definition | None) -> tuple[str, ...]:
    """Return the words for a resource in texts."""
    if not isinstance(definition, t.Resource):
        return ()
    return split_title(full_title(definition))


def _iter_cards_per_row(rules: AnnotatedRules, look: Appearance) -> Iterator[tuple[str, int]]:
    """Iterate over kinds with the number of things side by side, where a panel's look says so."""
    panels: Mapping[str, t.Display] = {
        name: definition for name, definition in rules.definitions.items() if isinstance(definition, t.Display)
    }
    for name, display in panels.items():
        panel_look = look.panels.get(name)
        meaning = rules.resolved.meaning.get(display.each) if display.each is not None else None
        if panel_look is not None and panel_look.across and isinstance(meaning, Symbol):
            yield meaning.name, panel_look.across
