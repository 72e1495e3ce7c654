"""A rulebook as a PDF to print, set by Typst, which is loaded here alone.

The template is given the book as data, so that no text of a stranger's is ever taken for markup; icons and colours are
those of `look.yaml`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from edict.compiler.english import Line
from edict.compiler.semantics.symbols import Symbol
from edict.compiler.sources.appearance import Look, look_of
from edict.compiler.sources.icons_in_text import Signs
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title
from edict.prose.rulebook.annotated import Known
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
from edict.support.svg import icon

Data = dict[str, Any]
TEMPLATE = Path(__file__).parent / "templates" / "rulebook.typ"
INK = "#2b2118"
ACROSS = 5  # cards side by side, if nothing else is said


def can_be_set() -> bool:
    """Whether Typst is installed."""
    return find_spec("typst") is not None


def as_pdf(book: Rulebook, known: Known) -> bytes:
    """The whole rulebook; raises `ImportError` if Typst is not installed."""
    import typst

    given = {"book": json.dumps(PrintedBook(known).book(book))}
    made_when = datetime(2000, 1, 1, tzinfo=UTC)  # a book of the same rules is the same file
    return typst.compile(TEMPLATE.read_bytes(), ignore_system_fonts=True, timestamp=made_when, sys_inputs=given)


class PrintedBook:
    """A book as data: each part with what it is, texts of cards with their icons apart."""

    def __init__(self, known: Known) -> None:
        self._look: Look = look_of(known.modules)
        self._known = known
        called = {form: name for name in self._look.icons for form in _called(known.definitions.get(name))}
        self._signs = Signs(called)
        self._across = dict(_across(known, self._look))
        self._told: set[str] = set()

    def book(self, book: Rulebook) -> Data:
        icons = {name: icon(one.path, one.light or INK) for name, one in self._look.icons.items()}
        sections = [self._section(one) for one in book.sections]
        return {
            "title": book.title,
            "subtitle": book.subtitle,
            "facts": book.facts,
            "colours": dict(self._look.light),
            "icons": icons,
            "legend": self._legend(),
            "sections": sections,
            "anchors": sorted(self._told),
        }

    def _legend(self) -> list[tuple[str, str]]:
        """Each icon with what it stands for."""
        return [
            (name, split_title(title)[0])
            for name in self._look.icons
            if (title := getattr(self._known.definitions.get(name), "title", ""))
        ]

    def _anchor(self, name: str) -> str:
        """The anchor of something that is described here first."""
        new = name not in self._told
        self._told |= {name} - {""}
        return name if new else ""

    def _section(self, one: Section) -> Data:
        anchor = self._anchor(one.anchor)
        return {
            "title": one.title,
            "anchor": anchor,
            "number": one.number,
            "part": one.part,
            "blocks": [self._block(block, one) for block in one.blocks],
            "sections": [self._section(inner) for inner in one.sections],
        }

    def _block(self, one: Block, of: Section) -> Data:
        match one:
            case Paragraph():
                return {
                    "is": "paragraph",
                    "heading": one.heading,
                    "text": one.text,
                    "quiet": one.quiet,
                    "anchor": self._anchor(one.anchor),
                }
            case Steps():
                return {
                    "is": "steps",
                    "heading": one.heading,
                    "anchor": self._anchor(one.anchor),
                    "numbered": one.numbered,
                    "lines": [_line(line) for line in one.lines],
                }
            case Example():
                return {"is": "example", "title": one.title, "paragraphs": one.paragraphs}
            case Index():
                return {"is": "index", "entries": one.entries}
            case Cards():
                return self._cards([("", [self._card(card) for card in one.cards])], of)
            case Grid():
                return {"is": "grid", "rows": one.rows, "columns": one.columns, "cells": self._cells(one)}
            case Table():
                return self._table(one, of)

    def _cells(self, grid: Grid) -> list[list[list[Data]]]:
        rows = []
        for row in grid.cells:
            rows.append([[self._card(card) for card in cell] for cell in row])
        return rows

    def _cards(self, groups: list[tuple[str, list[Data]]], of: Section) -> Data:
        found = [{"title": title, "cards": cards} for title, cards in groups if cards]
        return {"is": "cards", "across": self._across.get(of.anchor, ACROSS), "groups": found}

    def _table(self, one: Table, of: Section) -> Data:
        """Rows; cards, if they are things that do something."""
        kind = self._known.definitions.get(of.anchor)
        if isinstance(kind, t.Kind) and any(f.type is not None and f.type.shape == "effect" for f in kind.fields):
            groups: list[tuple[str, list[Data]]] = [("", [])]
            for row in one.rows:
                if row.heading:
                    groups.append((row.cells[0], []))
                else:
                    groups[-1][1].append(self._row_as_card(one, row))
            return self._cards(groups, of)
        told = self._with_icons if isinstance(kind, t.Kind) else _in_words
        rows = [
            {
                "cells": [row.cells[0], *map(told, row.cells[1:])],
                "anchor": self._anchor(row.anchor),
                "mark": row.mark,
                "heading": row.heading,
            }
            for row in one.rows
        ]
        return {"is": "table", "heads": one.heads, "rows": rows, "numbers": one.numbers}

    def _row_as_card(self, table: Table, row: TableRow) -> Data:
        """Under its title what stands in the columns, which are named if there are several."""
        said = [
            (head, cell)
            for i, (head, cell) in enumerate(zip(table.heads, row.cells, strict=True))
            if i and i not in table.numbers and cell and not row.cells[0].startswith(cell)
        ]
        first, named = table.numbers[:1], []
        for head, cell in said:
            if cell == "yes":
                named.append(head)
            else:
                named.append(f"{head}: {uncapitalize_title(cell)}" if len(said) > 1 else cell)
        return {
            "title": row.cells[0],
            "anchor": self._anchor(row.anchor),
            "mark": row.mark,
            "numbers": [self._with_icons(row.cells[i]) for i in first],
            "facts": [self._fact(table.heads[i], row.cells[i]) for i in table.numbers[1:] if row.cells[i]],
            "sentences": [self._with_icons(text) for text in named],
        }

    def _card(self, card: Card) -> Data:
        return {
            "title": card.title,
            "anchor": self._anchor(card.anchor),
            "mark": card.mark,
            "numbers": [],
            "facts": [self._fact(name, text) for name, text in card.facts],
            "sentences": [self._with_icons(text) for text in card.sentences],
        }

    def _fact(self, name: str, text: str) -> list[Sequence[str]]:
        """A value, named unless its icons say what it is."""
        alone = self._with_icons(text)
        return alone if any(icon for _, icon, _, _ in alone) else self._with_icons(f"{name} {text}".strip())

    def _with_icons(self, text: str) -> list[Sequence[str]]:
        return [(sign.text, sign.icon, sign.before, sign.after) for sign in self._signs.within(text)]


def _in_words(text: str) -> list[Sequence[str]]:
    return [(text, "", "", "")]


def _line(line: Line) -> Data:
    return {"text": line.text, "about": line.about, "below": [_line(one) for one in line.below]}


def _called(definition: t.Definition | None) -> tuple[str, ...]:
    """What a resource is called in texts."""
    if not isinstance(definition, t.Resource):
        return ()
    return split_title(full_title(definition))


def _across(known: Known, look: Look) -> Iterator[tuple[str, int]]:
    """How many things of a kind stand side by side on a panel whose look says so."""
    panels: Mapping[str, t.Display] = {
        name: one for name, one in known.definitions.items() if isinstance(one, t.Display)
    }
    for name, display in panels.items():
        said = look.panels.get(name)
        meaning = known.resolved.meaning.get(display.each) if display.each is not None else None
        if said is not None and said.across and isinstance(meaning, Symbol):
            yield meaning.name, said.across
